//! One request as it came in, and what became of it.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use serde_json::Value;

use super::{Headers, Message, OfferedTool, ResponseFormat, Sketch, ToolResult, View};
use crate::{api::Api, script::Dialect};

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Still under way, or its stub was dropped or reset first.
    Open,
    /// Written to its end.
    Complete,
    /// The client left first. One that only closes its sending side while its answer waits looks the same.
    Cancelled,
    /// Ended by a scripted reset.
    Reset,
    /// Ended early in another scripted way, or because its gate or its live turn was dropped, or because the
    /// fallback broke it off.
    Failed,
    /// The stub refused: a provider's rule was broken, or the script had no answer for this call.
    Refused,
}

/// A request as it came in: exact bytes, their meaning, and what became of the answer.
///
/// Clones share what changes (the outcome, the bytes written), so a clone kept by a test stays current.
#[derive(Clone)]
pub struct RecordedRequest(Arc<Record>);

struct Record {
    received: Received,
    view: OnceLock<Box<View>>,
    progress: Mutex<Progress>,
}

/// What does not change any more once the request was read.
pub(crate) struct Received {
    pub(crate) kind: Kind,
    pub(crate) method: Cow<'static, str>,
    /// Path and query, as sent, without scheme and host.
    pub(crate) target: String,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
    pub(crate) sketch: Sketch,
    pub(crate) connection: usize,
    pub(crate) arrived: Duration,
}

/// What the request is to the stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A call of the model: counted from 0.
    ModelCall { api: Api, index: usize },
    /// Something else that the stub serves: a side road of an API, or a CORS preflight.
    SideRoad { api: Option<Api> },
    /// What the fallback answers.
    Fallback,
    /// A path that the stub does not serve.
    NotServed,
    /// Bytes that are no request.
    Malformed,
}

struct Progress {
    outcome: Outcome,
    /// None but on OpenAI Chat.
    dialect: Option<Dialect>,
    lane: Option<Arc<str>>,
    answered_by: Cow<'static, str>,
    /// Whether it is known what answers it.
    decided: bool,
    remark: Option<String>,
    written: u64,
    /// Bytes of the last write, which is under way.
    promised: u64,
}

/// The last bytes of an answer, counted as written while they are being handed over; what was not is taken
/// back when this is dropped.
pub(crate) struct Promised<'a>(&'a RecordedRequest);

impl Drop for Promised<'_> {
    fn drop(&mut self) {
        self.0.progress().promised = 0;
    }
}

impl RecordedRequest {
    pub(crate) fn new(received: Received) -> Self {
        Self(Arc::new(Record {
            received,
            view: OnceLock::new(),
            progress: Mutex::new(Progress {
                outcome: Outcome::Open,
                dialect: None,
                lane: None,
                answered_by: Cow::Borrowed("nothing yet"),
                decided: false,
                remark: None,
                written: 0,
                promised: 0,
            }),
        }))
    }

    /// Its number among the model calls, from 0; messages show index 0 as `#1`.
    ///
    /// # Panics
    ///
    /// At the caller's line, on a request from the journal that is no model call.
    #[must_use]
    #[track_caller]
    pub fn index(&self) -> usize {
        match self.0.received.kind {
            Kind::ModelCall { index, .. } => index,
            Kind::SideRoad { .. } | Kind::Fallback | Kind::NotServed | Kind::Malformed => panic!(
                "{self} is no model call, so it has no index\n  \
                 help: `requests()` has the model calls only"
            ),
        }
    }

    /// The API it was sent to; on a side road the first API of its provider that the stub serves; `None` if no API
    /// serves its path.
    #[must_use]
    pub fn api(&self) -> Option<Api> {
        match self.0.received.kind {
            Kind::ModelCall { api, .. } => Some(api),
            Kind::SideRoad { api } => api,
            Kind::Fallback | Kind::NotServed | Kind::Malformed => None,
        }
    }

