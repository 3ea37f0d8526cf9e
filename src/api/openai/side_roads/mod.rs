//! The side roads of OpenAI: models, embeddings, responses.
//!
//! | file | holds |
//! | --- | --- |
//! | `road.rs` | the paths, and the rules that hold on them (`rules.md`) |
//! | `models.rs` | the models: one, or the list |
//! | `embeddings/` | a vector for each input |
//! | `responses.rs` | responses that were given |
//! | `input_items.rs` | their input, item by item |

mod embeddings;
mod input_items;
mod models;
mod responses;
mod road;

pub use embeddings::{Embedding, EmbeddingInput};
pub(crate) use embeddings::{EmbeddingScript, Misfit, embed};
pub(crate) use models::models;
pub(crate) use responses::{Kept, Responses};
pub(crate) use road::{OpenAiRoad, rules};
