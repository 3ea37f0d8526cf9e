//! The waits of one answer: its events in, how long each waits out.

use std::{mem, time::Duration};

use crate::{
    api::{Form, Mark},
    script::{Beat, Dice, Pace},
};

/// The waits of one answer.
pub(super) struct Waits {
    pace: Pace,
    form: Form,
    dice: Dice,
    /// How many events came.
    events: usize,
    /// Whether no delta came yet.
    no_token: bool,
}

impl Waits {
    pub(super) fn new(pace: &Pace, form: Form) -> Self {
        Self {
            pace: pace.clone(),
            form,
            dice: Dice::new(pace.jitter.map_or(0, |jitter| jitter.seed)),
            events: 0,
            no_token: true,
        }
    }

    /// How long the answer waits before its head, which has this status.
    pub(super) fn before_head(&mut self, status: u16) -> Option<Duration> {
        // an error comes at once, also where a live turn ends in one
        if self.form == Form::Stream || status >= 400 {
            return None;
        }
        let wait = self.pace.first_token_after;
        self.moved((!wait.is_zero()).then_some(wait))
    }

    /// How long the next event waits, which means this; a comment is none.
    pub(super) fn before_event(&mut self, mark: Mark) -> Option<Duration> {
        if mark == Mark::Comment {
            return None;
        }
        let deltas = mark.deltas();
        let beat = match &self.pace.beat {
            Beat::Every(wait) => Some(*wait),
            Beat::Delta(wait) => {
                let deltas = u32::try_from(deltas).unwrap_or(u32::MAX);
                (deltas > 0).then(|| wait.saturating_mul(deltas))
            }
            Beat::Recorded(waits) => waits.get(self.events).copied(),
            // a recording has put its waits in its place
            Beat::AsRecorded => None,
        };
        self.events += 1;
        let first = self.pace.first_token_after;
        let is_first = deltas > 0 && mem::take(&mut self.no_token);
        let wait = if is_first && !first.is_zero() {
            Some(beat.unwrap_or_default().saturating_add(first))
        } else {
            beat
        };
        self.moved(wait)
    }

    /// This wait with its jitter; `None` if nothing is left of it.
    fn moved(&mut self, wait: Option<Duration>) -> Option<Duration> {
        let wait = wait?;
        let moved = match self.pace.jitter {
            None => wait,
            Some(jitter) => {
                // 292 years at most
                let by = u64::try_from(jitter.by.as_nanos()).unwrap_or(u64::MAX);
                let by = by.min(u64::MAX / 2);
                let place = self.dice.next() % (by * 2 + 1);
                match place.checked_sub(by) {
                    Some(later) => wait.saturating_add(Duration::from_nanos(later)),
                    None => wait.saturating_sub(Duration::from_nanos(by - place)),
                }
            }
        };
        (!moved.is_zero()).then_some(moved)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        api::{Api, Context},
        plan::{self, Step},
        script::{After, ApiError, Cut, Ending, Gate, Turn},
    };

    const MS: Duration = Duration::from_millis(1);

    fn words() -> Turn {
        Turn::new().text("one two").plain()
    }

    /// The steps, each in a word: of a body the names of its events.
    fn steps(api: Api, form: Form, turn: &Turn, cut: Cut) -> Vec<String> {
        let context = Context::unasked(0, true);
        let steps = plan::plan(&Arc::new(turn.clone()), api, form, &context, cut, None);
        let in_words = steps.unwrap().map(|step| match step {
            Step::Head(head, _) => head.status.to_string(),
            Step::Body(bytes) => match String::from_utf8(bytes.to_vec()).unwrap() {
                text if text.starts_with("event: ") => {
                    let lines = text.lines();
                    let names: Vec<_> = lines.filter_map(|l| l.strip_prefix("event: ")).collect();
                    names.join(" ")
                }
                text => text.chars().take(2).collect(),
            },
            Step::Wait(time) => format!("{time:?}"),
            Step::Hold(_) => "gate".to_owned(),
            Step::Stall => "stall".to_owned(),
            Step::Beat(..) => "beat".to_owned(),
            Step::Open(_) => "open".to_owned(),
            Step::End(end) => format!("{end:?}"),
            Step::Listen(_) | Step::Break(_) | Step::Raw(_) => panic!("neither live nor raw"),
        });
        in_words.collect()
    }

