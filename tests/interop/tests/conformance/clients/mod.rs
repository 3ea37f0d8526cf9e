//! Each client's streaming call, and what of the answer it shows, as a [`Transcript`]. What a client does not show is not
//! in the transcript, and each file says so.
//!
//! A call fails here if the client says that it failed: an `Err`, or an answer that is one. A stream that ends is taken for
//! the whole answer, as the clients' own examples do: none of them looks whether there was a stop reason. Arguments that are
//! no JSON fail the call, since no tool can be run on them.

pub(crate) mod async_anthropic;
pub(crate) mod async_openai_chat;
pub(crate) mod async_openai_responses;
pub(crate) mod bare;
pub(crate) mod genai;
pub(crate) mod rig;
pub(crate) mod sdk;

use std::fmt::Display;

use async_openai::{Client, config::OpenAIConfig, middleware::ReqwestService};
use serde_json::{Value, json};

/// The key that every client sends.
const KEY: &str = "sk-ant-api03-interop-0123";

/// A client's error, in its words.
fn said(error: impl Display) -> String {
    error.to_string()
}

/// The arguments of a call as a loop over tools reads them; a call without any has none.
fn arguments(sent: &str) -> Result<Value, String> {
    if sent.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_str(sent).map_err(|error| format!("arguments that are no JSON: {error}"))
}

/// Without the retries that are its default.
fn async_openai_client(base_url: String) -> Client<OpenAIConfig> {
    let config = OpenAIConfig::new()
        .with_api_base(base_url)
        .with_api_key(KEY);
    Client::with_config(config).with_http_service(ReqwestService::default())
}
