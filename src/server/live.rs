//! What a test says to a live turn, and waiting until it was played.

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use super::wait::{Found, PATIENCE, Wait};
use crate::script::{
    CallOrder, Ending, Extent, Heard, Live, LiveLine, Message, Noise, Played, Reached, Says,
    ScriptedPart, StopReason, ToolKind, Turn, Words,
};

/// Each call is a [`Writing`]: a future that writes when it is awaited.
impl Live {
    /// Writes one fragment of text. Adjacent text is one block, which ends with the next part of another
    /// kind. Empty text writes nothing.
    pub fn text(&self, text: impl Into<String>) -> Writing {
        let text = text.into();
        let words = if text.is_empty() {
            Words::Parts(Vec::new())
        } else {
            Words::Text(text)
        };
        self.say_words("text", "a fragment of text", words)
    }

    /// Writes one fragment of thinking. Adjacent thinking is one block; its signature, made from the seed, is
    /// written where it ends: with the next part of another kind, or with the end of the answer. Empty thinking
    /// writes nothing; hidden thinking, or a signature of its own, is for [`say`](Self::say).
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{Live, WireStub};
    ///
    /// let live = Live::new();
    /// let stub = WireStub::builder().turn(&live).start();
    /// # let mut response = reqwest::Client::new()
    /// #     .post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
    /// #     .header("anthropic-version", "2023-06-01")
    /// #     .body(r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#)
    /// #     .send().await.unwrap();
    /// live.thinking("The sum of two ").await;
    /// live.thinking("and two.").await; // the block is open
    /// live.text("Four.").await; // it was signed and ended
    /// live.finish().await;
    /// # while response.chunk().await.unwrap().is_some() {}
    /// # });
    /// ```
    pub fn thinking(&self, text: impl Into<String>) -> Writing {
        let text = text.into();
        let words = if text.is_empty() {
            Words::Parts(Vec::new())
        } else {
            Words::Thinking(text)
        };
        self.say_words("thinking", "a fragment of thinking", words)
    }

    /// Writes one fragment of the arguments of a call of this tool, as it is. It goes on with the call
    /// before it if that is of this tool and has not ended; else it opens one, which an empty fragment does
    /// without arguments.
    pub fn tool_call_fragment(&self, name: impl Into<String>, piece: impl Into<String>) -> Writing {
        let words = Words::CallFragment {
            kind: ToolKind::Function,
            name: name.into(),
            piece: piece.into(),
        };
        self.say_words("tool_call_fragment", "a fragment of a tool call", words)
    }

    /// Writes one fragment of the input of a call of this custom tool, as
    /// [`tool_call_fragment`](Self::tool_call_fragment) does of arguments.
    pub fn custom_tool_call_fragment(
        &self,
        name: impl Into<String>,
        piece: impl Into<String>,
    ) -> Writing {
        let words = Words::CallFragment {
            kind: ToolKind::Custom,
            name: name.into(),
            piece: piece.into(),
        };
        self.say_words(
            "custom_tool_call_fragment",
            "a fragment of a tool call",
            words,
        )
    }

    /// Ends the tool call that fragments were written of: it is whole on the wire, the stop reason is not.
    /// The next part and `finish` end it too.
    pub fn tool_call_end(&self) -> Writing {
        self.say_words("tool_call_end", "the end of a tool call", Words::CallEnd)
    }

    /// Writes the parts of this turn, cut into fragments as it says, to the end of the last one (text goes
    /// on until a part of another kind).
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{Live, Turn, WireStub};
    /// use serde_json::json;
    ///
    /// let live = Live::new();
    /// let stub = WireStub::builder().turn(&live).start();
    /// # let mut response = reqwest::Client::new()
    /// #     .post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
    /// #     .header("anthropic-version", "2023-06-01")
    /// #     .body(r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#)
    /// #     .send().await.unwrap();
    /// live.say(Turn::new().tool_call("shell", json!({"cmd": "ls"}))).await;
    /// // the call is whole: a client may start the tool here
    /// live.finish().await;
    /// # while response.chunk().await.unwrap().is_some() {}
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if the turn is more than parts: an error, a live turn, one with a stop reason,
    /// usage, model, seed, cut, pace, places or faults; or if it is cut by an own function.
    #[track_caller]
    pub fn say(&self, turn: impl Into<Turn>) -> Writing {
        let turn: Turn = turn.into();
        let runs_user_code = turn.runs_user_code();
        let Some(parts) = only_parts(turn) else {
            panic!(
                "only the parts of a turn can be said live\n  \
                 help: usage, model, seed, cut and pace belong to `Turn::from(&live)`; `finish_with(..)` and `fail(..)` \
                 end the answer; gates, delays and the like are what the test does between two calls"
            );
        };
        assert!(
            !runs_user_code,
            "`Fragments::by(..)` cannot be said live: it would run while the answer is written\n  \
             help: use `Fragments::pieces(..)`"
        );
        self.say_words("say", "parts", Words::Parts(parts))
    }

