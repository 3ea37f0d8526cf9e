//! A turn in, wire events or the non-streaming body out.
//!
//! | file | holds |
//! | --- | --- |
//! | `said.rs` | the turn as this API says it: all text in one, ids filled in; and what is read back from it |
//! | `annotation.rs`, `logprobs.rs` | what stands beside a text |
//! | `envelope.rs` | what stands around the choices |
//! | `frames.rs` | the deltas of a choice |
//! | `events.rs`, `body.rs` | the two forms of an answer |

mod annotation;
mod body;
mod envelope;
mod events;
mod frames;
mod logprobs;
mod said;

pub(crate) use body::body;
pub(crate) use events::Events;
pub(crate) use said::normalized;
