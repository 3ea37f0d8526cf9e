//! A turn in, wire events or the non-streaming body out.
//!
//! | file | holds |
//! | --- | --- |
//! | `said.rs` | the turn as this API says it, what stands around the choices, and what is read back from it |
//! | `choice.rs` | one choice: the same object in a chunk and in a body |
//! | `logprobs.rs` | what stands beside a text |
//! | `events.rs`, `body.rs` | the two forms of an answer |

mod body;
mod choice;
mod events;
mod logprobs;
mod said;

pub(crate) use body::body;
pub(crate) use events::Events;
pub(crate) use said::normalized;
