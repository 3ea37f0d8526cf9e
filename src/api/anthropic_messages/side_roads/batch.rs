//! What is scripted for batches, and one batch in the making: its requests in, a result for each out.

use std::sync::Arc;

use serde_json::Value;

use super::super::{body, era::Envelope};
use crate::{
    api::{Api, Context, Rule, side_roads::Members},
    json::{self, Spacing},
    request::{Kind, Received, RecordedRequest},
    script::{ApiError, Dice, Drift, Says, Turn},
    small_map::SmallMap,
};

/// What becomes of one request of a batch. A [`Turn`], a text and an [`ApiError`] are results too.
///
/// ```
/// use llm_wire_stub::{ApiError, BatchResult, WireStub};
///
/// let stub = WireStub::builder()
///     .batch_result("first", "Paris.")
///     .batch_result("second", ApiError::overloaded())
///     .batch_result("third", BatchResult::Expired)
///     .without_verify_on_drop()
///     .start();
/// # drop(stub);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every result is a turn, and a box would show in each of them"
)]
pub enum BatchResult {
    /// The message that this turn says; `errored`, if it is an error turn.
    Turn(Turn),
    /// Canceled before it was processed.
    Canceled,
    /// Not processed in the 24 hours that a batch has.
    Expired,
}

impl BatchResult {
    pub(crate) fn holds_user_code(&self) -> bool {
        match self {
            Self::Turn(turn) => turn.runs_user_code(),
            Self::Canceled | Self::Expired => false,
        }
    }
}

impl From<Turn> for BatchResult {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl From<&str> for BatchResult {
    #[track_caller]
    fn from(text: &str) -> Self {
        Self::Turn(text.into())
    }
}

impl From<String> for BatchResult {
    #[track_caller]
    fn from(text: String) -> Self {
        Self::Turn(text.into())
    }
}

impl From<ApiError> for BatchResult {
    #[track_caller]
    fn from(error: ApiError) -> Self {
        Self::Turn(error.into())
    }
}

impl BatchResult {
    /// Why it cannot be the result of a batch, as far as that is known before the batch.
    pub(crate) fn problem(&self) -> Option<String> {
        let Self::Turn(turn) = self else { return None };
        let untouched = turn.actions.is_empty() && turn.faults.is_empty();
        let untouched = untouched && turn.cut.is_none() && turn.pace.is_none();
        let (what, help) = match &turn.says {
            _ if !untouched => (
                "nothing happens to it on its way",
                "leave gates, delays, stalls, endings, faults, cut and pace out of this turn",
            ),
            Says::Error(error) if error.has_headers() => (
                "it has no headers",
                "leave `retry-after`, `x-should-retry` and other headers out of this error",
            ),
            Says::Message(message) if message.live.is_some() => (
                "nobody reads it while it is written",
                "script this turn instead of saying it live",
            ),
            Says::Recorded(_) => (
                "a recorded answer is none",
                "use the turn that `Script::from_wire(..)` makes of it",
            ),
            Says::Raw(_) => (
                "raw bytes are none",
                "use `Turn::new()` or `Turn::error(..)`",
            ),
            Says::Error(_) | Says::Message(_) => return None,
        };
        Some(format!(
            "a result of a batch is a line of a file: {what}\n  help: {help}"
        ))
    }
}

/// What is scripted for batches.
#[derive(Clone, Default)]
pub(crate) struct BatchScript {
    /// By custom id.
    pub(crate) results: SmallMap<String, BatchResult>,
    pub(crate) by: Option<Arc<ResultOf>>,
    /// So many times a batch is seen in progress before it has ended.
    pub(crate) polls: usize,
}

pub(crate) type ResultOf = dyn Fn(&str, &RecordedRequest) -> Option<BatchResult> + Send + Sync;

impl BatchScript {
    /// The result for this request, if one is scripted. Runs user code.
    fn result(&self, custom_id: &str, request: &RecordedRequest) -> Option<BatchResult> {
        let by_id = self.results.get(custom_id).cloned();
        by_id.or_else(|| self.by.as_ref()?(custom_id, request))
    }
}

/// How a request of a batch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Succeeded,
    Errored,
    Canceled,
    Expired,
}

/// A request of a batch and what will become of it.
pub(super) struct Entry {
    pub(super) custom_id: String,
    pub(super) fate: Fate,
    /// Whether its result is scripted; one that is not can be canceled.
    pub(super) scripted: bool,
    /// Its line of the results.
    pub(super) line: Vec<u8>,
}

impl Entry {
    /// Canceled, unless its result is scripted.
    pub(super) fn cancel(&mut self) {
        if !self.scripted {
            self.fate = Fate::Canceled;
            self.line = line(&self.custom_id, "canceled", None);
        }
    }
}

/// `{"custom_id":…,"result":{"type":…,…}}` and a line end.
fn line(custom_id: &str, kind: &str, more: Option<(&str, &[u8])>) -> Vec<u8> {
    let mut result = Members::new().text("type", kind);
    if let Some((name, json)) = more {
        result = result.raw(name, json);
    }
    let line = Members::new().text("custom_id", custom_id);
    let mut line = line.raw("result", &result.end()).end();
    line.push(b'\n');
    line
}

/// A batch whose results are known before it is created.
pub(crate) struct Draft {
    pub(super) seed: u64,
    pub(super) entries: Vec<Entry>,
    /// Rules that its requests broke, a text each.
    pub(crate) problems: Vec<String>,
}

/// Why a scripted result cannot be said, and where it is from.
pub(crate) enum Unsayable {
    /// It cannot be a line of a file.
    Unplayable(String, String),
    /// It does not fit its request.
    Drift(Drift, String),
}

