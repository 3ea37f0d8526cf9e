//! The paths of the side roads, and which of the service's rules apply on each.

use super::page::percent_decoded;
use crate::{api::Rule, request::RecordedRequest};

/// One side road.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SideRoad {
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

/// What stands in a path for an id.
const ID: &str = "{id}";

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

impl SideRoad {
    pub(crate) const ALL: [Self; 9] = [
        Self::CountTokens,
        Self::ListModels,
        Self::GetModel,
        Self::CreateBatch,
        Self::ListBatches,
        Self::GetBatch,
        Self::DeleteBatch,
        Self::CancelBatch,
        Self::BatchResults,
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

    pub(crate) fn find(method: &str, path: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|road| road.route().0 == method && road.is_at(path))
    }

    /// Whether its path has this shape.
    pub(crate) fn is_at(self, path: &str) -> bool {
        let mut found = path.split('/');
        let mut expected = self.route().1.split('/');
        let same = expected.all(|part| match found.next() {
            Some(found) if part == ID => !found.is_empty(),
            found => found == Some(part),
        });
        same && found.next().is_none()
    }

    /// The id in the path of this request; empty if the road has none.
    pub(super) fn id(self, request: &RecordedRequest) -> String {
        let parts = self.route().1.split('/').zip(request.path().split('/'));
        let mut ids = parts.filter(|(expected, _)| *expected == ID);
        let id = ids.next().map(|(_, found)| percent_decoded(found));
        id.unwrap_or_default()
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
    fn every_road_is_found_at_its_path_with_its_method_only() {
        for road in SideRoad::ALL {
            let (method, path) = road.route();
            let path = path.replace(ID, "x-1");
            assert_eq!(SideRoad::find(method, &path), Some(road), "{path}");
            assert_eq!(SideRoad::find("PUT", &path), None, "{path}");
            assert_eq!(SideRoad::find(method, &format!("{path}/")), None, "{path}");
            assert_eq!(SideRoad::find(method, &format!("/a{path}")), None, "{path}");
        }
        for path in ["", "/", "/v1/models/", "/v1/messages/batches//cancel"] {
            assert!(!SideRoad::ALL.iter().any(|road| road.is_at(path)), "{path}");
        }
    }

    #[test]
    fn every_rule_that_a_road_names_is_known() {
        for (road, rules) in [
            (SideRoad::CountTokens, HEAD_RULES.len() + COUNT_RULES.len()),
            (SideRoad::CreateBatch, HEAD_RULES.len() + CREATE_RULES.len()),
            (SideRoad::ListModels, HEAD_RULES.len()),
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
