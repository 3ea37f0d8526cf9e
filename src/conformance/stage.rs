//! Playing the scenarios: several answers, connections that are kept or moved, calls that are dropped.

use std::{fmt::Display, future::Future, time::Duration};

use super::{
    Suite, Transcript,
    case::{self, Case},
    crowd::Call,
    judge::Came,
    runner::{Ran, timer},
    scenario::{At, Between, End, Errors, Play, To},
};
use crate::{
    request::Outcome,
    script::{After, ApiError, Ending, Live, Needs, Turn},
    server::{Double, First, Reaction, Seen, WireStub, race},
};

impl Suite {
    /// One scenario.
    pub(super) async fn stage<C, F, E>(&self, play: Play, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        match play {
            Play::Errors(errors) => self.after_errors(errors, case, client).await,
            Play::Ended(end, reference) => {
                let first = case::reference(reference);
                let first = match end {
                    End::Reset if reference == Needs::ToolCall => {
                        first.end(After::deltas(3), Ending::Reset)
                    }
                    End::Reset => first.end(After::deltas(2), Ending::Reset),
                    End::Fin => first.end(After::deltas(2), Ending::Fin),
                    End::CleanEof => first.end(After::deltas(2), Ending::CleanEof),
                    End::ErrorEvent => first.end(After::deltas(2), ApiError::overloaded()),
                };
                let stub = started(vec![first, case::reference(reference)]);
                waiting(self.ask(&stub, case, client).await, &stub)
            }
            Play::Dropped(at) => self.dropped(at, case, client).await,
            Play::Once => self.once(case, client).await,
            Play::Twice(between) => self.twice(between, case, client).await,
            Play::SameId => {
                let stub = started(vec![case::same_id(), case::reference(case.reference)]);
                let came = self.second(&self.base_url(&stub.url()), client).await;
                self.ran(came, &stub)
            }
            Play::Redirect(status, to) => self.redirected(status, to, case, client).await,
        }
    }

    /// Errors, then the answer. A long hint is not waited for.
    async fn after_errors<C, F, E>(&self, errors: Errors, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let mut error = ApiError::status(errors.status);
        if let Some((name, value)) = errors.hint {
            error = error.header(name, value);
        }
        let mut turns = vec![Turn::error(error); errors.times];
        turns.push(case::reference(case.reference));
        let stub = started(turns);
        let mut ran = waiting(self.ask(&stub, case, client).await, &stub);
        if let [first, second, ..] = &stub.requests()[..] {
            let waited = second.arrived().saturating_sub(first.arrived());
            if waited < errors.wait / 2 {
                ran.breach = Some(format!(
                    "asked again after {waited:?}, and the answer said to wait {:?}",
                    errors.wait
                ));
            }
        }
        ran
    }

    /// A call that is dropped while its answer is open.
    async fn dropped<C, F, E>(&self, at: At, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let live = Live::new();
        let turn = case::reference(case.reference);
        let stub = started(vec![match at {
            At::Request => turn.stall(After::request()),
            At::Head => turn.stall(After::head()),
            At::Stream => Turn::from(&live).allow_script_drift(),
        }]);
        let url = self.base_url(&stub.url());
        let mut call = match Call::new(|| client(url)) {
            Ok(call) => call,
            Err(message) => return self.ran(Came::Panicked(message), &stub),
        };
        let cap = self.cap();
        let is_there = async {
            match at {
                // the wait gives up with a panic, and must not do so first
                At::Request | At::Head => {
                    stub.wait_for_stall().patience(cap * 4).await;
                }
                At::Stream => {
                    let _ = live.text("Hé, ").or_gone().patience(cap * 4).await;
                }
            }
        };
        let came = match race(call.output(), race(is_there, timer(cap))).await {
            First::A(Err(message)) => Some(Came::Panicked(message)),
            First::A(Ok(Ok(read))) => Some(Came::Read(read)),
            First::A(Ok(Err(error))) => Some(Came::Failed(error.to_string())),
            First::B(First::B(())) => Some(Came::NotBack(cap)),
            First::B(First::A(())) => None,
        };
        if let Err(message) = call.end() {
            return self.ran(Came::Panicked(message), &stub);
        }
        let is_gone = async {
            // there is always something new, so that no limit of the client's closes it
            if at == At::Stream {
                self.keep_writing(&live, self.pause(case)).await;
            }
            self.lets_go(&stub).await
        };
        let came = match came {
            Some(came) => came,
            None => match race(is_gone, timer(cap)).await {
                First::A(true) => Came::LetGo,
                First::A(false) | First::B(()) => Came::NotLetGo(cap),
            },
        };
        self.ran(came, &stub)
    }

    /// Until the client is gone.
    async fn keep_writing(&self, live: &Live, pause: Duration) {
        let patience = self.cap() * 4;
        while live.text("and ").or_gone().patience(patience).await.is_ok() {
            timer(pause).await;
        }
    }

    /// One answer that asks for a new connection, as event sources understand it.
    async fn once<C, F, E>(&self, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let mut body = b"retry: 1\n\n".to_vec();
        body.extend_from_slice(&case.body(self.api, self.pause(case)));
        let answer = answer(&[&body], Kept::No);
        let double = double(move |_| Reaction::SayAndClose(answer.clone()));
        let came = self
            .call(&self.base_url(&double.url()), self.cap(), client)
            .await;
        let seen = double.seen();
        let mut ran = fit(came, &seen);
        if seen.len() > 1 {
            ran.breach = Some(format!(
                "{} requests, though the first answer was whole",
                seen.len()
            ));
        }
        ran
    }

