//! What each client makes of each topic: the one home of these facts. A claim measures a cell again and
//! compares; `documentation.rs` compares the tables of `docs/clients.md`.

use crate::client::{Client, Form, Seen};

/// A row of a table.
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    /// By client, then whole and streamed.
    cells: [[&'static str; 2]; 3],
}

/// The answer as it was said.
const EQUAL: &str = "equal";
/// The client says that something is wrong.
const ERROR: &str = "error";
/// The client says that all is well, and gives less or something else than what was said.
const SILENT: &str = "**silent**";
/// The topic has no such form.
const NONE: &str = "";

macro_rules! topics {
    ($($table:ident { $($topic:ident: $name:literal $cells:expr;)+ })+) => {
        $($(pub(crate) const $topic: Topic = Topic { name: $name, cells: $cells };)+)+

        /// The tables, with the constant of each row.
        pub(crate) const TABLES: &[(&str, &[(&str, Topic)])] = &[
            $((stringify!($table), &[$((stringify!($topic), $topic)),+])),+
        ];
    };
}

topics! {
    well_formed {
        TEXT: "text of every kind" [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        EVERY_BYTE_ALONE: "the same, every byte a write of its own" [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        TOOL_CALLS: "tool calls, arguments of every kind" [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        TEXT_BETWEEN_CALLS: "text before and after tool calls" [[EQUAL, EQUAL], [EQUAL, SILENT], [EQUAL, EQUAL]];
        TOOL_LOOP: "a loop of parallel calls and a failing one" [[EQUAL, EQUAL], [EQUAL, EQUAL], [EQUAL, EQUAL]];
        THINKING: "thinking with its signature" [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]];
        HIDDEN_THINKING: "hidden thinking, its signature only" [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]];
        REDACTED_THINKING: "redacted thinking" [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]];
        THINKING_BETWEEN: "thinking before and after text" [[EQUAL, EQUAL], [EQUAL, SILENT], [ERROR, ERROR]];
        THINKING_LOOP: "thinking goes back in a tool loop as it came" [[EQUAL, EQUAL], [EQUAL, EQUAL], [ERROR, ERROR]];
        THINKING_USAGE: "tokens of thinking" [["kept", "kept"], ["kept", "dropped"], ["dropped", "dropped"]];
        CITATIONS: "citations" [[EQUAL, EQUAL], [SILENT, ERROR], [SILENT, ERROR]];
        SERVER_TOOLS: "tools that the provider runs" [[EQUAL, EQUAL], [EQUAL, ERROR], [ERROR, ERROR]];
        UNKNOWN_BLOCK: "a block of a kind nobody knows yet" [[EQUAL, EQUAL], [EQUAL, SILENT], [ERROR, ERROR]];
        ID_AND_MODEL: "id and model of the answer" [["both", "both"], ["model", "neither"], ["both", "both"]];
        CACHE_USAGE: "usage with caches" [["kept", "kept"], ["kept", "kept"], [SILENT, SILENT]];
        STOP_REASONS: "stop reasons that end as a plain stop" [
            ["`stop_sequence`, `pause_turn`", "`stop_sequence`, `pause_turn`"],
            ["none", "none"],
            ["none", "none"]
        ];
        BAD_ARGUMENTS: "arguments that are no JSON" [[NONE, "marked"], [NONE, "given as a string"], [NONE, "given as sent"]];
    }
    broken {
        CLEAN_END: "the body ends properly after one fragment" [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]];
        NO_TERMINAL: "all text, then the body ends without stop reason" [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]];
        NO_TERMINAL_CALL: "the same behind a whole tool call" [[NONE, ERROR], [NONE, SILENT], [NONE, SILENT]];
        NO_MESSAGE_STOP: "the body ends behind the stop reason" [[NONE, EQUAL], [NONE, SILENT], [NONE, EQUAL]];
        LOST: "the connection is closed or reset" [[ERROR, ERROR], [ERROR, ERROR], [ERROR, "error, **and the request again**"]];
        ERROR_EVENT: "an error event, first or after text" [
            [NONE, "type, message, request id"],
            [NONE, "type, message, request id"],
            [NONE, "**neither type nor message**"]
        ];
    }
    errors {
        KEPT: "kept of an error status" [
            ["status, type, message, request id, retry-after", "status, type, message, request id, retry-after"],
            ["status, type, message, request id, retry-after", "in a boxed cause only"],
            ["type, message, request id; 401: nothing", "nothing"]
        ];
        RETRIED: "statuses tried again" [["none", "none"], ["none", "none"], ["429, 529", "none"]];
    }
    cancel {
        LEFT_IN_THE_MIDDLE: "dropped after the first fragment" [[NONE, "seen"], [NONE, "seen"], [NONE, "**seen at the next event**"]];
        LEFT_BEFORE_THE_HEAD: "dropped before the answer begins" [["seen", "seen"], ["seen", "seen"], ["seen", "**not before the answer begins**"]];
    }
}

impl Topic {
    /// Compares what was measured with what is pinned.
    #[track_caller]
    pub(crate) fn assert(&self, client: Client, form: Form, found: &str) {
        let pinned = self.cell(client, form);
        assert_eq!(found, pinned, "{}: {client:?}, {form:?}", self.name);
    }

    pub(crate) const fn cell(&self, client: Client, form: Form) -> &'static str {
        let [rig, genai, async_anthropic] = self.cells;
        let [whole, streamed] = match client {
            Client::Rig => rig,
            Client::Genai => genai,
            Client::AsyncAnthropic => async_anthropic,
        };
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