/// What the requests of a batch are worked on with.
pub(crate) struct Drafting<'a> {
    pub(crate) script: &'a BatchScript,
    /// Says where a scripted result does not fit its request, if that matters.
    pub(crate) drift: &'a dyn Fn(&Turn, &RecordedRequest) -> Option<Drift>,
    /// Which rule of the service a request breaks, and its answer.
    pub(crate) broken: &'a dyn Fn(&RecordedRequest) -> Option<(&'static Rule, ApiError)>,
    /// What the batch depends on; each of its requests has a model and a seed of its own.
    pub(crate) context: Context,
}

impl Drafting<'_> {
    /// Works on the requests of this one, which has kept the rules. Runs user code.
    ///
    /// # Errors
    ///
    /// A scripted result that cannot be said.
    pub(crate) fn draft(&self, request: &RecordedRequest) -> Result<Draft, Unsayable> {
        let mut draft = Draft {
            seed: self.context.seed,
            entries: Vec::new(),
            problems: Vec::new(),
        };
        let requests = request.json().get("requests").and_then(Value::as_array);
        for (n, asked) in requests.into_iter().flatten().enumerate() {
            let custom_id = asked.get("custom_id").and_then(Value::as_str);
            let custom_id = custom_id.unwrap_or_default();
            let params = asked.get("params").unwrap_or(&Value::Null);
            let asked = as_call(request, n, params);
            let mut dice = Dice::branch(self.context.seed, u64::try_from(n).unwrap_or(u64::MAX));
            let seed = dice.next();
            let entry = self.entry(custom_id, &asked, seed, &mut draft.problems)?;
            draft.entries.push(entry);
        }
        Ok(draft)
    }

    fn entry(
        &self,
        custom_id: &str,
        asked: &RecordedRequest,
        seed: u64,
        problems: &mut Vec<String>,
    ) -> Result<Entry, Unsayable> {
        if let Some((rule, error)) = (self.broken)(asked) {
            let rule = rule.name;
            problems.push(format!(
                "{}\n  where: rule `{rule}`, the request `{custom_id}` of a batch\n  \
                 help: mend the request, or accept it with `.without_rule(\"{rule}\")`",
                error.message.as_deref().unwrap_or_default()
            ));
            return self.processed(custom_id, asked, seed, Some(error.into()));
        }
        let scripted = self.script.result(custom_id, asked);
        self.processed(custom_id, asked, seed, scripted)
    }

    /// The request with the result that is scripted for it, or the default one.
    fn processed(
        &self,
        custom_id: &str,
        asked: &RecordedRequest,
        seed: u64,
        scripted: Option<BatchResult>,
    ) -> Result<Entry, Unsayable> {
        let is_scripted = scripted.is_some();
        let result = scripted.unwrap_or_else(|| "ok".into());
        let (fate, line) = match &result {
            BatchResult::Canceled => (Fate::Canceled, line(custom_id, "canceled", None)),
            BatchResult::Expired => (Fate::Expired, line(custom_id, "expired", None)),
            BatchResult::Turn(turn) => {
                let place = || {
                    let built = &turn.built;
                    format!("the result of `{custom_id}` in a batch, built at {built}")
                };
                if let Some(why) = result.problem() {
                    return Err(Unsayable::Unplayable(why, place()));
                }
                let drift = is_scripted.then(|| (self.drift)(turn, asked));
                if let Some(drift) = drift.flatten() {
                    return Err(Unsayable::Drift(drift, place()));
                }
                let context = Context {
                    model: asked.model().to_owned(),
                    seed: turn.seed.unwrap_or(seed),
                    era: turn.era.unwrap_or(self.context.era),
                    ..self.context.clone()
                };
                match &turn.says {
                    Says::Error(error) => {
                        let (_, body) = Api::AnthropicMessages.error(error, &context);
                        let line = line(custom_id, "errored", Some(("error", &body)));
                        (Fate::Errored, line)
                    }
                    // the problem of bytes was told above
                    Says::Message(_) | Says::Raw(_) | Says::Recorded(_) => {
                        let unplayable = |why| Unsayable::Unplayable(why, place());
                        let turn = at_batch_tier(turn, &context);
                        let body = body(&turn, &context).map_err(unplayable)?;
                        let line = line(custom_id, "succeeded", Some(("message", &body)));
                        (Fate::Succeeded, line)
                    }
                }
            }
        };
        Ok(Entry {
            custom_id: custom_id.to_owned(),
            fate,
            scripted: is_scripted,
            line,
        })
    }
}

/// The turn as a batch says it: at the tier `batch`, unless it names another, or is from a time without tiers.
fn at_batch_tier(turn: &Turn, context: &Context) -> Turn {
    let mut turn = turn.clone();
    if Envelope::at(context.era).service_tier {
        let tier = &mut turn.extras().service_tier;
        *tier = tier.take().or_else(|| Some("batch".to_owned()));
    }
    turn
}

/// A request of a batch as the call of the model that it stands for.
fn as_call(batch: &RecordedRequest, index: usize, params: &Value) -> RecordedRequest {
    let api = Api::AnthropicMessages;
    let mut body = Vec::new();
    json::write_value(&mut body, params, Spacing::Compact);
    let (method, path) = api.route();
    RecordedRequest::new(Received {
        kind: Kind::ModelCall { api, index },
        method: method.to_owned().into(),
        target: path.to_owned(),
        headers: batch.raw_headers().clone(),
        sketch: api.sketch(&body).0,
        body: body.into(),
        connection: batch.connection(),
        arrived: batch.arrived(),
    })
}
