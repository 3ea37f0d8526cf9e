//! A recorded answer: the bytes of an API, as they were written.

use std::time::Duration;

use bytes::Bytes;

use super::{Ending, Json, Says, Turn, add_header};
use crate::api::{Api, Form};

/// A recorded answer: status, headers, and the body in the writes that it came in. It is a turn.
///
/// On its own API, to a request for its form (a stream or a body), it is played exactly: the same bytes in the same writes,
/// unless the turn or its stub has a [`Cut`](crate::Cut) other than `PerEvent`. It waits for nothing unless
/// [`Pace::as_recorded`](crate::Pace::as_recorded) asks for it; with another pace each write waits as an event does. Anywhere else it is said
/// again, as [`Script::from_wire`](crate::Script::from_wire) does it, or is unplayable where that cannot be. Its places are `After::request`,
/// `After::head`, and `After::events(n)` behind its nth write. Whether it fits its request is not checked.
///
/// ```
/// use llm_wire_stub::{Api, Cut, Recording, Turn, chunks};
///
/// let writes = ["data: {\"half", " an event\"}\n\n", "data: [DONE]\n\n"];
/// let turn = Turn::from(Recording::new(Api::OpenAiChat, writes));
/// assert!(chunks(Api::OpenAiChat, &turn, Cut::PerEvent).eq(writes));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Recording {
    pub(crate) api: Api,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) writes: Vec<Write>,
    pub(crate) end: RecordedEnd,
    pub(crate) request: Option<Box<RecordedAsk>>,
}

/// What was written at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) bytes: Bytes,
    /// How long nothing was written before it.
    pub(crate) wait: Duration,
}

/// How the body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordedEnd {
    Complete,
    Fin,
    Reset,
    CloseDelimited,
}

/// The request that was answered so.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RecordedAsk {
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Json>,
}

impl Recording {
    /// An answer of this API with status 200, whose body came in these writes.
    ///
    /// # Panics
    ///
    /// At the caller's line, if nothing was written.
    #[track_caller]
    pub fn new<B: Into<Bytes>>(api: Api, writes: impl IntoIterator<Item = B>) -> Self {
        let writes = writes.into_iter().map(|bytes| Write {
            bytes: bytes.into(),
            wait: Duration::ZERO,
        });
        let writes: Vec<_> = writes.filter(|write| !write.bytes.is_empty()).collect();
        assert!(!writes.is_empty(), "{EMPTY}");
        Self {
            api,
            status: 200,
            headers: Vec::new(),
            writes,
            end: RecordedEnd::Complete,
            request: None,
        }
    }

    /// Sets the status.
    ///
    /// # Panics
    ///
    /// At the caller's line, unless it is from 200 to 599.
    #[track_caller]
    pub fn status(mut self, status: u16) -> Self {
        if let Err(why) = check_recorded_status(status) {
            panic!("{why}");
        }
        self.status = status;
        self
    }

    /// Adds a header; those of the framing are the stub's.
    ///
    /// # Panics
    ///
    /// At the caller's line, if HTTP does not allow it, or if it belongs to the framing of the answer.
    #[track_caller]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        add_header(&mut self.headers, name.into(), value.into());
        self
    }

    /// Says how long nothing was written before the first write, the second one, and so on.
    pub fn waits(mut self, waits: impl IntoIterator<Item = Duration>) -> Self {
        for (write, wait) in self.writes.iter_mut().zip(waits) {
            write.wait = wait;
        }
        self
    }

    /// Says how the body ended, if not as it has to.
    ///
    /// # Panics
    ///
    /// At the caller's line, if it is none of [`Ending::Fin`], [`Ending::Reset`] and [`Ending::CloseDelimited`]: other
    /// endings are in the bytes.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "as `Turn::end` takes it")]
    pub fn end(mut self, ending: Ending) -> Self {
        self.end = match ending {
            Ending::Fin => RecordedEnd::Fin,
            Ending::Reset => RecordedEnd::Reset,
            Ending::CloseDelimited => RecordedEnd::CloseDelimited,
            Ending::InStreamError(_)
            | Ending::CleanEof
            | Ending::WrongLength(_)
            | Ending::MidEvent
            | Ending::MidCharacter => panic!(
                "a recording ends as its connection did\n  \
                 help: use `Ending::Fin`, `Ending::Reset` or `Ending::CloseDelimited`; what the body lacks, its bytes lack"
            ),
        };
        self
    }

    /// The body.
    pub(crate) fn body(&self) -> Vec<u8> {
        let writes = self.writes.iter();
        writes
            .flat_map(|write| write.bytes.iter().copied())
            .collect()
    }

    /// Whether it is a stream: as its headers say, or if they say nothing, as its first byte does.
    pub(crate) fn form(&self) -> Form {
        let mut headers = self.headers.iter();
        let content = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let is_stream = match content {
            Some((_, kind)) => kind.starts_with("text/event-stream"),
            None => {
                let mut bytes = self.writes.iter().flat_map(|write| &write.bytes);
                !matches!(
                    bytes.find(|byte| !byte.is_ascii_whitespace()),
                    Some(b'{' | b'[')
                )
            }
        };
        if is_stream { Form::Stream } else { Form::Json }
    }

    /// Whether it is an answer to such a call; an error answers both forms.
    pub(crate) fn answers(&self, api: Api, form: Form) -> bool {
        self.api == api && (self.status >= 400 || self.form() == form)
    }
}

pub(crate) const EMPTY: &str = "this recording is empty\n  \
                                help: a body has bytes; an answer that breaks off before them is scripted with `.end(..)`";

/// # Errors
///
/// If no answer has this status.
pub(crate) fn check_recorded_status(status: u16) -> Result<(), String> {
    if (200..600).contains(&status) {
        return Ok(());
    }
    Err(format!(
        "an answer has a status from 200 to 599\n  found: `{status}`\n  help: give the status that was recorded"
    ))
}

impl From<Recording> for Turn {
    #[track_caller]
    fn from(recording: Recording) -> Self {
        Self::saying(Says::Recorded(Box::new(recording)))
    }
}
