//! The counters of an answer. Accounting never breaks content: usage may be null, partial or missing, and the
//! last one holds.

use crate::{
    api::accumulate::{Members, Problem},
    script::Usage,
};

/// Reads the member `usage` over what is known so far.
pub(crate) fn read(members: Members<'_>, usage: &mut Usage) -> Result<(), Box<Problem>> {
    let Some(found) = members.object_or_null("usage")? else {
        return Ok(());
    };
    let found = Members::new("usage.", found);
    let (mut cached, mut written) = (None, None);
    let known = |count: &mut u64, tokens: Option<u64>| *count = tokens.unwrap_or(*count);
    if let Some(details) = found.object_or_null("prompt_tokens_details")? {
        let details = Members::new("usage.prompt_tokens_details.", details);
        cached = details.number_or_null("cached_tokens")?;
        written = details.number_or_null("cache_write_tokens")?;
        let audio = details.number_or_null("audio_tokens")?;
        known(&mut usage.input_audio_tokens, audio);
    }
    if cached.is_none() {
        // Together's
        cached = found.number_or_null("cached_tokens")?;
    }
    if let Some(prompt) = found.number_or_null("prompt_tokens")? {
        usage.cache_read_tokens = cached.unwrap_or(0);
        usage.cache_creation_tokens = written.unwrap_or(0);
        usage.input_tokens = prompt
            .saturating_sub(usage.cache_read_tokens)
            .saturating_sub(usage.cache_creation_tokens);
    }
    if let Some(tokens) = found.number_or_null("completion_tokens")? {
        usage.output_tokens = tokens;
    }
    if let Some(details) = found.object_or_null("completion_tokens_details")? {
        let details = Members::new("usage.completion_tokens_details.", details);
        if let Some(tokens) = details.number_or_null("reasoning_tokens")? {
            usage.thinking_tokens = Some(tokens);
        }
        for (count, name) in [
            (&mut usage.output_audio_tokens, "audio_tokens"),
            (
                &mut usage.accepted_prediction_tokens,
                "accepted_prediction_tokens",
            ),
            (
                &mut usage.rejected_prediction_tokens,
                "rejected_prediction_tokens",
            ),
        ] {
            known(count, details.number_or_null(name)?);
        }
    }
    Ok(())
}
