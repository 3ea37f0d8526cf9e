//! The stub as a test sees it: its URL, its journal, its waits, its verdict.

use std::{ops::Deref, panic::Location, sync::Arc, task::Waker};

use super::{
    builder::{VerifyOnDrop, WireStubBuilder},
    clock::Time,
    hold::Hold,
    listener,
    runs::Runs,
    shared::{Config, Shared, State},
    wait::{Found, Wait},
};
use crate::{
    api::base_path,
    request::{Kind, RecordedRequest},
    script::{Dialect, count},
    verify::VerifyError,
};

/// A scripted LLM provider on a port of its own, for one test.
///
/// Dropping it ends every answer, and checks what [`verify`](Self::verify) checks, unless that was called
/// before. While the test is panicking already, it prints the report instead of panicking. Everything that asks it something is on [`StubHandle`], which
/// it derefs to.
///
/// ```
/// use llm_wire_stub::WireStub;
///
/// let stub = WireStub::builder().turn("hello").without_verify_on_drop().start();
/// assert!(stub.anthropic_url().starts_with("http://127.0.0.1:"));
/// assert!(stub.requests().is_empty());
/// ```
#[derive(Debug)]
pub struct WireStub {
    handle: StubHandle,
}

/// A view of a running stub that can be cloned and sent to other tasks. It does not keep the stub alive
/// and verifies nothing.
#[derive(Clone, Debug)]
pub struct StubHandle {
    pub(super) runs: Arc<Runs>,
}

impl WireStub {
    /// Says what a stub answers.
    #[track_caller]
    pub fn builder() -> WireStubBuilder {
        WireStubBuilder::new(Location::caller())
    }

    pub(super) fn launch(config: Config, clock: Time) -> std::io::Result<Self> {
        let (listener, address) = listener::bind(config.address)?;
        let runs = Runs::new(config, clock, address);
        listener::serve(listener, &runs)?;
        Ok(Self {
            handle: StubHandle { runs },
        })
    }

    /// A view of this stub that can be cloned.
    #[must_use]
    pub fn handle(&self) -> StubHandle {
        self.handle.clone()
    }

    /// Checks that every turn was played, that every call had one, that each call came for which an error
    /// or a stop reason was scripted, and that no rule of the provider that the stub knows was broken
    /// ([`without_rule`](WireStubBuilder::without_rule) lists them). A later drop does not
    /// check again.
    ///
    /// # Panics
    ///
    /// At the caller's line, with the whole report, if not.
    #[track_caller]
    pub fn verify(&self) {
        if let Err(error) = self.try_verify() {
            panic!("{error}");
        }
    }

    /// As [`verify`](Self::verify).
    ///
    /// # Errors
    ///
    /// The report, if the script and the calls do not fit.
    pub fn try_verify(&self) -> Result<(), VerifyError> {
        let shared = self.shared();
        disarm(&shared);
        shared.verify()
    }
}

fn disarm(shared: &Shared) -> VerifyOnDrop {
    let armed = &mut shared.lock().verify_on_drop;
    std::mem::replace(armed, VerifyOnDrop::No)
}

impl Deref for WireStub {
    type Target = StubHandle;

    fn deref(&self) -> &StubHandle {
        &self.handle
    }
}

impl Drop for WireStub {
    fn drop(&mut self) {
        self.runs.stop();
        let shared = self.shared();
        if disarm(&shared) == VerifyOnDrop::No {
            return;
        }
        let Err(error) = shared.verify() else {
            return;
        };
        if std::thread::panicking() {
            // a second panic would abort the process, also one because standard error is closed
            let _ = std::panic::catch_unwind(|| print(&error));
        } else {
            panic!("{error}");
        }
    }
}

impl StubHandle {
    /// The run of this moment.
    pub(super) fn shared(&self) -> Arc<Shared> {
        self.runs.current()
    }

