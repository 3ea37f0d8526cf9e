//! A live turn: what the test has said of it, and how much of that was played. Plain state and wakers; the
//! one who plays it, and the one who waits, are in `server`.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
    time::Duration,
};

use super::{Ending, GateLatch, Says, ScriptedPart, StopReason, ToolKind, Turn, remember};

/// A turn that the test writes while the client reads it.
///
/// `&Live` is a turn: give it to [`turn`](crate::WireStubBuilder::turn) or to a lane. A closure answers with
/// a clone of `Turn::from(&live)`; usage, model and the like are said there too
/// (`Turn::from(&live).usage(..)`). It answers one request, and a second one is refused.
///
/// Head and first event leave as soon as a request takes the turn. From then on each call writes exactly
/// what it says, and is done once its bytes were handed to the operating system; a call that comes before
/// the request waits for it. The bytes are those of a scripted turn with the same fragments. To a client
/// that did not ask for a stream, everything is written when the turn is finished.
///
/// Its tools and texts are not held against the request, as those of other turns are: the answer has begun
/// before they are said.
///
/// Each call renders anew what was said before, so this is for the calls that a test spells out; an answer of
/// ten thousand fragments is for a scripted turn.
///
/// Dropping it before [`finish`](Live::finish) or [`fail`](Live::fail) resets the answer and fails `verify`; a
/// call that is still awaited is written first.
///
/// # Examples
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use llm_wire_stub::{Live, WireStub};
///
/// let live = Live::new();
/// let stub = WireStub::builder().turn(&live).start();
/// # let call = |stub: &WireStub| reqwest::Client::new()
/// #     .post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
/// #     .header("anthropic-version", "2023-06-01")
/// #     .body(r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#).send();
/// let mut response = call(&stub).await.unwrap(); // your client, which reads a stream
///
/// live.text("Let me look. ").await; // from here on the client can read it
/// live.tool_call_fragment("edit", r#"{"path": "src/ma"#).await;
/// live.tool_call_fragment("edit", r#"in.rs"}"#).await;
/// live.finish().await;
/// # while response.chunk().await.unwrap().is_some() {}
/// # });
/// ```
#[must_use = "a live turn that is dropped before it is finished resets its answer"]
pub struct Live {
    speaker: Arc<Speaker>,
}

/// Whoever may still say something: the `Live`, and each of its calls that is not done.
pub(crate) struct Speaker(LiveLine);

impl Speaker {
    pub(crate) const fn line(&self) -> &LiveLine {
        &self.0
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.0.update(|state| state.dropped = true);
    }
}

impl Live {
    /// A live turn of which nothing was said yet.
    pub fn new() -> Self {
        Self {
            speaker: Arc::new(Speaker(LiveLine {
                state: Arc::default(),
                latch: GateLatch::default(),
            })),
        }
    }

    pub(crate) const fn speaker(&self) -> &Arc<Speaker> {
        &self.speaker
    }
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.speaker.line(), f)
    }
}

impl From<&Live> for Turn {
    #[track_caller]
    fn from(live: &Live) -> Self {
        let mut turn = Self::new();
        if let Says::Message(message) = &mut turn.says {
            message.live = Some(live.speaker.line().clone());
        }
        turn
    }
}

/// What a test says of a live turn at once.
#[derive(Clone, Debug)]
pub(crate) enum Words {
    /// One fragment of text.
    Text(String),
    /// One fragment of thinking.
    Thinking(String),
    /// One fragment of this tool's call.
    CallFragment {
        kind: ToolKind,
        name: String,
        piece: String,
    },
    CallEnd,
    /// Whole parts; none are nothing.
    Parts(Vec<ScriptedPart>),
    Pause(Duration),
    Finish(Option<StopReason>),
    Fail(Ending),
}

/// A live turn as its answer and its waits know it.
#[derive(Clone)]
pub(crate) struct LiveLine {
    state: Arc<Mutex<State>>,
    /// Knows the stub that has this turn.
    latch: GateLatch,
}