    /// Whose form of OpenAI Chat its answer has: that of the turn, of the stub, or of the path. `None` on other APIs, and
    /// before it is known what answers. The journal names one that is not OpenAI's own.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.progress().dialect
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.0.received.method
    }

    /// The path, without the query.
    #[must_use]
    pub fn path(&self) -> &str {
        let target = self.target();
        target.split_once('?').map_or(target, |(path, _)| path)
    }

    /// What follows the `?`, if there is one.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.target().split_once('?').map(|(_, query)| query)
    }

    /// Path and query, as sent; those of the URL, if all of it was sent, as to a proxy.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.0.received.target
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &http::HeaderMap {
        self.0.received.headers.map()
    }

    /// The value of a header as text; `None` if it is missing or no text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.received.headers.text(name)
    }

    /// The values of each header, credentials hidden as in `Debug`.
    pub(crate) fn masked_headers(&self) -> Vec<(&str, Vec<String>)> {
        let (headers, masked) = (self.headers(), Masked(self.headers()));
        let names = headers.keys();
        let values = names.map(|name| {
            let values = headers.get_all(name).iter();
            let values = values.map(|value| masked.shown(name, value));
            (name.as_str(), values.collect())
        });
        values.collect()
    }

    /// As they came.
    pub(crate) fn raw_headers(&self) -> &Headers {
        &self.0.received.headers
    }

    /// The values of a header, in order.
    pub(crate) fn header_values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.0.received.headers.values(name)
    }

    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.0.received.headers.contains(name)
    }

    /// The body, exactly as sent (transfer framing removed).
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.0.received.body
    }

    /// The body as JSON; null if it is no JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.view().json
    }

    /// The model that is asked for; empty if none is.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.0.received.sketch.model
    }

    /// Whether the answer is asked for as a stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.0.received.sketch.stream
    }

    /// The system prompt: a string as it is, blocks joined by newlines.
    #[must_use]
    pub fn system(&self) -> Option<&str> {
        self.view().system.as_ref().map(|(text, _)| text.as_str())
    }

    /// The system prompt as sent.
    #[must_use]
    pub fn system_as_sent(&self) -> Option<&Value> {
        self.view().system.as_ref().map(|(_, sent)| sent)
    }

    /// The conversation, in order. Whether it has the system prompt depends on where the API has it: on Anthropic Messages
    /// `system` is no message; on OpenAI Chat the `system` and `developer` messages are the first of these, and
    /// [`system`](Self::system) has their text too; on OpenAI Responses `instructions` are no message, and such items of the
    /// input are; text completions have none.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.view().messages
    }

    /// The tools that the model may call.
    #[must_use]
    pub fn tools(&self) -> &[OfferedTool] {
        &self.view().tools
    }

    /// The tool results in the conversation, in order.
    #[must_use]
    pub fn tool_results(&self) -> &[ToolResult] {
        &self.view().tool_results
    }

    /// The last result of the call with this id; [`expect_tool_result`](Self::expect_tool_result) says loudly which came
    /// instead.
    #[must_use]
    pub fn tool_result(&self, call_id: &str) -> Option<&ToolResult> {
        let results = self.tool_results().iter().rev();
        results.into_iter().find(|result| result.call_id == call_id)
    }

    /// The last result of the call with this id, which has to be there.
    ///
    /// ```no_run
    /// # let stub = llm_wire_stub::WireStub::builder().start();
    /// assert_eq!(stub.request(1).expect_tool_result("toolu_1").text(), "a.txt");
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, with the ids that came, if the conversation has no result of this call.
    #[must_use]
    #[track_caller]
    pub fn expect_tool_result(&self, call_id: &str) -> &ToolResult {
        let Some(result) = self.tool_result(call_id) else {
            let results = self.tool_results().iter();
            let ids: Vec<String> = results
                .map(|result| format!("`{}`", result.call_id.escape_debug()))
                .collect();
            let found = match &ids[..] {
                [] => "no tool result at all".to_owned(),
                ids => format!("results of {}", ids.join(", ")),
            };
            panic!(
                "there is no result of the tool call `{}`\n  where: request {self}\n  found: {found}\n  \
                 help: `.tool_call_with_id(id, ..)` scripts a call with an id of your choice",
                call_id.escape_debug()
            )
        };
        result
    }

    /// The form that the answer's text has to have, if the request asks for one.
    #[must_use]
    pub fn response_format(&self) -> Option<&ResponseFormat> {
        self.view().response_format.as_ref()
    }

    /// The limit on the answer's tokens.
    #[must_use]
    pub fn max_tokens(&self) -> Option<u64> {
        self.view().max_tokens
    }

    /// The key, whichever header it came in. `Debug` shows its last four characters only, and nothing of a
    /// key of fewer than twelve.
    #[must_use]
    pub fn api_key(&self) -> Option<&str> {
        self.api()?.api_key(&self.0.received.headers)
    }

    /// The text of the last user message that has any; empty if there is none.
    #[must_use]
    pub fn last_user_text(&self) -> String {
        self.view().last_user_text()
    }

    /// All text of the request, each piece once and on a line of its own: system prompt, messages, tool results.
    #[must_use]
    pub fn text(&self) -> String {
        self.view().text()
    }

    /// The number of the connection it came on, from 0.
    #[must_use]
    pub fn connection(&self) -> usize {
        self.0.received.connection
    }

    /// When it had been read, as time since the stub's start.
    #[must_use]
    pub fn arrived(&self) -> Duration {
        self.0.received.arrived
    }

    /// The lane that claimed it.
    #[must_use]
    pub fn lane(&self) -> Option<String> {
        self.progress().lane.as_deref().map(str::to_owned)
    }

    /// What answered it, in words: ``turn #1``, ``lane `judge` turn #1``, ``the closure's turn``,
    /// ``the error for call #1``, ``the fallback``, ``refused: exhausted``, and on a side road ``the model list``.
    #[must_use]
    pub fn answered_by(&self) -> String {
        self.progress().answered_by.clone().into_owned()
    }

    /// What became of the answer so far. It is set just before the last bytes are written, so it is there
    /// once the client returns.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.progress().outcome
    }

    /// Bytes handed to the operating system for this answer, head and framing included. All of them are
    /// counted once the stub has [`settled`](crate::StubHandle::settled).
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.progress().bytes()
    }

    /// What else there is to say of the answer, such as that a client never read it.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        self.progress().remark.clone()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.0.received.kind
    }

    /// Why the body cannot be read.
    pub(crate) fn malformed(&self) -> Option<&str> {
        self.0.received.sketch.malformed.as_deref()
    }

    fn view(&self) -> &View {
        let read = || self.api().map(|api| api.view(self.body()));
        self.0
            .view
            .get_or_init(|| Box::new(read().unwrap_or_default()))
    }

    pub(crate) fn is_in_lane(&self, name: &str) -> bool {
        self.progress().lane.as_deref() == Some(name)
    }

    pub(crate) fn set_lane(&self, lane: &Arc<str>) {
        self.progress().lane = Some(Arc::clone(lane));
    }

    pub(crate) fn set_dialect(&self, dialect: Dialect) {
        self.progress().dialect = Some(dialect);
    }

    pub(crate) fn set_answered_by(&self, what: String) {
        self.progress().answered_by = Cow::Owned(what);
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.progress().decided
    }

    pub(crate) fn set_decided(&self) {
        self.progress().decided = true;
    }

    pub(crate) fn set_outcome(&self, outcome: Outcome) {
        self.progress().outcome = outcome;
    }

    pub(crate) fn set_remark(&self, remark: impl Into<String>) {
        self.progress().remark = Some(remark.into());
    }

    pub(crate) fn add_written(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let mut progress = self.progress();
        progress.written += bytes;
        progress.promised = progress.promised.saturating_sub(bytes);
    }

    /// Counts so many bytes as written, as long as they are under way.
    pub(crate) fn promise(&self, bytes: usize) -> Promised<'_> {
        self.progress().promised = u64::try_from(bytes).unwrap_or(u64::MAX);
        Promised(self)
    }

    /// One line of a report: what came, what answered it, what became of it.
    pub(crate) fn line(&self) -> String {
        let progress = self.progress();
        let model = match self.model() {
            "" => String::new(),
            model => format!(" [{model}]"),
        };
        let dialect = match progress.dialect {
            None | Some(Dialect::OpenAi) => String::new(),
            Some(dialect) => format!(" as {}", dialect.name()),
        };
        let remark = progress.remark.as_ref();
        let remark = remark
            .map(|remark| format!(" ({remark})"))
            .unwrap_or_default();
        format!(
            "{self}{model}{dialect}: {}, {:?}, {} bytes{remark}",
            progress.answered_by,
            progress.outcome,
            progress.bytes()
        )
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0
            .progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    const fn bytes(&self) -> u64 {
        self.written.saturating_add(self.promised)
    }
}

