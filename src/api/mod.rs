//! Provider surfaces: each API is one folder that turns a [`Turn`] into wire events and a JSON body, reads
//! both back, and knows the provider's errors, requests and rules.
//!
//! | file of an API | holds |
//! | --- | --- |
//! | `render/` | turn to events, and to the non-streaming body |
//! | `accumulate/` | events, or the body, back to a [`Reply`] |
//! | `from_wire/` | recorded bytes to the turn that says them again |
//! | `error.rs` | status, type and wording of each error; the error's body and event |
//! | `head.rs` | the response headers |
//! | `view.rs` | the request, read into neutral words |
//! | `offer.rs` | what the request leaves to the model |
//! | `rules/` | requests that the provider refuses |
//! | `side_roads/` | what its provider serves besides calls of the model |
//! | `era.rs` | the forms that its answers had, month by month |
//! | `dialect/` | the forms that other vendors gave it |
//!
//! `name.rs` reads the name of an API, `violation.rs` says which of several broken rules answers, `accumulate/` has what every API reads back with, `side_roads/` what the side roads of every provider share,
//! `openai/` what the APIs of OpenAI share; `ids.rs` makes ids from the seed.

mod accumulate;
pub(crate) mod anthropic_messages;
mod ids;
mod name;
pub(crate) mod openai;
pub(crate) mod openai_chat;
pub(crate) mod openai_completions;
pub(crate) mod openai_responses;
pub(crate) mod side_roads;
mod sketch;
mod violation;

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

pub use accumulate::{
    AccumulateError, AccumulateErrorKind, Accumulator, accumulate, accumulate_json,
};
pub use anthropic_messages::side_roads::BatchResult;
pub(crate) use ids::Ids;
pub use name::UnknownApiError;
pub use openai::side_roads::{Embedding, EmbeddingInput, Moderation};
pub(crate) use openai_chat::{
    REASONING_PASSED_BACK, RulesOf, base_path, reasoned_calls, rules_of, without_key,
};
pub use side_roads::ModelInfo;
use side_roads::is_shaped;
pub(crate) use side_roads::{
    Document, Members, Provider, Said, SideRoad, SideScript, percent_decoded,
};

use crate::{
    request::{Calls, Headers, RecordedRequest, ServerTools, Sketch, View},
    script::{ApiError, Dialect, Era, Reply, Turn},
    sse::LineEnd,
};