    /// Writes nothing for so long, on the stub's clock.
    pub fn pause(&self, time: Duration) -> Writing {
        self.say_words("pause", "nothing for a while", Words::Pause(time))
    }

    /// Ends the answer well: with [`StopReason::ToolUse`] if it calls a tool, else with
    /// [`StopReason::EndTurn`].
    pub fn finish(&self) -> Writing {
        self.say_words("finish", "the end", Words::Finish(None))
    }

    /// Ends the answer well, for this reason. One that [`Turn::stop_reason`] or
    /// [`stop_reason_at`](crate::WireStubBuilder::stop_reason_at) gave goes before it.
    pub fn finish_with(&self, reason: impl Into<StopReason>) -> Writing {
        self.say_words("finish_with", "the end", Words::Finish(Some(reason.into())))
    }

    /// Ends the answer badly; an [`ApiError`](crate::ApiError) is an in-stream error. To a client that did
    /// not ask for a stream an `ApiError` is the whole answer, with its own status.
    ///
    /// # Panics
    ///
    /// The answer to a stream has no room for an error's headers: `retry_after` and the like fail the
    /// answer, and this call with it.
    pub fn fail(&self, ending: impl Into<Ending>) -> Writing {
        self.say_words("fail", "the end", Words::Fail(ending.into()))
    }

    fn say_words(&self, name: &'static str, what: &str, words: Words) -> Writing {
        let (speaker, reporter) = (Arc::clone(self.speaker()), self.speaker().line().clone());
        let patience = reporter.latch().stub();
        let mut progress = Progress::Unsaid(words);
        let wait = Wait::new(
            format!("the live turn to write {what}"),
            patience.map_or(PATIENCE, |(_, patience)| patience),
            move |waker| progress.poll(speaker.line(), waker),
            move || report(&reporter),
        );
        Writing { name, wait }
    }
}

/// The parts of a turn that is nothing else, but for empty text, which is no part.
fn only_parts(turn: Turn) -> Option<Vec<ScriptedPart>> {
    // by name, so that what a turn learns to say is thought of here
    let Turn {
        says: Says::Message(message),
        actions,
        faults,
        noise: Noise::AsTheService,
        seed: None,
        era: None,
        dialect: None,
        cut: None,
        pace: None,
        allows_drift: _,
        built: _,
    } = turn
    else {
        return None;
    };
    let Message {
        mut parts,
        stop_reason: None,
        usage: None,
        model: None,
        extras: None,
        live: None,
        extent: Extent::Whole,
        call_order: CallOrder::OneAfterTheOther,
    } = message
    else {
        return None;
    };
    parts.retain(|part| match part {
        ScriptedPart::Text {
            text,
            fragments: _,
            citations,
        } => !text.is_empty() || citations.is_some(),
        ScriptedPart::ToolCall { .. }
        | ScriptedPart::CustomToolCall { .. }
        | ScriptedPart::Thinking { .. }
        | ScriptedPart::RedactedThinking { .. }
        | ScriptedPart::ServerTool { .. }
        | ScriptedPart::Compaction { .. }
        | ScriptedPart::Raw { .. } => true,
    });
    (actions.is_empty() && faults.is_empty()).then_some(parts)
}

