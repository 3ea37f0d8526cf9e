//! What a test does with the clock of its stub.

use std::{
    future::{Future, poll_fn},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use super::{
    clock::{Moved, Mover, Time},
    shared::{Shared, State},
    stub::StubHandle,
    wait::Wait,
};
use crate::script::count;

impl StubHandle {
    /// Moves the clock by so much: first sockets settle, so that a request that is already on its way arrives before
    /// time moves. Then it goes from one pause of the stub to the next, in the order in which they end, and sockets
    /// settle behind each. On [`Clock::tokio`](crate::Clock::tokio), where the client has timers too, there are small
    /// steps in between: a hundredth of the time since something happened, from 1 ms to 1 s, and after two hours a 3600th.
    ///
    /// Sockets have settled once every answer waits, for its client, the test or the clock, and no socket has
    /// anything that was not read; once the runtime that awaits this has then run its tasks and asked its sockets
    /// several times over, so that a client there has read what came and said what it has to say; and nothing came
    /// of it. On [`Clock::tokio`](crate::Clock::tokio) that runtime is the client's. What a client does in other
    /// threads is not seen before it sends: there [`wait_for_requests`](Self::wait_for_requests) before moving. An
    /// answer that is too long for its socket is watched for 50 ms more, since the system may put off telling what its
    /// client has read.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
    /// use llm_wire_stub::{After, Clock, Turn, WireStub};
    /// use std::time::Duration;
    ///
    /// // in a `#[tokio::test(start_paused = true)]`
    /// let stub = WireStub::builder()
    ///     .clock(Clock::tokio())
    ///     .turn(Turn::new().text("half an answer").stall(After::deltas(2)))
    ///     .start();
    /// # let url = stub.anthropic_url() + "/v1/messages";
    /// let call = tokio::spawn(async move {
    ///     // your client, which gives up after 30 silent seconds
    /// #   let client = reqwest::Client::builder().read_timeout(Duration::from_secs(30)).build().unwrap();
    /// #   let body = r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
    /// #   let ask = client.post(url).header("x-api-key", "k").header("anthropic-version", "2023-06-01");
    /// #   ask.body(body).send().await?.bytes().await
    /// });
    /// stub.wait_for_stall().await;
    /// stub.advance(Duration::from_secs(31)).await;
    /// assert!(call.await.unwrap().is_err());
    /// stub.wait_for_cancel().await;
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if the stub's clock is the system's. At the `.await`, with the journal, when it gives up
    /// because the clock could not be moved on for the stub's patience (5 seconds of the system's time); and if the clock
    /// is [`Clock::tokio`](crate::Clock::tokio) and another runtime awaits this, or it is to go further than 30 years.
    #[track_caller]
    pub fn advance(&self, time: Duration) -> Wait<()> {
        self.check_movable("advance");
        let what = format!("the clock to move by {time:?}");
        self.moving(
            what,
            "it moves only while nothing is at work; `.patience(..)` lets it wait longer for that",
            {
                move |shared| async move {
                    let clock = moved(&shared)?;
                    let mut mover = Mover::new(clock)?;
                    let end = shared.clock.now().saturating_add(time);
                    if end > mover.limit() {
                        return Err("the time of a tokio runtime ends after 30 years".to_owned());
                    }
                    mover.settle().await;
                    while !mover.is_at(end) {
                        check_runs(&shared)?;
                        mover.step(end).await;
                    }
                    Ok(())
                }
            },
        )
    }

    /// As [`advance`](Self::advance), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line; at once inside an async runtime, and on [`Clock::tokio`](crate::Clock::tokio), which
    /// only its runtime can move.
    #[track_caller]
    pub fn advance_blocking(&self, time: Duration) {
        self.check_blocking("advance");
        self.advance(time).block("advance");
    }

    /// Moves the clock to the end of the next pause that waits on it, of this stub or of another one on the same
    /// clock, and gives back by how much that was. If there is none, one is waited for; the clock stands still
    /// meanwhile. Sockets settle as in [`advance`](Self::advance), before and after.
    ///
    /// # Panics
    ///
    /// As [`advance`](Self::advance).
    #[track_caller]
    pub fn advance_to_next(&self) -> Wait<Duration> {
        self.check_movable("advance_to_next");
        let help = "paces, delays and the pauses of a live turn wait on the clock; a stall and a gate do not";
        let what = "a pause that waits on the clock".to_owned();
        self.moving(what, help, |shared| async move {
            let clock = moved(&shared)?;
            let mut mover = Mover::new(clock)?;
            let start = shared.clock.now();
            mover.settle().await;
            loop {
                check_runs(&shared)?;
                let Some(end) = clock.next_pause() else {
                    mover.wait().await;
                    mover.settle().await;
                    continue;
                };
                mover.step(end).await;
                // if it is not there yet, its client may have left, or an earlier one may have begun
                if shared.clock.now() >= end {
                    while !mover.is_at(end) {
                        mover.step(end).await;
                    }
                    return Ok(shared.clock.now().saturating_sub(start));
                }
            }
        })
    }

    /// As [`advance_to_next`](Self::advance_to_next), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line, as [`advance_blocking`](Self::advance_blocking).
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "moving is what it is called for")]
    pub fn advance_to_next_blocking(&self) -> Duration {
        self.check_blocking("advance_to_next");
        self.advance_to_next().block("advance_to_next")
    }

    /// Moves the clock until model call `n` has come, counted from 1 as in messages, and gives back how long that
    /// was on this clock after the answer before it was done, however that ended; nothing, if it was not done yet;
    /// for the first call the time since the stub's start, or its reset. A call that has come already is told at once.
    ///
    /// On [`Clock::tokio`](crate::Clock::tokio) it moves in the small steps of [`advance`](Self::advance), so that
    /// the client's back-off is measured to a hundredth, and exactly if it is a round number. On a manual clock it moves
    /// from one pause of the stub to the next and else waits, since it cannot move the client's own timers; on the
    /// system's clock it waits.
    ///
    /// # Panics
    ///
    /// At the caller's line, if `n` is 0. At the `.await`, with the journal, when it gives up because the call did not
    /// come in a day of the clock's time, or the clock could not be moved on for the stub's patience (5 seconds of the
    /// system's time); and if the clock is [`Clock::tokio`](crate::Clock::tokio) and another runtime awaits this.
    #[track_caller]
    pub fn time_to_request(&self, n: usize) -> Wait<Duration> {
        assert!(
            n > 0,
            "there is no request 0\n  help: `time_to_request` counts from 1, as messages do: `time_to_request(1)` is the first"
        );
        let help = "a client that asks again does so once its answer before is done and its back-off is over";
        self.moving(format!("request #{n}"), help, move |shared| async move {
            let waited = || time_to(&shared.lock(), n);
            if let Some(waited) = waited() {
                return Ok(waited);
            }
            let Time::Moved(clock) = &*shared.clock else {
                return poll_fn(|context| {
                    let look = |state: &mut State| {
                        let gone = || state.ended.map(|why| Err(why.to_owned()));
                        time_to(state, n).map(Ok).or_else(gone)
                    };
                    shared
                        .poll(context.waker(), look)
                        .map_or(Poll::Pending, Poll::Ready)
                })
                .await;
            };
            let mut mover = Mover::new(clock)?;
            let limit = shared.clock.now().saturating_add(A_DAY);
            loop {
                mover.settle().await;
                if let Some(waited) = waited() {
                    return Ok(waited);
                }
                check_runs(&shared)?;
                if shared.clock.now() >= limit {
                    return Err("not within a day of its clock's time".to_owned());
                }
                match clock.next_pause() {
                    _ if clock.has_timers() => mover.step(limit).await,
                    Some(end) => mover.step(end).await,
                    None => mover.wait().await,
                }
            }
        })
    }

    /// As [`time_to_request`](Self::time_to_request), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line, as [`advance_blocking`](Self::advance_blocking).
    #[track_caller]
    #[expect(
        clippy::must_use_candidate,
        reason = "waiting is what it is called for"
    )]
    pub fn time_to_request_blocking(&self, n: usize) -> Duration {
        self.check_blocking("time_to_request");
        self.time_to_request(n).block("time_to_request")
    }

    #[track_caller]
    fn check_movable(&self, name: &str) {
        assert!(
            matches!(*self.runs.clock, Time::Moved(_)),
            "`{name}` cannot move the system's clock\n  where: {}\n  \
             help: build the stub with `.clock(Clock::tokio())` or `.clock(Clock::manual())`",
            self.runs.config.script.description()
        );
    }

    #[track_caller]
    fn check_blocking(&self, name: &str) {
        let of_tokio = matches!(&*self.runs.clock, Time::Moved(clock) if clock.has_timers());
        assert!(
            !of_tokio,
            "`{name}_blocking` cannot move the time of a tokio runtime: only the runtime itself can\n  where: {}\n  \
             help: await `{name}` there, or build the stub with `.clock(Clock::manual())`",
            self.runs.config.script.description()
        );
    }

    fn moving<T, F: Future<Output = Result<T, String>> + Send + 'static>(
        &self,
        what: String,
        help: &'static str,
        moving: impl FnOnce(Arc<Shared>) -> F,
    ) -> Wait<T> {
        let shared = self.shared();
        let reporter = Arc::clone(&shared);
        let patience = shared.config.patience;
        let report = move || {
            let clock = describe(&reporter.clock);
            format!("{}{clock}\n  help: {help}", reporter.report())
        };
        let wait = Wait::by(what, patience, moving(Arc::clone(&shared)), report);
        match *shared.clock {
            Time::System { .. } => wait,
            Time::Moved(_) => wait.while_same(move || shared.clock.now()),
        }
    }
}