/// One provider surface.
///
/// # What a turn is on the wire
///
#[doc = include_str!("mapping.md")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Api {
    /// Anthropic Messages: `POST /v1/messages`.
    AnthropicMessages,
    /// OpenAI Chat Completions: `POST /v1/chat/completions`, as OpenAI itself sends it; other vendors' forms are
    /// [dialects](Dialect).
    ///
    /// All text is the one `content` of the message, and stands before its tool calls; in a stream these come one after
    /// the other, or [interleaved](crate::Turn::interleaved_tool_calls). A citation is for the characters of its text, and
    /// the page's own words have no place. The text of a [refusal](crate::StopReason::Refusal) is the member `refusal`.
    ///
    /// The form is what the request asks for: `stream_options.include_usage` and `include_obfuscation`; `logprobs` and
    /// `top_logprobs`, made up, with a token for each fragment; `moderation`, which flags nothing unless
    /// [`Turn::moderation`](crate::Turn::moderation) says what it found; `n` choices, which all say the same turn, and places
    /// count one of them. Models of the `gpt-5` family and search models have no member `logprobs` unless it is asked
    /// for. The helpers without a request ([`sse_body`](crate::sse_body)) write the usage.
    ///
    /// Read back, an answer is whole once every choice has its `finish_reason`: a stream that ends there, without usage and
    /// `[DONE]`, is accepted, since many servers send neither.
    ///
    /// Bytes as recorded in 2026. Not recorded, so this crate's own: the first chunk of a refusal, where annotations stand
    /// in a stream, the `logprobs` of the first and of the last chunk, the chunks of a custom tool call, where
    /// moderation stands in a body, and what it has of several choices.
    /// The types of the official SDKs know a streamed call as a function's only, so their stream helpers do not read a custom
    /// one; what yields raw chunks has it.
    ///
    /// ```
    /// use llm_wire_stub::{Api, StopReason, Turn, accumulate, json_body, sse_body};
    ///
    /// let turn = Turn::new().text("I cannot help with that.").stop_reason(StopReason::Refusal);
    /// let body: serde_json::Value = serde_json::from_slice(&json_body(Api::OpenAiChat, &turn)).unwrap();
    /// assert_eq!(body["choices"][0]["message"]["refusal"], "I cannot help with that.");
    /// assert_eq!(body["choices"][0]["finish_reason"], "stop");
    ///
    /// let reply = accumulate(Api::OpenAiChat, &sse_body(Api::OpenAiChat, &turn)).unwrap();
    /// assert_eq!(reply.stop_reason, StopReason::Refusal);
    /// ```
    OpenAiChat,
    /// OpenAI Responses: `POST /v1/responses`, as OpenAI itself sends it.
    ///
    /// | a turn | on the wire |
    /// | --- | --- |
    /// | text | a `message` item with one `output_text` part; adjacent texts are one, and text behind a call is a further item |
    /// | a citation of a page of the web | an annotation of the kind `url_citation` for the characters of its text; the page's own words have no place |
    /// | a [raw citation](crate::Citation::raw) | the annotation as it is: `file_citation`, `container_file_citation` |
    /// | thinking | a `reasoning` item with one summary; its signature is `encrypted_content`, where the request includes `reasoning.encrypted_content` |
    /// | redacted thinking, or thinking without text | a `reasoning` item without a summary; both are read as redacted thinking |
    /// | tool calls | `function_call` items; the id of the turn is the `call_id` |
    /// | calls of custom tools | `custom_tool_call` items, likewise |
    /// | a [tool of the provider's](crate::ServerTool) | one item for its call and its result: `web_search_call` (titles of pages and the words of errors have no place), `file_search_call`, `code_interpreter_call` (a command of bash), `mcp_call`; what was found is there if the request includes it |
    /// | a compaction | a `compaction` item; only its encrypted form has a place |
    /// | a raw block | an item as it is, when it opens and when it is done; a raw delta is an event between these, to which its two numbers are added |
    /// | [`StopReason::Refusal`](crate::StopReason::Refusal) | the parts are of the kind `refusal`, the response is complete |
    /// | `MaxTokens`, `ContentFilter` | `response.incomplete`; a message that is the last item is incomplete too |
    /// | `EndTurn`, `ToolUse` | `response.completed`: which of them is read from whether a tool of the client's is called |
    /// | usage | `input_tokens` with those of the cache; thinking as `reasoning_tokens`, searches of the web in `tool_usage` |
    /// | an error inside a stream | an event `error` and `response.failed`, which has the items that were done |
    ///
    /// What is not in the table is refused, with a way out.
    ///
    /// The event that carries the stop reason is the last one: behind it nothing can fail. The response object repeats
    /// what the request asked for, in the service's form and with its defaults; `stream_options.include_obfuscation` is
    /// honoured. The helpers without a request ([`sse_body`](crate::sse_body)) write everything that a turn says.
    /// Messages of `gpt-5.4` and later models say their `phase`: a message with other items behind it is `commentary`; in a
    /// live turn none says it. `logprobs` are `[]`, whatever `top_logprobs` and
    /// `include: ["message.output_text.logprobs"]` ask for: a turn has none to say, and none are made up, since what the
    /// service writes there was not recorded.
    ///
    /// Bytes as recorded in 2026. Not recorded, so this crate's own: events of refusals; the place of an annotation in a
    /// stream, behind its text; the order of members in `error`, whose nested form was seen in 2025 (the flat one of the
    /// documentation is not sent); what `response.failed` says of the output. The service encrypts reasoning anew each
    /// time that it sends it; here an item that is done and the response that is complete say the same.
    ///
    /// The stub keeps each response that it gave whole, unless its request says `store: false`: not one that broke off or
    /// that the client left, and of a live turn only that there was one. `previous_response_id` has to name one of them, and
    /// their calls count for the outputs that a request sends, so that an unanswered one is refused. `GET` and
    /// `DELETE /v1/responses/{id}` and `GET /v1/responses/{id}/input_items` are side roads; clearing the journal forgets none.
    /// The body is the one of an answer that is not streamed. Not recorded: the words for one that is not kept, and that
    /// the items listed are those of the whole chain, newest first.
    ///
    /// A request is read as it stands: [`RecordedRequest::messages`](crate::RecordedRequest::messages) has what it sends
    /// itself, not what its `previous_response_id` stands for; items of the model's that follow each other are one message.
    ///
    /// Not served: `background`, `cancel`, conversation objects, compaction and token counts of an input, and Responses over
    /// WebSocket. A request for one is told so.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Turn, json_body, sse_body};
    /// use serde_json::json;
    ///
    /// let turn = Turn::new()
    ///     .thinking("The weather has to be looked up.")
    ///     .text("Let me look.")
    ///     .tool_call("weather", json!({"city": "Rome"}));
    /// let body: serde_json::Value = serde_json::from_slice(&json_body(Api::OpenAiResponses, &turn)).unwrap();
    /// let items: Vec<_> = body["output"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
    /// assert_eq!(items, ["reasoning", "message", "function_call"]);
    ///
    /// let stream = sse_body(Api::OpenAiResponses, &turn);
    /// assert!(stream.starts_with(b"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{"));
    /// ```
    OpenAiResponses,
    /// OpenAI's legacy text completions: `POST /v1/completions`.
    ///
    /// Text and why it ended, and what it cost in three counters. Several texts are joined; places count fragments as on
    /// Chat.
    ///
    /// Everything else is refused, with a way out: tool calls, thinking, citations, tools of the provider's, compaction,
    /// raw blocks, refusals, finer counters, and what stands around the answers of other APIs only.
    ///
    /// The form is what the request asks for: `echo`, `logprobs` (made up, with a token for each fragment, their offsets
    /// counted from the start of the prompt), `stream_options.include_usage`, and a choice for each prompt and each of
    /// `n`, which all say the same turn; places count one of them. `suffix` and `best_of` leave no trace in an answer.
    /// Each prompt is a message of the user's in [`messages`](crate::RecordedRequest::messages).
    ///
    /// Members and types as in the official SDKs, order and printer as in the documentation and in public reports; no
    /// traffic was recorded. This crate's own: an echoed prompt is the first chunk of its choice, and one token; a live
    /// answer begins with a chunk without text; no `system_fingerprint`, which the SDKs have as an option.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Turn, accumulate, json_body, sse_body};
    ///
    /// let turn = Turn::new().text(" upon a time.");
    /// let body: serde_json::Value = serde_json::from_slice(&json_body(Api::OpenAiCompletions, &turn)).unwrap();
    /// assert_eq!(body["choices"][0]["text"], " upon a time.");
    ///
    /// let reply = accumulate(Api::OpenAiCompletions, &sse_body(Api::OpenAiCompletions, &turn)).unwrap();
    /// assert_eq!(reply.text(), " upon a time.");
    /// ```
    OpenAiCompletions,
}