    /// The root URL, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.runs.address)
    }

    /// The base URL that Anthropic's SDKs expect: the root.
    #[must_use]
    pub fn anthropic_url(&self) -> String {
        self.url()
    }

    /// The base URL that OpenAI's SDKs expect: it ends in `/v1`.
    ///
    /// ```
    /// use llm_wire_stub::{Turn, WireStub};
    ///
    /// let stub = WireStub::builder().turn("Hello!").start();
    /// # let call = std::thread::spawn({
    /// #     let url = stub.openai_url();
    /// #     move || {
    /// #         let body = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}"#;
    /// #         let http = reqwest::blocking::Client::new().post(url + "/chat/completions");
    /// #         http.bearer_auth("k").body(body).send().unwrap().text().unwrap()
    /// #     }
    /// # });
    /// // your client asks at `stub.openai_url()`
    /// # let answer: serde_json::Value = serde_json::from_str(&call.join().unwrap()).unwrap();
    /// assert_eq!(answer["choices"][0]["message"]["content"], "Hello!");
    /// stub.verify();
    /// ```
    #[must_use]
    pub fn openai_url(&self) -> String {
        self.url() + "/v1"
    }

    /// The base URL that the clients of this vendor expect; those that add `/chat/completions` to it, as OpenAI's own do. For
    /// [`Dialect::Azure`] it is that of its newer API; its older clients add a deployment to [`url`](Self::url).
    ///
    /// Asking for one names a dialect: from now on the paths of all dialects are served.
    ///
    /// ```
    /// use llm_wire_stub::{Dialect, WireStub};
    ///
    /// let stub = WireStub::builder().start();
    /// assert_eq!(stub.dialect_url(Dialect::OpenRouter), stub.url() + "/api/v1");
    /// assert_eq!(stub.dialect_url(Dialect::OpenAi), stub.openai_url());
    /// ```
    #[must_use]
    pub fn dialect_url(&self, dialect: Dialect) -> String {
        if dialect != Dialect::OpenAi {
            self.shared().serve_dialects();
        }
        self.url() + base_path(dialect)
    }

    /// The model calls so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        calls(&self.shared().lock())
    }

    /// The model call with this index (from 0) in [`requests`](Self::requests).
    ///
    /// # Panics
    ///
    /// At the caller's line, with the journal, if there were not so many.
    #[must_use]
    #[track_caller]
    pub fn request(&self, index: usize) -> RecordedRequest {
        let help = format!("; `wait_for_requests({})` waits for this one", index + 1);
        nth(self.requests(), index, ("", &help), &self.shared())
    }

    /// The one model call that there was.
    ///
    /// # Panics
    ///
    /// At the caller's line, with the journal, if there was none or more than one.
    #[must_use]
    #[track_caller]
    pub fn single_request(&self) -> RecordedRequest {
        single(self.requests(), "one request", &self.shared())
    }

    /// Everything that came, in order of arrival: model calls, preflights, requests for what is not
    /// served.
    #[must_use]
    pub fn journal(&self) -> Vec<RecordedRequest> {
        self.shared().lock().journal.clone()
    }

    /// The calls that this lane claimed.
    ///
    /// # Panics
    ///
    /// At the caller's line, if the script has no such lane.
    #[must_use]
    #[track_caller]
    pub fn lane(&self, name: &str) -> LaneView {
        let lanes = &self.runs.config.script.lanes;
        assert!(
            lanes.iter().any(|lane| &*lane.name == name),
            "there is no lane `{name}`\n  where: {}\n  help: {}",
            self.runs.config.script.description(),
            if lanes.is_empty() {
                "lanes are added with `.lane(name, matcher, turns)`".to_owned()
            } else {
                let names = lanes.iter().map(|lane| format!("`{}`", lane.name));
                format!("it has {}", names.collect::<Vec<_>>().join(", "))
            }
        );
        LaneView {
            name: name.to_owned(),
            stub: self.clone(),
        }
    }

    /// How many calls found no turn left.
    #[must_use]
    pub fn overflow(&self) -> usize {
        self.shared().lock().overflow
    }

    /// Forgets the requests so far, and the cancels and stalls that nobody waited for yet. Indices go on
    /// counting, and what `verify` knows stays.
    ///
    /// What later requests may ask for stays too, so it goes on growing in a stub that runs for long: the responses of
    /// OpenAI Responses with their requests (but for those of `store: false` and those that were deleted), message
    /// batches, and the ids of calls that DeepSeek made behind thinking. [`reset`](Self::reset) forgets all of it.
    pub fn clear_requests(&self) {
        self.shared().update(State::clear);
    }

    /// Starts the script anew, as a new stub at the same address would: the sequence, the lanes, what is scripted for
    /// a call's index, and indices, which begin at 0. Journal, evidence, kept responses, batches and a
    /// [`hold`](Self::hold) are gone, and the check on drop is armed again if [`verify`](WireStub::verify) had disarmed it.
    ///
    /// A request belongs to the time before the reset if it had been read to its end by then. Its answer, if that is
    /// not done, ends as when a stub is dropped: its connection is closed, its outcome stays `Open`, and nothing of it
    /// gets into the new journal, also not what a closure still says of it. Connections on which no answer is
    /// under way stay, and their numbers go on. Waits that were made before end with a panic, but for those that a dropped
    /// stub fulfils.
    ///
    /// What is the test's own stays as it is: clock, URLs, a [`Gate`](crate::Gate) that was opened, a
    /// [`Live`](crate::Live) that was played. The gates of a fixture are closed again.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::WireStub;
    ///
    /// let stub = WireStub::builder().turn("Hello!").start();
    /// # let call = || reqwest::Client::new()
    /// #     .post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
    /// #     .header("anthropic-version", "2023-06-01")
    /// #     .body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#).send();
    /// assert!(call().await.unwrap().status().is_success()); // your client
    /// stub.reset();
    /// assert!(stub.requests().is_empty());
    /// assert!(call().await.unwrap().status().is_success()); // the same turn once more
    /// stub.verify();
    /// # });
    /// ```
    pub fn reset(&self) {
        self.runs.reset();
    }

    /// Makes every answer to a model call wait, from now on, until the guard is released or dropped. A
    /// second hold first releases the one before.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::WireStub;
    ///
    /// let stub = WireStub::builder().turns(["one", "two"]).start();
    /// let hold = stub.hold();
    /// # let call = |stub: &WireStub| tokio::spawn(reqwest::Client::new()
    /// #     .post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
    /// #     .header("anthropic-version", "2023-06-01")
    /// #     .body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#).send());
    /// let (first, second) = (call(&stub), call(&stub)); // your two callers
    /// stub.wait_for_requests(2).await; // both have asked, none is answered: they overlap
    /// hold.release();
    /// assert!(first.await.unwrap().is_ok() && second.await.unwrap().is_ok());
    /// # });
    /// ```
    pub fn hold(&self) -> Hold {
        Hold::new(&self.shared())
    }

    /// Waits until `n` model calls have come (of those that [`requests`](Self::requests) shows), and it is
    /// known what answers them; gives them back. Under a [`hold`](Self::hold) this proves that they overlap.
    ///
    /// # Panics
    ///
    /// At the `.await`, with the journal, when it gives up after 5 seconds of the system's time.
    pub fn wait_for_requests(&self, n: usize) -> Wait<Vec<RecordedRequest>> {
        let what = count(n, "request");
        let help =
            "a client that asks one call after another sends the next once it has its answer";
        self.wait(what, help, OnceDropped::Never, move |state| come(state, n))
    }

    /// As [`wait_for_requests`](Self::wait_for_requests), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line; at once inside an async runtime.
    #[track_caller]
    #[expect(
        clippy::must_use_candidate,
        reason = "waiting is what it is called for"
    )]
    pub fn wait_for_requests_blocking(&self, n: usize) -> Vec<RecordedRequest> {
        self.wait_for_requests(n).block("wait_for_requests")
    }

    /// Waits until a client leaves before the last byte of its answer was handed over; gives back the
    /// oldest such request that was not given back yet.
    ///
    /// # Panics
    ///
    /// At the `.await`, with the journal, when it gives up after 5 seconds of the system's time.
    pub fn wait_for_cancel(&self) -> Wait<RecordedRequest> {
        let what = "a client to leave".to_owned();
        let help = "a client leaves early only if its answer lasts: let it `.stall(..)`, or wait at a gate";
        self.wait(what, help, OnceDropped::Never, |state| {
            state.cancels.pop_front()
        })
    }

    /// As [`wait_for_cancel`](Self::wait_for_cancel), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line; at once inside an async runtime.
    #[track_caller]
    #[expect(
        clippy::must_use_candidate,
        reason = "waiting is what it is called for"
    )]
    pub fn wait_for_cancel_blocking(&self) -> RecordedRequest {
        self.wait_for_cancel().block("wait_for_cancel")
    }

    /// Waits until an answer has come to its stall; gives back the oldest such request that was not given
    /// back yet.
    ///
    /// # Panics
    ///
    /// At the `.await`, with the journal, when it gives up after 5 seconds of the system's time.
    pub fn wait_for_stall(&self) -> Wait<RecordedRequest> {
        let what = "an answer to stall".to_owned();
        let help = "a turn stalls where `.stall(..)` says";
        self.wait(what, help, OnceDropped::Never, |state| {
            state.stalls.pop_front()
        })
    }

    /// As [`wait_for_stall`](Self::wait_for_stall), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line; at once inside an async runtime.
    #[track_caller]
    #[expect(
        clippy::must_use_candidate,
        reason = "waiting is what it is called for"
    )]
    pub fn wait_for_stall_blocking(&self) -> RecordedRequest {
        self.wait_for_stall().block("wait_for_stall")
    }

    /// Waits until no answer is under way; a dropped stub ends them all.
    ///
    /// # Panics
    ///
    /// At the `.await`, with the journal, when it gives up after 5 seconds of the system's time.
    pub fn settled(&self) -> Wait<()> {
        let what = "every answer to be done".to_owned();
        let help = "open the gates and release the hold, or let the client leave";
        self.wait(what, help, OnceDropped::Possible, |state| {
            (state.in_flight == 0).then_some(())
        })
    }

    /// As [`settled`](Self::settled), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line; at once inside an async runtime.
    #[track_caller]
    pub fn settled_blocking(&self) {
        self.settled().block("settled");
    }

    /// Waits until every connection is closed. A client that keeps its connections for later, or the stub,
    /// has to be dropped first.
    ///
    /// # Panics
    ///
    /// At the `.await`, with the journal, when it gives up after 5 seconds of the system's time.
    pub fn drained(&self) -> Wait<()> {
        let what = "every connection to be closed".to_owned();
        let help = "drop the client: it keeps its connections for later calls";
        let (runs, reporter) = (Arc::clone(&self.runs), Arc::clone(&self.runs));
        let check = move |waker: &Waker| match runs.poll_drained(waker) {
            true => Found::Yes(()),
            false => Found::NotYet,
        };
        let report = move || format!("{}\n  help: {help}", reporter.current().report());
        Wait::new(what, self.runs.config.patience, check, report)
    }

    /// As [`drained`](Self::drained), on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line; at once inside an async runtime.
    #[track_caller]
    pub fn drained_blocking(&self) {
        self.drained().block("drained");
    }

    fn wait<T>(
        &self,
        what: String,
        help: &'static str,
        once_dropped: OnceDropped,
        mut look: impl FnMut(&mut State) -> Option<T> + Send + 'static,
    ) -> Wait<T> {
        let shared = self.shared();
        let reporter = Arc::clone(&shared);
        let check = move |waker: &Waker| {
            let found = shared.poll(waker, |state| match look(state) {
                Some(value) => Some(Found::Yes(value)),
                None if once_dropped == OnceDropped::Never => {
                    state.ended.map(|why| Found::Never(why.to_owned()))
                }
                None => None,
            });
            found.unwrap_or(Found::NotYet)
        };
        let patience = self.runs.config.patience;
        let report = move || format!("{}\n  help: {help}", reporter.report());
        Wait::new(what, patience, check, report)
    }
}

