//! Playing a plan: steps in, bytes on the socket out.

use std::{io, sync::Arc};

use super::{
    answer::Answer,
    hold::passed,
    http1::{AfterAnswer, Connection},
    listener::while_client_stays,
    shared::Shared,
};
use crate::{
    api::Head,
    plan::{End, Step},
    request::{Outcome, RecordedRequest},
    script::Lock,
};

/// Bytes are handed over once so many wait; little at first, so that the first event leaves early.
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

/// The client has left.
struct Gone;

/// Plays the answer to its end.
pub(super) async fn play(
    connection: &mut Connection,
    answer: Answer,
    after: AfterAnswer,
    shared: &Arc<Shared>,
) -> Then {
    let Answer {
        request,
        steps,
        outcome,
        hold,
    } = answer;
    let mut player = Player {
        connection,
        request: &request,
        shared,
        after,
        framing: Framing::Chunked,
        threshold: FIRST_FLUSH,
    };
    let played = async {
        if let Some(hold) = hold {
            player.wait_at(passed(&hold)).await?;
        }
        for step in steps {
            if let Some(then) = player.step(step, outcome).await? {
                return Ok(then);
            }
        }
        Ok(Then::Close)
    };
    match played.await {
        Ok(then) => then,
        Err(Gone) => {
            shared.update(|state| {
                request.set_outcome(Outcome::Cancelled);
                state.cancels.push_back(request.clone());
            });
            Then::Drop
        }
    }
}

struct Player<'a> {
    connection: &'a mut Connection,
    request: &'a RecordedRequest,
    shared: &'a Arc<Shared>,
    after: AfterAnswer,
    framing: Framing,
    threshold: usize,
}

/// How the body is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Chunked,
    /// This answer has no body (`204`, or the answer to `HEAD`).
    None,
}

impl Player<'_> {
    /// Plays one step; `Some` if nothing follows.
    async fn step(&mut self, step: Step, complete: Outcome) -> Result<Option<Then>, Gone> {
        match step {
            Step::Head(head) => self.head(&head),
            Step::Body(bytes) => {
                if self.framing == Framing::Chunked {
                    write_chunk(self.connection.outbox(), &bytes);
                }
                if self.connection.outbox().len() >= self.threshold {
                    self.threshold = FLUSH;
                    self.flush().await?;
                }
            }
            Step::Wait(time) => self.wait_at(self.shared.clock.wait(time)).await?,
            Step::Hold(gate) => {
                self.flush().await?;
                gate.reach();
                if self.wait_at(passed(&gate)).await? == Lock::Aborted {
                    self.request.set_remark("its gate was dropped while closed");
                    self.outcome(Outcome::Failed);
                    return Ok(Some(Then::Reset));
                }
            }
            Step::Stall => {
                self.flush().await?;
                let stalled = self.request.clone();
                self.shared.update(|state| state.stalls.push_back(stalled));
                self.wait_at(std::future::pending::<()>()).await?;
            }
            Step::End(end) => return self.end(end, complete).await.map(Some),
        }
        Ok(None)
    }

    fn head(&mut self, head: &Head) {
        self.framing = if head.status == 204 || self.request.method() == "HEAD" {
            Framing::None
        } else {
            Framing::Chunked
        };
        let cors = self.request.headers().contains_key("origin");
        let (after, framing) = (self.after, self.framing);
        let out = self.connection.outbox();
        out.extend_from_slice(b"HTTP/1.1 ");
        crate::json::write_number(out, u64::from(head.status));
        out.push(b' ');
        out.extend_from_slice(reason_phrase(head.status).as_bytes());
        out.extend_from_slice(b"\r\n");
        for (name, value) in &head.headers {
            write_header(out, name, value);
        }
        if cors {
            write_header(out, "access-control-allow-origin", "*");
            write_header(out, "access-control-expose-headers", "*");
        }
        if framing == Framing::Chunked {
            write_header(out, "Transfer-Encoding", "chunked");
        }
        let connection = match after {
            AfterAnswer::KeepAlive => "keep-alive",
            AfterAnswer::Close => "close",
        };
        write_header(out, "Connection", connection);
        out.extend_from_slice(b"\r\n");
    }

    async fn end(&mut self, end: End, complete: Outcome) -> Result<Then, Gone> {
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
        // before the last write, so that it is there once the client returns
        self.outcome(outcome);
        self.flush().await?;
        Ok(then)
    }

    fn outcome(&self, outcome: Outcome) {
        self.shared.update(|_| self.request.set_outcome(outcome));
    }

    /// Hands over what waits, and then waits for something else, as long as the client stays.
    async fn wait_at<T>(&mut self, other: impl Future<Output = T>) -> Result<T, Gone> {
        self.flush().await?;
        self.connection.shrink();
        while_client_stays(self.connection, other).await.ok_or(Gone)
    }

    async fn flush(&mut self) -> Result<(), Gone> {
        if self.connection.outbox().is_empty() {
            return Ok(());
        }
        let (written, result): (usize, io::Result<()>) = self.connection.flush().await;
        self.request.add_written(written);
        result.map_err(|_| Gone)
    }
}

fn write_header(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// One chunk with these bytes; none if there are none, since an empty one would end the body.
fn write_chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let mut digits = [0_u8; 16];
    let mut at = digits.len();
    let mut length = bytes.len();
    while length > 0 {
        at = at.saturating_sub(1);
        let digit = b"0123456789abcdef".get(length & 0xf).copied();
        if let Some(slot) = digits.get_mut(at) {
            *slot = digit.unwrap_or(b'0');
        }
        length >>= 4;
    }
    out.extend_from_slice(digits.get(at..).unwrap_or_default());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

fn reason_phrase(status: u16) -> &'static str {
    let known = http::StatusCode::from_u16(status).ok();
    known
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Unknown")
}