    fn stream(turn: &Turn) -> Vec<String> {
        steps(Api::AnthropicMessages, Form::Stream, turn, Cut::PerEvent)
    }

    /// The waits before the seven events of `words`.
    fn waits(pace: Pace) -> Vec<Option<Duration>> {
        let turn = Arc::new(words().pace(pace));
        let context = Context::unasked(0, true);
        let api = Api::AnthropicMessages;
        let steps = plan::plan(&turn, api, Form::Stream, &context, Cut::PerEvent, None);
        let (mut waits, mut waited) = (Vec::new(), None);
        for step in steps.unwrap() {
            match step {
                Step::Wait(time) => assert_eq!(waited.replace(time), None, "two waits in a row"),
                Step::Body(_) => waits.push(waited.take()),
                Step::Head(..)
                | Step::Hold(_)
                | Step::Listen(_)
                | Step::Break(_)
                | Step::Raw(_)
                | Step::Stall
                | Step::Beat(..)
                | Step::Open(_)
                | Step::End(_) => assert_eq!(waited, None),
            }
        }
        waits
    }

    #[test]
    fn every_event_behind_the_head_waits_before_its_bytes() {
        let found = stream(&words().pace(Pace::every(5 * MS)));
        let expected = [
            "200",
            "5ms",
            "message_start",
            "5ms",
            "content_block_start",
            "5ms",
            "content_block_delta",
            "5ms",
            "content_block_delta",
            "5ms",
            "content_block_stop",
            "5ms",
            "message_delta",
            "5ms",
            "message_stop",
            "Complete",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_deltas_wait_for_their_tokens_and_the_first_one_waits_longer() {
        let second = Duration::from_secs(1);
        let pace = Pace::tokens_per_second(4);
        let at = |n: u32| Some(n * second / 4);
        let expected = [None, None, at(1), at(1), None, None, None];
        assert_eq!(waits(pace.clone()), expected);
        let expected = [None, None, at(9), at(1), None, None, None];
        assert_eq!(waits(pace.first_token_after(2 * second)), expected);
        let slow = Pace::every(second / 4).first_token_after(2 * second);
        assert_eq!(
            waits(slow),
            [at(1), at(1), at(9), at(1), at(1), at(1), at(1)]
        );
    }

    #[test]
    fn an_event_with_several_deltas_waits_for_each_of_them() {
        let pace = Pace::tokens_per_second(10);
        let mut waits = Waits::new(&pace, Form::Stream);
        let mark = |deltas| Mark::Several {
            deltas,
            parts: 1,
            stops: true,
        };
        assert_eq!(waits.before_event(mark(3)), Some(300 * MS));
        assert_eq!(waits.before_event(mark(0)), None);
        assert_eq!(waits.before_event(Mark::LastDelta), Some(100 * MS));
    }

    #[test]
    fn recorded_waits_belong_to_their_events_and_the_rest_waits_for_nothing() {
        let pace = Pace::recorded([3 * MS, Duration::ZERO, MS]);
        let some = |n: u32| Some(n * MS);
        let expected = [some(3), None, some(1), None, None, None, None];
        assert_eq!(waits(pace.clone()), expected);
        let expected = [some(3), None, some(8), None, None, None, None];
        assert_eq!(waits(pace.first_token_after(7 * MS)), expected);
        let longer = Pace::recorded([MS; 20]);
        assert_eq!(waits(longer), [some(1); 7]);
        assert_eq!(waits(Pace::recorded([])), [None; 7]);
        assert_eq!(waits(Pace::every(Duration::ZERO)), [None; 7]);
    }

    #[test]
    fn comments_wait_for_nothing_and_are_no_events() {
        let mut waits = Waits::new(&Pace::recorded([MS, 2 * MS]), Form::Stream);
        assert_eq!(waits.before_event(Mark::Comment), None);
        assert_eq!(waits.before_event(Mark::Other), Some(MS));
        assert_eq!(waits.before_event(Mark::Comment), None);
        assert_eq!(waits.before_event(Mark::Delta), Some(2 * MS));
    }

    #[test]
    fn waits_stand_before_the_bytes_and_behind_gates_stalls_and_endings() {
        let gate = Gate::new();
        let turn = words()
            .pace(Pace::every(MS))
            .gate(After::events(1), &gate)
            .delay(After::events(1), 9 * MS);
        let gated = [
            "200",
            "1ms",
            "message_start",
            "gate",
            "9ms",
            "1ms",
            "content_block_start",
        ];
        assert_eq!(stream(&turn)[..7], gated);
        let stalled = turn.clone().stall(After::events(2));
        assert_eq!(stream(&stalled)[7..], ["stall"]);
        let failed = turn.clone().end(After::events(2), ApiError::overloaded());
        assert_eq!(stream(&failed)[7..], ["1ms", "error", "Early"]);
        let cut_off = turn.end(After::events(2), Ending::Fin);
        assert_eq!(stream(&cut_off)[7..], ["Fin"]);
    }

    #[test]
    fn pieces_end_where_the_answer_waits_whatever_the_cut() {
        let turn = words().pace(Pace::recorded([Duration::ZERO, Duration::ZERO, MS]));
        let api = Api::AnthropicMessages;
        let found = steps(api, Form::Stream, &turn, Cut::Whole);
        let expected = [
            "200",
            "message_start content_block_start",
            "1ms",
            "content_block_delta content_block_delta content_block_stop message_delta message_stop",
            "Complete",
        ];
        assert_eq!(found, expected);
        let lines = steps(api, Form::Stream, &turn, Cut::PerLine);
        assert_eq!(lines[7..9], ["1ms", "content_block_delta"]);
        assert_eq!(lines.iter().filter(|step| *step == "1ms").count(), 1);
    }

    #[test]
    fn an_answer_that_is_no_stream_waits_for_its_first_token_before_its_head() {
        let api = Api::AnthropicMessages;
        let json = |turn: &Turn| steps(api, Form::Json, turn, Cut::PerEvent);
        let pace = Pace::every(MS);
        assert_eq!(
            json(&words().pace(pace.clone())),
            ["200", "{\"", "Complete"]
        );
        let pace = pace.first_token_after(7 * MS);
        let expected = ["7ms", "200", "{\"", "Complete"];
        assert_eq!(json(&words().pace(pace.clone())), expected);
        let error = Turn::error(ApiError::overloaded()).pace(pace);
        assert_eq!(json(&error), ["529", "{\"", "Complete"]);
        assert_eq!(stream(&error), ["529", "{\"", "Complete"]);
    }

    #[test]
    fn jitter_moves_every_wait_by_its_seed_and_never_below_zero() {
        let of = |by: Duration, seed| waits(Pace::every(10 * MS).jitter(by, seed));
        for seed in 0..200 {
            let found = of(4 * MS, seed);
            let near = |wait: &Option<Duration>| (6 * MS..=14 * MS).contains(&wait.unwrap());
            assert!(found.iter().all(near), "{found:?}");
            assert_eq!(found, of(4 * MS, seed));
        }
        assert_ne!(of(4 * MS, 1), of(4 * MS, 2));
        assert_ne!(of(4 * MS, 1)[0], of(4 * MS, 1)[1]);
        // half of them would be negative
        let far: Vec<_> = (0..50).flat_map(|seed| of(1_000_000 * MS, seed)).collect();
        assert!(far.contains(&None) && far.iter().any(|wait| *wait > Some(10 * MS)));
        // what does not wait is not moved
        let tokens = waits(Pace::tokens_per_second(100).jitter(MS, 3));
        let moved: Vec<bool> = tokens.iter().map(Option::is_some).collect();
        assert_eq!(moved, [false, false, true, true, false, false, false]);
    }

    #[test]
    fn the_longest_times_do_not_overflow() {
        const MAX: Duration = Duration::MAX;
        assert_eq!(
            waits(Pace::every(MAX).first_token_after(MAX)),
            [Some(MAX); 7]
        );
        let json = Pace::every(MS).first_token_after(MAX);
        assert_eq!(Waits::new(&json, Form::Json).before_head(200), Some(MAX));
        for seed in 0..50 {
            let _ = waits(Pace::every(MAX).first_token_after(MAX).jitter(MAX, seed));
            let _ = waits(Pace::every(MS).jitter(MAX, seed));
        }
        // faster than a nanosecond is at once
        assert_eq!(waits(Pace::tokens_per_second(u32::MAX)), [None; 7]);
        let several = Mark::Several {
            deltas: usize::MAX,
            parts: 0,
            stops: false,
        };
        let mut slow = Waits::new(&Pace::tokens_per_second(1), Form::Stream);
        let all = Duration::from_secs(u64::from(u32::MAX));
        assert_eq!(slow.before_event(several), Some(all));
    }
}
