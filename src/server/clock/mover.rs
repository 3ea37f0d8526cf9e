//! Moving a clock, with sockets that settle in between.
//!
//! A stub has settled once everything waits (see `activity.rs`), then the runtime that moves the clock has had
//! several turns, so that a client there has read what was written and has answered to it, and after that
//! everything still waits and has all the time. No time is guessed, but for an answer that is too long for its
//! socket: there the two sides' systems are given time to make room.

use std::{
    future::poll_fn,
    sync::{Arc, mpsc::channel},
    time::Duration,
};

use tokio::task::yield_now;

use super::{
    super::{
        activity::{Activity, Look},
        runtime::runtime,
    },
    Moved, Source,
    paused::{FAR, LetGo},
};

/// So many turns a runtime gets. In each it runs every task that was woken (the 61 next ones, if more were), and
/// then asks its sockets; a client needs one or two for what it does between two things that the stub sees.
const TURNS: usize = 16;

/// And so many behind a small step, in which mostly nothing happens; if something does, it gets those above too.
const TURNS_OF_STEP: usize = 4;

/// So long at most this thread waits for others before its runtime gets more turns.
const BREATH: Duration = Duration::from_millis(1);

/// So many breaths an answer that is too long for its socket is watched for, once something has happened. What its
/// client reads makes room there when the system says so, and that may put it off: an acknowledgement for 40 ms.
const BREATHS: usize = 50;

/// Moves a clock.
pub(in crate::server) struct Mover<'a> {
    clock: &'a Moved,
    let_go: Option<LetGo>,
    /// How much had happened when everything came to rest.
    seen: Option<u64>,
    /// How much of the stub had ceased by then.
    ceased: u64,
    /// When something happened last.
    happened: Duration,
}

impl<'a> Mover<'a> {
    /// # Errors
    ///
    /// If it cannot be moved from here, in words.
    pub(in crate::server) fn new(clock: &'a Moved) -> Result<Self, String> {
        let let_go = match &clock.source {
            Source::Manual(_) => None,
            Source::Paused(paused, _) => Some(paused.let_go()?),
        };
        Ok(Self {
            clock,
            let_go,
            seen: None,
            ceased: 0,
            happened: clock.now(),
        })
    }

    /// Lets sockets settle.
    pub(in crate::server) async fn settle(&mut self) {
        let before = self.seen;
        // how often it was the same since the runtime had its turns
        let mut same = 0;
        let mut turns = match before {
            Some(_) => TURNS_OF_STEP,
            None => TURNS,
        };
        loop {
            for _ in 0..turns {
                yield_now().await;
            }
            turns = TURNS;
            if same > 0 {
                drain_background();
            }
            let stubs = self.stubs();
            let looks: Vec<Look> = stubs.iter().map(|stub| stub.look()).collect();
            let both = || stubs.iter().zip(&looks);
            if let Some((stub, look)) = both().find(|(_, look)| look.at_work) {
                (self.seen, same) = (None, 0);
                self.rest(stub, look.ceased).await;
                continue;
            }
            let own = both().find(|(stub, _)| Arc::ptr_eq(stub, &self.clock.activity));
            self.ceased = own.map_or(0, |(_, look)| look.ceased);
            let begun = Some(looks.iter().map(|look| look.begun).sum());
            if self.seen != begun {
                (self.seen, same) = (begun, 0);
                continue;
            }
            let Some((stub, look)) = both().find(|(_, look)| look.writing) else {
                break;
            };
            match (same, begun == before) {
                // its client reads nothing
                (1, true) | (BREATHS, _) => break,
                // the runtime has just had its turns: what came of them is what counts
                (_, true) => turns = 0,
                (_, false) => stub.block(look.ceased, BREATH),
            }
            same += 1;
        }
        if self.seen != before {
            self.happened = self.clock.now();
        }
    }

    /// Moves one step towards `end` and lets sockets settle.
    pub(in crate::server) async fn step(&mut self, end: Duration) {
        let now = self.clock.now();
        let pause = self.clock.next_pause().filter(|pause| *pause <= end);
        match (&self.clock.source, &self.let_go) {
            (Source::Paused(_, started), Some(let_go)) => {
                let step = now.saturating_add(step_after(now.saturating_sub(self.happened)));
                let end = end.min(step).min(pause.unwrap_or(end));
                let_go.step(started.saturating_add(end)).await;
            }
            (Source::Manual(manual), _) if pause.is_some() => manual.end_pause(),
            (Source::Manual(manual), _) => manual.set(end),
            (Source::Paused(..), None) => {}
        }
        self.settle().await;
    }

    /// Nothing is as far as this.
    pub(in crate::server) fn limit(&self) -> Duration {
        match &self.clock.source {
            Source::Manual(_) => Duration::MAX,
            Source::Paused(_, started) => FAR.saturating_sub(*started),
        }
    }

    /// Whether it is at this time, and every pause up to there has ended.
    pub(in crate::server) fn is_at(&self, end: Duration) -> bool {
        let pause = self.clock.next_pause();
        self.clock.now() >= end && pause.is_none_or(|pause| pause > end)
    }

    /// Waits, once settled, until something of the stub may have changed; the clock stands still.
    pub(in crate::server) async fn wait(&self) {
        self.rest(&self.clock.activity, self.ceased).await;
    }

    /// Waits until something has ceased to work, or not so long.
    async fn rest(&self, stub: &Activity, ceased: u64) {
        if self.let_go.is_some() {
            // time would jump if its runtime had nothing to do; so it is this thread that waits
            stub.block(ceased, BREATH);
        } else {
            poll_fn(|context| stub.poll_ceased(ceased, context.waker())).await;
        }
    }

    fn stubs(&self) -> Vec<Arc<Activity>> {
        match &self.clock.source {
            Source::Manual(_) => vec![Arc::clone(&self.clock.activity)],
            Source::Paused(paused, _) => paused.stubs(),
        }
    }
}

/// How far a step goes, so long after something happened: a hundredth of that or less, from 1 ms to 1 s, and a
/// 3600th once that is more. It is a number that the times of clients are multiples of, since what the client's own
/// timers, which are not known here, set off inside a step is taken to happen at its end.
fn step_after(calm: Duration) -> Duration {
    const STEPS: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
    let fits = |step: &Duration| step.saturating_mul(100) <= calm;
    let steps = STEPS.map(Duration::from_millis);
    let step = steps.into_iter().rev().find(fits);
    let seconds = Duration::from_secs(calm.as_secs() / 3_600);
    step.unwrap_or(Duration::from_millis(1)).max(seconds)
}

/// Waits until the background runtime has told its tasks what their sockets have for them: whether one has room
/// again shows in no other way.
fn drain_background() {
    let Ok(runtime) = runtime() else {
        return;
    };
    let (told, telling) = channel();
    runtime.spawn(async move {
        // it asks its sockets before it goes on with a task that has yielded
        yield_now().await;
        yield_now().await;
        let _ = told.send(());
    });
    // this thread waits for it: no client may make room in between
    let _ = telling.recv();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_hundredth_of_the_calm_before_it_or_less() {
        for (calm, step) in [
            (0, 1),
            (199, 1),
            (200, 2),
            (500, 5),
            (1_000, 10),
            (4_999, 20),
            (99_999, 500),
            (100_000, 1_000),
            (7_199_999, 1_000),
            (7_200_000, 2_000),
        ] {
            let found = step_after(Duration::from_millis(calm));
            assert_eq!(found, Duration::from_millis(step), "{calm}");
        }
    }
}
