//! Damage: an answer in, the same with the turn's faults out.
//!
//! ```text
//! turn ─ reword ─► turn ─ render ─► Answer ─ events ─ encode ─ bytes ─ transport ─ http ─► steps
//! ```
//!
//! An answer with a fault is held whole, since a fault may look at all of it; one without is not, and never comes here.
//! Each fault has to change the answer: one that leaves it as it was is an error of the test, so no damage checks for
//! its own target.

mod additions;
mod answer;
mod call_turns;
mod calls;
mod chunks;
mod editing;
mod errors;
mod events;
mod expected;
mod framing;
mod gzip;
mod http;
mod json_edit;
mod lines;
#[cfg(test)]
mod listing;
mod order;
mod protocol;
#[cfg(test)]
mod references;
mod tool_calls;
mod transport;
mod truncation;
mod turns;

use std::sync::Arc;

pub(super) use answer::{Answer, Last, Piece, Says};
pub(crate) use expected::expect;

use super::{Length, Unplayable};
use crate::{
    api::{Api, Context, Form, Head},
    script::{Fault, FaultVariant, Stage, Turn},
};

/// What a damage may look at besides the answer.
struct Around<'a> {
    fault: FaultVariant,
    api: Api,
    context: &'a Context,
    /// What is said.
    turn: &'a Turn,
}

impl Around<'_> {
    /// The name of the variant.
    const fn variant(&self) -> &'static str {
        self.fault.name()
    }

    /// How long the `data:` line of a large event is.
    fn length(&self) -> usize {
        match self.variant() {
            "128-kib-and-1" => 128 * 1024 + 1,
            "1-mib-and-1" => 1024 * 1024 + 1,
            "16-mib" => 16 * 1024 * 1024,
            _ => 64 * 1024 + 1,
        }
    }
}

/// What the turn says once its own faults of that stage are done.
pub(crate) fn reworded(turn: &Turn) -> Turn {
    let mut said = turn.clone();
    for fault in &turn.faults {
        turns::reword(&mut said, fault);
    }
    said
}

/// The answer that `render` makes of `turn`, damaged by the turn's faults; `what` is what the messages call it.
///
/// # Errors
///
/// A fault that does not apply to this API, or that changes nothing.
pub(super) fn damaged(
    turn: &Arc<Turn>,
    api: Api,
    context: &Context,
    what: &'static str,
    render: impl Fn(&Arc<Turn>) -> Result<Answer, Unplayable>,
) -> Result<Answer, Unplayable> {
    for fault in &turn.faults {
        check_possible(*fault, api)?;
    }
    let mut said = Arc::clone(turn);
    let mut answer = render(&said)?;
    for stage in Stage::ALL {
        if stage == Stage::Bytes {
            answer.encode(api.line_end(context));
        }
        for (n, fault) in turn.faults.iter().enumerate() {
            let around = |turn| Around {
                fault: *fault,
                api,
                context,
                turn,
            };
            if stage == Stage::Transport && fault.fault() == Fault::ManyTinyEvents {
                // many of them are a write, too
                damage(&mut answer, &around(&said));
            }
            if fault.stage() != stage {
                continue;
            }
            let before = if stage == Stage::Turn {
                turns::reword(Arc::make_mut(&mut said), fault);
                std::mem::replace(&mut answer, render(&said)?)
            } else {
                let before = answer.clone();
                // no line of a body that is no stream is one of SSE
                if answer.form == Form::Stream || stage >= Stage::Transport {
                    damage(&mut answer, &around(&said));
                }
                before
            };
            if before == answer {
                let earlier = turn.faults.get(..n).unwrap_or_default();
                return Err(no_target(*fault, what, earlier.contains(fault)));
            }
        }
    }
    Ok(answer)
}