    /// Two calls, one after the other. A client that keeps no connection has nothing to fear.
    async fn twice<C, F, E>(&self, between: Between, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let body = case.body(self.api, self.pause(case));
        let answer = match between {
            Between::LateBytes => answer(&[&body, b": late\n\n"], Kept::Yes),
            Between::ClosedBefore | Between::ClosedAsItComes => answer(&[&body], Kept::Yes),
        };
        let double = double(move |seen| match between {
            Between::ClosedAsItComes if seen.earlier > 0 => Reaction::Leave,
            Between::ClosedBefore => Reaction::SayAndClose(answer.clone()),
            Between::ClosedAsItComes | Between::LateBytes => Reaction::Say(answer.clone()),
        });
        let came = self.second(&self.base_url(&double.url()), client).await;
        fit(came, &double.seen())
    }

    /// What comes of the second of two calls; of the first, if nothing was read there.
    async fn second<C, F, E>(&self, url: &str, client: &C) -> Came
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let first = self.call(url, self.cap(), client).await;
        if matches!(first, Came::Read(_)) {
            self.call(url, self.cap(), client).await
        } else {
            first
        }
    }

    /// A redirect: to follow it with all that was sent is fine, but not to another host.
    async fn redirected<C, F, E>(&self, status: u16, to: To, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let whole = answer(&[&case.body(self.api, self.pause(case))], Kept::Yes);
        let other = double({
            let whole = whole.clone();
            move |_| Reaction::Say(whole.clone())
        });
        let moved = match to {
            To::SameOrigin => "/moved".to_owned(),
            To::OtherOrigin => other.url() + "/moved",
        };
        let double = double(move |seen| {
            Reaction::Say(if seen.target == "/moved" {
                whole.clone()
            } else {
                let head = format!("HTTP/1.1 {status} Moved\r\nLocation: {moved}\r\n");
                (head + "Content-Length: 0\r\n\r\n").into_bytes()
            })
        });
        let came = self
            .call(&self.base_url(&double.url()), self.cap(), client)
            .await;
        let (seen, elsewhere) = (double.seen(), other.seen());
        let mut ran = fit(came, &seen);
        ran.calls += elsewhere.len();
        let leaked = elsewhere.iter().any(|seen| !keys(seen).is_empty());
        let is_success = matches!(ran.came, Came::Read(_));
        let follows = seen.iter().find(|seen| seen.target == "/moved");
        let is_changed = |follows: &Seen| {
            seen.first().is_some_and(|first| {
                (&first.method, &first.body, keys(first))
                    != (&follows.method, &follows.body, keys(follows))
            })
        };
        ran.breach = if leaked {
            Some("its key went to another origin".to_owned())
        } else if is_success && follows.is_some_and(is_changed) {
            Some("it followed the redirect with another method, body or key".to_owned())
        } else {
            None
        };
        ran
    }
}

/// A stub that plays these turns, the last one again and again.
fn started(turns: Vec<Turn>) -> WireStub {
    let stub = WireStub::builder().turns(turns).repeat_last();
    stub.without_verify_on_drop().start()
}

/// A client that is not back, though all its answers are over, waits before it asks again.
fn waiting(mut ran: Ran, stub: &WireStub) -> Ran {
    let requests = stub.requests();
    let is_over = requests
        .iter()
        .all(|request| request.outcome() != Outcome::Open);
    if is_over && !requests.is_empty() {
        ran.waits = Some(format!(
            "the client waits before it asks again, for longer than the suite does; it has asked {}",
            match requests.len() {
                1 => "once".to_owned(),
                n => format!("{n} times"),
            }
        ));
    }
    ran
}

#[expect(clippy::panic, reason = "as where no stub can start")]
fn double(react: impl Fn(&Seen) -> Reaction + Send + Sync + 'static) -> Double {
    match Double::start(react) {
        Ok(double) => double,
        Err(error) => panic!("the suite could not start a server: {error}"),
    }
}

fn fit(came: Came, seen: &[Seen]) -> Ran {
    let mut ran = Ran::new(came, seen.len());
    if seen.is_empty() {
        let none = "the client sent no request to the base URL that it was given";
        ran.unfit = Some(none.to_owned());
    }
    ran
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

/// A whole stream in chunks.
fn answer(chunks: &[&[u8]], kept: Kept) -> Vec<u8> {
    let connection = match kept {
        Kept::Yes => "keep-alive",
        Kept::No => "close",
    };
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
         Transfer-Encoding: chunked\r\nConnection: {connection}\r\n\r\n"
    )
    .into_bytes();
    for chunk in chunks {
        answer.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        answer.extend_from_slice(chunk);
        answer.extend_from_slice(b"\r\n");
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    answer
}

/// What must not go elsewhere.
fn keys(seen: &Seen) -> Vec<String> {
    let names = ["authorization", "x-api-key", "api-key"];
    let keys = names.iter().filter_map(|name| seen.headers.text(name));
    keys.map(str::to_owned).collect()
}