/// Whether it can still happen once the stub was dropped or reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnceDropped {
    Possible,
    Never,
}

/// The calls of one lane. See [`StubHandle::lane`].
#[derive(Clone, Debug)]
pub struct LaneView {
    name: String,
    stub: StubHandle,
}

impl LaneView {
    /// The calls that the lane claimed, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        let mut requests = self.stub.requests();
        requests.retain(|request| request.is_in_lane(&self.name));
        requests
    }

    /// The call with this index (from 0) in [`requests`](Self::requests): among those of the lane, not of the stub.
    ///
    /// # Panics
    ///
    /// At the caller's line, with the journal, if the lane claimed not so many.
    #[must_use]
    #[track_caller]
    pub fn request(&self, index: usize) -> RecordedRequest {
        let place = format!(" in lane `{}`", self.name);
        nth(self.requests(), index, (&place, ""), &self.stub.shared())
    }

    /// The one call that the lane claimed.
    ///
    /// # Panics
    ///
    /// At the caller's line, with the journal, if there was none or more than one.
    #[must_use]
    #[track_caller]
    pub fn single_request(&self) -> RecordedRequest {
        single(
            self.requests(),
            &format!("one request in lane `{}`", self.name),
            &self.stub.shared(),
        )
    }
}

#[expect(
    clippy::print_stderr,
    reason = "what else there is to say of a failing test belongs to its output"
)]
fn print(error: &VerifyError) {
    eprintln!("{error}");
}

