//! `serve`: plays scripts as a provider until it is told to stop, and says then whether they were followed.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    process::ExitCode,
};

use clap::Args;
use llm_wire_stub::{Api, WireStub, WireStubBuilder};

use crate::{UNUSABLE, fail, print, script::Scripts};

const EXAMPLES: &str = "\
Examples:
  llm-wire-stub serve script.json
  llm-wire-stub serve --port 8080 --api openai_chat answer.sse
  curl -s $URL/__stub__/requests | jq '.[].messages[-1].text'

The first line on stdout is the URL; the stub answers from then on. OpenAI's SDKs want it with /v1 behind it.

Under /__stub__/ a test asks and tells: GET requests (?wait=N until there are N), GET journal, GET verify,
POST hold, POST release, POST gates/NAME/open, POST reset.

It runs until SIGINT or SIGTERM. Exit status:
  0  every call was as scripted, and every turn was played
  1  not so; the report is on stderr
  2  a file cannot be played, the address is taken, or the command line is wrong";

/// Play scripts as a provider, until it is told to stop.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    scripts: Scripts,
    /// The port; 0 is any that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The IP address; elsewhere than on the loopback interface whoever reaches it can call it.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Serve this API only.
    #[arg(long, value_name = "NAME")]
    api: Option<Api>,
    /// What ids, padding and fragment sizes are made from.
    #[arg(long)]
    seed: Option<u64>,
    /// Leave out padding, pings and the other noise of the service.
    #[arg(long)]
    plain: bool,
}

impl Serve {
    pub(crate) fn run(&self) -> ExitCode {
        match self.serve() {
            Ok(code) => code,
            Err(why) => fail(UNUSABLE, &why),
        }
    }

    fn serve(&self) -> Result<ExitCode, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("there is no runtime: {error}"))?;
        runtime.block_on(async {
            // before the URL is known, so that whoever has it can stop it
            let mut stop = Stop::new().map_err(|error| format!("no signal is heard: {error}"))?;
            let stub = self.builder()?.try_start();
            let stub = stub.map_err(|error| error.to_string())?;
            print(format!("{}\n", stub.url()))?;
            stop.told().await;
            Ok(verdict(&stub))
        })
    }

    fn builder(&self) -> Result<WireStubBuilder, String> {
        let mut builder = WireStub::builder()
            .bind(SocketAddr::new(self.host, self.port))
            .control_api()
            .without_verify_on_drop();
        for script in self.scripts.load(self.api)? {
            builder = builder
                .try_script(script)
                .map_err(|error| error.to_string())?;
        }
        if let Some(api) = self.api {
            builder = builder.api(api);
        }
        if let Some(seed) = self.seed {
            builder = builder.seed(seed);
        }
        if self.plain {
            builder = builder.plain();
        }
        Ok(builder)
    }
}

fn verdict(stub: &WireStub) -> ExitCode {
    match stub.try_verify() {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => fail(1, &report.to_string()),
    }
}

/// The signals that end a server.
#[cfg(unix)]
struct Stop {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Stop {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn told(&mut self) {
        std::future::poll_fn(|context| {
            let interrupted = self.interrupt.poll_recv(context).is_ready();
            let terminated = self.terminate.poll_recv(context).is_ready();
            if interrupted || terminated {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
}

/// Elsewhere there is Ctrl-C.
#[cfg(not(unix))]
struct Stop;

#[cfg(not(unix))]
impl Stop {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn told(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
