//! When the events of an answer leave.

use std::{sync::Arc, time::Duration};

/// When the events of an answer leave: each waits before its own bytes, on the stub's clock. See
/// [`Turn::pace`](crate::Turn::pace) and [`WireStubBuilder::pace`](crate::WireStubBuilder::pace).
///
/// Waits only: the bytes are those of an answer without pace, and where gates, delays, stalls and endings stand
/// stays the same. A comment between two events waits for nothing. Of an answer that is no stream only
/// [`first_token_after`](Self::first_token_after) is kept, and an error turn comes at once.
///
/// ```
/// use llm_wire_stub::{Pace, Turn};
/// use std::time::Duration;
///
/// let ms = Duration::from_millis;
/// // a model that thinks for a while, and then speaks a little unsteadily
/// let pace = Pace::tokens_per_second(50).first_token_after(ms(800)).jitter(ms(5), 7);
/// let turn = Turn::new().text("one token for each word").pace(pace);
/// # let _ = turn;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Pace {
    pub(crate) beat: Beat,
    pub(crate) first_token_after: Duration,
    pub(crate) jitter: Option<Jitter>,
}

/// Which event waits for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Beat {
    Every(Duration),
    /// Each delta of an event waits so long.
    Delta(Duration),
    /// The event with this index.
    Recorded(Arc<[Duration]>),
    /// What the recording says.
    AsRecorded,
}

/// How far waits are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jitter {
    pub(crate) by: Duration,
    pub(crate) seed: u64,
}

impl Pace {
    /// So long before each event behind the head, and so between any two of them.
    ///
    /// `Pace::every(Duration::ZERO)` waits for nothing, and lets one turn go without the pace of its stub.
    pub const fn every(wait: Duration) -> Self {
        Self::of(Beat::Every(wait))
    }

    /// So many deltas a second: only events with a fragment of text, thinking or arguments wait, and each
    /// fragment counts as one token. It is a word, unless [`Turn::fragments`](crate::Turn::fragments) says
    /// otherwise.
    ///
    /// # Panics
    ///
    /// At the caller's line, if `tokens` is 0.
    #[track_caller]
    pub fn tokens_per_second(tokens: u32) -> Self {
        assert!(
            tokens > 0,
            "a stream has at least one token a second\n  found: `0`\n  \
             help: `Pace::every(duration)` makes slower ones, and `.stall(place)` one that says nothing"
        );
        Self::of(Beat::Delta(Duration::from_secs(1) / tokens))
    }

    /// As it was recorded: the first event waits for the first of these, and so on. Events behind the last of
    /// them wait for nothing; what is left over is not used.
    ///
    /// ```
    /// use llm_wire_stub::Pace;
    /// use std::time::Duration;
    ///
    /// let pace = Pace::recorded([310, 2, 45, 38].map(Duration::from_millis));
    /// # let _ = pace;
    /// ```
    pub fn recorded(waits: impl IntoIterator<Item = Duration>) -> Self {
        Self::of(Beat::Recorded(waits.into_iter().collect()))
    }

    /// As the [`Recording`](crate::Recording) says that it was; any other answer waits for nothing.
    pub const fn as_recorded() -> Self {
        Self::of(Beat::AsRecorded)
    }

    const fn of(beat: Beat) -> Self {
        Self {
            beat,
            first_token_after: Duration::ZERO,
            jitter: None,
        }
    }

    /// Lets the first delta wait so much longer than it would: the time to the first token. An answer that is no
    /// stream waits so long before its head, as it comes once the model is done.
    pub const fn first_token_after(mut self, wait: Duration) -> Self {
        self.first_token_after = wait;
        self
    }

    /// Moves each wait by up to `by`, to either side and never below zero; by the same for the same seed, in
    /// every answer from its start. What does not wait is not moved.
    pub const fn jitter(mut self, by: Duration, seed: u64) -> Self {
        self.jitter = Some(Jitter { by, seed });
        self
    }
}
