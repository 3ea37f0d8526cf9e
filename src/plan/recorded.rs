//! Recorded answers: played as they were written, or said again where they are asked for in another way.

use std::sync::Arc;

use super::{
    Answer, End, FaultVariant, Last, Length, Piece, Plan, Steps, Unplayable, fault, pace::Waits,
};
use crate::{
    api::{Api, Head, Mark},
    script::{Beat, Cut, Pace, RecordedEnd, Recording, Says, Turn},
};

impl Plan<'_> {
    pub(super) fn recorded(&self, recording: &Recording) -> Result<Steps, Unplayable> {
        if !recording.answers(self.api, self.form) {
            let again = Arc::new(said_again(self.turn, recording, self.api)?);
            let plan = Plan {
                turn: &again,
                cut: self.cut.clone(),
                api: self.api,
                form: self.form,
                context: self.context,
                pace: self.pace,
            };
            return plan.steps();
        }
        let answer = as_written(recording);
        let answer = if self.turn.faults.is_empty() {
            answer
        } else {
            let as_written = |_: &_| Ok(answer.clone());
            fault::damaged(self.turn, self.api, self.context, self.what(), as_written)?
        };
        let cuts = self.turn.faults.iter().any(FaultVariant::cuts);
        let cut = if cuts { &Cut::PerEvent } else { &self.cut };
        let steps = Steps::damaged(answer, self.actions()?, self.what(), cut);
        Ok(match self.pace {
            Some(pace) => steps.paced(Waits::new(&told(pace, recording), self.form)),
            None => steps,
        })
    }
}

/// This pace, with the waits of the recording if it asks for them.
fn told(pace: &Pace, recording: &Recording) -> Pace {
    let mut pace = pace.clone();
    if pace.beat == Beat::AsRecorded {
        let waits = recording.writes.iter().map(|write| write.wait);
        pace.beat = Beat::Recorded(waits.collect());
    }
    pace
}

fn as_written(recording: &Recording) -> Answer {
    let headers = recording.headers.iter().cloned();
    let pieces = recording.writes.iter().map(|write| Piece {
        marks: vec![Mark::Other],
        ..Piece::bytes(write.bytes.clone())
    });
    let (length, end) = match recording.end {
        RecordedEnd::Complete => (Length::Chunked, End::Complete),
        RecordedEnd::Fin => (Length::Chunked, End::Fin),
        RecordedEnd::Reset => (Length::Chunked, End::Reset),
        RecordedEnd::CloseDelimited => (Length::UntilClose, End::Fin),
    };
    Answer {
        head: Some(Head {
            status: recording.status,
            headers: headers
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }),
        form: recording.form(),
        pieces: pieces.collect(),
        last: Last::End(end),
        length,
    }
}

/// The turn that says on this API what was recorded; on its way the same happens to it.
///
/// # Errors
///
/// What the recording has, and no turn can say.
pub(crate) fn said_again(turn: &Turn, recording: &Recording, api: Api) -> Result<Turn, Unplayable> {
    let again = recording.api.turn_from_wire(&recording.body());
    let again = again.map_err(|why| {
        let why = why.to_string();
        let why = why.lines().next().unwrap_or_default();
        Unplayable(format!(
            "an answer that was recorded on {} cannot be said again on {}: {why}\n  \
             help: ask for it on its own API and in its own form, or script what it says",
            recording.api.name(),
            api.name()
        ))
    })?;
    let mut again = Turn {
        says: again.says,
        seed: turn.seed.or(again.seed),
        era: turn.era.or(again.era),
        ..turn.clone()
    };
    if api != recording.api {
        again.era = turn.era;
        if let Says::Message(message) = &mut again.says {
            // what stands around an answer is its own API's
            message.extras = None;
        }
    }
    Ok(again)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        api::{Context, Form},
        plan::{Step, plan},
    };

    const MS: Duration = Duration::from_millis(1);

    fn waits(pace: Option<&Pace>) -> Vec<Duration> {
        let recording =
            Recording::new(Api::OpenAiChat, ["a", "b", "c"]).waits([MS, Duration::ZERO, MS * 9]);
        let turn = Arc::new(Turn::from(recording));
        let context = Context::unasked(0, true);
        let steps = plan(
            &turn,
            Api::OpenAiChat,
            Form::Stream,
            &context,
            Cut::PerEvent,
            pace,
        );
        let waits = steps.unwrap().filter_map(|step| {
            let Step::Wait(time) = step else {
                return None;
            };
            Some(time)
        });
        waits.collect()
    }

    #[test]
    fn a_recording_waits_only_where_a_pace_asks_for_it() {
        assert_eq!(waits(None), []);
        assert_eq!(waits(Some(&Pace::as_recorded())), [MS, MS * 9]);
        assert_eq!(waits(Some(&Pace::every(MS * 2))), [MS * 2; 3]);
    }
}
