//! A driver as a child process that many calls share. One that ends, or no longer listens, is started anew.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    mem,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use llm_wire_stub::serde_json::{Value, from_str, json};
use tokio::{
    sync::{RwLock, oneshot},
    time::timeout,
};

/// A process that does not say within this time that it dropped a call no longer listens.
const PATIENCE: Duration = Duration::from_secs(10);

/// A driver, whatever process it is at the moment.
pub(crate) struct Driver {
    start: Box<dyn Fn() -> Command>,
    version: &'static str,
    process: Mutex<Option<Arc<Process>>>,
    /// Calls share the process; one that may have ended it has it alone.
    gate: RwLock<()>,
}

impl Driver {
    /// It says first that it has this version of the SDK.
    pub(crate) fn new(version: &'static str, start: impl Fn() -> Command + 'static) -> Self {
        Self {
            start: Box::new(start),
            version,
            process: Mutex::new(None),
            gate: RwLock::new(()),
        }
    }

    /// What the driver says of a call. It is told when this is dropped.
    ///
    /// # Panics
    ///
    /// If the call ends the process.
    pub(crate) async fn ask(&self, call: &Value) -> Value {
        {
            let _shared = self.gate.read().await;
            if let Ok(said) = self.process().await.ask(call).await {
                return said;
            }
        }
        // by which of its calls it ended is seen if each has a process alone
        let _alone = self.gate.write().await;
        match self.process().await.ask(call).await {
            Ok(said) => said,
            Err(Ended { stderr }) => panic!("it ends its process: {stderr}"),
        }
    }

    async fn process(&self) -> Arc<Process> {
        let running = locked(&self.process).clone();
        if let Some(process) = running
            && process.listens().await
        {
            return process;
        }
        let process = Arc::new(Process::start((self.start)(), self.version));
        *locked(&self.process) = Some(Arc::clone(&process));
        process
    }
}

/// The process is over, and had this to say last.
struct Ended {
    stderr: String,
}

struct Process {
    child: Mutex<Child>,
    stdin: Mutex<ChildStdin>,
    calls: Arc<Mutex<Calls>>,
    /// The calls that were dropped, until the driver says so.
    dropped: Mutex<Vec<oneshot::Receiver<Value>>>,
}

#[derive(Default)]
struct Calls {
    next: u64,
    waiting: BTreeMap<u64, oneshot::Sender<Value>>,
    /// Once it is over.
    last_words: Option<String>,
}

impl Process {
    fn start(mut command: Command, version: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let stdin = child.stdin.take().expect("a pipe");
        let stderr = text_of(child.stderr.take().expect("a pipe"));
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut hello = String::new();
        stdout.read_line(&mut hello).expect("it can be read");
        let said: Value = from_str(&hello).unwrap_or_default();
        if said["sdk"] != version {
            let _ = child.kill();
            panic!(
                "the driver does not have version {version} of the SDK, or did not start\n  found: `{hello}`\n  \
                 stderr: `{}`\n  help: remove `tests/interop/.scratch`, run `.ci/interop`",
                stderr.join().unwrap_or_default()
            );
        }
        Self {
            child: Mutex::new(child),
            stdin: Mutex::new(stdin),
            calls: answers_of(stdout, stderr),
            dropped: Mutex::default(),
        }
    }

    async fn ask(&self, call: &Value) -> Result<Value, Ended> {
        let (sender, answer) = oneshot::channel();
        let mut pending = Pending {
            process: self,
            call: self.registered(sender),
            answer: Some(answer),
        };
        let mut line = call.clone();
        line["call"] = pending.call.into();
        self.write(&line);
        let said = match &mut pending.answer {
            Some(answer) => answer.await,
            None => unreachable!("it is taken when this is dropped"),
        };
        pending.answer = None;
        said.map_err(|_| Ended {
            stderr: locked(&self.calls).last_words.clone().unwrap_or_default(),
        })
    }

    fn registered(&self, sender: oneshot::Sender<Value>) -> u64 {
        let mut calls = locked(&self.calls);
        calls.next += 1;
        let call = calls.next;
        // else nobody is left to answer it, as the dropped sender says
        if calls.last_words.is_none() {
            calls.waiting.insert(call, sender);
        }
        call
    }

    /// A process that is gone is noticed by its missing answers.
    fn write(&self, line: &Value) {
        let _ = locked(&self.stdin).write_all(format!("{line}\n").as_bytes());
    }

    /// Whether it runs, and says of every dropped call that it is over; if not, it is ended.
    async fn listens(&self) -> bool {
        let dropped = mem::take(&mut *locked(&self.dropped));
        for call in dropped {
            if timeout(PATIENCE, call).await.is_err() {
                let _ = locked(&self.child).kill();
                return false;
            }
        }
        locked(&self.calls).last_words.is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A call without an answer; it is dropped there too.
struct Pending<'a> {
    process: &'a Process,
    call: u64,
    answer: Option<oneshot::Receiver<Value>>,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            locked(&self.process.dropped).push(answer);
            self.process.write(&json!({"drop": self.call}));
        }
    }
}

/// Gives each line to the call that it is about, until there are no more.
fn answers_of(
    stdout: impl BufRead + Send + 'static,
    stderr: JoinHandle<String>,
) -> Arc<Mutex<Calls>> {
    let calls = Arc::new(Mutex::new(Calls::default()));
    let shared = Arc::clone(&calls);
    thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let said: Value = from_str(&line).unwrap_or_default();
            let call = said["call"].as_u64().unwrap_or_default();
            if let Some(sender) = locked(&shared).waiting.remove(&call) {
                let _ = sender.send(said);
            }
        }
        let last_words = stderr.join().unwrap_or_default();
        let mut calls = locked(&shared);
        calls.last_words = Some(last_words);
        calls.waiting.clear();
    });
    calls
}

fn text_of(mut stderr: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).trim().to_owned()
    })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
