//! The side roads of Anthropic: token counts, models, batches.
//!
//! | file | holds |
//! | --- | --- |
//! | `road.rs` | the paths, and which rules apply on them |
//! | `count.rs` | the token count |
//! | `models.rs` | the models: one, or the list |
//! | `batch.rs` | one batch: its requests, its state, its results |
//! | `batches.rs` | the batches of a stub: created, polled, listed, canceled, deleted |
//! | `batch_rules.rs` | batches that the service refuses |
//! | `page.rs` | lists in pages |

mod batch;
mod batch_rules;
mod batches;
mod count;
mod models;
mod page;
mod road;

pub use batch::BatchResult;
pub(crate) use batch::{BatchScript, Draft, Drafting, Unsayable};
pub(super) use batch_rules::batch_requests;
pub(crate) use batches::Batches;
pub(crate) use count::TokenCount;
pub(crate) use models::models;
pub(crate) use road::AnthropicRoad;
