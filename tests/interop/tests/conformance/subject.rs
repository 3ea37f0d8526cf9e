//! The clients on their APIs, and how the suite runs each.

use llm_wire_stub::{
    Api,
    conformance::{self, CaseReport, Report, Suite},
};

use llm_wire_stub_interop::{Provider, Sdk};

use crate::clients::{
    async_anthropic, async_openai_chat, async_openai_responses, bare, genai, rig, sdk,
};

/// A client on an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) library: Library,
    pub(crate) api: Api,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Bare,
    Rig,
    Genai,
    AsyncAnthropic,
    AsyncOpenai,
    AnthropicPython,
    AnthropicTypeScript,
    OpenAiPython,
    OpenAiTypeScript,
}

impl Library {
    pub(crate) const ALL: &[Self] = &[
        Self::Bare,
        Self::Rig,
        Self::Genai,
        Self::AsyncAnthropic,
        Self::AsyncOpenai,
        Self::AnthropicPython,
        Self::AnthropicTypeScript,
        Self::OpenAiPython,
        Self::OpenAiTypeScript,
    ];

    /// As the document calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare reqwest",
            Self::Rig => "rig",
            Self::Genai => "genai",
            Self::AsyncAnthropic => "async-anthropic",
            Self::AsyncOpenai => "async-openai",
            Self::AnthropicPython => "anthropic, Python",
            Self::AnthropicTypeScript => "anthropic, TypeScript",
            Self::OpenAiPython => "openai, Python",
            Self::OpenAiTypeScript => "openai, TypeScript",
        }
    }

    /// The packages of which it is made, with their versions, as they are pinned.
    pub(crate) fn packages(self) -> Vec<(&'static str, &'static str)> {
        let crates =
            |names: &[&'static str]| names.iter().map(|name| (*name, pinned(name))).collect();
        match self {
            Self::Bare => crates(&["reqwest", "eventsource-stream"]),
            Self::Rig => crates(&["rig-core"]),
            Self::Genai => crates(&["genai"]),
            Self::AsyncAnthropic => crates(&["async-anthropic"]),
            Self::AsyncOpenai => crates(&["async-openai"]),
            Self::AnthropicPython
            | Self::AnthropicTypeScript
            | Self::OpenAiPython
            | Self::OpenAiTypeScript => {
                let sdk = self.sdk();
                sdk.map(|(sdk, provider)| (sdk::package(sdk, provider), sdk.version(provider)))
                    .into_iter()
                    .collect()
            }
        }
    }

    /// With the version of its first package.
    pub(crate) fn title(self) -> String {
        let packages = self.packages();
        let version = packages.first().map_or("", |(_, version)| version);
        format!("{} {version}", self.name())
    }

    /// Which of the official SDKs it is, if it is one.
    const fn sdk(self) -> Option<(Sdk, Provider)> {
        match self {
            Self::AnthropicPython => Some((Sdk::PythonAsync, Provider::Anthropic)),
            Self::AnthropicTypeScript => Some((Sdk::TypeScript, Provider::Anthropic)),
            Self::OpenAiPython => Some((Sdk::PythonAsync, Provider::OpenAi)),
            Self::OpenAiTypeScript => Some((Sdk::TypeScript, Provider::OpenAi)),
            Self::Bare | Self::Rig | Self::Genai | Self::AsyncAnthropic | Self::AsyncOpenai => None,
        }
    }
}

/// The version of a crate in `Cargo.toml`.
fn pinned(name: &str) -> &'static str {
    let manifest = include_str!("../../Cargo.toml");
    let pinned = manifest.split_once(&format!("\n{name} = {{ version = \"="));
    let (_, rest) = pinned.expect("pinned");
    let (version, _) = rest.split_once('"').expect("quoted");
    version
}

