//! Scripted endings as what is done at their places, and what they have the head say.

use std::sync::Arc;

use super::{End, Length, Plan, Step, Unplayable};
use crate::{
    api::{Api, Context, WireEvent},
    script::{Action, After, ApiError, Ending, Place, Turn},
};

#[derive(Clone, Debug)]
pub(crate) enum Does {
    Step(Step),
    /// Nothing follows this step; maybe an error goes before it.
    End(Option<Box<InStreamError>>, Step),
    /// The next event is not written whole, and nothing follows.
    Cut(Inside),
}

/// Where an event is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Inside {
    Event,
    Character,
}

impl Inside {
    /// How much is left of these bytes; none if there is nothing to be cut.
    pub(crate) fn of(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Event => Some(bytes.len() / 2).filter(|half| *half > 0),
            Self::Character => Some(bytes.iter().position(|byte| !byte.is_ascii())? + 1),
        }
    }
}

impl Plan<'_> {
    pub(super) fn end(&self, ending: &Ending) -> Result<Does, Unplayable> {
        let end = |end| Step::End(end);
        Ok(match ending {
            Ending::InStreamError(error) => {
                let (turn, context) = (Arc::clone(self.turn), self.context.clone());
                let error = InStreamError::new(error, self.api, turn, context)?;
                Does::End(Some(Box::new(error)), end(End::Early))
            }
            Ending::CleanEof => Does::End(None, end(End::Early)),
            Ending::Fin | Ending::WrongLength(_) | Ending::CloseDelimited => {
                Does::End(None, end(End::Fin))
            }
            Ending::MidEvent => Does::Cut(Inside::Event),
            Ending::MidCharacter => Does::Cut(Inside::Character),
            Ending::Reset => Does::End(None, end(End::Reset)),
        })
    }

    /// What the head says of the body's length, if an ending has it say something else than the provider does.
    pub(super) fn length(&self) -> Result<Option<Length>, Unplayable> {
        let says_so = |(_, action): &&(After, Action)| {
            matches!(
                action,
                Action::End(Ending::CloseDelimited | Ending::WrongLength(_))
            )
        };
        let Some((after, action)) = self.turn.actions.iter().find(says_so) else {
            return Ok(None);
        };
        let cannot = |why: String| {
            let what = action_name(action);
            Unplayable(format!("{what} {after} is not possible: {why}"))
        };
        if after.0 == Place::Request {
            return Err(cannot(
                "there is no head that could say it\n  help: use a place behind it, or `Ending::Fin`"
                    .to_owned(),
            ));
        }
        let Action::End(Ending::WrongLength(by)) = action else {
            return Ok(Some(Length::UntilClose));
        };
        // the body as it is, whatever its head says
        let mut written = 0_usize;
        for step in self.unmeasured()? {
            if let Step::Body(bytes) = step {
                written += bytes.len();
            }
        }
        let length = i64::try_from(written).ok().and_then(|n| n.checked_add(*by));
        let length = length.and_then(|length| usize::try_from(length).ok());
        match length.filter(|_| *by != 0) {
            Some(length) => Ok(Some(Length::Given(length))),
            None => Err(cannot(format!(
                "{written} bytes are written there, and the length is wrong by {by}\n  \
                 help: no length is below 0, and one that is wrong by 0 is right"
            ))),
        }
    }
}

/// An error inside a stream; its events may depend on what was written before.
#[derive(Clone, Debug)]
pub(crate) struct InStreamError {
    error: ApiError,
    api: Api,
    turn: Arc<Turn>,
    context: Context,
}

impl InStreamError {
    pub(super) fn new(
        error: &ApiError,
        api: Api,
        turn: Arc<Turn>,
        context: Context,
    ) -> Result<Self, Unplayable> {
        if error.has_headers() {
            return Err(Unplayable(
                "an in-stream error has no headers: the head is long gone\n  \
                 help: leave out `.retry_after(..)`, `.header(..)` and the retry hints, or use an error turn"
                    .to_owned(),
            ));
        }
        Ok(Self {
            error: error.clone(),
            api,
            turn,
            context,
        })
    }

    /// Its events, behind so many of the turn's.
    pub(super) fn events(&self, written: usize) -> Vec<WireEvent> {
        self.api
            .error_events(&self.error, &self.turn, &self.context, written)
    }
}

pub(crate) const fn action_name(action: &Action) -> &'static str {
    match action {
        Action::Gate(_) => "gate",
        Action::Delay(_) => "delay",
        Action::Stall => "stall",
        Action::End(Ending::InStreamError(_)) => "in-stream error",
        Action::End(Ending::CleanEof) => "clean end",
        Action::End(Ending::Fin) => "FIN",
        Action::End(Ending::Reset) => "reset",
        Action::End(Ending::WrongLength(_)) => "wrong length",
        Action::End(Ending::CloseDelimited) => "close-delimited end",
        Action::End(Ending::MidEvent) => "end inside an event",
        Action::End(Ending::MidCharacter) => "end inside a character",
    }
}
