//! Playing a plan: steps in, bytes on the socket out.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use super::{
    answer::Answer,
    clock::Waited,
    hold::passed,
    http1::{Connection, Stopped},
    listener::while_client_stays,
    live::heard,
    request_head::AfterAnswer,
    shared::Shared,
};
use crate::{
    api::{Head, HeaderName},
    plan::{End, Length, Step},
    request::{Outcome, RecordedRequest},
    script::{GateLatch, Heard, LiveLine, Lock},
};

/// Bytes are handed over once so many wait; fewer at first, so that the first event leaves early, and still
/// enough that a short answer leaves whole, before its client can think twice.
const FIRST_FLUSH: usize = 4 * 1024;
const FLUSH: usize = 64 * 1024;

/// What happens to the connection next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The next request.
    Next,
    /// Closed, so that everything arrives.
    Close,
    /// Nobody is there any more.
    Drop,
    /// Reset, once everything has arrived.
    Reset,
}

/// Plays the answer to its end.
pub(super) async fn play(
    connection: &mut Connection,
    answer: &mut Answer,
    after: AfterAnswer,
    shared: &Arc<Shared>,
) -> Then {
    let request = &answer.arrival.request;
    let mut player = Player {
        connection,
        request,
        shared,
        after,
        framing: Framing::Chunked,
        threshold: FIRST_FLUSH,
        patience: answer
            .steps
            .ends_in_reset()
            .then_some(shared.config.patience),
        passed: Vec::new(),
        live: answer.steps.live().cloned(),
        is_whole: false,
    };
    let played = async {
        if let Some(hold) = &answer.arrival.hold {
            player.wait_at(passed(hold)).await?;
        }
        for step in answer.steps.by_ref() {
            if let Some(then) = player.step(step, answer.outcome).await? {
                return Ok(then);
            }
        }
        Ok(Then::Close)
    };
    match played.await {
        Ok(then) => then,
        Err(Stopped::Gone) if player.is_whole => Then::Drop,
        Err(Stopped::Gone) => {
            cancelled(request, shared);
            Then::Drop
        }
        Err(Stopped::NotRead) => {
            player.outcome(Outcome::Reset);
            Then::Reset
        }
    }
}

/// The client has left before its answer was written.
pub(super) fn cancelled(request: &RecordedRequest, shared: &Shared) {
    let now = shared.clock.now();
    shared.update(|state| {
        state.done(request, now);
        request.set_decided();
        request.set_outcome(Outcome::Cancelled);
        state.cancels.push_back(request.clone());
    });
}

struct Player<'a> {
    connection: &'a mut Connection,
    request: &'a RecordedRequest,
    shared: &'a Arc<Shared>,
    after: AfterAnswer,
    framing: Framing,
    threshold: usize,
    /// How long the client may leave unread what comes before a reset.
    patience: Option<Duration>,
    /// Gates that were open when the answer came to them; it has reached them once what stands before them
    /// is handed over.
    passed: Vec<GateLatch>,
    /// Where the answer comes from, if it is live.
    live: Option<LiveLine>,
    /// Whether the client has all, and may leave.
    is_whole: bool,
}

/// How the body is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Chunked,
    /// Everything as it is, up to a length given or to the end of the connection.
    Plain,
    /// This answer has no body (`204`, or the answer to `HEAD`).
    None,
}

