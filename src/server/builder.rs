//! Building a stub.

use std::{fmt, net::SocketAddr, panic::Location, time::Duration};

use super::{
    clock::{Clock, Time},
    control::Control,
    fallback::Fallback,
    listener::LOOPBACK,
    shared::{Config, Rules, ScriptDrift, UnnamedRules},
    stub::WireStub,
    wait::PATIENCE,
};
use crate::{
    api::{Api, ByDefault, Form, SideScript, openai},
    plan,
    request::{IntoMatcher, RecordedRequest},
    script::{ApiError, Built, Cut, Dialect, Era, Pace, Script, StopReason, Turn, nearest},
    small_map::SmallMap,
};

/// A request body may be this long by default: what Anthropic allows.
const BODY_LIMIT: usize = 32 * 1024 * 1024;

/// Says what a stub answers, then starts it. Made by [`WireStub::builder`].
///
/// Which turn answers a call: the provider's own rules come first, then an error for this call's index, a
/// lane, the closure, the sequence. When nothing is left the call is answered 422, which no client
/// retries, and [`verify`](WireStub::verify) fails; so it is with a turn that cannot be played as scripted,
/// which is used up by the call that it was for.
#[must_use = "nothing is served until `start` is called"]
pub struct WireStubBuilder {
    pub(super) config: Config,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerifyOnDrop {
    Yes,
    No,
}

impl WireStubBuilder {
    pub(super) fn new(built: &'static Location<'static>) -> Self {
        Self {
            config: Config {
                script: Script::empty(Built::InCode(built)),
                gates: SmallMap::new(),
                api: None,
                dialect: None,
                routes: SmallMap::new(),
                cut: Cut::PerEvent,
                pace: None,
                body_limit: BODY_LIMIT,
                patience: PATIENCE,
                rules: Rules::new(UnnamedRules::Default),
                drift: ScriptDrift::Refused,
                fallback: None,
                clock: Clock::system(),
                side_roads: SideScript::default(),
                verify_on_drop: VerifyOnDrop::Yes,
                control: Control::Off,
                address: LOOPBACK,
            },
        }
    }

    /// Adds a turn to the sequence, which answers in order of arrival.
    #[track_caller]
    pub fn turn(mut self, turn: impl Into<Turn>) -> Self {
        self.config.script = self.config.script.turn(turn);
        self
    }

    /// Adds turns to the sequence.
    #[track_caller]
    pub fn turns<T: Into<Turn>>(mut self, turns: impl IntoIterator<Item = T>) -> Self {
        for turn in turns {
            self = self.turn(turn);
        }
        self
    }

    /// Says what a script says too, as if its methods had been called here: its turns come behind those of the
    /// sequence, its lanes beside the others; of two seeds or eras the later one holds.
    ///
    /// ```
    /// use llm_wire_stub::{Script, WireStub};
    ///
    /// let builder = WireStub::builder().script(Script::new(["Hello!", "Bye!"]));
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if both have a lane of the same name, an error or a stop reason for the same call, or a
    /// closure.
    #[track_caller]
    pub fn script(self, script: Script) -> Self {
        match self.try_script(script) {
            Ok(builder) => builder,
            Err(error) => panic!("{error}"),
        }
    }

    /// As [`script`](Self::script).
    ///
    /// # Errors
    ///
    /// If both have a lane of the same name, an error or a stop reason for the same call, or a closure.
    pub fn try_script(mut self, script: Script) -> Result<Self, StartError> {
        let scripts = self.config.script.and(script);
        self.config.script = scripts.map_err(|message| StartError { message })?;
        Ok(self)
    }

    /// Adds a lane: a matcher with a sequence of its own, which no other call ever uses up. A request that
    /// two lanes claim is refused.
    ///
    /// ```
    /// use llm_wire_stub::{WireStub, matchers};
    ///
    /// let builder = WireStub::builder()
    ///     .lane("judge", matchers::model("judge-1"), ["first is better"])
    ///     .lane("long talks", matchers::by(|request| request.messages().len() > 3), ["enough"]);
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a lane of this name already.
    #[track_caller]
    pub fn lane<T: Into<Turn>>(
        mut self,
        name: impl Into<String>,
        matcher: impl IntoMatcher,
        turns: impl IntoIterator<Item = T>,
    ) -> Self {
        self.config.script = self.config.script.lane(name, matcher, turns);
        self
    }

