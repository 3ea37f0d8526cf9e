//! The clients on their APIs, and how the suite runs each.

use llm_wire_stub::{
    Api,
    conformance::{self, Report, Suite},
};

use crate::clients::{
    async_anthropic, async_openai_chat, async_openai_responses, bare, genai, rig,
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
}

impl Library {
    pub(crate) const ALL: &[Self] = &[
        Self::Bare,
        Self::Rig,
        Self::Genai,
        Self::AsyncAnthropic,
        Self::AsyncOpenai,
    ];

    /// As the document calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare reqwest",
            Self::Rig => "rig",
            Self::Genai => "genai",
            Self::AsyncAnthropic => "async-anthropic",
            Self::AsyncOpenai => "async-openai",
        }
    }

    /// The packages of which it is made, as `Cargo.toml` pins them.
    pub(crate) const fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Bare => &["reqwest", "eventsource-stream"],
            Self::Rig => &["rig-core"],
            Self::Genai => &["genai"],
            Self::AsyncAnthropic => &["async-anthropic"],
            Self::AsyncOpenai => &["async-openai"],
        }
    }
}

impl Library {
    /// What there is to know of how it is asked.
    pub(crate) const fn note(self) -> &'static str {
        match self {
            Self::Bare => {
                "No client, but a loop as people write it: it looks at the events that it needs and at no other. \
                 Silence ends it after 500 ms."
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
        }
    }
}

impl Subject {
    pub(crate) fn file(self) -> String {
        let library = self.library.name().replace(' ', "-");
        let api = match self.api {
            Api::AnthropicMessages => "anthropic",
            Api::OpenAiChat => "chat",
            _ => "responses",
        };
        format!("{library}.{api}.txt")
    }

    /// What the suite says of it.
    pub(crate) async fn report(self, set: impl FnOnce(Suite) -> Suite) -> Report {
        let (api, suite) = (self.api, set(self.suite()));
        match self.library {
            Library::Bare => suite.run(|url| bare::ask(api, url)).await,
            Library::Rig => suite.run(|url| rig::ask(api, url)).await,
            Library::Genai => suite.run(|url| genai::ask(api, url)).await,
            Library::AsyncAnthropic => suite.run(async_anthropic::ask).await,
            Library::AsyncOpenai if api == Api::OpenAiChat => {
                suite.run(async_openai_chat::ask).await
            }
            Library::AsyncOpenai => suite.run(async_openai_responses::ask).await,
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
        }
    }
}
