//! The side roads of OpenAI: models, embeddings, responses, moderations.
//!
//! | file | holds |
//! | --- | --- |
//! | `road.rs` | the paths, and the rules that hold on them (`rules.md`) |
//! | `models.rs` | the models: one, or the list |
//! | `embeddings/` | a vector for each input |
//! | `responses.rs` | responses that were given |
//! | `input_items.rs` | their input, item by item |
//! | `moderations/` | what each input is flagged for |

mod embeddings;
mod input_items;
mod models;
mod moderations;
mod responses;
mod road;

pub use embeddings::{Embedding, EmbeddingInput};
pub(crate) use embeddings::{EmbeddingScript, embed};
pub(crate) use models::models;
pub use moderations::Moderation;
pub(crate) use moderations::{ModerationScript, moderate};
pub(crate) use responses::{Kept, NotKnown, Responses};
pub(crate) use road::{OpenAiRoad, rules};

/// Why what is scripted, or derived, is not said.
pub(crate) enum Misfit {
    /// No answer can carry it.
    Unplayable {
        what: String,
        found: String,
        help: &'static str,
    },
    /// It is scripted, and does not fit its request.
    Drift {
        /// Whose it is.
        of: String,
        expected: String,
        found: String,
    },
}
