//! The responses that a stub has given: kept for whoever asks for one again, or goes on from one.
//!
//! | asked | answer | known from |
//! | --- | --- | --- |
//! | `GET /v1/responses/{id}` | the body of its answer when it was not streamed | the documentation |
//! | of one that is not kept | 404; its words are those for `previous_response_id` | public reports of the likes |
//! | `GET /v1/responses/{id}/input_items` | the items before its output, newest first: `order`, `after`, `limit` | the official SDKs' types |
//! | `DELETE /v1/responses/{id}` | that it is gone | the documentation |
//!
//! A response is kept once its answer is complete: not one that broke off, that the client left, or whose request says
//! `store: false`. What stands in it is made when somebody asks.
//!
//! None is dropped to save memory: the service keeps them for weeks, and each has one request, which it shares with the
//! journal. A stub thus grows by what its journal does, until a reset; only a journal that is cleared leaves the requests
//! of kept responses behind.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{input_items, road::OpenAiRoad};
use crate::{
    api::{
        Api, Context, Said,
        openai_responses::{Earlier, Previous, is_of_call, response_id},
        side_roads::{Members, Query},
    },
    json::{indented, to_ascii},
    request::{Outcome, RecordedRequest},
    script::{ApiError, Says, Turn},
};

/// The responses of a stub, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Responses(Vec<Arc<Kept>>);

/// One response, as what it is made from.
#[derive(Debug)]
pub(crate) struct Kept {
    id: String,
    request: RecordedRequest,
    turn: Arc<Turn>,
    context: Context,
    /// Its body, and the items of its output.
    made: OnceLock<Option<(Vec<u8>, Vec<Value>)>>,
    /// What a long conversation is asked for at each of its requests.
    calls: OnceLock<Option<Vec<Value>>>,
}

impl Kept {
    /// The response that this turn is to this request, if it is one to keep.
    pub(crate) fn new(
        request: &RecordedRequest,
        body: &Value,
        turn: &Arc<Turn>,
        context: &Context,
    ) -> Option<Self> {
        let says_so = matches!(turn.says, Says::Message(_));
        (says_so && body.get("store") != Some(&Value::Bool(false))).then(|| Self {
            id: response_id(turn, context),
            request: request.clone(),
            turn: Arc::clone(turn),
            context: context.clone(),
            made: OnceLock::new(),
            calls: OnceLock::new(),
        })
    }

    fn made(&self) -> Option<&(Vec<u8>, Vec<Value>)> {
        let make = || {
            if self.turn.live().is_some() {
                return None;
            }
            let body = Api::OpenAiResponses.body(&self.turn, &self.context).ok()?;
            let response: Value = serde_json::from_slice(&body).ok()?;
            let output = response.get("output").and_then(Value::as_array).cloned();
            Some((body, output.unwrap_or_default()))
        };
        self.made.get_or_init(make).as_ref()
    }

    fn previous(&self) -> Option<&str> {
        self.request.json().get("previous_response_id")?.as_str()
    }

    /// The calls and their outputs that it has, in its input and its output.
    fn calls(&self) -> Option<&Vec<Value>> {
        let find = || {
            let (_, output) = self.made()?;
            let input = self.request.json().get("input").and_then(Value::as_array);
            let items = input.into_iter().flatten().chain(output);
            Some(items.filter(|item| is_of_call(item)).cloned().collect())
        };
        self.calls.get_or_init(find).as_ref()
    }

    /// The items of the input, each with an id.
    fn input(&self) -> Vec<Value> {
        input_items::of(self.request.json(), &self.id, self.context.seed)
    }
}

/// Why what was said is not known any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotKnown {
    /// The test wrote it while it was read.
    Live,
    /// A response that this one goes on from is kept no more.
    Deleted,
}

/// A response and those that it goes on from, the newest first; nothing if it is not kept.
pub(crate) struct Line(Vec<Arc<Kept>>);

impl Responses {
    pub(crate) fn keep(&mut self, kept: Kept) {
        self.0.push(Arc::new(kept));
    }

    /// The response with this id, and those before it.
    pub(crate) fn line(&self, id: &str) -> Line {
        let mut line: Vec<Arc<Kept>> = Vec::new();
        let mut wanted = Some(id);
        // each one goes on from one that was there before
        for kept in self.0.iter().rev() {
            if Some(kept.id.as_str()) == wanted && kept.request.outcome() == Outcome::Complete {
                wanted = kept.previous();
                line.push(Arc::clone(kept));
            }
        }
        Line(line)
    }

    /// Responses that items with these ids are of: an answer's ids have their first digits in common.
    fn of_items<'a>(&'a self, ids: &'a [&str]) -> impl Iterator<Item = &'a Arc<Kept>> {
        let digits = |id: &'a str| id.split_once('_')?.1.get(..16);
        self.0.iter().filter(move |kept| {
            let own = digits(&kept.id);
            own.is_some() && ids.iter().any(|id| digits(id) == own)
        })
    }