/// No client backs off for longer.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn check_runs(shared: &Shared) -> Result<(), String> {
    match shared.lock().ended {
        Some(why) => Err(why.to_owned()),
        None => Ok(()),
    }
}

fn moved(shared: &Shared) -> Result<&Moved, String> {
    match &*shared.clock {
        Time::Moved(clock) => Ok(clock),
        Time::System { .. } => Err("the system's clock moves by itself".to_owned()),
    }
}

/// How long call `n` came after the answer before it was done, if it has come.
fn time_to(state: &State, n: usize) -> Option<Duration> {
    let call = n.checked_sub(1)?;
    let arrived = state.times.get(call)?.arrived;
    let since = match call.checked_sub(1) {
        None => state.began,
        Some(before) => state.times.get(before)?.done.unwrap_or(arrived),
    };
    Some(arrived.saturating_sub(since))
}

/// A line of a report: how far the clock is, and what keeps it.
fn describe(clock: &Time) -> String {
    let Time::Moved(moved) = clock else {
        return String::new();
    };
    let pause = match moved.next_pause() {
        None => "nothing waits on it".to_owned(),
        Some(end) => format!("the next pause ends at {end:?}"),
    };
    let work = match moved.activity.working() {
        0 => String::new(),
        n => format!(", {} still at work", count(n, "task")),
    };
    format!("\n  clock: at {:?}, {pause}{work}", clock.now())
}
