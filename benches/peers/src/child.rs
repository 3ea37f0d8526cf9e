//! Child processes of this program: how they are started and how they report.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tokio::runtime::{Builder, Runtime};

/// The first argument of a child.
pub const FLAG: &str = "--child";

/// A running child that reports in lines of JSON.
pub struct Reporting {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Reporting {
    pub fn start(arguments: &[&str]) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .arg(FLAG)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts once more");
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self {
            child,
            stdin,
            stdout,
        }
    }

    /// Waits for the next report.
    pub fn report(&mut self) -> Value {
        let mut line = String::new();
        self.stdout
            .read_line(&mut line)
            .expect("the child's output is readable");
        serde_json::from_str(&line)
            .unwrap_or_else(|_| panic!("the child reports in JSON, not {line:?}"))
    }

    /// Lets a child go on that waits in [`go_ahead`].
    pub fn go_ahead(&mut self) {
        self.stdin.write_all(b"\n").expect("the child listens");
    }

    pub fn end(mut self) {
        drop(self.stdin);
        let status = self.child.wait().expect("the child ends");
        assert!(status.success(), "the child ended with {status}");
    }
}

/// Runs a child that makes one report.
pub fn run(arguments: &[&str]) -> Value {
    let mut child = Reporting::start(arguments);
    let report = child.report();
    child.end();
    report
}

/// In the child: reports to the parent.
pub fn say(report: &Value) {
    println!("{report}");
}

/// In the child: waits until the parent says so.
pub fn go_ahead() {
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .expect("stdin is readable");
    assert_eq!(line, "\n", "the parent went away");
}

/// In the child, before it has a second thread: all of it runs on one core from now on, the first that it may use.
pub fn pin_to_one_core() {
    let allowed = sched_getaffinity(None).expect("a process may ask for its cores");
    let mut cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
    let mut one = CpuSet::new();
    one.set(cores.next().expect("a process has a core"));
    sched_setaffinity(None, &one).expect("a process may choose one of its cores");
}

pub fn current_thread() -> Runtime {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().build().expect("a runtime starts")
}
