//! OpenAI Responses, from its bytes to its rules.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, and says loudly what it skips"
)]

#[path = "../support/catalogue.rs"]
mod catalogue;
#[path = "../support/fixtures.rs"]
mod fixtures;
#[path = "../support/malign.rs"]
mod malign;
#[path = "../support/openai_rules.rs"]
mod openai_rules;
#[path = "../support/post.rs"]
mod post;
#[path = "../support/captures.rs"]
mod recorded;
#[path = "../support/turns/mod.rs"]
mod turns;
#[path = "../support/two_pieces.rs"]
mod two_pieces;

mod bytes;
mod captures;
mod envelope;
mod errors;
mod kept;
mod live;
mod resay;
mod resay_turns;
mod roundtrip;
mod rules;
mod served;
mod unplayable;

use llm_wire_stub::{Api, StubHandle};

const API: Api = Api::OpenAiResponses;

/// A call that asks `hi`, not streamed.
fn call(stub: &StubHandle) -> post::Call {
    post::call(stub)
        .to("/v1/responses")
        .header("authorization", "Bearer k")
        .model("gpt-5")
        .member("input", "hi")
        .without_member("messages")
        .without_member("max_tokens")
}
