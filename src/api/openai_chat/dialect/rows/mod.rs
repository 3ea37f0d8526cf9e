//! The rows, a file for each. What is recorded, and what is not, stands above each part.

mod azure;
mod deepseek;
mod groq;
mod mistral;
mod ollama;
mod openai;
mod openrouter;
mod perplexity;
mod together;
mod vllm;
mod xai;

pub(super) use {
    azure::AZURE, deepseek::DEEPSEEK, groq::GROQ, mistral::MISTRAL, ollama::OLLAMA, openai::OPENAI,
    openrouter::OPENROUTER, perplexity::PERPLEXITY, together::TOGETHER, vllm::VLLM, xai::XAI,
};

use super::{
    Body, CallChunks, CallForm, Calls, Comments, Done, Escapes, FinishAt, Id, NoLogprobs, Pad,
    Printed, Row, RulesOf, Stream, Template, Tier, UsageAsked, UsageAt, UsageNull, UsageRow,
    error::{ErrorRow, ErrorTable, Header, StreamError, coded, uncoded},
    head::HeadRow,
};
use crate::{script::ErrorKind, sse::LineEnd};

/// `stop`, `tool_calls`, `length`: where the words of the model behind are not said.
const NO_NATIVE: [&str; 3] = ["stop", "tool_calls", "length"];
