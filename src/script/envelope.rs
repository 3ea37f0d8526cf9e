//! What an answer says besides its parts, its stop reason and its usage.

use std::collections::BTreeMap;

use super::{Json, StopReason, Turn, Usage};

/// Why the model refused.
///
/// ```
/// use llm_wire_stub::{StopDetails, Turn};
///
/// let turn = Turn::new().stop_details(StopDetails::new().category("cyber"));
/// # let _ = turn;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StopDetails {
    /// The provider's word for what was asked for.
    pub category: Option<String>,
    /// Its words for people.
    pub explanation: Option<String>,
    /// Further members, such as those of a beta.
    pub others: BTreeMap<String, Json>,
}

impl StopDetails {
    /// Neither category nor explanation.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            category: None,
            explanation: None,
            others: BTreeMap::new(),
        }
    }

    /// Sets the provider's word for what was asked for.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }

    /// Sets its words for people.
    #[must_use]
    pub fn explanation(mut self, explanation: impl Into<String>) -> Self {
        self.explanation = Some(explanation.into());
        self
    }

    /// Adds a further member; they are written in the order of their names.
    ///
    /// # Panics
    ///
    /// At the caller's line, if it is one of those that are always there.
    #[must_use]
    #[track_caller]
    pub fn other(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        let name = name.into();
        if let Err(why) = Self::check_other(&name) {
            panic!("{why}");
        }
        self.others.insert(name, value.into());
        self
    }

    /// # Errors
    ///
    /// If this is one of the members that are always there.
    pub(crate) fn check_other(name: &str) -> Result<(), String> {
        if !matches!(name, "type" | "category" | "explanation") {
            return Ok(());
        }
        Err(format!(
            "`{name}` is no further member of the stop details\n  \
             help: use `.category(..)` or `.explanation(..)`; the type is always `refusal`"
        ))
    }
}

/// Where the provider ran code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Container {
    /// The id that goes on in it.
    pub id: String,
    /// When it is gone.
    pub expires_at: String,
}

impl Container {
    /// This container, gone an hour after the time at which the stub's clock stands still.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            expires_at: "2026-08-19T15:34:12.730129Z".to_owned(),
        }
    }

    /// Sets when it is gone.
    #[must_use]
    pub fn expires_at(mut self, time: impl Into<String>) -> Self {
        self.expires_at = time.into();
        self
    }
}

impl From<&str> for Container {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<String> for Container {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}

/// What the envelope of an answer has besides what every answer has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extras {
    pub(crate) id: Option<String>,
    pub(crate) usage_at_start: Option<Usage>,
    pub(crate) stop_details: Option<StopDetails>,
    pub(crate) container: Option<Container>,
    pub(crate) context_management: Option<Json>,
    pub(crate) moderation: Option<Json>,
    pub(crate) service_tier: Option<String>,
    pub(crate) inference_geo: Option<String>,
    /// The ids of items that were recorded, each with what ids of its kind begin with, in order.
    pub(crate) item_ids: Vec<(String, String)>,
    /// Members of its request that a recorded answer repeats.
    pub(crate) repeated: Vec<(String, Json)>,
    /// Whether it was recorded, so that nothing is added to it: no estimate, and no member that is there as a rule.
    pub(crate) is_recorded: bool,
    /// What the recording lacks.
    pub(crate) lacks: Lacks,
    /// The places of the pings in the stream, counted in events from 0; drawn if they are not given.
    pub(crate) pings: Option<Vec<usize>>,
}

/// Members that a recorded answer lacks. A body has one usage, so it lacks both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lacks {
    pub(crate) usage_at_start: bool,
    pub(crate) usage_at_end: bool,
    pub(crate) stop_details: bool,
}

impl Turn {
    /// Sets the provider's id of the answer; without it one is made from the seed.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.extras().id = Some(id.into());
        self
    }

    /// Says what a stream has cost when it starts: input, output and cache of this usage; without it the prompt of
    /// [`usage`](Self::usage), and a few tokens out. With tools that the provider runs, more input comes in later.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn usage_at_start(mut self, usage: Usage) -> Self {
        let extras = self.extras();
        extras.usage_at_start = Some(usage);
        extras.lacks.usage_at_start = false;
        self
    }

    /// Says why the model refused. Where no other stop reason is given, it is [`StopReason::Refusal`].
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn stop_details(mut self, details: StopDetails) -> Self {
        self.message()
            .stop_reason
            .get_or_insert(StopReason::Refusal);
        self.extras().stop_details = Some(details);
        self
    }

    /// Says where the provider ran code; an id alone is enough.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn container(mut self, container: impl Into<Container>) -> Self {
        self.extras().container = Some(container.into());
        self
    }

    /// Says what the provider did with the context: the member `context_management`.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn context_management(mut self, applied: impl Into<Json>) -> Self {
        self.extras().context_management = Some(applied.into());
        self
    }

    /// Says what the provider's moderation found in request and answer: the member `moderation`. It is written where
    /// the request asks for it; without this nothing is flagged there.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Json, Turn, accumulate, sse_body};
    /// use serde_json::json;
    ///
    /// let nothing = json!({"type": "moderation_results", "model": "omni-moderation-latest", "results": []});
    /// let failed = json!({"type": "error", "code": "server_error", "message": "Try again."});
    /// let found = json!({"input": nothing, "output": failed});
    /// let turn = Turn::new().text("Paris.").moderation(found.clone());
    /// let reply = accumulate(Api::OpenAiChat, &sse_body(Api::OpenAiChat, &turn)).unwrap();
    /// assert_eq!(reply.moderation, Some(Json::from(found)));
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn moderation(mut self, found: impl Into<Json>) -> Self {
        self.extras().moderation = Some(found.into());
        self
    }

    /// Says at which tier the answer was made; without it `standard`.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn service_tier(mut self, tier: impl Into<String>) -> Self {
        self.extras().service_tier = Some(tier.into());
        self
    }

    /// Says where the answer was made; without it `not_available`.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn inference_geo(mut self, geo: impl Into<String>) -> Self {
        self.extras().inference_geo = Some(geo.into());
        self
    }

    #[track_caller]
    pub(crate) fn extras(&mut self) -> &mut Extras {
        self.message().extras.get_or_insert_default()
    }
}
