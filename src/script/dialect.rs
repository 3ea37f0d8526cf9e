//! Whose form of an API an answer has.

/// A vendor's form of [`Api::OpenAiChat`](crate::Api::OpenAiChat): the same scripts, other bytes.
///
/// It is chosen on a turn ([`Turn::dialect`](crate::Turn::dialect)), on a builder
/// ([`WireStubBuilder::dialect`](crate::WireStubBuilder::dialect)), or by the path of the request, in this order of
/// precedence. `StubHandle::dialect_url` gives the base URL that the clients of a vendor expect. The paths of other vendors
/// are served once a dialect was named in one of these ways: without that a base URL that only lacks `/v1` would be
/// answered in a form that nobody asked for. `RecordedRequest::dialect` says which one answered.
#[doc = include_str!("../api/openai_chat/dialect/dialects.md")]
///
/// ```
/// use llm_wire_stub::{Api, Dialect, Turn, accumulate, sse_body};
///
/// let turn = Turn::new().thinking("Hm.").text("Four.").dialect(Dialect::DeepSeek);
/// let body = sse_body(Api::OpenAiChat, &turn);
/// assert!(String::from_utf8_lossy(&body).contains(r#"{"content":null,"reasoning_content":"Hm."}"#));
///
/// let reply = accumulate(Api::OpenAiChat, &body).unwrap();
/// assert_eq!((reply.thinking().as_str(), reply.text().as_str()), ("Hm.", "Four."));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI's own.
    #[default]
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// Azure OpenAI.
    Azure,
    /// DeepSeek.
    DeepSeek,
    /// Groq.
    Groq,
    /// Mistral.
    Mistral,
    /// Perplexity.
    Perplexity,
    /// xAI.
    Xai,
    /// Together.
    Together,
    /// Ollama, at the paths of OpenAI's API.
    Ollama,
    /// vLLM.
    Vllm,
}

impl Dialect {
    /// All dialects.
    pub const ALL: &'static [Self] = &[
        Self::OpenAi,
        Self::OpenRouter,
        Self::Azure,
        Self::DeepSeek,
        Self::Groq,
        Self::Mistral,
        Self::Perplexity,
        Self::Xai,
        Self::Together,
        Self::Ollama,
        Self::Vllm,
    ];

    /// The name used in messages and fixtures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Azure => "azure",
            Self::DeepSeek => "deepseek",
            Self::Groq => "groq",
            Self::Mistral => "mistral",
            Self::Perplexity => "perplexity",
            Self::Xai => "xai",
            Self::Together => "together",
            Self::Ollama => "ollama",
            Self::Vllm => "vllm",
        }
    }
}
