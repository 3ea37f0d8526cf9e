//! The API's words for neutral ones, in both directions.

use super::NAME;
use crate::{
    api::openai::{uncounted, unsayable},
    script::{StopReason, Usage},
};

/// Why the model stopped, of an answer that calls the client's tools or does not.
pub(super) fn effective(given: Option<&StopReason>, calls: bool) -> StopReason {
    given.cloned().unwrap_or(if calls {
        StopReason::ToolUse
    } else {
        StopReason::EndTurn
    })
}

/// Why the response is incomplete; `None` if it is complete.
///
/// # Errors
///
/// A reason that cannot be read back from the answer: the API has no member for it.
pub(super) fn incomplete(reason: &StopReason, calls: bool) -> Result<Option<&'static str>, String> {
    let unsayable = |what: &str, help| Err(unsayable(NAME, &format!("that {what}"), help));
    let other = "choose another stop reason";
    match reason {
        StopReason::EndTurn if calls => unsayable(
            "a turn ends with a tool call: it is read as waiting for the result",
            "leave out `.stop_reason(..)`, or the call",
        ),
        StopReason::ToolUse if !calls => unsayable(
            "a turn without a tool call waits for a result",
            "leave out `.stop_reason(..)`, or add the `.tool_call(..)`",
        ),
        StopReason::EndTurn | StopReason::ToolUse | StopReason::Refusal => Ok(None),
        StopReason::MaxTokens => Ok(Some("max_output_tokens")),
        StopReason::ContentFilter => Ok(Some("content_filter")),
        StopReason::StopSequence(_) => unsayable("a stop sequence came up", other),
        StopReason::PauseTurn => unsayable("a turn pauses", other),
        StopReason::ContextWindowExceeded => unsayable(
            "the context window was full",
            "use `StopReason::MaxTokens`, or the error `ApiError::context_overflow()`",
        ),
        StopReason::Compaction => unsayable("a conversation was compacted", other),
        StopReason::Other(word) => {
            let what = format!("a turn stops for `{}`", word.escape_debug());
            unsayable(&what, other)
        }
    }
}

/// What of a usage the API cannot say.
pub(super) fn check_usage(usage: &Usage) -> Result<(), String> {
    let passes = u64::try_from(usage.iterations.len()).unwrap_or(u64::MAX);
    let first = [
        (usage.cache_creation_1h_tokens, "how long a cache is kept"),
        (
            usage.web_fetch_requests.unwrap_or(0),
            "how often a page was fetched",
        ),
    ];
    let details = first.into_iter().chain(usage.audio_and_predictions());
    for (said, what) in details.chain([(passes, "what each pass over the model cost")]) {
        if said > 0 {
            return Err(uncounted(NAME, what));
        }
    }
    Ok(())
}
