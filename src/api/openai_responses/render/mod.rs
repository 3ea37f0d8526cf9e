//! Turn to events, and to the non-streaming body.
//!
//! ```text
//! Turn ─ said ─► items ─ inner ─► events
//!                      ├────────► response object, body
//!                      └─ reply ─► what is read back
//! ```

mod annotation;
mod body;
mod envelope;
mod events;
mod failed;
mod inner;
mod item;
mod items;
mod reply;
mod said;
mod tool;

pub(crate) use body::body;
pub(crate) use envelope::response_id;
pub(crate) use events::Events;
pub(crate) use failed::error_events;
pub(crate) use reply::normalized;
