//! Side roads: what a provider serves besides calls of the model. A request in, a document or an error out; no turn
//! of the script is used. They are the provider's, not one API's: whichever of its APIs is served brings all of them.
//!
//! | file | holds |
//! | --- | --- |
//! | `path.rs` | paths with an `{id}` in them |
//! | `query.rs` | what follows the `?` |
//! | `members.rs` | objects whose members stand in a fixed order |
//! | `model_info.rs` | a model as a script lists it, for every provider |
//!
//! Each provider has its own in a folder `side_roads/`. A new one is a variant of the provider's enum with its method
//! and path, the rules that hold on it, and an arm in `server/side_roads/`.

mod members;
mod model_info;
mod path;
mod query;

use std::borrow::Cow;

use super::{
    Api, HeaderName, Rule,
    anthropic_messages::side_roads::{AnthropicRoad, BatchScript, TokenCount},
    openai::side_roads::{EmbeddingScript, ModerationScript, OpenAiRoad},
};
use crate::{request::RecordedRequest, script::ApiError};

pub(crate) use members::Members;
pub use model_info::ModelInfo;
pub(crate) use path::{id_in, is_shaped};
pub(crate) use query::Query;
pub(crate) use query::percent_decoded;

/// Who serves an API, and the side roads beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    Anthropic,
    OpenAi,
}

impl Provider {
    pub(crate) const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    /// The name used in messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic",
            Self::OpenAi => "OpenAI",
        }
    }

    /// What it serves besides its APIs.
    pub(crate) const fn side_roads(self) -> &'static [SideRoad] {
        match self {
            Self::Anthropic => AnthropicRoad::ALL,
            Self::OpenAi => OpenAiRoad::ALL,
        }
    }

    /// Its side road with this method and path.
    pub(crate) fn side_road(self, method: &str, path: &str) -> Option<SideRoad> {
        let mut roads = self.side_roads().iter().copied();
        roads.find(|road| {
            let (road_method, shape) = road.route();
            road_method == method && is_shaped(path, shape)
        })
    }
}

/// A side road of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SideRoad {
    Anthropic(AnthropicRoad),
    OpenAi(OpenAiRoad),
}

impl SideRoad {
    /// Method and path; `{id}` stands for an id.
    pub(crate) const fn route(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic(road) => road.route(),
            Self::OpenAi(road) => road.route(),
        }
    }

    /// The API whose envelope its answers and errors have.
    pub(crate) const fn spoken_as(self) -> Api {
        match self {
            Self::Anthropic(_) => Api::AnthropicMessages,
            Self::OpenAi(_) => Api::OpenAiChat,
        }
    }

    /// Of the provider's rules that hold on it and that apply the one that the request breaks first, and the
    /// provider's answer.
    pub(crate) fn first_broken(
        self,
        request: &RecordedRequest,
        body: &serde_json::Value,
        applies: &dyn Fn(&Rule) -> bool,
    ) -> Option<(&'static Rule, ApiError)> {
        match self {
            Self::Anthropic(road) => {
                let applies = |rule: &Rule| road.keeps(rule) && applies(rule);
                Api::AnthropicMessages.first_broken(request, body, &applies)
            }
            Self::OpenAi(road) => road.first_broken(request, body, applies),
        }
    }
}

/// What is scripted for the side roads; each part has a valid default.
#[derive(Clone, Default)]
pub(crate) struct SideScript {
    /// The models that are listed; without any said, the provider's own.
    pub(crate) models: Option<Vec<ModelInfo>>,
    pub(crate) count: TokenCount,
    pub(crate) batches: BatchScript,
    pub(crate) embeddings: EmbeddingScript,
    pub(crate) moderations: ModerationScript,
}

impl SideScript {
    /// Whether something of it may be dropped by the user's own code.
    pub(crate) fn holds_user_code(&self) -> bool {
        let mut results = self.batches.results.iter();
        matches!(self.count, TokenCount::By(_))
            || self.batches.by.is_some()
            || results.any(|(_, result)| result.holds_user_code())
            || self.embeddings.by.is_some()
            || self.moderations.by.is_some()
    }

    /// The calls that script an input of OpenAI's side roads; each has to come.
    pub(crate) fn calls(&self) -> impl Iterator<Item = String> {
        self.embeddings.calls().chain(self.moderations.calls())
    }
}

/// What a side road answers: in words for the journal, and as the service says it.
pub(crate) struct Said {
    pub(crate) by: Cow<'static, str>,
    pub(crate) says: Result<Document, Box<ApiError>>,
    /// Headers of this answer only, besides those that every answer has.
    pub(crate) headers: Vec<(HeaderName, Cow<'static, str>)>,
    /// Those of [`SideScript::calls`] that it is from.
    pub(crate) used: Vec<String>,
}

/// The body of an answer that succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Json(Vec<u8>),
    /// A document a line.
    JsonLines(Vec<u8>),
}

impl Said {
    pub(crate) fn json(by: impl Into<Cow<'static, str>>, body: Vec<u8>) -> Self {
        Self::new(by.into(), Ok(Document::Json(body)))
    }

    pub(crate) fn lines(by: impl Into<Cow<'static, str>>, body: Vec<u8>) -> Self {
        Self::new(by.into(), Ok(Document::JsonLines(body)))
    }

    /// An error of the service.
    pub(crate) fn error(by: impl Into<Cow<'static, str>>, error: ApiError) -> Self {
        Self::new(by.into(), Err(Box::new(error)))
    }

    const fn new(by: Cow<'static, str>, says: Result<Document, Box<ApiError>>) -> Self {
        Self {
            by,
            says,
            headers: Vec::new(),
            used: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_calls_and_side_roads_have_one_method_and_path() {
        let calls = |path: &str| {
            Api::ALL
                .into_iter()
                .filter(|api| api.is_called_at(path))
                .count()
        };
        for path in Api::ALL.into_iter().flat_map(Api::paths) {
            let path = path.replace("{name}", "x-1");
            assert_eq!(calls(&path), 1, "{path}");
            for provider in Provider::ALL {
                assert_eq!(provider.side_road("POST", &path), None, "{path}");
            }
        }
    }

    #[test]
    fn every_road_is_found_at_its_path_with_its_method_only() {
        for provider in Provider::ALL {
            for &road in provider.side_roads() {
                let (method, path) = road.route();
                let path = path.replace("{id}", "x-1");
                let find = |method: &str, path: &str| provider.side_road(method, path);
                assert_eq!(find(method, &path), Some(road), "{path}");
                assert_eq!(find("PUT", &path), None, "{path}");
                assert_eq!(find(method, &format!("{path}/")), None, "{path}");
                assert_eq!(find(method, &format!("/a{path}")), None, "{path}");
            }
            for path in ["", "/", "/v1/models/", "/v1/messages/batches//cancel"] {
                for method in ["GET", "POST"] {
                    assert_eq!(provider.side_road(method, path), None, "{path}");
                }
            }
        }
    }
}