    /// Answers by content what no lane claims: the request and its index in, the turn out; `None` passes
    /// the call on to the sequence.
    ///
    /// It runs off the stub's own threads and outside its locks. A panic in it fails the call and the test
    /// with its own message.
    ///
    /// ```
    /// use llm_wire_stub::{ApiError, Turn, WireStub};
    ///
    /// let builder = WireStub::builder().answer(|request, index| match index {
    ///     0 => Some(Turn::error(ApiError::overloaded())),
    ///     _ if request.last_user_text().contains("Summarize") => Some("They met.".into()),
    ///     _ => None,
    /// });
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a closure already.
    #[track_caller]
    pub fn answer(
        mut self,
        answer: impl Fn(&RecordedRequest, usize) -> Option<Turn> + Send + Sync + 'static,
    ) -> Self {
        self.config.script = self.config.script.answer(answer);
        self
    }

    /// Answers the call with this index (from 0) with an error, without using up a turn. If that call never
    /// comes, [`verify`](WireStub::verify) fails.
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is an error for this index already.
    #[track_caller]
    pub fn error_at(mut self, index: usize, error: ApiError) -> Self {
        self.config.script = self.config.script.error_at(index, error);
        self
    }

    /// Lets the call with this index (from 0) stop for this reason, whatever its turn says; an error for it
    /// goes before. If that call never comes, [`verify`](WireStub::verify) fails.
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a stop reason for this index already.
    #[track_caller]
    pub fn stop_reason_at(mut self, index: usize, reason: impl Into<StopReason>) -> Self {
        self.config.script = self.config.script.stop_reason_at(index, reason);
        self
    }

    /// Plays the last turn of a sequence, or of a lane, again and again instead of running out.
    pub fn repeat_last(mut self) -> Self {
        self.config.script = self.config.script.repeat_last();
        self
    }

    /// Makes ids, padding and fragment sizes from this seed; 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.script = self.config.script.seed(seed);
        self
    }

    /// Leaves out padding, pings and the other noise of the service, for readable snapshots.
    pub fn plain(mut self) -> Self {
        self.config.script = self.config.script.plain();
        self
    }

    /// Writes all answers as the service wrote them at that time; a turn's own [`era`](Turn::era) goes before.
    pub fn era(mut self, era: Era) -> Self {
        self.config.script = self.config.script.era(era);
        self
    }

