//! Building a stub: what it says on the side roads.

use std::sync::Arc;

use crate::{
    api::{
        BatchResult, Embedding, EmbeddingInput, ModelInfo, Moderation,
        anthropic_messages::side_roads::TokenCount,
    },
    request::RecordedRequest,
    server::WireStubBuilder,
};

/// Side roads are what a provider serves besides calls of the model: token counts, models, batches, embeddings,
/// moderations. They have
/// valid defaults, use no turn, and are in the [`journal`](crate::StubHandle::journal), not among the
/// [`requests`](crate::StubHandle::requests). They are the provider's: each of its APIs that is served, also one that
/// [`api`](WireStubBuilder::api) names, brings all of them.
impl WireStubBuilder {
    /// Counts so many tokens in every request to count them, instead of the estimate: one for each four
    /// characters of system prompt, messages and tools, and four more for each message and each tool.
    ///
    /// ```
    /// use llm_wire_stub::WireStub;
    ///
    /// let always_14 = WireStub::builder().count_tokens(14);
    /// let by_content = WireStub::builder().count_tokens_by(|request| match request.messages().len() {
    ///     0..10 => 100,
    ///     _ => 200_000,
    /// });
    /// # let _ = (always_14, by_content);
    /// ```
    pub fn count_tokens(mut self, tokens: u64) -> Self {
        self.config.side_roads.count = TokenCount::Fixed(tokens);
        self
    }

    /// Counts tokens by the request. It runs off the stub's own threads and outside its locks; a panic in it
    /// fails the request and the test with its own message.
    pub fn count_tokens_by(
        mut self,
        count: impl Fn(&RecordedRequest) -> u64 + Send + Sync + 'static,
    ) -> Self {
        self.config.side_roads.count = TokenCount::By(Arc::new(count));
        self
    }

    /// Lists these models, in this order, to clients of every provider, instead of a few of the provider's own; a
    /// string is the id of a model. `GET /v1/models` is Anthropic's if the request has the header `anthropic-version`,
    /// else OpenAI's.
    pub fn models<M: Into<ModelInfo>>(mut self, models: impl IntoIterator<Item = M>) -> Self {
        let models = models.into_iter().map(Into::into).collect();
        self.config.side_roads.models = Some(models);
        self
    }

    /// Gives the request with this custom id this result, in whatever batch it comes: a turn, a text, an error,
    /// or another [`BatchResult`]. If it never comes, [`verify`](crate::WireStub::verify) fails.
    ///
    /// A request without a scripted result succeeds and says `ok`; in a batch that is canceled it comes out as
    /// canceled. One that breaks a rule of the provider is errored, and [`verify`](crate::WireStub::verify) fails.
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a result for this custom id already, if it is a turn with gates,
    /// delays, stalls, endings or faults, or an error with headers: it will be a line of a file.
    #[track_caller]
    pub fn batch_result(
        mut self,
        custom_id: impl Into<String>,
        result: impl Into<BatchResult>,
    ) -> Self {
        let (id, result) = (custom_id.into(), result.into());
        if let Some(why) = result.problem() {
            panic!("{why}");
        }
        let results = &mut self.config.side_roads.batches.results;
        assert!(
            results.get(&id).is_none(),
            "there are two batch results for `{id}`\n  help: remove one of the two"
        );
        results.insert(id, result);
        self
    }

    /// Gives the requests of batches their results by content: custom id and request in, the result out. `None`
    /// leaves it at the default. A result for the custom id goes before.
    ///
    /// It runs when the batch is created, off the stub's own threads and outside its locks. A panic in it fails
    /// the creation and the test with its own message.
    ///
    /// ```
    /// use llm_wire_stub::{BatchResult, WireStub};
    ///
    /// let builder = WireStub::builder().batch_results(|custom_id, request| {
    ///     match request.last_user_text().contains("capital") {
    ///         true => Some(format!("{custom_id}: Paris").into()),
    ///         false => Some(BatchResult::Expired),
    ///     }
    /// });
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is such a function already.
    #[track_caller]
    pub fn batch_results(
        mut self,
        result: impl Fn(&str, &RecordedRequest) -> Option<BatchResult> + Send + Sync + 'static,
    ) -> Self {
        let slot = &mut self.config.side_roads.batches.by;
        assert!(
            slot.is_none(),
            "there are two functions for the results of batches\n  help: merge them into one"
        );
        *slot = Some(Arc::new(result));
        self
    }

    /// Lets a batch be seen in progress so many times before it has ended; 0 by default: it has ended when it is
    /// first asked for after its creation. Listing batches does not count.
    pub fn batch_polls(mut self, polls: usize) -> Self {
        self.config.side_roads.batches.polls = polls;
        self
    }

