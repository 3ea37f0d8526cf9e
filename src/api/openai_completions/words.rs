//! The API's words for neutral ones, in both directions.

use super::NAME;
use crate::{
    api::openai::{uncounted, unsayable},
    script::{StopReason, Usage},
};

/// The API's word for a stop reason.
///
/// # Errors
///
/// A reason that the API has no word for.
pub(super) fn finish_reason(reason: &StopReason) -> Result<&str, String> {
    let unsayable = |what: &str| {
        let help = "choose another stop reason; a string stands for itself";
        Err(unsayable(NAME, &format!("that {what}"), help))
    };
    match reason {
        StopReason::EndTurn | StopReason::StopSequence(_) => Ok("stop"),
        StopReason::MaxTokens | StopReason::ContextWindowExceeded => Ok("length"),
        StopReason::ContentFilter => Ok("content_filter"),
        StopReason::ToolUse => unsayable("a tool is called"),
        StopReason::Refusal => unsayable("the model refuses"),
        StopReason::PauseTurn => unsayable("a turn pauses"),
        StopReason::Compaction => unsayable("a conversation was compacted"),
        StopReason::Other(word) => Ok(word),
    }
}

/// The neutral reason behind the API's word.
pub(super) fn stop_reason(word: &str) -> StopReason {
    match word {
        "stop" => StopReason::EndTurn,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::ContentFilter,
        word => StopReason::Other(word.to_owned()),
    }
}

/// The neutral reason as a strict client reads it.
///
/// # Errors
///
/// An empty word: it is as none.
pub(super) fn read_back(word: &str) -> Result<StopReason, String> {
    if word.is_empty() {
        return Err("the stop reason `` is read as none\n  \
                    help: such an answer can be played, but no strict client reads it"
            .to_owned());
    }
    Ok(stop_reason(word))
}

/// What of a usage the API cannot say: it has three counters.
pub(super) fn check_usage(usage: &Usage) -> Result<(), String> {
    let some = |count: Option<u64>| count.is_some_and(|count| count > 0);
    for (said, what) in [
        (usage.cache_read_tokens > 0, "what was read from a cache"),
        (
            usage.cache_creation_tokens > 0 || usage.cache_creation_1h_tokens > 0,
            "what was written to a cache",
        ),
        (some(usage.thinking_tokens), "how much was thought"),
        (
            usage.input_audio_tokens > 0 || usage.output_audio_tokens > 0,
            "how much is audio",
        ),
        (
            usage.accepted_prediction_tokens > 0 || usage.rejected_prediction_tokens > 0,
            "what became of a prediction",
        ),
        (
            some(usage.web_search_requests),
            "how often the web was searched",
        ),
        (
            some(usage.web_fetch_requests),
            "how often a page was fetched",
        ),
        (
            !usage.iterations.is_empty(),
            "what each pass over the model cost",
        ),
    ] {
        if said {
            return Err(uncounted(NAME, what));
        }
    }
    Ok(())
}