impl Library {
    /// What there is to know of how it is asked.
    pub(crate) const fn note(self) -> &'static str {
        match self {
            Self::Bare => {
                "No client, but a loop as people write it: it looks at the events that it needs and at no other. \
                 Silence ends it after 1 s."
            }
            Self::Rig => {
                "It joins a stream itself, and says when the provider did not end it. On Anthropic the index of a block \
                 is the length of a list: with `block-index-invalid/huge` it asks for 72 GB of memory, which ends the \
                 process, so that it is not asked there."
            }
            Self::Genai => {
                "With every capture turned on; what it captured comes with its end event, and it is no error to it \
                 that there was none."
            }
            Self::AsyncAnthropic => {
                "It joins nothing: done by hand. It knows no thinking, so nothing that needs it is asked."
            }
            Self::AsyncOpenai => {
                "It joins nothing: done by hand, as in its examples. Its HTTP service is replaced by one that never \
                 tries again."
            }
            Self::AnthropicPython => {
                "`get_final_message()` takes the end of a stream for the end of the answer: without a stop reason and without \
                 `message_stop` it gives what there is (`eof-before-terminal`); the TypeScript SDK fails there, and is \
                 right. Arguments that were cut are given as if they were whole (`tool-args-truncated`). A leading byte \
                 order mark hides the first event (`bom-leading`), where the specification of event streams takes it \
                 off. `timeout` is between two reads, also behind `message_stop`: a whole answer fails if its connection \
                 stays open and silent."
            }
            Self::AnthropicTypeScript => {
                "Arguments that were cut are given as if they were whole, as in Python. A delta of a block that nobody \
                 began is dropped without a word (`block-index-invalid/huge`); in Python it is an error. `timeout` ends with \
                 the head of the answer: a stream that falls silent is waited for without an end (`stall-mid-stream`), and \
                 so is one that stays open behind `message_stop`."
            }
            Self::OpenAiPython => {
                "An event without data is read as JSON, which fails the call (`empty-data-event`; `retry: 1` does so too, \
                 `clean-end-reconnect`), where the specification of event streams dispatches nothing. On Chat the end of \
                 a stream is taken for the end of the answer (`eof-before-terminal`), of which the documentation of its \
                 accumulator warns; on Responses it is an error. An answer that was cut at the token limit or by the content filter is an \
                 error on both (`response-incomplete`), on Responses one that says that `response.completed` is missing."
            }
            Self::OpenAiTypeScript => {
                "On Responses `finalResponse()` gives what there is when the stream ends, with the status `in_progress` \
                 (`eof-before-terminal`); Python fails there, and is right. An event of an unknown type fails a Response \
                 (`unknown-event-type`, `ping-anywhere`); in Python it is passed over. On Chat a tool call without `index` \
                 is lost (`tool-index-missing`), and of a name in fragments the last is kept. `timeout` ends with the \
                 head of the answer, as in Anthropic's."
            }
        }
    }
}

impl Subject {
    pub(crate) fn file(self) -> String {
        let library = self
            .library
            .name()
            .replace(", ", "-")
            .replace(' ', "-")
            .to_lowercase();
        let api = match self.api {
            Api::AnthropicMessages => "anthropic",
            Api::OpenAiChat => "chat",
            _ => "responses",
        };
        format!("{library}.{api}.txt")
    }

    /// Whether a verdict may be another in the next run, and fine both times: an SDK keeps its connections between calls,
    /// and may see or not see that one was just closed, or have another one by then.
    pub(crate) fn is_race(self, case: &CaseReport) -> bool {
        let is_kept = self.library.sdk().is_some();
        is_kept && case.id().starts_with("idle-close-race/") && case.is_listed(false)
    }

    /// What the suite says of it.
    pub(crate) async fn report(self, set: impl FnOnce(Suite) -> Suite) -> Report {
        let (api, suite) = (self.api, set(self.suite()));
        if let Some((sdk, provider)) = self.library.sdk() {
            let client = sdk::Client::new(sdk, provider, api);
            client.warm_up().await;
            return suite.run(|url| client.ask(url)).await;
        }
        match self.library {
            Library::Bare => suite.run(|url| bare::ask(api, url)).await,
            Library::Rig => suite.run(|url| rig::ask(api, url)).await,
            Library::Genai => suite.run(|url| genai::ask(api, url)).await,
            Library::AsyncAnthropic => suite.run(async_anthropic::ask).await,
            Library::AsyncOpenai if api == Api::OpenAiChat => {
                suite.run(async_openai_chat::ask).await
            }
            _ => suite.run(async_openai_responses::ask).await,
        }
    }

    fn suite(self) -> Suite {
        let suite = conformance::suite(self.api);
        match self.library {
            Library::Bare => suite.idle_limit(bare::READ_TIMEOUT),
            Library::AsyncAnthropic => {
                let why = "the client knows no thinking: a block of it fails the call";
                suite.skip("reference/thinking", why)
            }
            Library::Rig if self.api == Api::AnthropicMessages => {
                let why = "the client asks for 72 GB of memory, which ends the process";
                suite.skip("block-index-invalid/huge", why)
            }
            Library::Rig | Library::Genai | Library::AsyncOpenai => suite,
            _ => suite.idle_limit(sdk::TIMEOUT),
        }
    }
}
