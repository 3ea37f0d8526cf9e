//! The name of an API, read.

use std::{fmt, str::FromStr};

use super::Api;
use crate::script::nearest;

impl FromStr for Api {
    type Err = UnknownApiError;

    /// The [name](Api::name).
    ///
    /// ```
    /// use llm_wire_stub::Api;
    ///
    /// assert_eq!("openai_chat".parse(), Ok(Api::OpenAiChat));
    /// let error = "openai_chats".parse::<Api>().unwrap_err();
    /// assert!(error.to_string().ends_with("help: did you mean `openai_chat`?"));
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownApiError> {
        let mut all = Self::ALL.into_iter();
        all.find(|api| api.name() == name)
            .ok_or_else(|| UnknownApiError {
                given: name.to_owned(),
            })
    }
}

/// No API has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownApiError {
    given: String,
}

impl fmt::Display for UnknownApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no API is called `{}`\n  help: ", self.given)?;
        let names = Api::ALL.map(Api::name);
        match nearest(&self.given, &names) {
            Some(known) => write!(f, "did you mean `{known}`?"),
            None => write!(f, "one of {}", names.join(", ")),
        }
    }
}

impl std::error::Error for UnknownApiError {}