    /// The line that is asked for on this road. A deletion takes its newest response out at once, so that of several
    /// only one finds it.
    pub(crate) fn asked(&mut self, road: OpenAiRoad, id: &str) -> Line {
        let line = self.line(id);
        if let (OpenAiRoad::DeleteResponse, Some(gone)) = (road, line.0.first()) {
            self.0.retain(|kept| !Arc::ptr_eq(kept, gone));
        }
        line
    }

    /// What has to be looked at to know what came before a request with this body.
    pub(crate) fn before(&self, body: &Value) -> Before {
        let previous = body.get("previous_response_id").and_then(Value::as_str);
        let items = body.get("input").and_then(Value::as_array);
        let ids = items.into_iter().flatten();
        let ids: Vec<&str> = ids.filter_map(|item| item.get("id")?.as_str()).collect();
        Before {
            previous: previous.map(|id| self.line(id)),
            led_to: self.of_items(&ids).cloned().collect(),
        }
    }
}

/// Responses that a request may speak of.
pub(crate) struct Before {
    previous: Option<Line>,
    led_to: Vec<Arc<Kept>>,
}

impl Before {
    /// Whether this is nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.previous.is_none() && self.led_to.is_empty()
    }

    /// What is known of them.
    pub(crate) fn earlier(&self) -> Earlier {
        let outputs = self.led_to.iter().filter_map(|kept| Some(&kept.made()?.1));
        Earlier {
            previous: match &self.previous {
                None => Previous::Unknown,
                Some(line) if line.0.is_empty() => Previous::NotKept,
                Some(line) => line
                    .calls()
                    .map_or_else(|_| Previous::Unknown, Previous::Kept),
            },
            reasoned: outputs.flat_map(|output| reasoned(output)).collect(),
            ..Earlier::default()
        }
    }
}

/// The items of an output that came right behind reasoning.
fn reasoned(output: &[Value]) -> Vec<(String, String)> {
    let word = |item: &Value, name: &str| {
        let word = item.get(name).and_then(Value::as_str);
        word.unwrap_or_default().to_owned()
    };
    let pairs = output.iter().zip(output.iter().skip(1));
    let pairs = pairs.filter(|(reason, led_to)| {
        word(reason, "type") == "reasoning" && word(led_to, "type") != "reasoning"
    });
    let pairs = pairs.map(|(reason, led_to)| (word(led_to, "id"), word(reason, "id")));
    pairs.collect()
}

impl Line {
    fn check_whole(&self) -> Result<(), NotKnown> {
        match self.0.last().and_then(|kept| kept.previous()) {
            Some(_) => Err(NotKnown::Deleted),
            None => Ok(()),
        }
    }

    /// The calls and their outputs up to the output of the newest, in order.
    fn calls(&self) -> Result<Vec<Value>, NotKnown> {
        self.check_whole()?;
        let mut items = Vec::new();
        for kept in self.0.iter().rev() {
            items.extend_from_slice(kept.calls().ok_or(NotKnown::Live)?);
        }
        Ok(items)
    }

    /// All items before the output of the newest.
    fn before(&self) -> Result<Vec<Value>, NotKnown> {
        self.check_whole()?;
        let mut items = Vec::new();
        for (n, kept) in self.0.iter().enumerate().rev() {
            items.extend(kept.input());
            if n > 0 {
                items.extend_from_slice(&kept.made().ok_or(NotKnown::Live)?.1);
            }
        }
        Ok(items)
    }

    /// What is answered to this request.
    pub(crate) fn answer(
        &self,
        road: OpenAiRoad,
        request: &RecordedRequest,
    ) -> Result<Said, NotKnown> {
        const BY: &str = "responses";
        let Some(kept) = self.0.first() else {
            let text = format!("Response with id '{}' not found.", road.id(request));
            return Ok(Said::error(
                BY,
                ApiError::status(404).message(text).error_code(""),
            ));
        };
        if road == OpenAiRoad::DeleteResponse {
            let gone = Members::new()
                .text("id", &kept.id)
                .text("object", "response")
                .raw("deleted", b"true");
            return Ok(Said::json(BY, printed(&gone.end())));
        }
        if road == OpenAiRoad::ListInputItems {
            let page = input_items::page(self.before()?, &Query::new(request.query()));
            return Ok(match page {
                Ok(page) => Said::json(BY, printed(&page)),
                Err(error) => Said::error(BY, error),
            });
        }
        let (body, _) = kept.made().ok_or(NotKnown::Live)?;
        Ok(Said::json(BY, body.clone()))
    }
}

/// As the bodies of this API are printed.
fn printed(compact: &[u8]) -> Vec<u8> {
    to_ascii(indented(compact, 2))
}