impl Api {
    pub(crate) const ALL: [Self; 4] = [
        Self::AnthropicMessages,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::OpenAiCompletions,
    ];

    /// All of them.
    ///
    /// ```
    /// use llm_wire_stub::Api;
    ///
    /// assert!(Api::all().any(|api| api.name() == "openai_chat"));
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter()
    }

    /// The name used in messages and fixtures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic_messages",
            Self::OpenAiChat => "openai_chat",
            Self::OpenAiResponses => "openai_responses",
            Self::OpenAiCompletions => "openai_completions",
        }
    }

    /// Method and path of the model call; of several dialects that of the first.
    pub(crate) const fn route(self) -> (&'static str, &'static str) {
        match self {
            Self::AnthropicMessages => ("POST", "/v1/messages"),
            Self::OpenAiChat => ("POST", "/v1/chat/completions"),
            Self::OpenAiResponses => ("POST", "/v1/responses"),
            Self::OpenAiCompletions => ("POST", "/v1/completions"),
        }
    }

    /// Who serves it.
    pub(crate) const fn provider(self) -> Provider {
        match self {
            Self::AnthropicMessages => Provider::Anthropic,
            Self::OpenAiChat | Self::OpenAiResponses | Self::OpenAiCompletions => Provider::OpenAi,
        }
    }

    /// The paths of the model call, those of its dialects too; `{name}` stands for one segment.
    pub(crate) fn paths(self) -> Vec<&'static str> {
        match self {
            Self::OpenAiChat => openai_chat::paths().collect(),
            Self::AnthropicMessages | Self::OpenAiResponses | Self::OpenAiCompletions => {
                vec![self.route().1]
            }
        }
    }

    /// Whether its model is called at this path.
    pub(crate) fn is_called_at(self, path: &str) -> bool {
        match self {
            Self::OpenAiChat => openai_chat::known_path(path),
            Self::AnthropicMessages | Self::OpenAiResponses | Self::OpenAiCompletions => {
                self.route().1 == path
            }
        }
    }

    /// Whether it or its provider's side roads serve anything at this path, whatever the method.
    pub(crate) fn knows_path(self, path: &str) -> bool {
        let mut side_roads = self.provider().side_roads().iter();
        self.is_called_at(path) || side_roads.any(|road| is_shaped(path, road.route().1))
    }

    /// How well the headers fit this API, the least first: so the one that is meant is found at a path that several
    /// share.
    pub(crate) fn distance(self, headers: &Headers) -> u8 {
        match self {
            Self::AnthropicMessages if headers.contains("anthropic-version") => 0,
            Self::AnthropicMessages => 2,
            Self::OpenAiChat | Self::OpenAiResponses | Self::OpenAiCompletions => 1,
        }
    }

    /// The wire events of `turn`, rendered as they are asked for.
    pub(crate) fn events(self, turn: &Arc<Turn>, context: &Context) -> Result<Events, String> {
        match self {
            Self::AnthropicMessages => {
                Ok(Box::new(anthropic_messages::Events::new(turn, context)?))
            }
            Self::OpenAiChat => Ok(Box::new(openai_chat::Events::new(turn, context)?)),
            Self::OpenAiResponses => Ok(Box::new(openai_responses::Events::new(turn, context)?)),
            Self::OpenAiCompletions => {
                Ok(Box::new(openai_completions::Events::new(turn, context)?))
            }
        }
    }

    /// Whether a text with citations and the text behind it are one block.
    pub(crate) const fn joins_cited_text(self) -> bool {
        match self {
            Self::AnthropicMessages => false,
            Self::OpenAiChat | Self::OpenAiResponses | Self::OpenAiCompletions => true,
        }
    }

    /// The body of the non-streaming answer.
    pub(crate) fn body(self, turn: &Turn, context: &Context) -> Result<Vec<u8>, String> {
        match self {
            Self::AnthropicMessages => anthropic_messages::body(turn, context),
            Self::OpenAiChat => openai_chat::body(turn, context),
            Self::OpenAiResponses => openai_responses::body(turn, context),
            Self::OpenAiCompletions => openai_completions::body(turn, context),
        }
    }

    /// Status, headers and body of an error answer.
    pub(crate) fn error(self, error: &ApiError, context: &Context) -> (Head, Vec<u8>) {
        match self {
            Self::AnthropicMessages => anthropic_messages::error_answer(error, context),
            Self::OpenAiChat => openai_chat::error_answer(error, context),
            Self::OpenAiResponses | Self::OpenAiCompletions => {
                openai::error_answer(self, error, context)
            }
        }
    }

    /// The events that report `error` inside the stream of `turn`, behind its first `written` events.
    pub(crate) fn error_events(
        self,
        error: &ApiError,
        turn: &Arc<Turn>,
        context: &Context,
        written: usize,
    ) -> Vec<WireEvent> {
        match self {
            Self::AnthropicMessages => vec![anthropic_messages::error_event(error, context)],
            Self::OpenAiChat => openai_chat::error_events(error, turn, context),
            Self::OpenAiCompletions => vec![openai::error_event(self, error, context)],
            Self::OpenAiResponses => openai_responses::error_events(error, turn, context, written),
        }
    }

    /// How the lines of its streams end.
    pub(crate) const fn line_end(self, context: &Context) -> LineEnd {
        match self {
            Self::OpenAiChat => openai_chat::line_end(context),
            Self::AnthropicMessages | Self::OpenAiResponses | Self::OpenAiCompletions => {
                LineEnd::Lf
            }
        }
    }

    /// The dialect that a call of the model means by its path.
    pub(crate) fn dialect_of(self, request: &RecordedRequest) -> Dialect {
        match self {
            Self::OpenAiChat => {
                let of = openai_chat::of_request(request.path(), request.header("api-key"));
                of.unwrap_or_default()
            }
            Self::AnthropicMessages | Self::OpenAiResponses | Self::OpenAiCompletions => {
                Dialect::OpenAi
            }
        }
    }

    /// Status and headers of an answer that succeeds.
    pub(crate) fn head(self, form: Form, context: &Context) -> Head {
        match self {
            Self::AnthropicMessages => anthropic_messages::head(form, context),
            Self::OpenAiChat => openai_chat::head(form, context),
            Self::OpenAiResponses => openai::head(form, context),
            Self::OpenAiCompletions => openai_completions::head(form, context),
        }
    }

    /// Status, headers and body of what a side road answers.
    pub(crate) fn document(self, document: Document, context: &Context) -> (Head, Vec<u8>) {
        match self {
            Self::AnthropicMessages => anthropic_messages::document_answer(document, context),
            Self::OpenAiChat | Self::OpenAiResponses | Self::OpenAiCompletions => {
                let (Document::Json(body) | Document::JsonLines(body)) = document;
                (openai::head(Form::Json, context), body)
            }
        }
    }

    /// What a client that loses nothing reads from `turn`.
    pub(crate) fn normalized(self, turn: &Turn, context: &Context) -> Result<Reply, String> {
        match self {
            Self::AnthropicMessages => anthropic_messages::normalized(turn, context),
            Self::OpenAiChat => openai_chat::normalized(turn, context),
            Self::OpenAiResponses => openai_responses::normalized(turn, context),
            Self::OpenAiCompletions => openai_completions::normalized(turn, context),
        }
    }

    /// The turn that says these recorded bytes again.
    pub(crate) fn turn_from_wire(self, body: &[u8]) -> Result<Turn, AccumulateError> {
        let is_json = body.trim_ascii_start().starts_with(b"{");
        match (self, is_json) {
            (Self::AnthropicMessages, true) => anthropic_messages::body_to_turn(body),
            (Self::AnthropicMessages, false) => anthropic_messages::stream_to_turn(body),
            (Self::OpenAiChat, true) => openai_chat::body_to_turn(body),
            (Self::OpenAiChat, false) => openai_chat::stream_to_turn(body),
            (Self::OpenAiResponses, true) => openai_responses::body_to_turn(body),
            (Self::OpenAiResponses, false) => openai_responses::stream_to_turn(body),
            (Self::OpenAiCompletions, true) => openai_completions::body_to_turn(body),
            (Self::OpenAiCompletions, false) => openai_completions::stream_to_turn(body),
        }
    }

    /// What is needed of every request at once, and its body for the rules; null if it is no JSON.
    pub(crate) fn sketch(self, body: &[u8]) -> (Sketch, Value) {
        match self {
            Self::AnthropicMessages
            | Self::OpenAiChat
            | Self::OpenAiResponses
            | Self::OpenAiCompletions => sketch::sketch(body),
        }
    }

    /// Notes what the body of a request asks of the form of its answer; `sent` is the body as it came.
    pub(crate) fn ask(self, body: &Value, sent: &[u8], context: &mut Context) {
        match self {
            Self::AnthropicMessages => {}
            Self::OpenAiChat => context.asked.chat = openai_chat::Asked::read(body),
            Self::OpenAiResponses => {
                context.asked.responses = openai_responses::Asked::read(body, sent);
            }
            Self::OpenAiCompletions => {
                context.asked.completions = openai_completions::Asked::read(body);
            }
        }
    }

    /// The key, whichever header it came in.
    pub(crate) fn api_key(self, headers: &Headers) -> Option<&str> {
        match self {
            Self::AnthropicMessages => anthropic_messages::api_key(headers),
            // where Azure looks first
            Self::OpenAiChat => headers.text("api-key").or_else(|| sketch::bearer(headers)),
            Self::OpenAiResponses | Self::OpenAiCompletions => sketch::bearer(headers),
        }
    }

    /// The request in neutral words, once somebody asks.
    pub(crate) fn view(self, body: &[u8]) -> View {
        match self {
            Self::AnthropicMessages => anthropic_messages::view(body),
            Self::OpenAiChat => openai_chat::view(body),
            Self::OpenAiResponses => openai_responses::view(body),
            Self::OpenAiCompletions => openai_completions::view(body),
        }
    }

    /// The tools that a request lets the model call.
    pub(crate) fn calls(self, body: &Value) -> Calls<'_> {
        match self {
            Self::AnthropicMessages => anthropic_messages::calls(body),
            Self::OpenAiChat => openai_chat::calls(body),
            Self::OpenAiResponses => openai_responses::calls(body),
            Self::OpenAiCompletions => openai_completions::calls(body),
        }
    }

    /// Whether a request lets the provider run tools of its own.
    pub(crate) fn server_tools(self, body: &Value) -> ServerTools {
        match self {
            Self::AnthropicMessages => anthropic_messages::server_tools(body),
            Self::OpenAiResponses => openai_responses::server_tools(body),
            // a turn with one cannot be played there at all
            Self::OpenAiChat | Self::OpenAiCompletions => ServerTools::Possible,
        }
    }

    /// The JSON schema that a request asks the text to fit.
    pub(crate) fn text_schema(self, body: &Value) -> Option<&Value> {
        match self {
            Self::AnthropicMessages => anthropic_messages::text_schema(body),
            Self::OpenAiChat => openai_chat::text_schema(body),
            Self::OpenAiResponses => openai_responses::text_schema(body),
            Self::OpenAiCompletions => openai_completions::text_schema(body),
        }
    }

    /// The rules by which the provider refuses requests.
    pub(crate) fn rules(self) -> Box<dyn Iterator<Item = &'static Rule>> {
        match self {
            Self::AnthropicMessages => Box::new(anthropic_messages::rules()),
            Self::OpenAiChat => Box::new(openai_chat::rules()),
            Self::OpenAiResponses => Box::new(openai_responses::rules()),
            Self::OpenAiCompletions => Box::new(openai_completions::rules()),
        }
    }

    /// Of the rules that apply the one that the request breaks first, and the provider's answer. `body` is
    /// the request's body; null if it is no JSON.
    pub(crate) fn first_broken(
        self,
        request: &RecordedRequest,
        body: &Value,
        applies: &dyn Fn(&Rule) -> bool,
    ) -> Option<(&'static Rule, ApiError)> {
        let earlier = openai_responses::Earlier::default();
        self.first_broken_after(request, body, &earlier, applies)
    }

    /// The same, where something is known of the answers before the request.
    pub(crate) fn first_broken_after(
        self,
        request: &RecordedRequest,
        body: &Value,
        earlier: &openai_responses::Earlier,
        applies: &dyn Fn(&Rule) -> bool,
    ) -> Option<(&'static Rule, ApiError)> {
        match self {
            Self::AnthropicMessages => anthropic_messages::first_broken(request, body, applies),
            Self::OpenAiChat => openai_chat::first_broken(request, body, earlier, applies),
            Self::OpenAiResponses => {
                openai_responses::first_broken(request, body, earlier, applies)
            }
            Self::OpenAiCompletions => openai_completions::first_broken(request, body, applies),
        }
    }
}

