//! What a correct client reads, and the verdict on this one.

use std::fmt;

use super::transcript::{SHORT, Transcript, calls_shown, excerpt};
use crate::script::{Reply, StopReason};

/// What a client did with an answer. What each means for a client is told in the [module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verdict {
    /// It succeeded, with the result that the bytes carry.
    Equal,
    /// It failed, and says so.
    Loud,
    /// It succeeded, with another result: the one that loses data. Also a success where an answer was damaged beyond
    /// use, or by what a client may not do in silence, such as a second paid request.
    SilentWrong,
    /// It did not come back in time, or kept a silent connection open.
    Hang,
    /// It panicked.
    Panic,
    /// It sent no request that has an answer: none at all, or one that breaks a rule of the provider, is for another API
    /// or for no stream.
    BadRequest,
    /// It was not judged: the suite was told so, the client waits before it asks again for longer than the suite does, or
    /// the machine is too slow for the client's limit.
    Skipped,
}

impl Verdict {
    /// In the order of a report.
    pub(super) const ALL: [Self; 7] = [
        Self::Equal,
        Self::Loud,
        Self::SilentWrong,
        Self::Hang,
        Self::Panic,
        Self::BadRequest,
        Self::Skipped,
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "equal",
            Self::Loud => "loud",
            Self::SilentWrong => "silent-wrong",
            Self::Hang => "hang",
            Self::Panic => "panic",
            Self::BadRequest => "bad-request",
            Self::Skipped => "skipped",
        })
    }
}

/// What came of one call.
pub(super) enum Came {
    Read(Transcript),
    Failed(String),
    Panicked(String),
    /// After so long.
    NotBack(std::time::Duration),
    /// It failed in time, but its connection is still open.
    KeptOpen(String),
    /// The runner dropped the call, and its connection was closed.
    LetGo,
    /// The runner dropped the call, and its connection is still open after so long.
    NotLetGo(std::time::Duration),
}

/// The client's own words for stop reasons, from undamaged answers.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<(StopReason, Option<String>)>);

impl Words {
    /// Notes what the client calls the reason of an undamaged answer.
    pub(super) fn learn(&mut self, sent: &Reply, read: &Transcript) {
        if let Some(word) = &read.stop_reason {
            self.0.push((sent.stop_reason.clone(), word.clone()));
        }
    }

    /// What the client calls it, as far as that is known.
    fn of(&self, sent: &StopReason) -> String {
        let known = self.0.iter().find(|(known, _)| known == sent);
        let word = known.and_then(|(_, word)| word.clone());
        word.unwrap_or_else(|| format!("{sent:?}"))
    }

    /// What is wrong with this word for this reason.
    fn mistake(&self, sent: &StopReason, read: Option<&str>) -> Option<String> {
        let said = |word: Option<&str>| word.unwrap_or("none").to_owned();
        if let Some((_, known)) = self.0.iter().find(|(known, _)| known == sent) {
            return (known.as_deref() != read).then(|| {
                format!(
                    "stop reason `{}`, wanted `{}`",
                    said(read),
                    said(known.as_deref())
                )
            });
        }
        let folded = self
            .0
            .iter()
            .find(|(_, word)| word.is_some() && word.as_deref() == read);
        folded.map(|(other, _)| {
            format!(
                "stop reason `{}`, which is this client's word for {other:?}; {sent:?} was sent",
                said(read)
            )
        })
    }
}

/// The verdict, and what there is to say about it. `wanted` is none where no result can be right.
pub(super) fn judge(came: &Came, wanted: Option<&Reply>, words: &Words) -> (Verdict, String) {
    match came {
        Came::Failed(error) => (Verdict::Loud, error.clone()),
        Came::Panicked(message) => (Verdict::Panic, message.clone()),
        Came::NotBack(time) => (Verdict::Hang, format!("not back after {time:?}")),
        Came::KeptOpen(error) => (
            Verdict::Hang,
            format!("the call failed ({error}), but its connection is still open"),
        ),
        Came::LetGo => (
            Verdict::Loud,
            "the call was dropped, and its connection closed".to_owned(),
        ),
        Came::NotLetGo(time) => (
            Verdict::Hang,
            format!("the call was dropped, but {time:?} later its connection is still open"),
        ),
        Came::Read(read) => match wanted {
            Some(wanted) => match difference(read, wanted, words) {
                None => (Verdict::Equal, String::new()),
                Some(difference) => (Verdict::SilentWrong, difference),
            },
            None => (
                Verdict::SilentWrong,
                format!("success, with {}", read.shown()),
            ),
        },
    }
}

/// What a client that loses nothing would say, in the form of [`Transcript::shown`].
pub(super) fn wanted(reply: &Reply, words: &Words) -> String {
    let wanted = Transcript::text(reply.text())
        .thinking(reply.thinking())
        .tool_calls(reply.tool_calls().cloned())
        .stop_reason(words.of(&reply.stop_reason))
        .usage(reply.usage.input_tokens, reply.usage.output_tokens);
    wanted.shown()
}

/// The first thing that was read otherwise than it was sent.
pub(super) fn difference(read: &Transcript, wanted: &Reply, words: &Words) -> Option<String> {
    let texts = |what, read: &str, wanted: &str| {
        (read != wanted).then(|| {
            let (read, wanted) = around_difference(read, wanted);
            format!("{what} {read}, wanted {wanted}")
        })
    };
    if let Some(difference) = texts("text", &read.text, &wanted.text()) {
        return Some(difference);
    }
    if let Some(thinking) = &read.thinking {
        if let Some(difference) = texts("thinking", thinking, &wanted.thinking()) {
            return Some(difference);
        }
    }
    if let Some(calls) = &read.tool_calls {
        let read = calls_shown(calls);
        let wanted = calls_shown(wanted.tool_calls());
        if read != wanted {
            let (read, wanted) = (excerpt(&read), excerpt(&wanted));
            return Some(format!("tool calls {read}, wanted {wanted}"));
        }
    }
    if let Some(usage) = read.usage {
        let wanted = (wanted.usage.input_tokens, wanted.usage.output_tokens);
        if usage != wanted {
            return Some(format!("usage {usage:?}, wanted {wanted:?}"));
        }
    }
    let reason = read.stop_reason.as_ref()?;
    words.mistake(&wanted.stop_reason, reason.as_deref())
}

/// Two texts that differ: whole if they are short, else from a little before their first difference on.
fn around_difference(read: &str, wanted: &str) -> (String, String) {
    let is_short = |text: &str| text.chars().nth(SHORT).is_none();
    if is_short(read) && is_short(wanted) {
        return (format!("{read:?}"), format!("{wanted:?}"));
    }
    let both = read.chars().zip(wanted.chars());
    let same = both.take_while(|(read, wanted)| read == wanted).count();
    let from = same.saturating_sub(SHORT / 4);
    let part = |text: &str| {
        let part: String = text.chars().skip(from).take(SHORT).collect();
        format!(
            "{part:?} (of {} characters, from the {}th on)",
            text.chars().count(),
            from + 1
        )
    };
    (part(read), part(wanted))
}
