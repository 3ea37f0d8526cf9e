//! What came in: requests as recorded, what they mean in neutral words, and the matchers over them.
//!
//! | file | holds |
//! | --- | --- |
//! | `recorded.rs` | [`RecordedRequest`] and its [`Outcome`] |
//! | `headers.rs` | the headers as they came |
//! | `view.rs` | the request in neutral words: messages, tools, tool results |
//! | `offer.rs` | what it leaves to the model |
//! | `matcher.rs` | [`matchers`] that claim a request for a lane, and say why they do not |

mod headers;
mod matcher;
mod offer;
mod recorded;
mod view;

pub(crate) use headers::{Field, Headers};
pub use matcher::{IntoMatcher, matchers};
pub(crate) use matcher::{Matcher, Wants};
pub(crate) use offer::{Calls, ServerTools};
pub(crate) use recorded::{Kind, Received};
pub use recorded::{Outcome, RecordedRequest};
pub use view::{Message, MessagePart, OfferedTool, ResponseFormat, Role, ToolResult};
pub(crate) use view::{Sketch, View};