/// The events of one turn.
pub(crate) type Events = Box<dyn Iterator<Item = WireEvent> + Send>;

/// What an answer depends on besides its turn.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The model that was asked for; empty if none was.
    pub(crate) model: String,
    /// The key that came with the request, for an error that shows a part of it; empty if nobody looked.
    pub(crate) key: String,
    /// Ids, padding and fragment sizes come from this.
    pub(crate) seed: u64,
    pub(crate) plain: bool,
    pub(crate) era: Era,
    /// Whose form an answer of OpenAI Chat has.
    pub(crate) dialect: Dialect,
    pub(crate) asked: Asked,
}

/// What a request asks of the form of its answer, for each API that lets it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) chat: openai_chat::Asked,
    pub(crate) responses: openai_responses::Asked,
    pub(crate) completions: openai_completions::Asked,
}

/// The two forms of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Stream,
    Json,
}

/// Status and headers of an answer. Framing headers are the player's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(HeaderName, Cow<'static, str>)>,
}

pub(crate) type HeaderName = Cow<'static, str>;

impl Head {
    /// Takes a header out.
    pub(crate) fn remove(&mut self, name: &str) {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    }

    /// Adds a header.
    pub(crate) fn push(
        &mut self,
        name: impl Into<HeaderName>,
        value: impl Into<Cow<'static, str>>,
    ) {
        self.headers.push((name.into(), value.into()));
    }
}

