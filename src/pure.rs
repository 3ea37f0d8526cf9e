//! The helpers for unit tests: a turn in, bytes out. No server, no runtime.

use std::{fmt, sync::Arc};

use bytes::Bytes;

use crate::{
    api::{Api, Asked, Context, Form},
    plan::{self, Step, Steps, Unplayable},
    script::{ApiError, Cut, Dialect, Era, Origin, Reply, Says, Script, Turn, count},
};

/// The body of the streaming answer to `turn`, exactly as the stub would write it.
///
/// Gates, delays and pace are passed over; a stall, or a scripted ending, is the end of the bytes.
///
/// # Panics
///
/// At the caller's line, if the turn cannot be streamed; [`try_sse_body`] says so instead.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::{Api, Turn, sse_body};
///
/// let body = sse_body(Api::AnthropicMessages, &Turn::new().text("hi").plain());
/// let text = std::str::from_utf8(&body).unwrap();
/// assert!(text.ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
/// ```
#[must_use]
#[track_caller]
pub fn sse_body(api: Api, turn: &Turn) -> Bytes {
    match try_sse_body(api, turn) {
        Ok(body) => body,
        Err(error) => panic!("{error}"),
    }
}

/// As [`sse_body`].
///
/// # Errors
///
/// If the turn cannot be streamed: it is an error turn, the API cannot carry what it says, a place or a fault has no
/// target.
pub fn try_sse_body(api: Api, turn: &Turn) -> Result<Bytes, UnplayableError> {
    let mut body = Vec::new();
    for bytes in stream(api, turn, Cut::Whole)? {
        body.extend_from_slice(&bytes);
    }
    Ok(body.into())
}

/// The streaming answer to `turn`, in the pieces that a client would read under this cut. It goes before the
/// turn's own.
///
/// # Panics
///
/// At the caller's line, if the turn cannot be streamed; [`try_chunks`] says so instead.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::{Api, Cut, Turn, chunks, sse_body};
///
/// let turn = Turn::new().text("hi");
/// let pieces: Vec<_> = chunks(Api::AnthropicMessages, &turn, Cut::EveryByte).collect();
/// assert_eq!(pieces.concat(), sse_body(Api::AnthropicMessages, &turn));
/// ```
#[track_caller]
pub fn chunks(api: Api, turn: &Turn, cut: Cut) -> impl Iterator<Item = Bytes> + use<> {
    match try_chunks(api, turn, cut) {
        Ok(chunks) => chunks,
        Err(error) => panic!("{error}"),
    }
}

/// As [`chunks`].
///
/// # Errors
///
/// If the turn cannot be streamed: it is an error turn, the API cannot carry what it says, a place, a fault or a cut
/// has no target.
pub fn try_chunks(
    api: Api,
    turn: &Turn,
    cut: Cut,
) -> Result<impl Iterator<Item = Bytes> + use<>, UnplayableError> {
    stream(api, turn, cut)
}

/// The body of the non-streaming answer to `turn`.
///
/// # Panics
///
/// At the caller's line, if the turn has no such body; [`try_json_body`] says so instead.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::{Api, Turn, json_body};
///
/// let body = json_body(Api::AnthropicMessages, &Turn::new().text("hi"));
/// let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
/// assert_eq!(json["content"][0]["text"], "hi");
/// ```
#[must_use]
#[track_caller]
pub fn json_body(api: Api, turn: &Turn) -> Bytes {
    match try_json_body(api, turn) {
        Ok(body) => body,
        Err(error) => panic!("{error}"),
    }
}

/// As [`json_body`].
///
/// # Errors
///
/// If the turn has no such body: it is an error turn, the API cannot carry what it says, its arguments are no JSON
/// (where a body has them as a value), a place or a fault has no target.
pub fn try_json_body(api: Api, turn: &Turn) -> Result<Bytes, UnplayableError> {
    let mut body = Vec::new();
    for bytes in bodies(api, turn, Form::Json, Cut::Whole)? {
        body.extend_from_slice(&bytes);
    }
    Ok(body.into())
}

/// The body of an error answer.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::{Api, ApiError, error_body};
///
/// let body = error_body(Api::AnthropicMessages, &ApiError::overloaded());
/// let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
/// assert_eq!(json["error"]["type"], "overloaded_error");
/// ```
#[must_use]
pub fn error_body(api: Api, error: &ApiError) -> Bytes {
    let (_, body) = api.error(error, &Context::unasked(0, false));
    body.into()
}

