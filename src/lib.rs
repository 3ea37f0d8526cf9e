#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(all(feature = "server", feature = "fixture")),
    allow(
        dead_code,
        unused_imports,
        reason = "rules, matchers and the picking of turns are there for the server to call, and a few names for fixtures"
    )
)]
//!
//! # Layout
//!
//! ```text
//! out:  Script ─ pick ─► Turn ─ render ─► WireEvents ─ encode ─► Plan ─ cut, pace ─► play ─► socket
//! in:   socket ─► read ─► RecordedRequest ─ rules ─► Journal ─ matcher ─► Script
//! ```
//!
//! `script` says what the model says and who is answered, `api` speaks one provider, `sse` encodes and
//! decodes events, `plan` makes the steps of an answer, `request` keeps what came in, `server` is the only
//! room with IO and time, `conformance` judges a client by the catalogue of faults, `verify` compares journal and script. `pure` gives out the bytes without a server,
//! `recording` makes scripts of what was recorded, `fixture` of files, `json` and `json_slices` write JSON and keep it as it was spelled, `base64` spells bytes,
//! `wiremock` is the bridge.

// the answers that `tests/faults` damages are damaged here too
#[cfg(test)]
extern crate self as llm_wire_stub;

mod api;
mod base64;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "fixture")]
mod fixture;
mod json;
mod json_slices;
mod plan;
mod pure;
mod recording;
mod request;
mod script;
#[cfg(feature = "server")]
mod server;
mod small_map;
mod sse;
#[cfg(feature = "server")]
mod verify;
#[cfg(feature = "wiremock")]
mod wiremock;

pub use api::{
    AccumulateError, AccumulateErrorKind, Accumulator, Api, BatchResult, Embedding, EmbeddingInput,
    ModelInfo, Moderation, UnknownApiError, accumulate, accumulate_json,
};
#[cfg(feature = "fixture")]
pub use fixture::{FixtureError, FixtureErrorKind};
pub use pure::{
    UnplayableError, chunks, error_body, json_body, sse_body, try_chunks, try_json_body,
    try_sse_body,
};
pub use request::{
    IntoMatcher, Message, MessagePart, OfferedTool, Outcome, RecordedRequest, ResponseFormat, Role,
    ToolResult, matchers,
};
pub use script::{
    After, ApiError, Arguments, Choice, Citation, CitedSource, Container, CustomToolCall, Cut,
    Dialect, Ending, Era, ErrorKind, Fault, FaultVariant, Fragments, Gate, Iteration, Json, Live,
    Pace, Part, Recording, Reply, Requirement, Script, ServerTool, ServerToolCall,
    ServerToolResult, Stage, StopDetails, StopReason, ToolCall, Turn, UnknownFaultError, Usage,
};
#[cfg(feature = "server")]
pub use server::{
    Clock, Fallback, Gone, Hold, LaneView, StartError, StubHandle, Wait, WireStub, WireStubBuilder,
    Writing,
};
pub use sse::{SseDecoder, SseError, SseErrorKind, SseEvent};
#[cfg(feature = "server")]
pub use verify::VerifyError;

pub use {bytes, http, serde_json};