    /// Writes all answers of OpenAI Chat in this vendor's form, and refuses requests by its rules; a turn's own
    /// [`dialect`](Turn::dialect) goes before. Without it the path of a request decides: one of another vendor's is
    /// served if a scripted turn names a dialect or [`dialect_url`](crate::StubHandle::dialect_url) was asked for one, and
    /// answered 404 otherwise, since a base URL without `/v1` looks the same. What a closure returns is not known before.
    ///
    /// ```
    /// use llm_wire_stub::{Dialect, WireStub};
    ///
    /// let builder = WireStub::builder().turn("Hello!").dialect(Dialect::Mistral);
    /// # let _ = builder;
    /// ```
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.config.dialect = Some(dialect);
        self
    }

    /// Splits the bodies of all answers to calls of a model into writes in this way; a turn's own
    /// [`cut`](Turn::cut) goes before. An answer that lacks the places which a cut names is unplayable, but for
    /// errors, which are split where they have them.
    ///
    /// ```
    /// use llm_wire_stub::{Cut, WireStub};
    ///
    /// for cut in [Cut::EveryByte, Cut::InsideCharacters, Cut::Random { seed: 7 }] {
    ///     let stub = WireStub::builder().turn("こんにちは").cut(cut.clone()).without_verify_on_drop().start();
    ///     // your client reads the same text, whatever the `cut`; a failure names it with `{cut:?}`
    /// #   drop(stub);
    /// }
    /// ```
    pub fn cut(mut self, cut: Cut) -> Self {
        self.config.cut = cut;
        self
    }

    /// Lets the events of all turns leave at this pace; a turn's own [`pace`](Turn::pace) goes before.
    ///
    /// ```
    /// use llm_wire_stub::{Pace, WireStub};
    ///
    /// let builder = WireStub::builder().turn("Hello there!").pace(Pace::tokens_per_second(100));
    /// # let _ = builder;
    /// ```
    pub fn pace(mut self, pace: Pace) -> Self {
        self.config.pace = Some(pace);
        self
    }

    /// Serves this API only (with its [`route`](Self::route)s), and checks when it starts that every turn can be streamed on it.
    pub fn api(mut self, api: Api) -> Self {
        self.config.api = Some(api);
        self
    }

    /// Serves the model calls of this API at another path too, for a client whose base URL is an odd one:
    /// `POST` on it is the API's call of the model.
    ///
    /// ```
    /// use llm_wire_stub::{Api, WireStub};
    ///
    /// let builder = WireStub::builder().route("/gateway/chat", Api::OpenAiChat);
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if this is no path, or one that is served already.
    #[track_caller]
    pub fn route(mut self, path: impl Into<String>, api: Api) -> Self {
        let path = path.into();
        assert!(
            path.starts_with('/') && !path.contains(['?', '#', ' ']),
            "a route is a path, as it stands in a request\n  found: `{}`\n  \
             help: begin it with `/`, and leave out host and query",
            path.escape_debug()
        );
        let known = Api::ALL.into_iter().find(|known| known.knows_path(&path));
        let known = known.or_else(|| self.config.routes.get(&path).copied());
        if let Some(known) = known {
            panic!(
                "`{path}` is served already, as {}\n  help: leave the route out, or choose another path",
                known.name()
            );
        }
        self.config.routes.insert(path, api);
        self
    }

    /// Accepts requests that break the provider's rule of this name; the header `x-llm-wire-stub` of a
    /// refusal has the name. Of several broken rules the one whose place comes first answers: headers, then
    /// the fields of the body, then the messages one after the other, then what only the whole request
    /// breaks. What needs a tokenizer, a table of models or an account is no rule; an [`ApiError`] says it.
    ///
    /// The rules of Anthropic Messages. Off are one that held until 2024 and those whose exact text is not
    /// settled; [`with_rule`](Self::with_rule) applies them.
    ///
    #[doc = include_str!("../api/anthropic_messages/rules/rules.md")]
    ///
    /// The rules of OpenAI Chat Completions. A name that several APIs have switches all of them.
    ///
    #[doc = include_str!("../api/openai_chat/rules/rules.md")]
    ///
    /// The rules of OpenAI Responses.
    ///
    #[doc = include_str!("../api/openai_responses/rules/rules.md")]
    ///
    /// The rules of OpenAI's text completions.
    ///
    #[doc = include_str!("../api/openai_completions/rules/rules.md")]
    ///
    /// The rules of OpenAI's side roads.
    ///
    #[doc = include_str!("../api/openai/side_roads/rules.md")]
    ///
    /// # Panics
    ///
    /// At the caller's line, if no API has such a rule.
    #[track_caller]
    pub fn without_rule(self, name: &str) -> Self {
        self.rule(name, ByDefault::Off)
    }

    /// Applies the provider's rule of this name, also one that is off by default because it held once and does
    /// not today (`roles-alternate`), and on every [`Dialect`], also one whose service is not known to have it.
    ///
    /// ```
    /// use llm_wire_stub::WireStub;
    ///
    /// let builder = WireStub::builder().with_rule("roles-alternate");
    /// # let _ = builder;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if no API has such a rule.
    #[track_caller]
    pub fn with_rule(self, name: &str) -> Self {
        self.rule(name, ByDefault::On)
    }

    /// Accepts requests whatever rule of the provider they break, but for those that a later
    /// [`with_rule`](Self::with_rule) names.
    pub fn without_rules(mut self) -> Self {
        self.config.rules = Rules::new(UnnamedRules::None);
        self
    }

    #[track_caller]
    fn rule(mut self, name: &str, state: ByDefault) -> Self {
        let known = || {
            let of_apis = Api::ALL.into_iter().flat_map(Api::rules);
            of_apis.chain(openai::side_roads::rules())
        };
        let Some(rule) = known().find(|rule| rule.name == name) else {
            // a rule of one name holds on every API that has it
            let mut names: Vec<&str> = Vec::new();
            for rule in known() {
                if !names.contains(&rule.name) {
                    names.push(rule.name);
                }
            }
            let nearest = nearest(name, &names).map(|near| format!(", nearest to `{near}`"));
            panic!(
                "there is no rule `{name}`{}\n  expected: one of `{}`\n  \
                 help: the header `x-llm-wire-stub` of a refusal names its rule",
                nearest.unwrap_or_default(),
                names.join("`, `")
            )
        };
        self.config.rules.named.insert(rule.name, state);
        self
    }

    /// Plays turns that do not fit their request: calls of tools that the request does not offer (none is
    /// offered under `tool_choice: none`), tools that the provider runs where the request offers none of those,
    /// and texts that do not fit the JSON schema that it asks for. By default such a call is answered 422 and [`verify`](WireStub::verify) fails, since the script no longer
    /// fits the client; [`Turn::allow_script_drift`] allows it for one turn.
    ///
    /// Of a schema `required`, `type` and `enum` are checked, at every depth; a text is checked unless it
    /// was cut short, refused, stands beside a tool call or before a tool of the service's. What the request
    /// does not show is not checked: the tools of a conversation that the service holds, of toolsets, and those
    /// that change on the way. Nor is which of the provider's tools runs, once one is offered, since one may run
    /// another; nor thinking that was not asked for, nor citations without documents.
    pub fn allow_script_drift(mut self) -> Self {
        self.config.drift = ScriptDrift::Allowed;
        self
    }

    /// Relays every request whose path is no model API's to another server of this machine, and its answer
    /// as it comes, so that one base URL is enough: a `&wiremock::MockServer`, or the
    /// [`SocketAddr`] of any server.
    ///
    /// It gets the request with `connection: close`, and its body with a length; a `CORS` preflight too.
    /// [`journal`](crate::StubHandle::journal) shows the request,
    /// [`requests`](crate::StubHandle::requests) does not. Without an answer from there the client gets a
    /// loud 502, and [`verify`](WireStub::verify) fails. A client that leaves first is `Cancelled` in the journal;
    /// `wait_for_cancel` is about model calls.
    ///
    #[cfg_attr(feature = "wiremock", doc = "```")]
    #[cfg_attr(not(feature = "wiremock"), doc = "```ignore")]
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::WireStub;
    /// use wiremock::{Mock, MockServer, ResponseTemplate, matchers::path};
    ///
    /// let mocks = MockServer::start().await;
    /// let logs = Mock::given(path("/v1/logs")).respond_with(ResponseTemplate::new(204));
    /// logs.mount(&mocks).await;
    /// let stub = WireStub::builder().fallback(&mocks).start();
    ///
    /// let told = reqwest::Client::new().post(stub.url() + "/v1/logs").send().await.unwrap();
    /// assert_eq!(told.status(), 204);
    /// assert_eq!(stub.journal()[0].answered_by(), "the fallback");
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a fallback already.
    #[track_caller]
    pub fn fallback(mut self, server: impl Into<Fallback>) -> Self {
        let before = self.config.fallback.replace(server.into());
        assert!(
            before.is_none(),
            "there are two fallbacks\n  help: give one server both kinds of mocks"
        );
        self
    }

    /// Answers a request with a longer body with 413; 32 MiB by default.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.config.body_limit = bytes;
        self
    }

    /// Listens at this address instead of on a free port of 127.0.0.1; port 0 is any that is free. Elsewhere than on the
    /// loopback interface whoever reaches it can call it.
    ///
    /// ```
    /// use llm_wire_stub::WireStub;
    ///
    /// let stub = WireStub::builder().bind(([127, 0, 0, 1], 0)).start();
    /// assert!(stub.url().starts_with("http://127.0.0.1:"));
    /// ```
    pub fn bind(mut self, address: impl Into<SocketAddr>) -> Self {
        self.config.address = address.into();
        self
    }

    /// Serves the control API under `/__stub__/` too, so that a test in another language asserts as one in Rust does. It
    /// needs no key, its requests are in no journal and count nowhere, and they are answered under a hold.
    ///
    /// | request | is as | answer |
    /// | --- | --- | --- |
    /// | `GET /__stub__/requests` | [`requests`](crate::StubHandle::requests) | the model calls, an array; with `?wait=2` once there are two, or 409 with the reason after the stub's [`patience`](Self::patience) |
    /// | `GET /__stub__/journal` | [`journal`](crate::StubHandle::journal) | everything that came, an array |
    /// | `GET /__stub__/verify` | [`try_verify`](WireStub::try_verify), but disarms nothing | 200 `{"ok":true}`, or 409 `{"ok":false,"report":"…"}` |
    /// | `POST /__stub__/hold` | [`hold`](crate::StubHandle::hold), until it is released | `{"ok":true}` |
    /// | `POST /__stub__/release` | the release of a hold, whosever it is | `{"ok":true}` |
    /// | `POST /__stub__/gates/NAME/open` | `open` of the [`gate`](crate::StubHandle::gate) of a fixture | `{"ok":true}` |
    /// | `POST /__stub__/reset` | [`reset`](crate::StubHandle::reset), and all that was under way has ended | `{"ok":true}` |
    ///
    /// A request has these members: `index` (from 0; null if it is no model call), `kind` (`model_call`, `side_road`,
    /// `preflight`, `fallback`, `not_served`, `malformed`, which has neither method nor path), `api`, `dialect`, `method`, `path`, `query`, `headers` (by
    /// name; of credentials the last four characters only), `body` (its JSON as it was spelled; what is none is
    /// `body_text`, and what is no text `body_base64`); of a model call in neutral words `model`, `stream`, `system`,
    /// `messages` (`role`, `text`, `parts`), `tools` (`name`, `description`, `input_schema`), `tool_results` (`call_id`,
    /// `text`, `is_error`, `content`), `max_tokens`, `response_format`; and what became of it: `lane`, `answered_by`,
    /// `outcome` (`open`, `complete`, `cancelled`, `reset`, `failed`, `refused`), `remark`, `bytes_written`,
    /// `connection`, `arrived_ms`.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::WireStub;
    ///
    /// let stub = WireStub::builder().turn("Hello!").control_api().start();
    /// # reqwest::Client::new().post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
    /// #     .header("anthropic-version", "2023-06-01")
    /// #     .body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#).send().await.unwrap();
    /// // after your client's call, in any language
    /// let requests = reqwest::get(stub.url() + "/__stub__/requests").await.unwrap();
    /// let requests: serde_json::Value = requests.json().await.unwrap();
    /// assert_eq!(requests[0]["messages"][0]["text"], "hi");
    /// assert_eq!(requests[0]["answered_by"], "turn #1");
    /// # });
    /// ```
    pub fn control_api(mut self) -> Self {
        self.config.control = Control::On;
        self
    }

    /// Lets the stub's paces, delays and pauses run on this clock instead of the system's.
    ///
    /// ```
    /// use llm_wire_stub::{Clock, WireStub};
    ///
    /// let builder = WireStub::builder().clock(Clock::manual());
    /// # let _ = builder;
    /// ```
    pub fn clock(mut self, clock: Clock) -> Self {
        self.config.clock = clock;
        self
    }

    /// Lets every wait give up after this much of the system's time; 5 seconds by default. A client that
    /// does not read what was written before a reset or a close is given as long.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.config.patience = patience;
        self
    }

    /// Leaves the check of [`WireStub::verify`] to the test; by default a dropped stub makes it too.
    pub fn without_verify_on_drop(mut self) -> Self {
        self.config.verify_on_drop = VerifyOnDrop::No;
        self
    }

    /// Starts the stub on a port of its own. It runs on a background thread, so this works under any async
    /// runtime and without one.
    ///
    /// # Panics
    ///
    /// At the caller's line, if the operating system gives no port, if [`api`](Self::api) was called
    /// and a turn cannot be streamed on it, or if there is no such [`clock`](Self::clock) here.
    #[must_use]
    #[track_caller]
    pub fn start(self) -> WireStub {
        match self.try_start() {
            Ok(stub) => stub,
            Err(error) => panic!("{error}"),
        }
    }

    /// As [`start`](Self::start).
    ///
    /// # Errors
    ///
    /// If the operating system gives no port, if [`api`](Self::api) was called and a turn cannot be
    /// streamed on it, or if there is no such [`clock`](Self::clock) here.
    pub fn try_start(mut self) -> Result<WireStub, StartError> {
        self.config.own_gates();
        if let Some(api) = self.config.api {
            self.check(api)?;
        }
        let clock = Time::start(&self.config.clock).map_err(|message| StartError { message })?;
        let address = self.config.address;
        WireStub::launch(self.config, clock).map_err(|error| StartError {
            message: format!(
                "the stub could not start at {address}: {error}\n  help: {}",
                if address == LOOPBACK {
                    "it needs a free port of 127.0.0.1 and one thread"
                } else {
                    "give it an address of this machine and a port that nobody has, or port 0 for any that is free"
                }
            ),
        })
    }

    fn check(&self, api: Api) -> Result<(), StartError> {
        let mut routes = self.config.routes.iter();
        if let Some((path, other)) = routes.find(|(_, routed)| *routed != api) {
            let (only, other) = (api.name(), other.name());
            return Err(StartError {
                message: format!(
                    "the route `{path}` is for {other}, and only {only} is served\n  \
                     help: leave out `.api(..)`, or the route"
                ),
            });
        }
        for (origin, turn) in self.config.script.all_turns() {
            // a function of the user's runs when its turn is played, and off the caller's thread
            if turn.runs_user_code() {
                continue;
            }
            let context = self.config.context(turn, &origin, None);
            let cut = turn.cut.as_ref().unwrap_or(&self.config.cut).clone();
            plan::plan(turn, api, Form::Stream, &context, cut, None).map_err(|why| {
                let (api, built) = (api.name(), &turn.built);
                StartError {
                    message: why.located(&format!("{origin} on {api}, built at {built}")),
                }
            })?;
        }
        Ok(())
    }
}

impl fmt::Debug for WireStubBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireStubBuilder")
            .field("script", &self.config.script.description())
            .finish_non_exhaustive()
    }
}

/// Why a stub did not start, or cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartError {
    message: String,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StartError {}