    /// Gives this input of `POST /v1/embeddings` (OpenAI), in whatever request it comes, this [`Embedding`]: a vector,
    /// or an error for the whole request. If it never comes, [`verify`](crate::WireStub::verify) fails.
    ///
    /// An input without a script has a vector of unit length that is derived from it: the same for the same input, in
    /// every stub. It has as many dimensions as the request asks for, else as the scripted vectors have, else as the
    /// model is documented to have: 3072 for `text-embedding-3-large`, 1536 for any other. A scripted vector that is
    /// not as long as the request asks, or as another one in the same answer, is
    /// [script drift](WireStubBuilder::allow_script_drift).
    ///
    /// The answer is spelled as `encoding_format` asks: as numbers, or as base64 of 32-bit floats, which the official
    /// SDKs ask for by themselves.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{WireStub, serde_json::{Value, json}};
    ///
    /// let stub = WireStub::builder().embedding("cat", [0.6, 0.8]).start();
    /// let asked = reqwest::Client::new()
    ///     .post(stub.openai_url() + "/embeddings")
    ///     .bearer_auth("k")
    ///     .json(&json!({"model": "text-embedding-3-small", "input": "cat"}));
    /// let answer: Value = asked.send().await.unwrap().json().await.unwrap();
    /// assert_eq!(answer["data"][0]["embedding"], json!([0.6, 0.8]));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is an embedding for this input already, or if it is a vector without numbers or
    /// with one that is no finite number of 32 bits.
    #[track_caller]
    pub fn embedding(
        mut self,
        input: impl Into<EmbeddingInput>,
        embedding: impl Into<Embedding>,
    ) -> Self {
        let embedding = embedding.into();
        if let Some(why) = embedding.problem() {
            panic!("{why}");
        }
        let input = input.into();
        let spelled = input.spelled();
        let before = self
            .config
            .side_roads
            .embeddings
            .known
            .insert(input, embedding);
        assert!(
            before.is_none(),
            "there are two embeddings for {spelled}\n  help: remove one of the two"
        );
        self
    }

    /// Gives inputs their embeddings by content: an input and its request in, the [`Embedding`] out. `None` leaves it
    /// at the derived vector. An embedding for the input goes before.
    ///
    /// It runs off the stub's own threads and outside its locks. A panic in it fails the request and the test with its
    /// own message.
    ///
    /// ```
    /// use llm_wire_stub::{ApiError, WireStub};
    ///
    /// let builder = WireStub::builder().embeddings_by(|input, request| match input.text() {
    ///     "" => Some(ApiError::overloaded().into()),
    ///     text if text.contains("cat") => Some([1.0, 0.0].into()),
    ///     _ => Some([0.0, 1.0].into()),
    /// });
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is such a function already.
    #[track_caller]
    pub fn embeddings_by(
        mut self,
        embedding: impl Fn(&EmbeddingInput, &RecordedRequest) -> Option<Embedding>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let slot = &mut self.config.side_roads.embeddings.by;
        assert!(
            slot.is_none(),
            "there are two functions for embeddings\n  help: merge them into one"
        );
        *slot = Some(Arc::new(embedding));
        self
    }

    /// Judges this text in `POST /v1/moderations` (OpenAI), in whatever request it comes, to be this [`Moderation`]:
    /// flagged for some categories, or an error for the whole request. If it never comes,
    /// [`verify`](crate::WireStub::verify) fails.
    ///
    /// A text without a script is flagged for nothing. Each text of a list has a result of its own; a list of texts
    /// and images has one, and its text is all of them joined by newlines.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{Moderation, WireStub, serde_json::{Value, json}};
    ///
    /// let stub = WireStub::builder().moderation("boo", Moderation::flagged(["violence"])).start();
    /// let asked = reqwest::Client::new()
    ///     .post(stub.openai_url() + "/moderations")
    ///     .bearer_auth("k")
    ///     .json(&json!({"model": "omni-moderation-latest", "input": "boo"}));
    /// let answer: Value = asked.send().await.unwrap().json().await.unwrap();
    /// assert_eq!(answer["results"][0]["flagged"], true);
    /// assert_eq!(answer["results"][0]["categories"]["violence"], true);
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a moderation for this text already.
    #[track_caller]
    pub fn moderation(
        mut self,
        text: impl Into<String>,
        moderation: impl Into<Moderation>,
    ) -> Self {
        let text = text.into();
        let known = &mut self.config.side_roads.moderations.known;
        assert!(
            known.get(&text).is_none(),
            "there are two moderations for {text:?}\n  help: remove one of the two"
        );
        known.insert(text, moderation.into());
        self
    }

    /// Judges texts by their content: a text and its request in, the [`Moderation`] out. `None` leaves it harmless. A
    /// moderation for the text goes before.
    ///
    /// It runs off the stub's own threads and outside its locks. A panic in it fails the request and the test with its
    /// own message.
    ///
    /// ```
    /// use llm_wire_stub::{Moderation, WireStub};
    ///
    /// let builder = WireStub::builder().moderations_by(|text, _| {
    ///     text.contains("knife").then(|| Moderation::flagged(["violence"]))
    /// });
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is such a function already.
    #[track_caller]
    pub fn moderations_by(
        mut self,
        moderation: impl Fn(&str, &RecordedRequest) -> Option<Moderation> + Send + Sync + 'static,
    ) -> Self {
        let slot = &mut self.config.side_roads.moderations.by;
        assert!(
            slot.is_none(),
            "there are two functions for moderations\n  help: merge them into one"
        );
        *slot = Some(Arc::new(moderation));
        self
    }
}
