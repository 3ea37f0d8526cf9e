//! Token counts of an answer.

/// How many tokens an answer says it cost.
///
/// ```
/// use llm_wire_stub::Usage;
///
/// let usage = Usage::input(5).output(30).cache_read(100).thinking(20);
/// assert_eq!((usage.input_tokens, usage.cache_creation_tokens), (5, 0));
/// assert_eq!(usage.thinking_tokens, Some(20));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the prompt, without those read from or written to a cache.
    pub input_tokens: u64,
    /// Tokens of the answer, those of its thinking included.
    pub output_tokens: u64,
    /// Tokens of the prompt that were read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens of the prompt that were written to a cache.
    pub cache_creation_tokens: u64,
    /// How many of those written were written for an hour; the others are kept for five minutes.
    pub cache_creation_1h_tokens: u64,
    /// How many tokens of the answer are thinking, if the provider says it.
    pub thinking_tokens: Option<u64>,
    /// How many tokens of the prompt are audio.
    pub input_audio_tokens: u64,
    /// How many tokens of the answer are audio.
    pub output_audio_tokens: u64,
    /// How many tokens of a prediction that came with the request are in the answer.
    pub accepted_prediction_tokens: u64,
    /// How many tokens of such a prediction are not; they count as tokens of the answer all the same.
    pub rejected_prediction_tokens: u64,
    /// How often the provider searched the web, if it says it. Where an API says this only together with the
    /// pages fetched, the one that is not given is 0.
    pub web_search_requests: Option<u64>,
    /// How often the provider fetched a page, if it says it.
    pub web_fetch_requests: Option<u64>,
    /// What each pass over the model cost, if the provider says it.
    pub iterations: Vec<Iteration>,
}

impl Usage {
    /// What of it only Chat counts, each with its words in a message.
    pub(crate) const fn audio_and_predictions(&self) -> [(u64, &'static str); 4] {
        [
            (
                self.input_audio_tokens,
                "how many tokens of the prompt are audio",
            ),
            (
                self.output_audio_tokens,
                "how many tokens of the answer are audio",
            ),
            (
                self.accepted_prediction_tokens,
                "how many tokens of a prediction were accepted",
            ),
            (
                self.rejected_prediction_tokens,
                "how many tokens of a prediction were rejected",
            ),
        ]
    }

    /// A prompt of `tokens`, everything else zero, or not said.
    #[must_use]
    pub const fn input(tokens: u64) -> Self {
        Self {
            input_tokens: tokens,
            output_tokens: 0,
            cache_read_tokens: 0,
            cache_creation_tokens: 0,
            cache_creation_1h_tokens: 0,
            thinking_tokens: None,
            input_audio_tokens: 0,
            output_audio_tokens: 0,
            accepted_prediction_tokens: 0,
            rejected_prediction_tokens: 0,
            web_search_requests: None,
            web_fetch_requests: None,
            iterations: Vec::new(),
        }
    }

    /// Sets the tokens of the answer, those of its thinking included.
    #[must_use]
    pub const fn output(mut self, tokens: u64) -> Self {
        self.output_tokens = tokens;
        self
    }

    /// Sets the tokens that were read from a cache.
    #[must_use]
    pub const fn cache_read(mut self, tokens: u64) -> Self {
        self.cache_read_tokens = tokens;
        self
    }

    /// Sets the tokens that were written to a cache.
    #[must_use]
    pub const fn cache_creation(mut self, tokens: u64) -> Self {
        self.cache_creation_tokens = tokens;
        self
    }

    /// Sets how many of the tokens written to a cache were written for an hour.
    #[must_use]
    pub const fn cache_creation_1h(mut self, tokens: u64) -> Self {
        self.cache_creation_1h_tokens = tokens;
        self
    }

    /// Sets how many tokens of the answer are thinking; without it a turn that thinks has an estimate.
    #[must_use]
    pub const fn thinking(mut self, tokens: u64) -> Self {
        self.thinking_tokens = Some(tokens);
        self
    }

    /// Sets how many tokens of the prompt are audio.
    #[must_use]
    pub const fn input_audio(mut self, tokens: u64) -> Self {
        self.input_audio_tokens = tokens;
        self
    }

    /// Sets how many tokens of the answer are audio.
    #[must_use]
    pub const fn output_audio(mut self, tokens: u64) -> Self {
        self.output_audio_tokens = tokens;
        self
    }

    /// Sets how many tokens of the request's prediction are in the answer.
    #[must_use]
    pub const fn accepted_prediction(mut self, tokens: u64) -> Self {
        self.accepted_prediction_tokens = tokens;
        self
    }

    /// Sets how many tokens of the request's prediction are not.
    #[must_use]
    pub const fn rejected_prediction(mut self, tokens: u64) -> Self {
        self.rejected_prediction_tokens = tokens;
        self
    }

    /// Sets how often the provider searched the web.
    #[must_use]
    pub const fn web_searches(mut self, requests: u64) -> Self {
        self.web_search_requests = Some(requests);
        self
    }

    /// Sets how often the provider fetched a page.
    #[must_use]
    pub const fn web_fetches(mut self, requests: u64) -> Self {
        self.web_fetch_requests = Some(requests);
        self
    }

    /// Adds a pass over the model.
    ///
    /// ```
    /// use llm_wire_stub::{Iteration, Usage};
    ///
    /// let usage = Usage::input(162)
    ///     .output(11)
    ///     .iteration(Iteration::new("compaction", Usage::input(99_195).output(81)))
    ///     .iteration(Iteration::new("message", Usage::input(162).output(11)));
    /// assert_eq!(usage.iterations.len(), 2);
    /// ```
    #[must_use]
    pub fn iteration(mut self, iteration: Iteration) -> Self {
        self.iterations.push(iteration);
        self
    }
}

/// What one pass over the model cost, of the several that an answer took.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Iteration {
    /// The provider's word for it: `message`, `compaction`, `advisor_message`.
    pub kind: String,
    /// The model, where the provider names it.
    pub model: Option<String>,
    /// Input, output and cache; nothing else is said of a pass.
    pub usage: Usage,
}

impl Iteration {
    /// A pass of this kind; of its usage only input, output and cache are written.
    #[must_use]
    pub fn new(kind: impl Into<String>, usage: Usage) -> Self {
        Self {
            kind: kind.into(),
            model: None,
            usage,
        }
    }

    /// Names the model of the pass.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }
}
