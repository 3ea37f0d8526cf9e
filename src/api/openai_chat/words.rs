//! The API's words for neutral ones, in both directions.

use crate::{
    api::openai::{uncounted, unsayable},
    script::{StopReason, Usage},
};

/// The API's word for a stop reason. A refusal stops as any answer does; its words stand in another member.
///
/// # Errors
///
/// A reason that the API has no word for.
pub(super) fn finish_reason<'a>(reason: &'a StopReason, api: &str) -> Result<&'a str, String> {
    let unsayable = |what: &str| {
        let help = "choose another stop reason; a string stands for itself";
        Err(unsayable(api, &format!("that {what}"), help))
    };
    match reason {
        StopReason::EndTurn | StopReason::StopSequence(_) | StopReason::Refusal => Ok("stop"),
        StopReason::MaxTokens | StopReason::ContextWindowExceeded => Ok("length"),
        StopReason::ToolUse => Ok("tool_calls"),
        StopReason::ContentFilter => Ok("content_filter"),
        StopReason::PauseTurn => unsayable("a turn pauses"),
        StopReason::Compaction => unsayable("a conversation was compacted"),
        StopReason::Other(word) => Ok(word),
    }
}

/// The neutral reason behind the API's word, of an answer that refuses or does not.
pub(super) fn stop_reason(word: &str, refuses: bool) -> StopReason {
    match word {
        "stop" if refuses => StopReason::Refusal,
        "stop" => StopReason::EndTurn,
        "length" => StopReason::MaxTokens,
        "tool_calls" => StopReason::ToolUse,
        "content_filter" => StopReason::ContentFilter,
        word => StopReason::Other(word.to_owned()),
    }
}

/// The neutral reason as a strict client reads it.
///
/// # Errors
///
/// A word that is no reason: an empty one is as none, and `error` is the provider's.
pub(super) fn read_back(word: &str, refuses: bool) -> Result<StopReason, String> {
    match word {
        "" | "error" => Err(format!(
            "the stop reason `{word}` is read as none, or as an error\n  \
             help: such an answer can be played, but no strict client reads it"
        )),
        word => Ok(stop_reason(word, refuses)),
    }
}

/// What of a usage the API cannot say.
pub(super) fn check_usage(usage: &Usage, api: &str) -> Result<(), String> {
    let some = |count: Option<u64>| count.is_some_and(|count| count > 0);
    for (said, what) in [
        (
            usage.cache_creation_1h_tokens > 0,
            "how long a cache is kept",
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
            return Err(uncounted(api, what));
        }
    }
    Ok(())
}
