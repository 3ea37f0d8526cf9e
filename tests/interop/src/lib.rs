//! The official SDKs as child processes: a call in, what the SDK observed out.
//!
//! ```text
//! test ─ Call ─► driver process ─ SDK ─► stub
//! test ◄ Value ─ driver process ◄ SDK ◄─ stub
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `call.rs` | [`Call`]: what an SDK is asked to do |
//! | `driver.rs` | the processes: started when first needed, lent to one test at a time |
//! | `process.rs` | how a driver is started |
//! | `expected.rs` | what a turn looks like to a client that loses nothing, in the provider's JSON |
//! | `python/`, `node/` | the drivers, and the exact versions of all that they need |
//!
//! The drivers judge nothing. `.ci/interop` installs what they need; without it every test fails.

mod call;
mod driver;
mod expected;
mod process;

pub use call::{CHAT_MODEL, Call, MODEL, RESPONSES_MODEL};
pub use driver::{Provider, Running, Sdk};
pub use expected::{content, message, reply, stop, usage};
pub use process::{node, python};
