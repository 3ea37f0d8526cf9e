//! What a correct client reads, and the verdict on this one.

use std::fmt;

use super::transcript::Transcript;
use crate::script::{Reply, StopReason};

/// What a client did with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verdict {
    /// It succeeded, with the result that the bytes carry.
    Equal,
    /// It failed, and says so.
    Loud,
    /// It succeeded, with another result: the one that loses data. Also a success where an answer was damaged beyond
    /// use.
    SilentWrong,
    /// It did not come back in time, or kept a silent connection open.
    Hang,
    /// It panicked.
    Panic,
    /// It was not asked, since the suite was told so.
    Skipped,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "equal",
            Self::Loud => "loud",
            Self::SilentWrong => "silent-wrong",
            Self::Hang => "hang",
            Self::Panic => "panic",
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
        Came::Read(read) => match wanted {
            Some(wanted) => match difference(read, wanted, words) {
                None => (Verdict::Equal, String::new()),
                Some(difference) => (Verdict::SilentWrong, difference),
            },
            None => (
                Verdict::SilentWrong,
                format!("success, with {}", summary(read)),
            ),
        },
    }
}

/// The first thing that was read otherwise than it was sent.
pub(super) fn difference(read: &Transcript, wanted: &Reply, words: &Words) -> Option<String> {
    let text = wanted.text();
    if read.text != text {
        return Some(format!("text {:?}, wanted {text:?}", cut(&read.text)));
    }
    if let Some(thinking) = &read.thinking {
        let wanted = wanted.thinking();
        if *thinking != wanted {
            return Some(format!("thinking {:?}, wanted {wanted:?}", cut(thinking)));
        }
    }
    if let Some(calls) = &read.tool_calls {
        let shown = |id: &str, name: &str, arguments: &serde_json::Value| {
            format!("{id} {name}({arguments})")
        };
        let read: Vec<_> = calls
            .iter()
            .map(|call| shown(&call.id, &call.name, &call.arguments))
            .collect();
        let wanted: Vec<_> = wanted
            .tool_calls()
            .map(|call| shown(&call.id, &call.name, &call.arguments))
            .collect();
        if read != wanted {
            return Some(format!(
                "tool calls [{}], wanted [{}]",
                read.join(", "),
                wanted.join(", ")
            ));
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

/// What a client read, in a line.
fn summary(read: &Transcript) -> String {
    let mut summary = format!("text {:?}", cut(&read.text));
    for call in read.tool_calls.iter().flatten() {
        summary += &format!(", a call {} {}({})", call.id, call.name, call.arguments);
    }
    summary
}

/// The start of a long text.
fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
