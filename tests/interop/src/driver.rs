//! The driver processes: started when first needed, lent to one test at a time, gone with the test binary,
//! whose end closes their stdin.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::{
    Call,
    process::{node, python},
};

/// So many processes of one language run at once.
const AT_ONCE: usize = 2;
/// A driver that says nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// An SDK, as a user has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sdk {
    /// Python's client, such as `Anthropic`.
    Python,
    /// Python's asynchronous client, such as `AsyncAnthropic`.
    PythonAsync,
    /// TypeScript's client, on Node.
    TypeScript,
}

impl Sdk {
    /// Makes the call and gives back what the SDK observed.
    ///
    /// # Panics
    ///
    /// If the driver breaks or falls silent, with all that it said.
    #[must_use]
    #[track_caller]
    pub fn run(self, call: &Call) -> Value {
        self.start(call).finish()
    }

    /// Makes the call so many times, one after the other.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    #[must_use]
    #[track_caller]
    pub fn run_times(self, call: &Call, times: usize) -> Vec<Value> {
        let mut running = self.begin(call, times);
        running.runs()
    }

    /// Begins a call that will be left in the middle.
    ///
    /// # Panics
    ///
    /// If the driver cannot be started.
    #[track_caller]
    pub fn start(self, call: &Call) -> Running {
        self.begin(call, 1)
    }

    #[track_caller]
    fn begin(self, call: &Call, times: usize) -> Running {
        let mut driver = checkout(self.language(call.provider()));
        driver.write(&call.line(self, times));
        Running {
            driver: Some(driver),
        }
    }

    /// The version of the SDK, as the lock file pins it.
    ///
    /// # Panics
    ///
    /// If the lock file does not name the SDK.
    #[must_use]
    pub fn version(self, provider: Provider) -> &'static str {
        self.language(provider).version()
    }

    const fn language(self, provider: Provider) -> Language {
        match (self, provider) {
            (Self::Python | Self::PythonAsync, Provider::Anthropic) => Language::Python,
            (Self::TypeScript, Provider::Anthropic) => Language::TypeScript,
            (Self::Python | Self::PythonAsync, Provider::OpenAi) => Language::OpenAiPython,
            (Self::TypeScript, Provider::OpenAi) => Language::OpenAiTypeScript,
            // they are asked in Python only
            (_, Provider::Vendors) => Language::VendorsPython,
        }
    }
}

/// Whose SDK it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic's.
    Anthropic,
    /// OpenAI's.
    OpenAi,
    /// Those of other vendors with a dialect of OpenAI's API, all in one driver.
    Vendors,
}

/// A call under way.
#[must_use = "the call is only done when it is finished"]
#[derive(Debug)]
pub struct Running {
    driver: Option<Driver>,
}

impl Running {
    /// What the driver says next, while it waits at the point where it will leave.
    ///
    /// # Panics
    ///
    /// If the driver says anything else.
    #[must_use]
    #[track_caller]
    pub fn note(&mut self) -> String {
        let said = self.driver().read();
        match said["note"].as_str() {
            Some(note) => note.to_owned(),
            None => panic!("the driver did not wait to be told to leave\n  found: `{said}`"),
        }
    }

    /// Lets the driver leave the call.
    pub fn leave(&mut self) {
        self.driver().write("leave");
    }

    /// What the SDK observed, once the call is over.
    ///
    /// # Panics
    ///
    /// If the driver breaks or falls silent, with all that it said.
    #[must_use]
    #[track_caller]
    pub fn finish(mut self) -> Value {
        match <[Value; 1]>::try_from(self.runs()) {
            Ok([run]) => run,
            Err(runs) => panic!("one call came out as {} runs", runs.len()),
        }
    }

    #[track_caller]
    fn runs(&mut self) -> Vec<Value> {
        let mut said = self.driver().read();
        let Value::Array(runs) = said["runs"].take() else {
            panic!(
                "the driver broke\n  found: {said:#}\n{}",
                self.driver().complaints()
            );
        };
        if let Some(driver) = self.driver.take() {
            give_back(driver);
        }
        runs
    }

