//! The side roads of OpenAI: models, embeddings.
//!
//! | file | holds |
//! | --- | --- |
//! | `road.rs` | the paths, and the rules that hold on them (`rules.md`) |
//! | `models.rs` | the models: one, or the list |
//! | `embeddings/` | a vector for each input |

mod embeddings;
mod models;
mod road;

pub use embeddings::{Embedding, EmbeddingInput};
pub(crate) use embeddings::{EmbeddingScript, Misfit, embed};
pub(crate) use models::models;
pub(crate) use road::{OpenAiRoad, rules};
