//! A turn in, wire events or the non-streaming body out.
//!
//! | file | holds |
//! | --- | --- |
//! | `said.rs`, `blocks.rs` | the turn as this API says it: adjacent text merged, ids filled in |
//! | `block.rs` | one block: its start, its whole, its part of the reply |
//! | `call.rs`, `server_tool.rs`, `citation.rs` | what a block is made of |
//! | `deltas.rs` | what a block streams behind its start |
//! | `envelope.rs` | what stands around the blocks |
//! | `events.rs`, `body.rs` | the two forms of an answer |

mod block;
mod blocks;
mod body;
mod call;
mod citation;
mod deltas;
mod envelope;
mod events;
mod said;
mod server_tool;

pub(crate) use body::body;
pub(super) use citation::write as write_citation;
pub(crate) use events::Events;
pub(super) use events::pad;
pub(crate) use said::normalized;

use block::Block;
use said::Said;
