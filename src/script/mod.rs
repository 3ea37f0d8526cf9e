//! What the model says, and which turn answers which request. No wire format, no socket, no clock.
//!
//! | file | holds |
//! | --- | --- |
//! | `turn.rs` | [`Turn`]: stop reason, usage, and what happens to the answer on its way |
//! | `turn_parts.rs`, `turn_blocks.rs` | how its parts are given |
//! | `part.rs`, `arguments.rs`, `citation.rs`, `server_tool.rs`, `json_text.rs` | what they are |
//! | `envelope.rs` | what it says besides |
//! | `message.rs` | what a turn says, and what it leaves to be filled in |
//! | `fragments.rs` | how a part is cut into deltas |
//! | `era.rs`, `dialect.rs` | when an answer is from, and whose form it has |
//! | `cut.rs`, `pace.rs` | where its bytes are split, and when they leave |
//! | `place.rs`, `ending.rs`, `gate.rs` | where something happens, how it ends, what it waits for |
//! | `fault/` | [`Fault`]: the damage known by name |
//! | `live.rs` | [`Live`]: a turn that the test writes while it is read |
//! | `recorded.rs` | [`Recording`]: an answer as it was written |
//! | `api_error.rs`, `stop_reason.rs`, `usage.rs` | the neutral words for these |
//! | `reply.rs` | [`Reply`]: what a turn comes to once it was read back |
//! | `scripted.rs` | [`Script`]: turns in sequence, lanes, closure, errors and stop reasons by index |
//! | `pick.rs` | which of its turns answers |
//! | `built.rs` | where it was written |
//! | `drift.rs`, `schema.rs` | what a turn says and its request does not allow for |
//! | `dice.rs` | numbers from the seed |

mod api_error;
mod arguments;
mod built;
mod citation;
mod cut;
mod dialect;
mod dice;
mod drift;
mod ending;
mod envelope;
mod era;
mod fault;
mod fragments;
mod gate;
mod json_text;
mod live;
mod message;
mod pace;
mod part;
mod pick;
mod place;
mod recorded;
mod reply;
mod schema;
mod scripted;
mod server_tool;
mod stop_reason;
mod turn;
mod turn_blocks;
mod turn_parts;
mod usage;

pub use api_error::{ApiError, ErrorKind};
pub(crate) use api_error::{RetryHint, add_header, check_header, check_status};
pub use arguments::Arguments;
pub(crate) use built::Built;
pub use citation::{Citation, CitedSource};
pub use cut::Cut;
pub use dialect::Dialect;
pub(crate) use dice::Dice;
pub(crate) use drift::{Drift, drift, nearest};
pub use ending::Ending;
pub use envelope::{Container, StopDetails};
pub(crate) use envelope::{Extras, Lacks};
pub use era::Era;
pub(crate) use fault::Keeps;
#[cfg(feature = "conformance")]
pub(crate) use fault::Needs;
pub use fault::{Fault, FaultVariant, Requirement, Stage, UnknownFaultError};
pub use fragments::Fragments;
pub(crate) use fragments::{Cuts, Way, check_pieces};
pub use gate::Gate;
pub(crate) use gate::{GateLatch, Lock, Reached, Report, remember};
pub use json_text::Json;
pub use live::Live;
pub(crate) use live::{Heard, LiveClaim, LiveLine, Played, Words};
pub(crate) use message::{CallOrder, Extent, Message};
pub use pace::Pace;
pub(crate) use pace::{Beat, Jitter};
pub(crate) use part::{EndsEmpty, ScriptedPart, ServerToolSays, ToolKind};
pub(crate) use pick::{Claims, Mismatch, Origin, Picked, Position};
pub use place::After;
pub(crate) use place::{Place, count};
pub use recorded::Recording;
pub(crate) use recorded::{EMPTY, RecordedAsk, RecordedEnd, Write, check_recorded_status};
pub use reply::{Choice, CustomToolCall, Part, Reply, ServerToolCall, ServerToolResult, ToolCall};
pub use scripted::Script;
pub(crate) use scripted::{Lane, WhenPlayed};
pub use server_tool::ServerTool;
pub(crate) use server_tool::{ServerResult, ServerToolKind};
pub use stop_reason::StopReason;
pub use turn::Turn;
pub(crate) use turn::{Action, Noise, Says};
pub use usage::{Iteration, Usage};