#[derive(Default)]
struct State {
    words: VecDeque<Words>,
    /// How often something was said.
    said: usize,
    /// How much of that was handed over.
    done: usize,
    /// Whether something was taken and not handed over yet.
    in_hand: bool,
    /// Whether the call said last can go on.
    call_is_open: bool,
    /// Whether its end was said.
    last_words: bool,
    dropped: bool,
    taken: bool,
    /// Why nothing is played any more.
    over: Option<&'static str>,
    wakers: Vec<Waker>,
}

/// How far something that was said has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Played {
    Yes,
    NotYet,
    /// It never will be, for this reason.
    Never(&'static str),
}

/// What the answer hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Words,
    NotYet,
    /// The `Live` is gone, and all it said was played.
    Dropped,
}

impl LiveLine {
    /// Says something; its number, to ask for later.
    ///
    /// # Errors
    ///
    /// Why it cannot be said now.
    pub(crate) fn say(&self, words: Words) -> Result<usize, &'static str> {
        self.update(|state| {
            if state.last_words {
                return Err("it was finished, or failed, before");
            }
            match &words {
                Words::CallEnd if !state.call_is_open => {
                    return Err("no tool call is open; `tool_call_fragment(..)` opens one");
                }
                Words::CallFragment { .. } => state.call_is_open = true,
                Words::Parts(parts) if parts.is_empty() => {}
                Words::Text(_) | Words::Thinking(_) | Words::CallEnd | Words::Parts(_) => {
                    state.call_is_open = false;
                }
                Words::Pause(_) => {}
                Words::Finish(_) | Words::Fail(_) => state.last_words = true,
            }
            state.words.push_back(words);
            state.said += 1;
            Ok(state.said)
        })
    }

    /// Whether what was said under this number was handed over; while it was not, `waker` is called at the
    /// next change.
    pub(crate) fn poll_played(&self, number: usize, waker: &Waker) -> Played {
        let mut state = self.state();
        if state.done >= number {
            return Played::Yes;
        }
        if let Some(why) = state.over {
            return Played::Never(why);
        }
        remember(&mut state.wakers, waker);
        Played::NotYet
    }

    /// Whether there is something to play; while there is not, `waker` is called at the next change.
    pub(crate) fn poll_heard(&self, waker: &Waker) -> Heard {
        let mut state = self.state();
        if !state.words.is_empty() {
            return Heard::Words;
        }
        if state.dropped {
            return Heard::Dropped;
        }
        remember(&mut state.wakers, waker);
        Heard::NotYet
    }

    /// What is to be played next.
    pub(crate) fn take(&self) -> Option<Words> {
        let mut state = self.state();
        let words = state.words.pop_front();
        state.in_hand |= words.is_some();
        words
    }

    /// What was taken is handed over.
    pub(crate) fn hand_over(&self) {
        self.update(|state| {
            if std::mem::take(&mut state.in_hand) {
                state.done += 1;
            }
        });
    }

    /// Takes the turn for one answer; `None` if another one had it.
    pub(crate) fn claim(&self) -> Option<LiveClaim> {
        let before = self.update(|state| std::mem::replace(&mut state.taken, true));
        (!before).then(|| LiveClaim(self.clone()))
    }

    /// Whether an answer has it.
    pub(crate) fn is_taken(&self) -> bool {
        self.state().taken
    }

    /// Nothing is played any more.
    pub(crate) fn end(&self, why: &'static str) {
        self.update(|state| {
            state.over.get_or_insert(why);
        });
    }

    /// Knows the stub that has this turn.
    pub(crate) const fn latch(&self) -> &GateLatch {
        &self.latch
    }

    fn update<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let output = change(&mut state);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        output
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer that a live turn was taken for; once it is dropped, nothing is played any more.
#[derive(Debug)]
pub(crate) struct LiveClaim(LiveLine);

impl LiveClaim {
    /// Nothing is played any more, for this reason.
    pub(crate) fn end(&self, why: &'static str) {
        self.0.end(why);
    }
}

impl Drop for LiveClaim {
    fn drop(&mut self) {
        self.0.end("the client has left");
    }
}

impl fmt::Debug for LiveLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Live")
            .field("said", &state.said)
            .field("played", &state.done)
            .field("over", &state.over)
            .finish_non_exhaustive()
    }
}
