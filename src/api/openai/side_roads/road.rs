//! The paths of the side roads, and the rules of the service that hold on them.

use serde_json::Value;

use super::super::rules;
use crate::{
    api::{
        Rule,
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
}

impl OpenAiRoad {
    pub(crate) const ALL: &[SideRoad] = &[
        SideRoad::OpenAi(Self::ListModels),
        SideRoad::OpenAi(Self::GetModel),
    ];

    /// Method and path.
    pub(crate) const fn route(self) -> (&'static str, &'static str) {
        match self {
            Self::ListModels => ("GET", "/v1/models"),
            Self::GetModel => ("GET", "/v1/models/{id}"),
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

/// The rules, in the order in which the service is taken to look.
const TABLE: &[Row] = &[Row {
    rule: rules::CREDENTIALS,
    holds: |_| true,
    broken: |request, _| rules::credentials(request),
}];

/// The rules, without what applies them.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLE.iter().map(|row| &row.rule)
}
