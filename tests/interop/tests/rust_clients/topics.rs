//! What each client makes of each topic: the one home of these facts. A claim measures a cell again and
//! compares; `documentation.rs` compares the tables of `docs/clients.md`.

use crate::client::{Client, Form, Seen, Wire};

/// A row of a table.
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    anthropic: Cells,
    chat: Cells,
    responses: Cells,
}

/// By client, in the order of [`Wire::libraries`], then whole and streamed.
type Cells = [[&'static str; 2]; 3];

/// The API has no such topic.
const NOT_THERE: Cells = [[NONE; 2]; 3];

/// The answer as it was said.
const EQUAL: &str = "equal";
/// The client says that something is wrong.
const ERROR: &str = "error";
/// The client says that all is well, and gives less or something else than what was said.
const SILENT: &str = "**silent**";
/// The topic has no such form.
const NONE: &str = "";

/// All that an error status says.
const KEPT_OF_ANTHROPIC: &str = "status, type, message, request id, retry-after";
const KEPT_OF_OPENAI: &str = "status, type, code, message, request id, retry-after";
/// What async-openai keeps of it.
const NOT_OF_5XX: &str =
    "status, type, code, message; 500, 503, 504, 520: status, the body as text";

/// The thinking of a vendor has no member in its types.
const NO_THINKING: &str = "thinking: **silent**";

/// Both are `incomplete`; the reason is not read.
const FILTERED_AS_LONG: &str = "**none, but `content_filter` as `max_tokens`**";

macro_rules! topics {
    ($($table:ident { $($topic:ident: $name:literal $($wire:ident $cells:expr),+;)+ })+) => {
        $($(pub(crate) const $topic: Topic = Topic { $($wire: $cells,)+ ..Topic::named($name) };)+)+

        /// The tables, with the constant of each row.
        pub(crate) const TABLES: &[(&str, &[(&str, Topic)])] = &[
            $((stringify!($table), &[$((stringify!($topic), $topic)),+])),+
        ];
    };
}

topics! {
    well_formed {
        TEXT: "text of every kind"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        WHITE_SPACE: "white space around a text"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            chat [[EQUAL, EQUAL], [SILENT, EQUAL], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        EVERY_BYTE_ALONE: "the same, every byte a write of its own"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        TOOL_CALLS: "tool calls, arguments of every kind"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        TEXT_BEFORE_CALLS: "text before parallel calls"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        CALLS_IN_TURNS: "fragments of parallel calls in turns"
            chat [[NONE, EQUAL], [NONE, EQUAL], [NONE, EQUAL]];
        TEXT_BETWEEN_CALLS: "text before and after tool calls"
            anthropic [[EQUAL, EQUAL], [EQUAL, SILENT], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, SILENT], [EQUAL, EQUAL]];
        TOOL_LOOP: "a loop of parallel calls and a failing one"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        THINKING: "thinking with its signature"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        HIDDEN_THINKING: "hidden thinking, its signature only"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        REDACTED_THINKING: "redacted thinking"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]],
            responses [[EQUAL, EQUAL], [SILENT, SILENT], [EQUAL, EQUAL]];
        THINKING_BETWEEN: "thinking before and after text"
            anthropic [[EQUAL, EQUAL], [EQUAL, SILENT], [ERROR, ERROR]],
            responses [[EQUAL, EQUAL], [SILENT, SILENT], [EQUAL, EQUAL]];
        THINKING_LOOP: "thinking goes back in a tool loop as it came"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]],
            responses [[EQUAL, EQUAL], ["what is encrypted", "what is encrypted"], [EQUAL, EQUAL]];
        THINKING_USAGE: "tokens of thinking"
            anthropic [["kept", "kept"], ["kept", "dropped"], ["dropped", "dropped"]],
            chat [["kept", "kept"], ["kept", "kept"], ["kept", "kept"]],
            responses [["kept", "kept"], ["kept", "kept"], ["kept", "kept"]];
        CITATIONS: "citations"
            anthropic [[EQUAL, EQUAL], [SILENT, ERROR], [SILENT, ERROR]],
            chat [[EQUAL, EQUAL], [SILENT, SILENT], [EQUAL, SILENT]],
            responses [[EQUAL, EQUAL], [SILENT, SILENT], [EQUAL, EQUAL]];
        SERVER_TOOLS: "tools that the provider runs"
            anthropic [[EQUAL, EQUAL], [EQUAL, ERROR], [ERROR, ERROR]],
            responses [[EQUAL, EQUAL], [SILENT, SILENT], [EQUAL, EQUAL]];
        UNKNOWN_BLOCK: "a block of a kind nobody knows yet"
            anthropic [[EQUAL, EQUAL], [EQUAL, SILENT], [ERROR, ERROR]],
            responses [[EQUAL, EQUAL], [SILENT, SILENT], [ERROR, ERROR]];
        REFUSAL: "a refusal in words"
            chat [["**as an answer**", "**as an answer**"], [SILENT, SILENT], [EQUAL, EQUAL]],
            responses [["**as an answer**", "**as an answer**"], [SILENT, SILENT], [EQUAL, EQUAL]];
        STRUCTURED: "an answer to a schema"
            anthropic [[EQUAL, EQUAL], [EQUAL, EQUAL], [NONE, NONE]],
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]],
            responses [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        ID_AND_MODEL: "id and model of the answer"
            anthropic [["both", "both"], ["model", "neither"], ["both", "both"]],
            chat [["both", "both"], ["model", "neither"], ["both", "both"]],
            responses [["both", "both"], ["both", "id"], ["both", "both"]];
        CACHE_USAGE: "usage with caches"
            anthropic [["kept", "kept"], ["kept", "kept"], [SILENT, SILENT]],
            chat [["kept", "kept"], ["kept", "kept"], ["kept", "kept"]],
            responses [["kept", "kept"], ["kept", "kept"], ["kept", "kept"]];
        STOP_REASONS: "stop reasons that end as a plain stop"
            anthropic [["`stop_sequence`, `pause_turn`", "`stop_sequence`, `pause_turn`"], ["none", "none"], ["none", "none"]],
            chat [["none", "none"], ["none", "none"], ["none", "none"]],
            responses [["none", "none"], [FILTERED_AS_LONG, FILTERED_AS_LONG], ["none", "none"]];
        NEW_STOP_REASON: "a stop reason nobody knows yet"
            anthropic [["kept", "kept"], ["kept", "kept"], ["kept", "kept"]],
            chat [["kept", "kept"], ["kept", "kept"], [ERROR, ERROR]];
        BAD_ARGUMENTS: "arguments that are no JSON"
            anthropic [[NONE, "marked"], [NONE, "given as a string"], [NONE, "given as sent"]],
            chat [["marked", "marked"], [ERROR, "given as a string"], ["given as sent", "given as sent"]],
            responses [["marked", "marked"], [ERROR, "given as a string"], ["given as sent", "given as sent"]];
    }
    vendors {
        OPENROUTER: "OpenRouter"
            chat [[EQUAL, "error event: its words"], [EQUAL, EQUAL], [NO_THINKING, "thinking: **silent**, error event: **silent**"]];
        AZURE: "Azure"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        DEEPSEEK: "DeepSeek"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [NO_THINKING, NO_THINKING]];
        GROQ: "Groq"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [NO_THINKING, NO_THINKING]];
        MISTRAL: "Mistral"
            chat [[EQUAL, "error event: its words"], ["calls: error", "error event: **silent**"], ["calls: error, thinking: error", "thinking: error"]];
        PERPLEXITY: "Perplexity"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        XAI: "xAI"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [NO_THINKING, NO_THINKING]];
        TOGETHER: "Together"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [NO_THINKING, NO_THINKING]];
        OLLAMA: "Ollama"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [NO_THINKING, NO_THINKING]];
        VLLM: "vLLM"
            chat [[EQUAL, EQUAL], [EQUAL, EQUAL], [NO_THINKING, "text: error, calls: error, thinking: error, error event: its words"]];
    }
    broken {
        CLEAN_END: "the body ends properly after one fragment"
            anthropic [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]],
            chat [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]],
            responses [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]];
        NO_TERMINAL: "all text, then the body ends without stop reason"
            anthropic [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]],
            chat [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]],
            responses [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]];
        NO_TERMINAL_CALL: "the same behind a whole tool call"
            anthropic [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]],
            chat [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]],
            responses [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]];
        NO_MESSAGE_STOP: "the body ends behind the stop reason"
            anthropic [[NONE, EQUAL], [NONE, SILENT], [NONE, EQUAL]],
            chat [[NONE, EQUAL], [NONE, SILENT], [NONE, EQUAL]];
        LOST: "the connection is closed or reset"
            anthropic [[ERROR, ERROR], [ERROR, ERROR], [ERROR, "error, **and the request again**"]],
            chat [[ERROR, ERROR], [ERROR, ERROR], [ERROR, ERROR]],
            responses [[ERROR, ERROR], [ERROR, ERROR], [ERROR, ERROR]];
        ERROR_EVENT: "an error event, first or after text"
            anthropic [[NONE, "type, message, request id"], [NONE, "type, message, request id"], [NONE, "**neither type nor message**"]],
            chat [
                [NONE, "type, code, message"],
                [NONE, "type, code, message"],
                [NONE, "**a decoding error, with all as text**"]
            ],
            responses [[NONE, "type, code, message"], [NONE, "type, code, message"], [NONE, "**a decoding error, with all as text**"]];
    }
    errors {
        KEPT: "kept of an error status"
            anthropic [
                [KEPT_OF_ANTHROPIC, KEPT_OF_ANTHROPIC],
                [KEPT_OF_ANTHROPIC, "in a boxed cause only"],
                ["type, message, request id; 401: nothing", "nothing"]
            ],
            chat [[KEPT_OF_OPENAI, KEPT_OF_OPENAI], [KEPT_OF_OPENAI, "in a boxed cause only"], [NOT_OF_5XX, NOT_OF_5XX]],
            responses [[KEPT_OF_OPENAI, KEPT_OF_OPENAI], [KEPT_OF_OPENAI, "in a boxed cause only"], [NOT_OF_5XX, NOT_OF_5XX]];
        RETRIED: "statuses tried again"
            anthropic [["none", "none"], ["none", "none"], ["429, 529", "none"]],
            chat [
                ["none", "none"],
                ["none", "none"],
                ["429, 500, 503, 504, 520", "429, 500, 503, 504, 520"]
            ],
            responses [["none", "none"], ["none", "none"], ["429, 500, 503, 504, 520", "429, 500, 503, 504, 520"]];
    }
    cancel {
        LEFT_IN_THE_MIDDLE: "dropped after the first fragment"
            anthropic [[NONE, "seen"], [NONE, "seen"], [NONE, "**seen at the next event**"]],
            chat [[NONE, "seen"], [NONE, "seen"], [NONE, "seen"]],
            responses [[NONE, "seen"], [NONE, "seen"], [NONE, "seen"]];
        LEFT_BEFORE_THE_HEAD: "dropped before the answer begins"
            anthropic [["seen", "seen"], ["seen", "seen"], ["seen", "**not before the answer begins**"]],
            chat [["seen", "seen"], ["seen", "seen"], ["seen", "seen"]],
            responses [["seen", "seen"], ["seen", "seen"], ["seen", "seen"]];
    }
}

