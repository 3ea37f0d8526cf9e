//! Dropping a stub, or a gate, whatever is under way: nothing hangs, nothing panics twice, nothing leaks, and
//! every client sees its connection end.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;

use std::{
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, mpsc},
    time::Duration,
};

use llm_wire_stub::{
    After, Ending, Fragments, Gate, Hold, Outcome, Turn, Usage, WireStub, WireStubBuilder,
};
use raw::{Ended, LAST_CHUNK, Raw, call_head, streaming};

#[track_caller]
fn always(turn: impl Into<Turn>) -> WireStubBuilder {
    WireStub::builder()
        .turn(turn)
        .repeat_last()
        .without_verify_on_drop()
}

/// The test that counts what is open in the process runs alone, the others beside each other.
static COUNTING: RwLock<()> = RwLock::new(());

fn beside_others() -> RwLockReadGuard<'static, ()> {
    COUNTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// What is under way when a stub is dropped.
#[derive(Clone, Copy, Debug)]
enum UnderWay {
    Held,
    GatedBeforeHead,
    GatedMidStream,
    Stalled,
    Delayed,
    /// A big body, blocked on a client that does not read.
    Unread,
    /// The wait for a client to read what comes before a reset.
    UnreadBeforeReset,
    /// A request of which the end is missing.
    HalfARequest,
    /// A connection between two requests.
    Idle,
    /// The answer is written, and the client's side of the connection is still open.
    Closing,
}

impl UnderWay {
    const ALL: [Self; 10] = [
        Self::Held,
        Self::GatedBeforeHead,
        Self::GatedMidStream,
        Self::Stalled,
        Self::Delayed,
        Self::Unread,
        Self::UnreadBeforeReset,
        Self::HalfARequest,
        Self::Idle,
        Self::Closing,
    ];

    /// A stub with an answer in this state, what keeps it there, and its client.
    fn begin(
        self,
        build: impl FnOnce(WireStubBuilder) -> WireStubBuilder,
    ) -> (WireStub, Option<Hold>, Gate, Raw) {
        let gate = Gate::new();
        let words = || Turn::new().text("two words");
        let long = |bytes: usize| {
            Turn::new()
                .text("x".repeat(bytes))
                .fragments(Fragments::whole())
                .usage(Usage::input(1).output(1))
        };
        let turn = match self {
            Self::Held | Self::HalfARequest | Self::Idle | Self::Closing => words(),
            Self::GatedBeforeHead => words().gate(After::request(), &gate),
            Self::GatedMidStream => words().gate(After::deltas(1), &gate),
            Self::Stalled => words().stall(After::deltas(1)),
            Self::Delayed => words().delay(After::deltas(1), Duration::from_secs(3_600)),
            Self::Unread => long(6 * 1024 * 1024),
            Self::UnreadBeforeReset => long(64 * 1024).end(After::deltas(1), Ending::Reset),
        };
        let stub = build(always(turn)).start();
        let hold = matches!(self, Self::Held).then(|| stub.hold());
        let mut client = match self {
            Self::Unread => Raw::with_receive_buffer(&stub, 64 * 1024),
            Self::UnreadBeforeReset => Raw::with_receive_buffer(&stub, 4 * 1024),
            Self::Held
            | Self::GatedBeforeHead
            | Self::GatedMidStream
            | Self::Stalled
            | Self::Delayed
            | Self::HalfARequest
            | Self::Idle
            | Self::Closing => Raw::connect(&stub),
        };
        match self {
            Self::HalfARequest => client.send(call_head(&["content-length: 9"])),
            Self::Closing => client.send(raw::call(&["connection: close"], raw::streaming_body())),
            Self::Held
            | Self::GatedBeforeHead
            | Self::GatedMidStream
            | Self::Stalled
            | Self::Delayed
            | Self::Unread
            | Self::UnreadBeforeReset
            | Self::Idle => client.send(streaming()),
        }
        match self {
            Self::GatedBeforeHead | Self::GatedMidStream => gate.reached_blocking(),
            Self::Stalled => drop(stub.wait_for_stall_blocking()),
            Self::Held | Self::Delayed => drop(stub.wait_for_requests_blocking(1)),
            Self::Unread | Self::UnreadBeforeReset => drop(client.head()),
            Self::HalfARequest => {}
            Self::Idle | Self::Closing => drop(client.response()),
        }
        (stub, hold, gate, client)
    }
}

/// Drops a stub in each state so many times.
fn drop_each(times: usize) {
    for run in 0..times {
        for under_way in UnderWay::ALL {
            let (stub, hold, gate, mut client) = under_way.begin(|builder| builder);
            let handle = stub.handle();
            drop(stub);
            let (rest, _) = client.rest();
            let found = handle.requests().first().map(|r| (r.outcome(), r.remark()));
            let expected = match under_way {
                UnderWay::HalfARequest => None,
                UnderWay::Idle | UnderWay::Closing => Some((Outcome::Complete, None)),
                // how far these had come is a matter of luck
                UnderWay::Unread | UnderWay::UnreadBeforeReset => found.clone(),
                UnderWay::Held
                | UnderWay::GatedBeforeHead
                | UnderWay::GatedMidStream
                | UnderWay::Stalled
                | UnderWay::Delayed => Some((Outcome::Open, None)),
            };
            assert_eq!(found, expected, "run {run}: {under_way:?}");
            if found == Some((Outcome::Open, None)) {
                assert!(!rest.ends_with(LAST_CHUNK), "run {run}: {under_way:?}");
            }
            drop((hold, gate));
        }
    }
}