/// How far a call of the test has come.
enum Progress {
    Unsaid(Words),
    /// Its number.
    Said(usize),
    /// It cannot be said.
    Misplaced(&'static str),
}

impl Progress {
    fn poll(&mut self, line: &LiveLine, waker: &std::task::Waker) -> Found<Result<(), Gone>> {
        if let Self::Unsaid(words) = self {
            *self = match line.say(words.clone()) {
                Ok(number) => Self::Said(number),
                Err(why) => Self::Misplaced(why),
            };
        }
        let number = match self {
            Self::Said(number) => *number,
            Self::Misplaced(why) => return Found::Never((*why).to_owned()),
            Self::Unsaid(_) => return Found::NotYet,
        };
        // in this order: a stub that is dropped says so before it ends its answers
        let played = line.poll_played(number, waker);
        let stub = line.latch().poll_reached(waker);
        match (played, stub) {
            (Played::Yes, _) => Found::Yes(Ok(())),
            (_, Reached::StubsDropped) => Found::Yes(Err(Gone("the stub was dropped"))),
            (Played::Never(why), _) => Found::Yes(Err(Gone(why))),
            (Played::NotYet, Reached::NotYet | Reached::Yes | Reached::GateDropped) => {
                Found::NotYet
            }
        }
    }
}

fn report(line: &LiveLine) -> String {
    match line.latch().stub() {
        Some((report, _)) if line.is_taken() => report(),
        Some((report, _)) => format!(
            "{}\n  help: it writes once a request has taken this turn; the journal shows what each request got",
            report()
        ),
        None => "  where: no stub has this live turn\n  \
                 help: give it to a stub with `.turn(&live)`, or let a closure answer with `Turn::from(&live)`"
            .to_owned(),
    }
}

/// Something that a [`Live`] writes, once it is awaited: done when its bytes were handed to the operating
/// system. It is said when it is first polled: dropped later, as the loser of a `select!` is, it is written all
/// the same.
///
/// # Panics
///
/// At the `.await`, with the journal: if the client has left or the stub was dropped
/// ([`or_gone`](Self::or_gone) returns that instead); if no request takes the turn, or the client does not
/// read, within the stub's patience (5 seconds of the system's time); if the turn was finished before.
#[must_use = "nothing is written until this is awaited"]
pub struct Writing {
    /// The method that made it.
    name: &'static str,
    wait: Wait<Result<(), Gone>>,
}

impl Writing {
    /// Gives back whether it was written: [`Gone`] if the client has left.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{Live, WireStub};
    ///
    /// let live = Live::new();
    /// let stub = WireStub::builder().turn(&live).start();
    /// # let client = tokio::spawn(reqwest::Client::new()
    /// #     .post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
    /// #     .header("anthropic-version", "2023-06-01")
    /// #     .body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#).send());
    /// live.text("Once upon").await;
    /// client.abort(); // your client
    /// stub.wait_for_cancel().await;
    /// assert!(live.text(" a time").or_gone().await.is_err());
    /// # });
    /// ```
    pub fn or_gone(self) -> Wait<Result<(), Gone>> {
        self.wait
    }

    /// Gives up after this much of the system's time.
    pub fn patience(self, patience: Duration) -> Self {
        Self {
            wait: self.wait.patience(patience),
            ..self
        }
    }

    /// Writes it while this thread waits.
    ///
    /// # Panics
    ///
    /// At the caller's line, as when it is awaited; at once inside an async runtime.
    #[track_caller]
    pub fn blocking(mut self) {
        if let Err(gone) = self.block("blocking") {
            self.wait.give_up(gone.0);
        }
    }

    /// As [`or_gone`](Self::or_gone), on this thread.
    ///
    /// # Errors
    ///
    /// If the client has left.
    ///
    /// # Panics
    ///
    /// At the caller's line; at once inside an async runtime.
    #[track_caller]
    pub fn or_gone_blocking(mut self) -> Result<(), Gone> {
        self.block("or_gone_blocking")
    }

    #[track_caller]
    fn block(&mut self, method: &str) -> Result<(), Gone> {
        let name = self.name;
        self.wait.block_as(&format!("{name}(..).{method}"), name)
    }
}

impl Future for Writing {
    type Output = ();

    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match Pin::new(&mut self.wait).poll(context) {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            Poll::Ready(Err(gone)) => self.wait.give_up(gone.0),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl fmt::Debug for Writing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writing").field("wait", &self.wait).finish()
    }
}

/// A live turn has nobody left to write to: its client has left, or its stub was dropped or reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone(&'static str);

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Gone {}

/// Waits until the test says something; `Dropped` if it never will.
pub(super) async fn heard(line: &LiveLine) -> Heard {
    poll_fn(|context| match line.poll_heard(context.waker()) {
        Heard::NotYet => Poll::Pending,
        heard @ (Heard::Words | Heard::Dropped) => Poll::Ready(heard),
    })
    .await
}
