//! Published Rust clients against stubs: `rig-core`, `genai`, `async-anthropic`, each through its own public
//! interface, all on the same scripts.
//!
//! Every claim is a function of the client, and a test for each of them. What a client makes of a topic is
//! pinned in `topics.rs`, once; the claims measure it again, and `docs/clients.md` shows it.
//!
//! | file | holds |
//! | --- | --- |
//! | `client/` | how each client is asked, and one form for what it gives |
//! | `topics.rs` | the pinned verdicts |
//! | `documentation.rs` | `docs/clients.md` shows these verdicts, and names tests that exist |
//! | the others | the claims |

/// The claims of a file as tests, one for each client.
macro_rules! for_each_client {
    ($($claim:ident),+ $(,)?) => {
        for_each_client! { in with_rig, Rig; $($claim),+ }
        for_each_client! { in with_genai, Genai; $($claim),+ }
        for_each_client! { in with_async_anthropic, AsyncAnthropic; $($claim),+ }
    };
    (in $module:ident, $client:ident; $($claim:ident),+) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $claim() {
                    super::$claim(crate::client::Client::$client).await;
                }
            )+
        }
    };
}

mod answers;
mod broken;
mod cancel;
mod client;
mod documentation;
mod errors;
mod provider_blocks;
mod requests;
mod thinking;
mod tools;
mod topics;
/// The turns that the official SDKs read too.
#[path = "../anthropic/turns.rs"]
mod turns;
