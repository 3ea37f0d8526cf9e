//! The paths of the side roads, and the rules of the service that hold on them.

use serde_json::Value;

use super::{super::rules, embeddings::rules as embeddings, moderations::has_input};
use crate::{
    api::{
        ByDefault, Rule,
        side_roads::{SideRoad, id_in},
    },
    request::RecordedRequest,
    script::ApiError,
};

/// One side road.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenAiRoad {
    ListModels,
    GetModel,
    Embed,
    GetResponse,
    DeleteResponse,
    ListInputItems,
    Moderate,
}

impl OpenAiRoad {
    pub(crate) const ALL: &[SideRoad] = &[
        SideRoad::OpenAi(Self::ListModels),
        SideRoad::OpenAi(Self::GetModel),
        SideRoad::OpenAi(Self::Embed),
        SideRoad::OpenAi(Self::GetResponse),
        SideRoad::OpenAi(Self::DeleteResponse),
        SideRoad::OpenAi(Self::ListInputItems),
        SideRoad::OpenAi(Self::Moderate),
    ];

    /// Method and path.
    pub(crate) const fn route(self) -> (&'static str, &'static str) {
        match self {
            Self::ListModels => ("GET", "/v1/models"),
            Self::GetModel => ("GET", "/v1/models/{id}"),
            Self::Embed => ("POST", "/v1/embeddings"),
            Self::GetResponse => ("GET", "/v1/responses/{id}"),
            Self::DeleteResponse => ("DELETE", "/v1/responses/{id}"),
            Self::ListInputItems => ("GET", "/v1/responses/{id}/input_items"),
            Self::Moderate => ("POST", "/v1/moderations"),
        }
    }

    /// The id in the path of this request; empty if the road has none.
    pub(crate) fn id(self, request: &RecordedRequest) -> String {
        id_in(request.path(), self.route().1)
    }

    /// Of the rules that hold on it and that apply the first that the request breaks, and the service's answer.
    pub(crate) fn first_broken(
        self,
        request: &RecordedRequest,
        body: &Value,
        applies: &dyn Fn(&Rule) -> bool,
    ) -> Option<(&'static Rule, ApiError)> {
        let mut held = TABLE
            .iter()
            .filter(|row| (row.holds)(self) && applies(&row.rule));
        held.find_map(|row| Some((&row.rule, (row.broken)(request, body)?)))
    }
}

/// A rule of the side roads.
struct Row {
    rule: Rule,
    /// Where it holds.
    holds: fn(OpenAiRoad) -> bool,
    /// The service's answer to a request that breaks it.
    broken: fn(&RecordedRequest, &Value) -> Option<ApiError>,
}

/// A rule on the bodies of one road.
const fn on_body(
    name: &'static str,
    source: &'static str,
    holds: fn(OpenAiRoad) -> bool,
    broken: fn(&RecordedRequest, &Value) -> Option<ApiError>,
) -> Row {
    let by_default = ByDefault::On;
    let rule = Rule {
        name,
        source,
        by_default,
    };
    Row {
        rule,
        holds,
        broken,
    }
}

/// The rules, in the order in which the service is taken to look.
const TABLE: &[Row] = &[
    Row {
        rule: rules::CREDENTIALS,
        holds: |_| true,
        broken: |request, _| rules::credentials(request),
    },
    Row {
        rule: rules::JSON_BODY,
        holds: |road| matches!(road, OpenAiRoad::Embed | OpenAiRoad::Moderate),
        broken: |request, _| rules::json_body(request),
    },
    on_body(
        "required-fields",
        "public reports",
        |road| road == OpenAiRoad::Embed,
        |_, body| rules::model(body),
    ),
    on_body(
        "embedding-input",
        "public reports",
        |road| road == OpenAiRoad::Embed,
        |_, body| embeddings::input(body),
    ),
    on_body(
        "embedding-list-length",
        "the documentation; public reports for the text",
        |road| road == OpenAiRoad::Embed,
        |_, body| embeddings::list_length(body),
    ),
    on_body(
        "embedding-token-limits",
        "public reports; the tokens of texts are not counted",
        |road| road == OpenAiRoad::Embed,
        |_, body| embeddings::token_limits(body),
    ),
    on_body(
        "embedding-dimensions-support",
        "public reports: `text-embedding-ada-002`, told by the model's name",
        |road| road == OpenAiRoad::Embed,
        |_, body| embeddings::dimensions_support(body),
    ),
    on_body(
        "embedding-form",
        "the documentation; the text is this crate's own",
        |road| road == OpenAiRoad::Embed,
        |_, body| embeddings::form(body),
    ),
    on_body(
        "moderation-input",
        "the documentation; the text is this crate's own",
        |road| road == OpenAiRoad::Moderate,
        |_, body| moderation_input(body),
    ),
];

fn moderation_input(body: &Value) -> Option<ApiError> {
    const TEXT: &str =
        "Invalid 'input': expected a string, a list of strings, or a list of texts and images.";
    let refused = || ApiError::invalid_request(TEXT).param("input");
    (!has_input(body)).then(refused)
}

/// The rules, without what applies them.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLE.iter().map(|row| &row.rule)
}
