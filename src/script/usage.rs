//! Token counts of an answer.

/// How many tokens an answer says it cost.
///
/// ```
/// use llm_wire_stub::Usage;
///
/// let usage = Usage::input(5).output(3).cache_read(100);
/// assert_eq!((usage.input_tokens, usage.cache_creation_tokens), (5, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the prompt, without those read from or written to a cache.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// Tokens of the prompt that were read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens of the prompt that were written to a cache.
    pub cache_creation_tokens: u64,
}

impl Usage {
    /// A prompt of `tokens`, everything else zero.
    #[must_use]
    pub const fn input(tokens: u64) -> Self {
        Self {
            input_tokens: tokens,
            output_tokens: 0,
            cache_read_tokens: 0,
            cache_creation_tokens: 0,
        }
    }

    /// Sets the tokens of the answer.
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
}
