//! A recorded body: read, and compared with what a turn says.

use super::{Drawn, context, difference, error_of, of_the_whole, unplayable};
use crate::{
    api::{AccumulateError, Api, Asked, Context, accumulate::accumulate_json},
    json_slices::compact,
    script::{Reply, Turn},
};

/// What a recorded body is.
pub(crate) enum Body {
    Answer(Whole),
    /// The turn that is the error.
    Error(Turn),
}

/// A whole answer.
pub(crate) struct Whole {
    api: Api,
    /// On one line.
    pub(crate) sent: String,
    pub(crate) reply: Reply,
}

impl Body {
    /// Reads a body, which may be an error's.
    pub(crate) fn read(api: Api, body: &[u8], drawn: &Drawn) -> Result<Self, AccumulateError> {
        let sent = compact(&String::from_utf8_lossy(body));
        match accumulate_json(api, body) {
            Ok(reply) => Ok(Self::Answer(Whole { api, sent, reply })),
            Err(error) => {
                let Some(recorded) = error_of(&sent) else {
                    return Err(error);
                };
                let (_, said) = api.error(&recorded, &context(Asked::default()));
                let said = compact(&String::from_utf8_lossy(&said));
                difference(&sent, &said, drawn).map_err(|problem| of_the_whole(api, problem))?;
                Ok(Self::Error(Turn::error(recorded)))
            }
        }
    }
}

impl Whole {
    /// What this turn says, on one line.
    pub(crate) fn said(&self, turn: &Turn, context: &Context) -> Result<String, AccumulateError> {
        let said = self.api.body(turn, context);
        let said = said.map_err(|why| of_the_whole(self.api, unplayable(&why)))?;
        Ok(compact(&String::from_utf8_lossy(&said)))
    }

    /// The turn, if it says what was recorded.
    pub(crate) fn say(
        &self,
        turn: Turn,
        context: &Context,
        drawn: &Drawn,
    ) -> Result<Turn, AccumulateError> {
        let said = self.said(&turn, context)?;
        let differs = difference(&self.sent, &said, drawn);
        differs.map_err(|problem| of_the_whole(self.api, problem))?;
        Ok(turn)
    }
}
