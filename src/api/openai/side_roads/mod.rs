//! The side roads of OpenAI: models.
//!
//! | file | holds |
//! | --- | --- |
//! | `road.rs` | the paths, and the rules that hold on them |
//! | `models.rs` | the models: one, or the list |

mod models;
mod road;

pub(crate) use models::models;
pub(crate) use road::{OpenAiRoad, rules};