impl Topic {
    const fn named(name: &'static str) -> Self {
        Self {
            name,
            anthropic: NOT_THERE,
            chat: NOT_THERE,
            responses: NOT_THERE,
        }
    }

    /// Compares what was measured with what is pinned.
    #[track_caller]
    pub(crate) fn assert(&self, client: Client, form: Form, found: &str) {
        let pinned = self.cell(client, form);
        assert_eq!(found, pinned, "{}: {client:?}, {form:?}", self.name);
    }

    pub(crate) fn cell(&self, client: Client, form: Form) -> &'static str {
        let cells = match client.wire {
            Wire::Anthropic => self.anthropic,
            Wire::Chat => self.chat,
            Wire::Responses => self.responses,
        };
        let column = client
            .wire
            .libraries()
            .iter()
            .position(|l| *l == client.library);
        let [whole, streamed] = cells[column.expect("it speaks the API")];
        match form {
            Form::Whole => whole,
            Form::Streamed => streamed,
        }
    }
}

/// What a client made of an answer whose content and end are known.
pub(crate) fn verdict(right: bool, seen: &Seen) -> &'static str {
    match (&seen.failure, right) {
        (Some(_), _) => ERROR,
        (None, true) => EQUAL,
        (None, false) => SILENT,
    }
}