/// `#1 POST /v1/messages`.
impl fmt::Display for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.received.kind {
            Kind::ModelCall { index, .. } => write!(f, "#{} ", index + 1)?,
            Kind::SideRoad { .. } | Kind::Fallback | Kind::NotServed => {}
            Kind::Malformed => return f.write_str("a malformed request"),
        }
        write!(f, "{} {}", self.method(), self.target())
    }
}

impl fmt::Debug for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedRequest")
            .field("request", &self.to_string())
            .field("headers", &Masked(self.headers()))
            .field("api_key", &self.api_key().map(masked))
            .field("body", &self.body().len())
            .field("connection", &self.connection())
            .field("answered_by", &self.answered_by())
            .field("outcome", &self.outcome())
            .field("bytes_written", &self.bytes_written())
            .finish_non_exhaustive()
    }
}

/// Headers with their credentials hidden.
struct Masked<'a>(&'a http::HeaderMap);

impl Masked<'_> {
    fn shown(&self, name: &http::HeaderName, value: &http::HeaderValue) -> String {
        const SECRET: [&str; 5] = [
            "authorization",
            "proxy-authorization",
            "x-api-key",
            "api-key",
            "cookie",
        ];
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        if SECRET.contains(&name.as_str()) {
            masked(&value)
        } else {
            value
        }
    }
}

impl fmt::Debug for Masked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |(name, value)| (name, self.shown(name, value));
        f.debug_map().entries(self.0.iter().map(shown)).finish()
    }
}

/// `sk-…last4`; keys too short to hide anything are hidden whole.
fn masked(key: &str) -> String {
    let characters: Vec<char> = key.chars().collect();
    match characters
        .len()
        .checked_sub(4)
        .and_then(|at| characters.get(at..))
    {
        Some(last) if characters.len() >= 12 => {
            format!("sk-…{}", last.iter().collect::<String>())
        }
        _ => "sk-…".to_owned(),
    }
}