/// One event of an API, before it is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WireEvent {
    pub(crate) name: Option<Cow<'static, str>>,
    pub(crate) data: Vec<u8>,
    pub(crate) mark: Mark,
}

/// What an event means in neutral words; places count these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A non-empty fragment of text, thinking or arguments.
    Delta,
    /// A fragment that is the last of its block, where the API has no event for the end of one.
    LastDelta,
    /// What comes only once a block is over, before the event that ends it.
    Closing,
    /// The end of a block, by an event of its own.
    PartEnd,
    /// The last of a block in an event that is no fragment, where the API has none for the end of one.
    PartLast,
    /// The event that carries the stop reason.
    StopReason,
    /// The event that proves completeness.
    Terminal,
    /// The event that carries the stop reason and proves completeness.
    Last,
    /// A comment: its data are no data. Places do not count it.
    Comment,
    /// Several of these in one event.
    Several {
        deltas: usize,
        parts: usize,
        /// Whether it carries the stop reason too.
        stops: bool,
    },
    /// Any other.
    Other,
}

impl Mark {
    /// How many fragments of text, thinking or arguments the event has.
    pub(crate) const fn deltas(self) -> usize {
        match self {
            Self::Delta | Self::LastDelta => 1,
            Self::Several { deltas, .. } => deltas,
            Self::Closing
            | Self::PartEnd
            | Self::PartLast
            | Self::StopReason
            | Self::Terminal
            | Self::Last
            | Self::Comment
            | Self::Other => 0,
        }
    }

    /// Whether the event carries the stop reason.
    pub(crate) const fn stops(self) -> bool {
        matches!(
            self,
            Self::StopReason | Self::Last | Self::Several { stops: true, .. }
        )
    }
}

/// A rule by which the provider refuses a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// Where it is known from.
    pub(crate) source: &'static str,
    pub(crate) by_default: ByDefault,
}

/// Whether a rule applies without being named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByDefault {
    On,
    Off,
}