impl Player<'_> {
    /// Plays one step; `Some` if nothing follows.
    async fn step(&mut self, step: Step, complete: Outcome) -> Result<Option<Then>, Stopped> {
        match step {
            Step::Head(head, length) => self.head(&head, length),
            Step::Body(bytes) => {
                // before this piece and not behind it, so that the last one leaves together with the end
                if self.connection.outbox().len() >= self.threshold {
                    self.threshold = FLUSH;
                    self.flush().await?;
                }
                self.body(&bytes);
            }
            Step::Raw(bytes) => self.connection.outbox().extend_from_slice(&bytes),
            Step::Wait(time) => {
                if self.wait_at(self.shared.clock.wait(time)).await? == Waited::ClockEnded {
                    self.request
                        .set_remark("it waits for ever: the runtime of its clock has ended");
                    self.wait_at(std::future::pending::<()>()).await?;
                }
            }
            Step::Hold(gate) if gate.is_open() => self.passed.push(gate),
            Step::Hold(gate) => {
                self.flush().await?;
                self.shared.reach(&gate);
                if self.wait_at(passed(&gate)).await? == Lock::Aborted {
                    let help = "open the gate, or keep it until the end of the test";
                    return Ok(Some(self.fail("its gate was dropped while closed", help)));
                }
            }
            Step::Listen(live) => {
                self.flush().await?;
                live.hand_over();
                if self.wait_at(heard(&live)).await? == Heard::Dropped {
                    let help =
                        "call its `finish()` or `fail(..)`, or keep it until the end of the test";
                    return Ok(Some(
                        self.fail("its live turn was dropped unfinished", help),
                    ));
                }
            }
            Step::Break(why) => {
                self.flush().await?;
                let (what, help) = why
                    .split_once("\n  help: ")
                    .unwrap_or((&why, "say something else"));
                return Ok(Some(self.fail(what, help)));
            }
            Step::Stall => {
                self.flush().await?;
                let stalled = self.request.clone();
                self.shared.update(|state| state.stalls.push_back(stalled));
                self.wait_at(std::future::pending::<()>()).await?;
            }
            Step::Beat(bytes, every) => {
                let beating = self.request.clone();
                self.shared.update(|state| state.stalls.push_back(beating));
                loop {
                    self.wait_at(self.shared.clock.wait(every)).await?;
                    self.body(&bytes);
                    self.flush().await?;
                }
            }
            Step::Open(beat) => {
                self.last_write(complete).await?;
                self.is_whole = true;
                loop {
                    let Some((bytes, every)) = &beat else {
                        self.wait_at(std::future::pending::<()>()).await?;
                        continue;
                    };
                    self.wait_at(self.shared.clock.wait(*every)).await?;
                    self.body(bytes);
                    self.flush().await?;
                }
            }
            Step::End(end) => return self.end(end, complete).await.map(Some),
        }
        Ok(None)
    }

    fn body(&mut self, bytes: &[u8]) {
        match self.framing {
            Framing::Chunked => write_chunk(self.connection.outbox(), bytes),
            Framing::Plain => self.connection.outbox().extend_from_slice(bytes),
            Framing::None => {}
        }
    }

    /// Ends an answer that cannot go on: its connection is reset, and `verify` fails.
    fn fail(&self, what: &str, help: &str) -> Then {
        self.request.set_remark(what);
        let problem = format!(
            "{}: {what}, which ended the answer\n  help: {help}",
            self.request
        );
        self.shared.update(|state| state.problems.push(problem));
        self.outcome(Outcome::Failed);
        if let Some(live) = &self.live {
            live.end("its answer was ended by the stub");
        }
        Then::Reset
    }

    fn head(&mut self, head: &Head, length: Length) {
        self.framing = match (head.status, length) {
            _ if self.request.method() == "HEAD" => Framing::None,
            (204, _) => Framing::None,
            // a client of HTTP/1.0 knows no chunks
            (505, _) | (_, Length::Given(_) | Length::UntilClose) => Framing::Plain,
            (_, Length::Chunked) => Framing::Chunked,
        };
        if length != Length::Chunked {
            self.after = AfterAnswer::Close;
        }
        let cors = if self.request.has_header("origin") {
            "access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n"
        } else {
            ""
        };
        let ends = match (self.framing, length) {
            (Framing::Chunked, _) => Cow::Borrowed("Transfer-Encoding: chunked\r\n"),
            (_, Length::Given(length)) => format!("Content-Length: {length}\r\n").into(),
            (Framing::Plain | Framing::None, Length::Chunked | Length::UntilClose) => "".into(),
        };
        let connection = match self.after {
            AfterAnswer::KeepAlive => "keep-alive",
            AfterAnswer::Close => "close",
        };
        let (status, reason) = (head.status, reason_phrase(head.status));
        let lines = Lines(&head.headers);
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\n{lines}{cors}{ends}Connection: {connection}\r\n\r\n"
        );
        self.connection.outbox().extend_from_slice(head.as_bytes());
    }

    async fn end(&mut self, end: End, complete: Outcome) -> Result<Then, Stopped> {
        let (outcome, then) = match (end, self.after) {
            (End::Complete, AfterAnswer::KeepAlive) => (complete, Then::Next),
            (End::Complete, AfterAnswer::Close) => (complete, Then::Close),
            (End::Early, AfterAnswer::KeepAlive) => (Outcome::Failed, Then::Next),
            (End::Early, AfterAnswer::Close) | (End::Fin, _) => (Outcome::Failed, Then::Close),
            (End::Reset, _) => (Outcome::Reset, Then::Reset),
        };
        if matches!(end, End::Complete | End::Early) && self.framing == Framing::Chunked {
            self.connection.outbox().extend_from_slice(b"0\r\n\r\n");
        }
        if end == End::Reset {
            self.patience = Some(self.shared.config.patience);
        }
        self.last_write(outcome).await?;
        if let Some(live) = &self.live {
            live.hand_over();
        }
        Ok(then)
    }

    /// Hands over what is left of the answer, and says what became of it.
    async fn last_write(&mut self, outcome: Outcome) -> Result<(), Stopped> {
        // before the last write, so that it is there once the client returns; not before a client that
        // does not read has let all but that in
        self.flush_but(FLUSH).await?;
        self.outcome(outcome);
        let promised = self.request.promise(self.connection.unwritten());
        self.flush().await?;
        drop(promised);
        Ok(())
    }

    fn outcome(&self, outcome: Outcome) {
        let now = self.shared.clock.now();
        self.shared.update(|state| {
            state.done(self.request, now);
            self.request.set_outcome(outcome);
        });
    }

    /// Hands over what waits, and then waits for something else, as long as the client stays.
    async fn wait_at<T>(&mut self, other: impl Future<Output = T>) -> Result<T, Stopped> {
        self.flush().await?;
        self.connection.shrink();
        while_client_stays(self.connection, other)
            .await
            .ok_or(Stopped::Gone)
    }

    async fn flush(&mut self) -> Result<(), Stopped> {
        self.flush_but(0).await
    }

    /// Hands over all but so many bytes.
    async fn flush_but(&mut self, kept: usize) -> Result<(), Stopped> {
        let written = |n| self.request.add_written(n);
        self.connection.flush(kept, self.patience, written).await?;
        if kept == 0 {
            self.passed
                .drain(..)
                .for_each(|gate| self.shared.reach(&gate));
        }
        Ok(())
    }
}

/// Headers, a line each. The standard library's formatter writes them, since it is optimised in a dev build too, where
/// appending to a `Vec` is not.
struct Lines<'a>(&'a [(HeaderName, Cow<'static, str>)]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.0 {
            f.write_str(name)?;
            f.write_str(": ")?;
            f.write_str(value)?;
            f.write_str("\r\n")?;
        }
        Ok(())
    }
}

/// One chunk with these bytes; none if there are none, since an empty one would end the body.
fn write_chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    // its length, and the end of that line
    let mut line = *b"0000000000000000\r\n";
    let mut at = line.len() - 2;
    let mut length = bytes.len();
    while length > 0 {
        at = at.saturating_sub(1);
        let digit = b"0123456789abcdef".get(length & 0xf).copied();
        if let Some(slot) = line.get_mut(at) {
            *slot = digit.unwrap_or(b'0');
        }
        length >>= 4;
    }
    out.extend_from_slice(line.get(at..).unwrap_or_default());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

pub(super) fn reason_phrase(status: u16) -> &'static str {
    let known = http::StatusCode::from_u16(status).ok();
    known
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Unknown")
}
