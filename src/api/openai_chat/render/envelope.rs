//! What stands around the choices: ids, model, usage.

use crate::{
    api::{Context, Ids, openai::DEFAULT_MODEL, openai_chat::purpose},
    json::{write_number, write_str},
    script::{Extras, Message, Usage},
};

/// What is the same in every chunk.
pub(super) struct Envelope {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) service_tier: Option<String>,
    fingerprint: Option<String>,
    /// Whether choices have the member `logprobs` where none were asked for.
    pub(super) says_no_logprobs: bool,
}

/// When every answer was made: the stub's clock stands still. Seconds since 1970.
const CREATED: u64 = 1_787_150_052;

impl Envelope {
    pub(super) fn new(message: &Message, extras: &Extras, context: &Context) -> Self {
        let made = Ids::new(context.seed, purpose::MESSAGE).base62("chatcmpl-", 29);
        let model = message.model.as_ref().unwrap_or(&context.model);
        let model = match model.as_str() {
            "" => DEFAULT_MODEL,
            model => model,
        };
        let family = Family::of(model);
        let fingerprint = Ids::new(context.seed, purpose::FINGERPRINT).hex("fp_", 10);
        let tier = extras.service_tier.clone();
        Self {
            id: extras.id.clone().unwrap_or(made),
            model: model.to_owned(),
            service_tier: match family {
                Family::Search => tier,
                Family::Gpt5 | Family::Older | Family::Fingerprinted if extras.is_recorded => tier,
                Family::Gpt5 | Family::Older | Family::Fingerprinted => {
                    tier.or_else(|| Some("default".to_owned()))
                }
            },
            fingerprint: (family == Family::Fingerprinted).then_some(fingerprint),
            says_no_logprobs: matches!(family, Family::Older | Family::Fingerprinted),
        }
    }

    /// `{"id":…,"model":…`
    pub(super) fn write_start(&self, out: &mut Vec<u8>, object: &str) {
        out.extend_from_slice(br#"{"id":"#);
        write_str(out, &self.id);
        out.extend_from_slice(br#","object":"#);
        write_str(out, object);
        out.extend_from_slice(br#","created":"#);
        write_number(out, CREATED);
        out.extend_from_slice(br#","model":"#);
        write_str(out, &self.model);
    }

    /// `,"service_tier":…,"system_fingerprint":…`
    pub(super) fn write_tier(&self, out: &mut Vec<u8>) {
        if let Some(tier) = &self.service_tier {
            out.extend_from_slice(br#","service_tier":"#);
            write_str(out, tier);
        }
        out.extend_from_slice(br#","system_fingerprint":"#);
        match &self.fingerprint {
            Some(fingerprint) => write_str(out, fingerprint),
            None => out.extend_from_slice(b"null"),
        }
    }
}

/// What differs between models, as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// No `logprobs`, no fingerprint.
    Gpt5,
    /// No `logprobs`, no tier, no fingerprint.
    Search,
    /// No fingerprint.
    Older,
    Fingerprinted,
}

impl Family {
    fn of(model: &str) -> Self {
        if model.contains("-search") {
            Self::Search
        } else if model.starts_with("gpt-5") {
            Self::Gpt5
        } else if model.starts_with("gpt-3.5") || model.starts_with("gpt-4-") || model == "gpt-4" {
            Self::Older
        } else {
            Self::Fingerprinted
        }
    }
}

/// The member's value.
pub(super) fn write_usage(out: &mut Vec<u8>, usage: &Usage) {
    let prompt = usage
        .input_tokens
        .saturating_add(usage.cache_read_tokens)
        .saturating_add(usage.cache_creation_tokens);
    out.extend_from_slice(br#"{"prompt_tokens":"#);
    write_number(out, prompt);
    out.extend_from_slice(br#","completion_tokens":"#);
    write_number(out, usage.output_tokens);
    out.extend_from_slice(br#","total_tokens":"#);
    write_number(out, prompt.saturating_add(usage.output_tokens));
    out.extend_from_slice(br#","prompt_tokens_details":{"cached_tokens":"#);
    write_number(out, usage.cache_read_tokens);
    // only some answers say it
    if usage.cache_creation_tokens > 0 {
        out.extend_from_slice(br#","cache_write_tokens":"#);
        write_number(out, usage.cache_creation_tokens);
    }
    for (name, tokens) in [
        (&br#","audio_tokens":"#[..], usage.input_audio_tokens),
        (
            br#"},"completion_tokens_details":{"reasoning_tokens":"#,
            usage.thinking_tokens.unwrap_or(0),
        ),
        (br#","audio_tokens":"#, usage.output_audio_tokens),
        (
            br#","accepted_prediction_tokens":"#,
            usage.accepted_prediction_tokens,
        ),
        (
            br#","rejected_prediction_tokens":"#,
            usage.rejected_prediction_tokens,
        ),
    ] {
        out.extend_from_slice(name);
        write_number(out, tokens);
    }
    out.extend_from_slice(b"}}");
}
