//! The control API: what a test in another language asks a stub, and tells it, over HTTP.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /__stub__/requests` | the model calls so far; with `?wait=N` once there are N |
//! | `GET /__stub__/journal` | everything that came |
//! | `GET /__stub__/verify` | 200 `{"ok":true}`, or 409 with the report |
//! | `POST /__stub__/hold`, `/release` | every answer waits, and goes on |
//! | `POST /__stub__/gates/NAME/open` | what waits at this gate of a fixture goes on |
//! | `POST /__stub__/reset` | the script starts anew |
//!
//! It is no part of what it controls: its requests are in no journal, count nowhere, need no key, and are
//! answered under a hold. `listing.rs` writes a request down.

mod listing;

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};

use super::{
    clock::system_wait,
    http1::{Connection, RawRequest},
    listener::while_client_stays,
    play::reason_phrase,
    request_head::AfterAnswer,
    runs::Runs,
    runtime::{First, off_worker, race},
    shared::{Shared, State},
    stub::{calls, come},
};
use crate::{
    api::{Members, percent_decoded},
    request::RecordedRequest,
    script::{GateLatch, count},
};

/// Whether a stub has the control API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    On,
    Off,
}

/// Where it is.
const ROOT: &str = "/__stub__";

/// Whether this path is the control API's.
pub(super) fn is_control(path: &str) -> bool {
    let below = path.strip_prefix(ROOT);
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// What there is, each with its method.
const ROADS: [(&str, &str, Road); 7] = [
    ("GET", "/requests", Road::Requests),
    ("GET", "/journal", Road::Journal),
    ("GET", "/verify", Road::Verify),
    ("POST", "/hold", Road::Hold),
    ("POST", "/release", Road::Release),
    ("POST", GATE, Road::OpenGate),
    ("POST", "/reset", Road::Reset),
];

/// The path of a gate, as it is told.
const GATE: &str = "/gates/NAME/open";

/// The name of the gate whose path this is.
fn gate(path: &str) -> Option<String> {
    let name = path.strip_prefix("/gates/")?.strip_suffix("/open")?;
    Some(percent_decoded(name))
}

#[derive(Clone, Copy, Debug)]
enum Road {
    Requests,
    Journal,
    Verify,
    Hold,
    Release,
    OpenGate,
    Reset,
}

/// Status and JSON.
type Said = (u16, Vec<u8>);

/// Answers a request for the control API; `None` if its client has left.
pub(super) async fn answer(
    connection: &mut Connection,
    raw: &RawRequest,
    runs: &Arc<Runs>,
) -> Option<()> {
    let (status, body) = while_client_stays(connection, say(raw, runs)).await?;
    let connection_header = match raw.after {
        AfterAnswer::KeepAlive => "keep-alive",
        AfterAnswer::Close => "close",
    };
    let head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncache-control: no-store\r\n\
         content-length: {}\r\nconnection: {connection_header}\r\n\r\n",
        reason_phrase(status),
        body.len(),
    );
    let out = connection.outbox();
    out.extend_from_slice(head.as_bytes());
    if raw.method != "HEAD" {
        out.extend_from_slice(&body);
    }
    connection.flush(0, None, |_| ()).await.ok()
}

async fn say(raw: &RawRequest, runs: &Arc<Runs>) -> Said {
    let (path, query) = match raw.target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (raw.target.as_str(), None),
    };
    let below = path.strip_prefix(ROOT).unwrap_or_default();
    let gate = gate(below);
    let below = if gate.is_some() { GATE } else { below };
    let Some((method, _, road)) = ROADS.iter().find(|(_, known, _)| *known == below) else {
        return (404, error(&not_there(&raw.method, path)));
    };
    if raw.method != *method {
        return (405, error(&wrong_method(&raw.method, path, method)));
    }
    let run = runs.current();
    match road {
        Road::Requests => match wait(query) {
            Ok(None) => listed(calls, &run).await,
            Ok(Some(n)) => match come_to(n, &run).await {
                Ok(requests) => listed(|_| requests, &run).await,
                Err(why) => (409, error(&why)),
            },
            Err(why) => (400, error(&why)),
        },
        Road::Journal => listed(|state| state.journal.clone(), &run).await,
        Road::Verify => match run.verify() {
            Ok(()) => done(),
            Err(report) => {
                let said = Members::new().raw("ok", b"false");
                (409, said.text("report", &report.to_string()).end())
            }
        },
        Road::Hold => {
            run.put_hold(Some(GateLatch::default()));
            done()
        }
        Road::Release => {
            run.put_hold(None);
            done()
        }
        Road::OpenGate => match runs.config.gate(&gate.unwrap_or_default()) {
            Ok(gate) => {
                gate.open();
                done()
            }
            Err(why) => (404, error(&why)),
        },
        Road::Reset => {
            if let Some(before) = runs.reset() {
                // so that who has the answer knows that the others have ended
                found(&before, |state| (state.in_flight == 0).then_some(())).await;
            }
            done()
        }
    }
}

/// `{"ok":true}`.
fn done() -> Said {
    (200, Members::new().raw("ok", b"true").end())
}

/// `{"error":…}`.
fn error(message: &str) -> Vec<u8> {
    Members::new().text("error", message).end()
}

/// These requests as an array.
async fn listed(which: impl FnOnce(&State) -> Vec<RecordedRequest>, run: &Shared) -> Said {
    let requests = which(&run.lock());
    // bodies are read for it, however large
    match off_worker(move || listing::of_all(&requests)).await {
        Ok(listing) => (200, listing),
        Err(why) => (500, error(&why)),
    }
}

/// What `wait` says in the query.
fn wait(query: Option<&str>) -> Result<Option<usize>, String> {
    let Some(query) = query else { return Ok(None) };
    let n = query.strip_prefix("wait=").and_then(|n| n.parse().ok());
    n.map(Some).ok_or_else(|| {
        format!(
            "the query of `GET {ROOT}/requests` is not understood\n  expected: `wait=` and a number\n  \
             found: `{}`\n  help: `?wait=2` answers once two calls have come",
            query.escape_debug()
        )
    })
}

/// The calls, once there are so many.
///
/// # Errors
///
/// Why they do not come.
async fn come_to(n: usize, run: &Arc<Shared>) -> Result<Vec<RecordedRequest>, String> {
    let patience = run.config.patience;
    let coming = found(run, |state| {
        let ended = || state.ended.map(|why| Err(why.to_owned()));
        come(state, n).map(Ok).or_else(ended)
    });
    let came = match race(coming, system_wait(patience)).await {
        First::A(came) => came,
        First::B(()) => Err(format!("not within {patience:?}")),
    };
    came.map_err(|why| {
        let what = count(n, "request");
        format!("gave up waiting for {what}: {why}\n{}", run.report())
    })
}

/// Waits until `look` finds something in the run.
async fn found<T>(run: &Shared, look: impl Fn(&State) -> Option<T>) -> T {
    poll_fn(|context: &mut Context<'_>| {
        let found = run.poll(context.waker(), |state| look(state));
        found.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

fn not_there(method: &str, path: &str) -> String {
    let roads = ROADS.map(|(method, road, _)| format!("{method} {ROOT}{road}"));
    format!(
        "the control API has no `{} {}`\n  expected: {}\n  help: check the path",
        method.escape_debug(),
        path.escape_debug(),
        roads.join(", ")
    )
}

fn wrong_method(found: &str, path: &str, expected: &str) -> String {
    format!(
        "`{path}` is asked for with another method\n  expected: {expected}\n  found: {}\n  \
         help: `{expected}` it",
        found.escape_debug()
    )
}
