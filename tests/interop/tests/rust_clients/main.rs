//! Published Rust clients against stubs: `rig-core`, `genai`, `async-anthropic`, `async-openai`, each through its
//! own public interface on each API that it speaks, all on the same scripts.
//!
//! Every claim is a function of the client and its API, and a test for each of them. What a client makes of a topic
//! on an API is pinned in `topics.rs`, once; the claims measure it again, and `docs/clients.md` shows it.
//!
//! | file | holds |
//! | --- | --- |
//! | `client/` | how each client is asked, and one form for what it gives |
//! | `topics.rs` | the pinned verdicts |
//! | `history.rs` | the conversation of the tool loops |
//! | `documentation.rs` | `docs/clients.md` shows these verdicts, and names tests that exist |
//! | the others | the claims |

/// The claims of a file as tests: a module for each claim, a test in it for each client on each API, or on those
/// APIs where the claim has a meaning.
macro_rules! for_each_client {
    (@claim $claim:ident ($($wire:ident)+)) => {
        mod $claim {
            $(for_each_client! { @$wire $claim })+
        }
    };
    (@Anthropic $claim:ident) => {
        for_each_client! { @test $claim rig_on_anthropic, Rig, Anthropic }
        for_each_client! { @test $claim genai_on_anthropic, Genai, Anthropic }
        for_each_client! { @test $claim async_anthropic, AsyncAnthropic, Anthropic }
    };
    (@Chat $claim:ident) => {
        for_each_client! { @test $claim rig_on_chat, Rig, Chat }
        for_each_client! { @test $claim genai_on_chat, Genai, Chat }
        for_each_client! { @test $claim async_openai_on_chat, AsyncOpenai, Chat }
    };
    (@Responses $claim:ident) => {
        for_each_client! { @test $claim rig_on_responses, Rig, Responses }
        for_each_client! { @test $claim genai_on_responses, Genai, Responses }
        for_each_client! { @test $claim async_openai_on_responses, AsyncOpenai, Responses }
    };
    (@test $claim:ident $name:ident, $library:ident, $wire:ident) => {
        #[tokio::test]
        async fn $name() {
            let (library, wire) = (crate::client::Library::$library, crate::client::Wire::$wire);
            super::$claim(crate::client::Client { library, wire }).await;
        }
    };
    (on $wires:tt: $($claim:ident),+ $(,)?) => {
        $(for_each_client! { @claim $claim $wires })+
    };
    ($($claim:ident),+ $(,)?) => {
        for_each_client! { on (Anthropic Chat Responses): $($claim),+ }
    };
}

mod answers;
mod broken;
mod cancel;
mod client;
mod completions;
mod documentation;
mod embeddings;
mod errors;
mod history;
mod provider_blocks;
mod requests;
mod side_roads;
mod stops;
mod thinking;
mod tools;
mod topics;
/// The turns that the official SDKs read too.
#[path = "../anthropic/turns.rs"]
mod turns;
mod vendors;
