//! A turn in, its events or its body out, by the row of its dialect.
//!
//! | file | holds |
//! | --- | --- |
//! | `said.rs`, `thought.rs` | the turn as this API says it: all text in one, ids filled in |
//! | `unsayable.rs` | what it cannot carry |
//! | `normalized.rs` | what is read back from it |
//! | `annotation.rs`, `logprobs.rs` | what stands beside a text |
//! | `envelope.rs`, `usage.rs` | what stands around the choices |
//! | `frames.rs` | the deltas of a choice, in neutral words |
//! | `delta.rs`, `chunk.rs` | how a delta and a chunk are written |
//! | `events.rs`, `body.rs` | the two forms of an answer |

mod annotation;
mod body;
mod chunk;
mod delta;
mod envelope;
mod events;
mod frames;
mod logprobs;
mod normalized;
mod said;
mod thought;
mod unsayable;
mod usage;

pub(crate) use body::body;
pub(super) use envelope::Envelope;
pub(crate) use events::Events;
pub(crate) use normalized::{normalized, reasoned_calls};
