//! Published Rust clients against every fault of the catalogue: `llm_wire_stub::conformance` on each client and each API
//! that it speaks.
//!
//! What came of it is pinned in `pinned/`, a file for each client and API, and `docs/conformance.md` is made of these
//! files. Both are made anew by
//!
//! ```text
//! REMAKE=1 cargo test --test conformance
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `clients/` | how each client is asked, and what of its answer it shows |
//! | `subject.rs` | the clients on their APIs, and how the suite runs each |
//! | `process.rs` | a driver of an SDK, which many calls share |
//! | `pinned.rs` | a report as a file, and back |
//! | `document.rs` | `docs/conformance.md`, made of the files |
//! | `page.rs` | `docs/conformance.html`, made of the reports |

mod clients;
mod document;
mod page;
mod pinned;
mod process;
mod subject;

use llm_wire_stub::Api::{AnthropicMessages, OpenAiChat, OpenAiResponses};
use subject::{Library, Subject};

macro_rules! the_pinned_verdicts_hold {
    ($($name:ident: $library:ident, $api:ident;)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                pinned::hold(Subject { library: Library::$library, api: $api }).await;
            }
        )+

        /// In the order of the document.
        const SUBJECTS: &[Subject] = &[
            $(Subject { library: Library::$library, api: $api }),+
        ];
    };
}

the_pinned_verdicts_hold! {
    bare_reqwest_on_anthropic: Bare, AnthropicMessages;
    bare_reqwest_on_chat: Bare, OpenAiChat;
    bare_reqwest_on_responses: Bare, OpenAiResponses;
    rig_on_anthropic: Rig, AnthropicMessages;
    rig_on_chat: Rig, OpenAiChat;
    rig_on_responses: Rig, OpenAiResponses;
    genai_on_anthropic: Genai, AnthropicMessages;
    genai_on_chat: Genai, OpenAiChat;
    genai_on_responses: Genai, OpenAiResponses;
    async_anthropic_on_anthropic: AsyncAnthropic, AnthropicMessages;
    async_openai_on_chat: AsyncOpenai, OpenAiChat;
    async_openai_on_responses: AsyncOpenai, OpenAiResponses;
    anthropic_python_on_anthropic: AnthropicPython, AnthropicMessages;
    anthropic_typescript_on_anthropic: AnthropicTypeScript, AnthropicMessages;
    openai_python_on_chat: OpenAiPython, OpenAiChat;
    openai_python_on_responses: OpenAiPython, OpenAiResponses;
    openai_typescript_on_chat: OpenAiTypeScript, OpenAiChat;
    openai_typescript_on_responses: OpenAiTypeScript, OpenAiResponses;
}