impl Dialect {
    /// The body of an error answer in this dialect.
    ///
    /// ```
    /// use llm_wire_stub::{ApiError, Dialect};
    ///
    /// let body = Dialect::Mistral.error_body(&ApiError::authentication());
    /// assert_eq!(&body[..], b"{\"detail\":\"Invalid API Key\"}\n");
    /// ```
    #[must_use]
    pub fn error_body(self, error: &ApiError) -> Bytes {
        let context = Context {
            dialect: self,
            ..Context::unasked(0, false)
        };
        let (_, body) = Api::OpenAiChat.error(error, &context);
        body.into()
    }
}

/// What a stub gives with this script, before there is one.
impl Script {
    /// The body of the streaming answer that a stub gives with the turn at this index of the sequence (from 0), to a
    /// request that asks for nothing in particular: with the script's seed and era, and plain if it is. Of an error turn it is the
    /// error's body. Gates, delays and pace are passed over; a stall, or a scripted ending, is the end of the bytes.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Script, Turn, sse_body};
    ///
    /// let script = Script::new(["one", "two"]).plain();
    /// let body = script.try_sse_body(Api::AnthropicMessages, 0).unwrap();
    /// assert_eq!(body, sse_body(Api::AnthropicMessages, &Turn::new().text("one").plain()));
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such turn, or it cannot be streamed on this API, or it is live or raw.
    pub fn try_sse_body(&self, api: Api, index: usize) -> Result<Bytes, UnplayableError> {
        self.body(api, Form::Stream, index)
    }

    /// As [`try_sse_body`](Self::try_sse_body), of the answer that does not stream.
    ///
    /// # Errors
    ///
    /// If there is no such turn, or it has no such body on this API, or it is live or raw.
    pub fn try_json_body(&self, api: Api, index: usize) -> Result<Bytes, UnplayableError> {
        self.body(api, Form::Json, index)
    }

    /// Checks that every turn, also of a lane, can be streamed on this API.
    ///
    /// ```
    /// use llm_wire_stub::{After, Api, Script, Turn};
    ///
    /// let script = Script::new([Turn::new().text("two words").stall(After::deltas(1))]);
    /// assert!(script.check_streams(Api::OpenAiChat).is_ok());
    /// let errors = script.check_bodies(Api::OpenAiChat).unwrap_err();
    /// assert!(errors[0].to_string().contains("turn #1 on openai_chat"));
    /// ```
    ///
    /// # Errors
    ///
    /// Those that cannot, each with what is in the way.
    pub fn check_streams(&self, api: Api) -> Result<(), Vec<UnplayableError>> {
        self.check(api, Form::Stream)
    }

    /// As [`check_streams`](Self::check_streams), for answers that do not stream.
    ///
    /// # Errors
    ///
    /// Those that cannot, each with what is in the way.
    pub fn check_bodies(&self, api: Api) -> Result<(), Vec<UnplayableError>> {
        self.check(api, Form::Json)
    }

    fn body(&self, api: Api, form: Form, index: usize) -> Result<Bytes, UnplayableError> {
        let Some(turn) = self.turns.get(index) else {
            return Err(UnplayableError {
                message: format!(
                    "there is no turn #{}\n  where: {}\n  help: the sequence has {}",
                    index.saturating_add(1),
                    self.description(),
                    count(self.turns.len(), "turn"),
                ),
            });
        };
        if !matches!(turn.says, Says::Error(_)) {
            refuse_error(api, turn)?;
        }
        let mut body = Vec::new();
        for bytes in Bodies(self.steps(api, form, turn, &Origin::Sequence(index))?) {
            body.extend_from_slice(&bytes);
        }
        Ok(body.into())
    }