/// Checks that such an answer can have the fault, and that this build can make it.
fn check_possible(fault: FaultVariant, api: Api) -> Result<(), Unplayable> {
    if !fault.applies_to(api) {
        return Err(Unplayable(format!(
            "fault `{fault}` is not possible: {} has nothing that it could damage\n  \
             help: `Fault::applies_to(api)` says where a fault can be",
            api.name()
        )));
    }
    if fault.fault() == Fault::GzipStream && !cfg!(feature = "gzip") {
        return Err(Unplayable(format!(
            "fault `{fault}` is not possible: llm-wire-stub was built without its feature `gzip`\n  \
             help: turn the feature on in `Cargo.toml`"
        )));
    }
    Ok(())
}

fn no_target(fault: FaultVariant, what: &str, is_repeated: bool) -> Unplayable {
    if is_repeated {
        return Unplayable(format!(
            "fault `{fault}` has no target: an earlier fault removed it\n  help: give it once"
        ));
    }
    let damages = match fault.stage() {
        Stage::Turn => "what is said in",
        Stage::Events => "the events of",
        Stage::Bytes => "the bytes of",
        Stage::Transport => "how the pieces leave of",
        Stage::Http => "the head or the whole body of",
    };
    Unplayable(format!(
        "fault `{fault}` has no target in {what}\n  help: it damages {damages} {}",
        fault.needs().words()
    ))
}