    fn driver(&mut self) -> &mut Driver {
        self.driver.as_mut().expect("the call is not over")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(driver) = self.driver.take() {
            discard(driver);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Language {
    Python,
    TypeScript,
    OpenAiPython,
    OpenAiTypeScript,
    VendorsPython,
}

impl Language {
    /// What a driver says that it has.
    fn hello(self) -> String {
        match self {
            Self::VendorsPython => {
                let pinned = |sdk: &str| pinned(REQUIREMENTS, &format!("{sdk}=="), "\n");
                format!("groq {}, mistralai {}", pinned("groq"), pinned("mistralai"))
            }
            Self::Python | Self::TypeScript | Self::OpenAiPython | Self::OpenAiTypeScript => {
                self.version().to_owned()
            }
        }
    }

    fn version(self) -> &'static str {
        let (lock, before, after) = match self {
            Self::Python => (REQUIREMENTS, "anthropic==", "\n"),
            Self::TypeScript => (
                include_str!("../node/package.json"),
                "\"@anthropic-ai/sdk\": \"",
                "\"",
            ),
            Self::OpenAiPython => (REQUIREMENTS, "openai==", "\n"),
            Self::VendorsPython => (REQUIREMENTS, "groq==", "\n"),
            Self::OpenAiTypeScript => {
                (include_str!("../node/package.json"), "\"openai\": \"", "\"")
            }
        };
        pinned(lock, before, after)
    }

    fn command(self) -> Command {
        match self {
            Self::Python => python("python/driver.py"),
            Self::OpenAiPython => python("python/openai_driver.py"),
            Self::VendorsPython => python("python/vendors_driver.py"),
            Self::TypeScript => node(include_str!("../node/driver.mjs")),
            Self::OpenAiTypeScript => node(concat!(
                include_str!("../node/openai_responses.mjs"),
                include_str!("../node/openai_driver.mjs"),
            )),
        }
    }
}

const REQUIREMENTS: &str = include_str!("../python/requirements.txt");

/// What stands there in a lock file.
fn pinned(lock: &'static str, before: &str, after: &str) -> &'static str {
    let pinned = lock
        .split_once(before)
        .and_then(|(_, rest)| rest.split_once(after));
    pinned.expect("the lock file names the SDK").0
}

/// One process.
#[derive(Debug)]
struct Driver {
    language: Language,
    process: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    stderr: Arc<Mutex<String>>,
}

impl Driver {
    #[track_caller]
    fn start(language: Language) -> Self {
        let mut command = language.command();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = match command.spawn() {
            Ok(process) => process,
            Err(error) => panic!("{language:?} does not start: {error}\n  help: run `.ci/interop`"),
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = (
            process.stdin.take(),
            process.stdout.take(),
            process.stderr.take(),
        ) else {
            unreachable!("all three are pipes");
        };
        let mut driver = Self {
            language,
            process,
            stdin,
            lines: lines_of(stdout),
            stderr: text_of(stderr),
        };
        let hello = driver.read();
        assert_eq!(
            hello["sdk"],
            language.hello(),
            "another version of the SDK is installed\n  help: remove `tests/interop/.scratch`, run `.ci/interop`"
        );
        driver
    }

    #[track_caller]
    fn write(&mut self, line: &str) {
        let written = self.stdin.write_all(format!("{line}\n").as_bytes());
        if let Err(error) = written.and_then(|()| self.stdin.flush()) {
            panic!("the driver is gone: {error}\n{}", self.complaints());
        }
    }

    #[track_caller]
    fn read(&mut self) -> Value {
        let line = match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(error) => panic!("the driver said nothing: {error}\n{}", self.complaints()),
        };
        match serde_json::from_str(&line) {
            Ok(said) => said,
            Err(error) => panic!("the driver said no JSON: {error}\n  found: `{line}`"),
        }
    }

    fn complaints(&self) -> String {
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        format!("  stderr: `{stderr}`")
    }
}

fn lines_of(stdout: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

fn text_of(stderr: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::new(Mutex::new(String::new()));
    let all = Arc::clone(&text);
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            *all += &line;
            all.push('\n');
        }
    });
    text
}

/// The processes of the test binary.
struct Pool {
    idle: Vec<Driver>,
    lent: BTreeMap<Language, usize>,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    idle: Vec::new(),
    lent: BTreeMap::new(),
});
static RETURNED: Condvar = Condvar::new();

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

#[track_caller]
fn checkout(language: Language) -> Driver {
    let busy = |pool: &mut Pool| pool.lent.get(&language).is_some_and(|n| *n >= AT_ONCE);
    let waited = RETURNED.wait_while(pool(), busy);
    let mut pool = waited.unwrap_or_else(PoisonError::into_inner);
    let idle = pool
        .idle
        .iter()
        .position(|driver| driver.language == language);
    let driver = idle.map(|at| pool.idle.swap_remove(at));
    *pool.lent.entry(language).or_default() += 1;
    drop(pool);
    driver.unwrap_or_else(|| {
        let lent = Lent(language);
        let driver = Driver::start(language);
        std::mem::forget(lent);
        driver
    })
}

/// Takes a process that did not start off the count.
struct Lent(Language);

impl Drop for Lent {
    fn drop(&mut self) {
        returned(&mut pool(), self.0);
    }
}

fn give_back(driver: Driver) {
    let mut pool = pool();
    returned(&mut pool, driver.language);
    pool.idle.push(driver);
}

/// A process in the middle of a call is of no use to the next test.
fn discard(mut driver: Driver) {
    let _ = driver.process.kill();
    let _ = driver.process.wait();
    returned(&mut pool(), driver.language);
}

fn returned(pool: &mut Pool, language: Language) {
    if let Some(lent) = pool.lent.get_mut(&language) {
        *lent = lent.saturating_sub(1);
    }
    RETURNED.notify_all();
}
