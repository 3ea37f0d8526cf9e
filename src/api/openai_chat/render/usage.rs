//! The usage of an answer, by the template of its row.

use super::said::Said;
use crate::{
    api::{
        openai::uncounted,
        openai_chat::dialect::{Filled, Row, Slot},
    },
    json::write_number,
    script::Usage,
};

/// Which usage is meant.
#[derive(Clone, Copy)]
pub(super) enum UsageOf {
    Whole,
    /// That of a stream after so many chunks.
    SoFar(u64),
}

/// The member's value.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a usage has few of the slots; a test fills those of every row"
)]
pub(super) fn write(out: &mut Vec<u8>, said: &Said, of: UsageOf) {
    let usage = &said.usage;
    let prompt = prompt(usage);
    let completion = usage.output_tokens;
    let so_far = match of {
        UsageOf::Whole => completion,
        UsageOf::SoFar(chunks) => chunks.min(completion),
    };
    let bill = matches!(of, UsageOf::Whole);
    let any = |count: u64| (count > 0).then_some(count);
    let mut fill = |slot: Slot, out: &mut Vec<u8>| {
        let number = match slot {
            Slot::Prompt => Some(prompt),
            Slot::Completion => Some(completion),
            Slot::Total => Some(prompt.saturating_add(completion)),
            Slot::CompletionSoFar => Some(so_far),
            Slot::TotalSoFar => Some(prompt.saturating_add(so_far)),
            Slot::Cached => Some(usage.cache_read_tokens),
            Slot::CachedIfAny => any(usage.cache_read_tokens),
            Slot::Written => any(usage.cache_creation_tokens),
            Slot::WrittenOrZero => Some(usage.cache_creation_tokens),
            Slot::Missed => Some(prompt.saturating_sub(usage.cache_read_tokens)),
            Slot::Reasoning => usage.thinking_tokens,
            Slot::ReasoningOrZero => Some(usage.thinking_tokens.unwrap_or(0)),
            Slot::AudioIn => Some(usage.input_audio_tokens),
            Slot::AudioOut => Some(usage.output_audio_tokens),
            Slot::Accepted => Some(usage.accepted_prediction_tokens),
            Slot::Rejected => Some(usage.rejected_prediction_tokens),
            Slot::IfBill => return Filled::when(bill),
            Slot::IfUnbilled => return Filled::when(!bill),
            Slot::Tier => {
                super::chunk::write_or_null(out, said.envelope.service_tier.as_deref());
                return Filled::Yes;
            }
            Slot::Cost => {
                return cost(
                    out,
                    dollars(prompt, 1).saturating_add(dollars(completion, 5)),
                );
            }
            Slot::CostIn => return cost(out, dollars(prompt, 1)),
            Slot::CostOut => return cost(out, dollars(completion, 5)),
            _ => None,
        };
        if let Some(number) = number {
            write_number(out, number);
        }
        Filled::when(number.is_some())
    };
    said.row.usage.template.write(out, &mut fill);
}

fn prompt(usage: &Usage) -> u64 {
    usage
        .input_tokens
        .saturating_add(usage.cache_read_tokens)
        .saturating_add(usage.cache_creation_tokens)
}

/// Millionths of a dollar, at a made-up price for a million tokens.
const fn dollars(tokens: u64, price: u64) -> u64 {
    tokens.saturating_mul(price)
}

/// Dollars, without zeros at the end.
fn cost(out: &mut Vec<u8>, millionths: u64) -> Filled {
    write_number(out, millionths / 1_000_000);
    let rest = format!("{:06}", millionths % 1_000_000);
    let rest = rest.trim_end_matches('0');
    if !rest.is_empty() {
        out.push(b'.');
        out.extend_from_slice(rest.as_bytes());
    }
    Filled::Yes
}

/// What of a usage the row cannot say. `scripted` is what the turn itself says, without what was estimated.
pub(super) fn check(usage: &Usage, scripted: Option<&Usage>, row: &Row) -> Result<(), String> {
    let says = |slots: &[Slot]| slots.iter().any(|slot| row.usage.template.has(*slot));
    let thinks = scripted.and_then(|usage| usage.thinking_tokens);
    for (count, slots, what) in [
        (
            usage.cache_read_tokens,
            &[Slot::Cached, Slot::CachedIfAny][..],
            "what was read from a cache",
        ),
        (
            usage.cache_creation_tokens,
            &[Slot::Written, Slot::WrittenOrZero],
            "what was written to a cache",
        ),
        (
            thinks.unwrap_or(0),
            &[Slot::Reasoning, Slot::ReasoningOrZero],
            "how much of the answer is thinking",
        ),
        (
            usage.input_audio_tokens,
            &[Slot::AudioIn],
            "how much of the prompt is audio",
        ),
        (
            usage.output_audio_tokens,
            &[Slot::AudioOut],
            "how much of the answer is audio",
        ),
        (
            usage.accepted_prediction_tokens,
            &[Slot::Accepted],
            "how much of a prediction was right",
        ),
        (
            usage.rejected_prediction_tokens,
            &[Slot::Rejected],
            "how much of a prediction was wrong",
        ),
    ] {
        if count > 0 && !says(slots) {
            return Err(uncounted(row.name, what));
        }
    }
    Ok(())
}

/// What is read of it.
pub(super) fn normalized(mut usage: Usage, row: &Row) -> Usage {
    if row.usage.template.has(Slot::ReasoningOrZero) {
        usage.thinking_tokens.get_or_insert(0);
    } else if !row.usage.template.has(Slot::Reasoning) {
        usage.thinking_tokens = None;
    }
    (usage.web_search_requests, usage.web_fetch_requests) = (None, None);
    usage
}