/// Does one damage; leaves the answer as it is if there is nothing to damage.
#[expect(
    clippy::too_many_lines,
    reason = "a line for each kind, and nothing else"
)]
fn damage(answer: &mut Answer, around: &Around<'_>) {
    match around.fault.fault() {
        // done before the answer was rendered
        Fault::UnicodeSeparatorsInData
        | Fault::EmptyCompletion
        | Fault::ResponseIncomplete
        | Fault::ToolArgsSplit
        | Fault::ToolIdDuplicated
        | Fault::ToolArgsInvalidJson
        | Fault::ToolArgsTruncated
        | Fault::LengthCutToolCall => {}

        // bytes and framing
        Fault::SplitAnyByte => transport::split_anywhere(answer, around),
        Fault::SplitUtf8Scalar => transport::split_characters(answer, around),
        Fault::InvalidUtf8 => framing::put_bytes_that_are_no_text(answer, around),
        Fault::EolCrlf => framing::end_lines(answer, |_, _| b"\r\n"),
        Fault::SplitCrlf => transport::split_line_ends(answer, around),
        Fault::EolCr => framing::end_lines(answer, |_, _| b"\r"),
        Fault::EolMixed => framing::mix_line_ends(answer, around),
        Fault::BomLeading => framing::mark_byte_order(answer, around),
        Fault::FieldSpaceVariants => framing::space_fields(answer, around),
        Fault::DataMultiLine => framing::spread_data(answer, around),
        Fault::CommentLines => additions::comments(answer, around),
        Fault::BlankLineKeepalive => additions::blank_lines(answer, around),
        Fault::EmptyDataEvent => additions::empty_events(answer, around),
        Fault::SseExtraFields => additions::extra_fields(answer, around),
        Fault::EventNameAbsent => framing::drop_names(answer),
        Fault::LargeEvent => framing::grow_event(answer, around.length()),
        Fault::TinyFragments => transport::crumble(answer, around),
        // the text was made longer before
        Fault::ManyTinyEvents => framing::join(answer, 100),
        Fault::GzipStream => gzip::compress(answer, around),
        Fault::BufferedBurst => transport::hold_back(answer, around),
        Fault::ContentTypeVariants => http::change_content_type(answer, around),

        // the protocol
        Fault::UnknownStopReason => protocol::unknown_reason(answer, around),
        Fault::UnknownField => events::add_members(answer, around),
        Fault::PingAnywhere => protocol::ping(answer, around),
        Fault::UnknownEventType => protocol::unknown_events(answer, around),
        Fault::OptionalFieldAbsent => protocol::drop_members(answer, around),
        Fault::UnknownContentBlock => protocol::unknown_part(answer),
        Fault::FinishReasonEmpty => chunks::reword_no_finish(answer, Some("\"\"")),
        Fault::FinishReasonKeyAbsent => chunks::reword_no_finish(answer, None),
        Fault::UsageOnlyChunk => chunks::move_usage(answer, around),
        Fault::UsageNullOrPartial => protocol::damage_usage(answer, around),
        Fault::EmptyChoicesFirst => chunks::begin_without_choices(answer),
        Fault::NullDelta => chunks::say_null(answer, around),
        Fault::FinishWithContent => chunks::finish_with_content(answer, around),
        Fault::ContentAfterFinish => chunks::go_on(answer, around),
        Fault::DuplicateFinish => chunks::finish_twice(answer),
        Fault::DoneSentinel => chunks::say_done(answer, around),
        Fault::DoneMissing => chunks::drop_done(answer),

        // tool calls
        Fault::ToolInterleaved => {
            tool_calls::interleave(answer, around.api);
        }
        Fault::ToolIdOmittedLater => tool_calls::empty_later_ids(answer, around),
        Fault::ToolIdNameRepeated => tool_calls::repeat_ids(answer, around),
        Fault::ToolArgsInFirstDelta => tool_calls::join_arguments(answer, around.api),
        Fault::ToolArgsEmpty => tool_calls::empty_arguments(answer, around),
        Fault::ToolIndexMissing => tool_calls::drop_indices(answer, around),
        Fault::ToolIndexCollision => tool_calls::collide(answer, around),
        Fault::ToolArgsObject => tool_calls::unquote_arguments(answer, around),
        Fault::ToolArgsDuplicated => tool_calls::double_arguments(answer, around),
        Fault::ToolNameMissing => tool_calls::drop_name(answer, around),
        Fault::ResponsesIdMapping => tool_calls::halve_ids(answer, around),

        // truncation and silence
        Fault::EofBeforeTerminal => truncation::end_before_terminal(answer, around),
        Fault::TerminalFrameCut => truncation::cut_terminal(answer, around),
        Fault::EofNoFinalBlank => truncation::end_without_blank_line(answer, around),
        Fault::EofMidEvent => truncation::end_inside_event(answer, around),
        Fault::ChunkedAbort => transport::abort(answer, around),
        Fault::ResetMidStream => transport::reset(answer, around),
        Fault::StallBeforeHeaders => transport::stall_before_head(answer),
        Fault::StallMidStream => transport::stall(answer, around),
        Fault::SlowButAlive => transport::slow_down(answer, around),
        Fault::StallHeartbeatOnly => transport::beat_for_ever(answer, around),
        Fault::OpenAfterTerminal => transport::stay_open(answer, around),

        // errors
        Fault::ErrorJson200 => http::error_as_success(answer, around),
        Fault::JsonInsteadOfSse => http::whole_instead_of_stream(answer, around),
        Fault::HtmlBody => http::page(answer, around),
        Fault::HttpErrorOnStream => http::error_status(answer, around),
        Fault::EmptyBody => http::empty(answer, around),
        Fault::ErrorEventMidStream => errors::break_off(answer, around),
        Fault::ErrorEventFirst => errors::break_at_once(answer, around),
        Fault::MalformedJsonEvent => errors::malform(answer, around),
        Fault::KeepaliveAsData => errors::keep_alive_as_data(answer),
        Fault::KeepaliveInsideEvent => errors::keep_alive_inside(answer),

        // order and structure
        Fault::DeltaBeforeStart => order::begin_late(answer, around),
        Fault::DuplicateMessageStart => order::begin_twice(answer, around),
        Fault::BlockIndexInvalid => order::misindex(answer, around),
        Fault::DeltaTypeMismatch => order::mistype_delta(answer, around),
        Fault::DeltaAfterStop => order::go_on(answer, around),
        Fault::BlockNotClosed => order::leave_open(answer, around),
        Fault::ThinkingSignatureMissing => protocol::damage_signature(answer, around),
    }
}