pub(super) fn calls(state: &State) -> Vec<RecordedRequest> {
    let calls = state.journal.iter().filter(|request| is_call(request));
    calls.cloned().collect()
}

/// The calls so far, if so many have come and it is known what answers them.
pub(super) fn come(state: &State, n: usize) -> Option<Vec<RecordedRequest>> {
    let journal = state.journal.iter();
    let came = journal.filter(|request| is_call(request) && request.is_decided());
    (came.count() >= n).then(|| calls(state))
}

fn is_call(request: &RecordedRequest) -> bool {
    matches!(request.kind(), Kind::ModelCall { .. })
}

/// The request with this index; of one that is missing it is said where it is missed, and what else may help.
#[track_caller]
fn nth(
    mut requests: Vec<RecordedRequest>,
    index: usize,
    (place, help): (&str, &str),
    shared: &Shared,
) -> RecordedRequest {
    let count = requests.len();
    assert!(
        index < count,
        "there is no request with index {index}{place}: {count} came\n{}\n  help: indices count from 0{help}",
        shared.report()
    );
    requests.swap_remove(index)
}

#[track_caller]
fn single(requests: Vec<RecordedRequest>, what: &str, shared: &Shared) -> RecordedRequest {
    match <[RecordedRequest; 1]>::try_from(requests) {
        Ok([request]) => request,
        Err(requests) => panic!(
            "expected exactly {what}, found {}\n{}\n  help: {}",
            requests.len(),
            shared.report(),
            if requests.is_empty() {
                "a call that is still on its way can be waited for with `wait_for_requests(1)`"
            } else {
                "`requests()` gives all of them"
            }
        ),
    }
}