    fn check(&self, api: Api, form: Form) -> Result<(), Vec<UnplayableError>> {
        let turns = self.all_turns();
        let errors: Vec<_> = turns
            .filter_map(|(origin, turn)| self.steps(api, form, turn, &origin).err())
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    fn steps(
        &self,
        api: Api,
        form: Form,
        turn: &Arc<Turn>,
        origin: &Origin,
    ) -> Result<Steps, UnplayableError> {
        let context = Context::of_script(self, turn, origin);
        let cut = turn.cut.clone().unwrap_or(Cut::Whole);
        plan::plan(turn, api, form, &context, cut, None).map_err(|why| {
            let (api, built) = (api.name(), &turn.built);
            UnplayableError {
                message: why.located(&format!("{origin} on {api}, built at {built}")),
            }
        })
    }
}

impl Turn {
    /// What a client that loses nothing reads from this turn: adjacent text merged, ids and usage filled
    /// in. Equal to what [`accumulate`](crate::accumulate) makes of [`sse_body`]; of a turn with faults, if a client
    /// has to bear them.
    ///
    /// # Errors
    ///
    /// If there is no such reply: an error turn, what the API cannot carry, arguments that are no JSON.
    pub fn normalized(&self, api: Api) -> Result<Reply, UnplayableError> {
        refuse_error(api, self)?;
        let again = match &self.says {
            Says::Recorded(recording) => Some(plan::said_again(self, recording, api)),
            Says::Message(_) | Says::Error(_) | Says::Raw(_) => None,
        };
        let again = again.transpose();
        let again = again.map_err(|why| UnplayableError::new(api, self, &why))?;
        let said = again.as_ref().unwrap_or(self);
        let (said, context) = (plan::reworded(said), Context::of(said));
        let reply = plan::check_dialect(api, context.dialect)
            .and_then(|()| api.normalized(&said, &context).map_err(Unplayable));
        let mut reply = reply.map_err(|why| UnplayableError::new(api, self, &why))?;
        for fault in &self.faults {
            plan::expect(&mut reply, fault, api, context.dialect);
        }
        Ok(reply)
    }
}

/// An error turn is read with other helpers, and a live turn says nothing before it is played.
fn refuse_error(api: Api, turn: &Turn) -> Result<(), UnplayableError> {
    if turn.live().is_some() {
        let why = "a live turn says nothing before it is played\n  \
                   help: give it to a stub, or script its parts";
        return Err(UnplayableError::new(api, turn, &Unplayable(why.to_owned())));
    }
    match &turn.says {
        Says::Message(_) | Says::Recorded(_) => Ok(()),
        Says::Raw(_) => {
            let why = "raw bytes are no answer of the model\n  \
                       help: give the turn to a stub; what a client reads are these bytes";
            Err(UnplayableError::new(api, turn, &Unplayable(why.to_owned())))
        }
        Says::Error(_) => {
            let why = "an error turn is no answer of the model\n  \
                       help: `error_body(..)` gives what a client reads of it";
            Err(UnplayableError::new(api, turn, &Unplayable(why.to_owned())))
        }
    }
}

fn stream(api: Api, turn: &Turn, cut: Cut) -> Result<Bodies, UnplayableError> {
    bodies(api, turn, Form::Stream, cut)
}

fn bodies(api: Api, turn: &Turn, form: Form, cut: Cut) -> Result<Bodies, UnplayableError> {
    refuse_error(api, turn)?;
    let turn_shared = Arc::new(turn.clone());
    let steps = plan::plan(&turn_shared, api, form, &Context::of(turn), cut, None);
    let error = |why| UnplayableError::new(api, turn, &why);
    Ok(Bodies(steps.map_err(error)?))
}

/// The body bytes of a plan.
struct Bodies(Steps);

impl Iterator for Bodies {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        self.0.by_ref().find_map(|step| match step {
            Step::Body(bytes) => Some(bytes),
            Step::Head(..)
            | Step::Wait(_)
            | Step::Hold(_)
            | Step::Listen(_)
            | Step::Break(_)
            | Step::Beat(..)
            | Step::Raw(_)
            | Step::Stall
            | Step::Open(_)
            | Step::End(_) => None,
        })
    }
}

impl Context {
    /// Of an answer that nobody asked for.
    pub(crate) fn unasked(seed: u64, plain: bool) -> Self {
        Self {
            model: String::new(),
            key: String::new(),
            seed,
            plain,
            era: Era::today(),
            dialect: Dialect::OpenAi,
            asked: Asked::default(),
        }
    }

    /// Of a turn of this script, before it is known what is asked.
    pub(crate) fn of_script(script: &Script, turn: &Turn, origin: &Origin) -> Self {
        let seed = turn.seed;
        let seed = seed.unwrap_or_else(|| origin.seed(script.effective_seed()));
        Self {
            era: turn.era.or(script.era).unwrap_or_default(),
            dialect: turn.dialect.unwrap_or_default(),
            ..Self::unasked(seed, turn.is_plain() || script.is_plain())
        }
    }

    pub(crate) fn of(turn: &Turn) -> Self {
        Self {
            era: turn.era.unwrap_or_default(),
            dialect: turn.dialect.unwrap_or_default(),
            ..Self::unasked(turn.seed.unwrap_or(0), turn.is_plain())
        }
    }
}

/// A turn that cannot be played as scripted: what is in the way, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnplayableError {
    message: String,
}

impl UnplayableError {
    fn new(api: Api, turn: &Turn, why: &Unplayable) -> Self {
        Self {
            message: why.located(&format!("{}, turn built at {}", api.name(), turn.built)),
        }
    }
}

impl fmt::Display for UnplayableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnplayableError {}
