//! OpenAI Chat Completions, from its bytes to its rules.
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
#[path = "../support/routes.rs"]
mod routes;
#[path = "../support/turns/mod.rs"]
mod turns;
#[path = "../support/two_pieces.rs"]
mod two_pieces;

mod bytes;
mod captures;
mod dialects;
mod envelope;
mod errors;
mod live;
mod resay;
mod roundtrip;
mod rules;
mod served;
mod unplayable;

use llm_wire_stub::Api;

const API: Api = Api::OpenAiChat;
