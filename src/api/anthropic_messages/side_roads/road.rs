//! The paths of the side roads, and which of the service's rules apply on each.

use crate::{
    api::{
        Rule,
        side_roads::{SideRoad, id_in},
    },
    request::RecordedRequest,
};

/// One side road.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnthropicRoad {
    CountTokens,
    ListModels,
    GetModel,
    CreateBatch,
    ListBatches,
    GetBatch,
    DeleteBatch,
    CancelBatch,
    BatchResults,
}

/// What is known of a request before its body is looked at.
const HEAD_RULES: [&str; 3] = [
    "credentials",
    "anthropic-version",
    "anthropic-version-value",
];
/// A count has no `max_tokens`; of the rules on the body those of the versions apply (documentation).
const COUNT_RULES: [&str; 4] = [
    "json-body",
    "sampling-parameters",
    "document-in-assistant",
    "citations-in-user-text",
];
/// The requests of a batch are looked at one by one, when it is processed.
const CREATE_RULES: [&str; 2] = ["json-body", "batch-requests"];

impl AnthropicRoad {
    pub(crate) const ALL: &[SideRoad] = &[
        SideRoad::Anthropic(Self::CountTokens),
        SideRoad::Anthropic(Self::ListModels),
        SideRoad::Anthropic(Self::GetModel),
        SideRoad::Anthropic(Self::CreateBatch),
        SideRoad::Anthropic(Self::ListBatches),
        SideRoad::Anthropic(Self::GetBatch),
        SideRoad::Anthropic(Self::DeleteBatch),
        SideRoad::Anthropic(Self::CancelBatch),
        SideRoad::Anthropic(Self::BatchResults),
    ];

    /// Method and path.
    pub(crate) const fn route(self) -> (&'static str, &'static str) {
        match self {
            Self::CountTokens => ("POST", "/v1/messages/count_tokens"),
            Self::ListModels => ("GET", "/v1/models"),
            Self::GetModel => ("GET", "/v1/models/{id}"),
            Self::CreateBatch => ("POST", "/v1/messages/batches"),
            Self::ListBatches => ("GET", "/v1/messages/batches"),
            Self::GetBatch => ("GET", "/v1/messages/batches/{id}"),
            Self::DeleteBatch => ("DELETE", "/v1/messages/batches/{id}"),
            Self::CancelBatch => ("POST", "/v1/messages/batches/{id}/cancel"),
            Self::BatchResults => ("GET", "/v1/messages/batches/{id}/results"),
        }
    }

    /// The id in the path of this request; empty if the road has none.
    pub(super) fn id(self, request: &RecordedRequest) -> String {
        id_in(request.path(), self.route().1)
    }

    /// Whether this rule holds on it.
    pub(crate) fn keeps(self, rule: &Rule) -> bool {
        let on_body: &[&str] = match self {
            Self::CountTokens => &COUNT_RULES,
            Self::CreateBatch => &CREATE_RULES,
            Self::ListModels
            | Self::GetModel
            | Self::ListBatches
            | Self::GetBatch
            | Self::DeleteBatch
            | Self::CancelBatch
            | Self::BatchResults => &[],
        };
        HEAD_RULES.contains(&rule.name) || on_body.contains(&rule.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_a_road_names_is_known() {
        for (road, rules) in [
            (
                AnthropicRoad::CountTokens,
                HEAD_RULES.len() + COUNT_RULES.len(),
            ),
            (
                AnthropicRoad::CreateBatch,
                HEAD_RULES.len() + CREATE_RULES.len(),
            ),
            (AnthropicRoad::ListModels, HEAD_RULES.len()),
        ] {
            let known = super::super::super::rules();
            assert_eq!(
                known.filter(|rule| road.keeps(rule)).count(),
                rules,
                "{road:?}"
            );
        }
    }
}
