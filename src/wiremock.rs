//! The bridge to wiremock: any of its matchers selects turns, a turn answers in its mock servers, and one of
//! those answers what is for no model API.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;
use wiremock::{Match, MockServer, Request, Respond, ResponseTemplate};

use crate::{
    api::{Api, Context, Form},
    plan::{self, Step, Unplayable, action_name},
    request::{IntoMatcher, Matcher, RecordedRequest},
    script::{ApiError, Cut, Origin, Says, Turn},
    server::{Fallback, WHY_HEADER},
};

/// Evaluated on a [`wiremock::Request`] made from ours, off the stub's own threads.
impl<M: Match + Send + Sync + 'static> IntoMatcher for M {
    fn into_matcher(self) -> Matcher {
        Matcher::foreign(move |request| match as_wiremock(request) {
            Some(theirs) if self.matches(&theirs) => Ok(()),
            Some(_) => Err("has a wiremock matcher that did not match".to_owned()),
            None => {
                Err("has a wiremock matcher that cannot be asked: the target is no URL".to_owned())
            }
        })
    }
}

fn as_wiremock(request: &RecordedRequest) -> Option<Request> {
    let url = format!("http://localhost{}", request.target());
    Some(Request {
        url: url::Url::parse(&url).ok()?,
        method: request.method().parse().ok()?,
        headers: request.headers().clone(),
        body: request.body().to_vec(),
    })
}

impl From<&MockServer> for Fallback {
    fn from(server: &MockServer) -> Self {
        (*server.address()).into()
    }
}

impl Turn {
    /// Answers with this turn in somebody's own [`MockServer`]: as a stream if the request asks for one,
    /// else with one body; an error turn with its status and headers.
    ///
    /// Status, headers and body are those of a stub that plays this turn again and again: the ids of each
    /// answer are its own (or all the same, with [`Turn::seed`]). wiremock sends whole bodies only, names
    /// headers in lower case, and neither the provider's rules nor script drift are looked at; a 401 that shows a part of
    /// the key shows one of a made-up key.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{Api, Turn};
    /// use wiremock::{Mock, MockServer, matchers::{method, path}};
    ///
    /// let mocks = MockServer::start().await;
    /// Mock::given(method("POST"))
    ///     .and(path("/v1/messages"))
    ///     .respond_with(Turn::new().text("Hi there!").responder(Api::AnthropicMessages))
    ///     .mount(&mocks)
    ///     .await;
    ///
    /// # let call = |url: String| reqwest::Client::new().post(url + "/v1/messages").body("{}").send();
    /// let answer = call(mocks.uri()).await.unwrap(); // your client
    /// assert!(answer.text().await.unwrap().contains("Hi there!"));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, for a turn that is more than bytes: with gates, delays, stalls, endings,
    /// faults, a cut or a pace, or a live one; and for one that cannot be streamed on this API.
    #[must_use]
    #[track_caller]
    pub fn responder(self, api: Api) -> impl Respond + use<> {
        if let Some(what) = not_just_bytes(&self) {
            panic!(
                "{what} is not possible: wiremock answers with whole bodies only\n  \
                 help: give the turn to a `WireStub`; its `.fallback(&mock_server)` keeps your mocks"
            );
        }
        let responder = Responder {
            turn: Arc::new(self),
            api,
            answered: AtomicUsize::new(0),
        };
        // a function of the user's runs when it is played
        if !responder.turn.runs_user_code() {
            if let Err(why) = responder.answer(Form::Stream, &Value::Null, &[], 0) {
                panic!("{}", responder.located(&why));
            }
        }
        responder
    }
}

/// What of a turn is more than the bytes of its answer.
fn not_just_bytes(turn: &Turn) -> Option<String> {
    if turn.live().is_some() {
        return Some("a live turn".to_owned());
    }
    if turn.cut.as_ref().is_some_and(|cut| *cut != Cut::Whole) {
        return Some("a cut".to_owned());
    }
    if turn.pace.is_some() {
        return Some("a pace".to_owned());
    }
    match &turn.says {
        Says::Raw(_) => return Some("raw bytes".to_owned()),
        Says::Recorded(_) => return Some("a recorded answer".to_owned()),
        Says::Message(_) | Says::Error(_) => {}
    }
    let action = turn.actions.first();
    let action = action.map(|(after, action)| format!("{} {after}", action_name(action)));
    let fault = || Some(format!("fault `{}`", turn.faults.first()?));
    action.or_else(fault)
}

/// A turn in somebody's mock server.
struct Responder {
    turn: Arc<Turn>,
    api: Api,
    answered: AtomicUsize,
}

impl Responder {
    /// The answer for the nth request, from 0, which has this body.
    fn answer(
        &self,
        form: Form,
        body: &Value,
        sent: &[u8],
        n: usize,
    ) -> Result<ResponseTemplate, Unplayable> {
        // that of a stub's last turn, repeated
        let seed = self.turn.seed;
        let seed = seed.unwrap_or_else(|| Origin::Sequence(n).seed(0));
        let mut context = Context {
            model: body
                .get("model")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            era: self.turn.era.unwrap_or_default(),
            dialect: self.turn.dialect.unwrap_or_default(),
            ..Context::unasked(seed, self.turn.is_plain())
        };
        self.api.ask(body, sent, &mut context);
        let steps = plan::plan(&self.turn, self.api, form, &context, Cut::Whole, None)?;
        let mut template = ResponseTemplate::new(200);
        let mut whole = Vec::new();
        for step in steps {
            match step {
                Step::Head(head, _) => {
                    template = ResponseTemplate::new(head.status);
                    for (name, value) in &head.headers {
                        template = template.append_header(&**name, &**value);
                    }
                }
                Step::Body(bytes) => whole.extend_from_slice(&bytes),
                Step::Wait(_)
                | Step::Beat(..)
                | Step::Hold(_)
                | Step::Listen(_)
                | Step::Break(_)
                | Step::Stall
                | Step::Raw(_)
                | Step::Open(_)
                | Step::End(_) => {}
            }
        }
        Ok(template.set_body_bytes(whole))
    }

    fn located(&self, why: &Unplayable) -> String {
        let (api, built) = (self.api.name(), &self.turn.built);
        why.located(&format!("{api}, turn built at {built}"))
    }
}

impl Respond for Responder {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let n = self.answered.fetch_add(1, Ordering::Relaxed);
        let (asked, body) = self.api.sketch(&request.body);
        let form = if asked.stream {
            Form::Stream
        } else {
            Form::Json
        };
        let unplayable = |why| {
            // as the stub refuses it
            let message = self.located(&why);
            let error = ApiError::status(422).message(message).should_not_retry();
            let error = Turn::error(error.header(WHY_HEADER, "unplayable"));
            let answer = Self {
                turn: Arc::new(error),
                api: self.api,
                answered: AtomicUsize::new(0),
            };
            answer
                .answer(form, &Value::Null, &[], n)
                .unwrap_or_else(|_| ResponseTemplate::new(422))
        };
        self.answer(form, &body, &request.body, n)
            .unwrap_or_else(unplayable)
    }
}
