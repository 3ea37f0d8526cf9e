//! Side roads: what the service serves besides calls of the model. A request in, a document or an error out;
//! no turn of the script is used.
//!
//! | file | holds |
//! | --- | --- |
//! | `road.rs` | the paths, and which rules apply on them |
//! | `count.rs` | the token count |
//! | `models.rs` | the models: one, or the list |
//! | `batch.rs` | one batch: its requests, its state, its results |
//! | `batches.rs` | the batches of a stub: created, polled, listed, canceled, deleted |
//! | `batch_rules.rs` | batches that the service refuses |
//! | `page.rs` | lists in pages, and the query that asks for one |
//! | `members.rs` | objects whose members stand in a fixed order |

mod batch;
mod batch_rules;
mod batches;
mod count;
mod members;
mod models;
mod page;
mod road;

use std::borrow::Cow;

pub use batch::BatchResult;
pub(crate) use batch::{BatchScript, Draft, Drafting, Unsayable};
pub(super) use batch_rules::batch_requests;
pub(crate) use batches::Batches;
pub(crate) use count::TokenCount;
pub use models::ModelInfo;
pub(crate) use models::Models;
pub(crate) use road::SideRoad;

use crate::script::ApiError;

/// What is scripted for the side roads; each part has a valid default.
#[derive(Clone, Default)]
pub(crate) struct SideScript {
    pub(crate) count: TokenCount,
    pub(crate) models: Models,
    pub(crate) batches: BatchScript,
}

impl SideScript {
    /// Whether something of it may be dropped by the user's own code.
    pub(crate) fn holds_user_code(&self) -> bool {
        let mut results = self.batches.results.iter();
        matches!(self.count, TokenCount::By(_))
            || self.batches.by.is_some()
            || results.any(|(_, result)| result.holds_user_code())
    }
}

/// What a side road answers: in words for the journal, and as the service says it.
pub(crate) struct Said {
    pub(crate) by: Cow<'static, str>,
    pub(crate) says: Result<Document, Box<ApiError>>,
}

/// The body of an answer that succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Json(Vec<u8>),
    /// A document a line.
    JsonLines(Vec<u8>),
}

impl Said {
    fn json(by: impl Into<Cow<'static, str>>, body: Vec<u8>) -> Self {
        Self {
            by: by.into(),
            says: Ok(Document::Json(body)),
        }
    }

    fn lines(by: impl Into<Cow<'static, str>>, body: Vec<u8>) -> Self {
        Self {
            by: by.into(),
            says: Ok(Document::JsonLines(body)),
        }
    }

    /// An error of the service.
    fn error(by: impl Into<Cow<'static, str>>, error: ApiError) -> Self {
        Self {
            by: by.into(),
            says: Err(Box::new(error)),
        }
    }
}