#[test]
fn a_dropped_stub_ends_every_connection_whatever_is_under_way() {
    let _guard = beside_others();
    drop_each(40);
}

#[test]
#[ignore = "the full bar: `cargo test --release --test drop -- --ignored`"]
fn ten_thousand_dropped_stubs_end_every_connection() {
    let _guard = beside_others();
    drop_each(1_000);
}

#[test]
fn a_dropped_gate_ends_what_waits_at_it_with_a_reset_behind_all_that_came_before() {
    let _guard = beside_others();
    for (place, before) in [(After::request(), ""), (After::head(), "\r\n\r\n")] {
        let gate = Gate::new();
        let stub = always(Turn::new().text("hi").gate(place, &gate)).start();
        let mut client = Raw::asking(&stub, streaming());
        gate.reached_blocking();
        drop(gate);
        let (rest, ended) = client.rest();
        assert!(rest.ends_with(before.as_bytes()));
        assert_eq!(rest.is_empty(), before.is_empty());
        assert_eq!(ended, Ended::Reset);
        let request = stub.single_request();
        assert_eq!(request.outcome(), Outcome::Failed);
        assert_eq!(
            request.remark().as_deref(),
            Some("its gate was dropped while closed")
        );
    }
}

#[test]
fn a_gate_that_was_dropped_before_is_no_gate_to_wait_at() {
    let _guard = beside_others();
    let turn = Turn::new().text("hi").gate(After::head(), &Gate::new());
    let stub = always(turn).start();
    let (_, ended) = Raw::asking(&stub, streaming()).rest();
    assert_eq!(ended, Ended::Reset);
    assert_eq!(stub.single_request().outcome(), Outcome::Failed);
}

#[test]
fn a_gate_is_not_waited_for_once_its_stub_is_gone() {
    let _guard = beside_others();
    let gate = Gate::new();
    drop(always(Turn::new().gate(After::head(), &gate)).start());
    let long = Duration::from_secs(24 * 60 * 60);
    let reached = AssertUnwindSafe(|| smol::block_on(gate.reached().patience(long)));
    let panic = catch_unwind(reached).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("every stub with this gate was dropped"),
        "{message}"
    );
}

/// A stub whose closure does not return before the sender is gone.
fn blocked() -> (WireStub, mpsc::Sender<()>, Raw) {
    let (let_go, blocked) = mpsc::channel::<()>();
    let blocked = Mutex::new(blocked);
    let (entered, is_inside) = mpsc::channel();
    let stub = WireStub::builder()
        .answer(move |_, _| {
            entered.send(()).unwrap();
            let _ = blocked.lock().unwrap().recv();
            None
        })
        .without_verify_on_drop()
        .start();
    let client = Raw::asking(&stub, streaming());
    is_inside.recv().unwrap();
    (stub, let_go, client)
}

#[test]
fn dropping_waits_for_nothing_inside_a_runtime_and_outside() {
    let _guard = beside_others();
    let check = || {
        let (stub, let_go, mut client) = blocked();
        drop(stub);
        // the closure is still inside
        assert_eq!(client.rest(), (Vec::new(), Ended::Fin));
        drop(let_go);
    };
    check();
    smol::block_on(async { check() });
    let tokio = tokio::runtime::Builder::new_current_thread().build();
    tokio.unwrap().block_on(async { check() });
}

#[test]
#[should_panic(expected = "the first cause")]
fn a_stub_that_is_dropped_while_panicking_does_not_panic_again() {
    let _guard = beside_others();
    let _stub = WireStub::builder().turn("never played").start();
    panic!("the first cause");
}

#[test]
fn a_stub_that_is_dropped_while_panicking_prints_its_report() {
    let _guard = beside_others();
    let this = std::env::current_exe().unwrap();
    let name = "a_stub_that_is_dropped_while_panicking_does_not_panic_again";
    let child = std::process::Command::new(this)
        .args(["--exact", name, "--nocapture"])
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    let printed = String::from_utf8(child.stderr).unwrap();
    let cause = printed.find("the first cause").unwrap();
    let report = printed.find("was never played").unwrap();
    assert!(cause < report, "{printed}");
}

/// Tells when it is dropped.
#[cfg(target_os = "linux")]
struct Tells(mpsc::Sender<()>);

#[cfg(target_os = "linux")]
impl Drop for Tells {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn descriptors_and_tasks_end_with_their_stub() {
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let _alone = COUNTING.write().unwrap_or_else(PoisonError::into_inner);
    // whoever is still let in sees the connection end; a system that forgot such a connection together
    // with its listener says so when something is sent
    let wait_until_closed = |url: &str| {
        while let Some(mut late) = Raw::try_connect(url) {
            let _ = late.sender().write_all(b"\r\n");
            late.rest();
        }
    };
    // the background runtime is there once and for all
    let url = always("hi").start().url();
    wait_until_closed(&url);
    let before = open();
    for under_way in UnderWay::ALL.repeat(20) {
        // every task of a stub holds what the stub was built with, so also this closure
        let (tells, dropped) = mpsc::channel();
        let tells = Tells(tells);
        let (stub, hold, gate, mut client) = under_way.begin(|builder| {
            builder.answer(move |_, _| {
                let _ = &tells;
                None
            })
        });
        let url = stub.url();
        drop((stub, hold));
        client.rest();
        drop((gate, client));
        wait_until_closed(&url);
        let told = dropped.recv_timeout(Duration::from_secs(60));
        assert_eq!(told, Ok(()), "{under_way:?}");
    }
    assert_eq!(open(), before);
}
