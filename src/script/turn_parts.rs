//! How a turn is given its parts.

use serde_json::Value;

use super::{
    Arguments, CallOrder, Fragments, Json, Turn,
    fragments::check_pieces,
    part::{EndsEmpty, ScriptedPart, Whole},
};
use crate::json::{self, Spacing};

impl Turn {
    /// Adds text. Adjacent text is one block; empty text adds nothing.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.part(ScriptedPart::Text {
            text: text.into().into(),
            citations: None,
            fragments: None,
        })
    }

    /// Adds a JSON value as text (compact, sorted keys), as a model does that was asked for JSON.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn json(self, value: impl Into<Value>) -> Self {
        self.text(json::to_string(&value.into(), Spacing::Compact))
    }

    /// Adds thinking, with a signature made from the seed. Empty thinking is hidden: only its signature is
    /// streamed.
    ///
    /// Its fragments are deltas as those of text are. Where the service signs nothing, give an empty
    /// signature to [`thinking_with_signature`](Self::thinking_with_signature).
    ///
    /// ```
    /// use llm_wire_stub::{Api, Turn, accumulate, sse_body};
    ///
    /// let turn = Turn::new().thinking("A simple question.").text("Four.");
    /// let reply = accumulate(Api::AnthropicMessages, &sse_body(Api::AnthropicMessages, &turn)).unwrap();
    /// assert_eq!((reply.thinking().as_str(), reply.text().as_str()), ("A simple question.", "Four."));
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn thinking(self, text: impl Into<String>) -> Self {
        self.think(text.into(), None)
    }

    /// Adds thinking with this signature; if it is empty, none is streamed.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn thinking_with_signature(
        self,
        text: impl Into<String>,
        signature: impl Into<String>,
    ) -> Self {
        self.think(text.into(), Some(signature.into()))
    }

    #[track_caller]
    fn think(self, text: String, signature: Option<String>) -> Self {
        self.part(ScriptedPart::Thinking {
            text: text.into(),
            signature,
            ends_empty: None,
            fragments: None,
        })
    }

    /// Lets the thinking added last end with an empty delta, as about one stream in five does. Without it
    /// the seed decides, and a [`plain`](Self::plain) turn has none. It is no fragment, and places do not
    /// count it.
    ///
    /// # Panics
    ///
    /// At the caller's line, if the part added last is no thinking.
    #[track_caller]
    pub fn empty_last_delta(mut self) -> Self {
        match self.message().parts.last_mut() {
            Some(ScriptedPart::Thinking { ends_empty, .. }) => *ends_empty = Some(EndsEmpty::Yes),
            Some(_) | None => panic!(
                "only thinking ends with an empty delta\n  \
                 help: call `.empty_last_delta()` after the `.thinking(..)` it is meant for"
            ),
        }
        self
    }

    /// Adds thinking that the provider encrypted, with data made from the seed.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn redacted_thinking(self) -> Self {
        self.part(ScriptedPart::RedactedThinking { data: None })
    }

    /// Adds thinking that the provider encrypted, with this data.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn redacted_thinking_with_data(self, data: impl Into<String>) -> Self {
        let data = Some(data.into());
        self.part(ScriptedPart::RedactedThinking { data })
    }

    /// Adds a call of one of the client's tools, with an id made from the script's seed. Arguments that are
    /// not JSON are given as [`Arguments::raw`](crate::Arguments::raw).
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn tool_call(self, name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        self.call(None, name.into(), arguments.into())
    }

    /// Adds a call of one of the client's tools, with this id.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn tool_call_with_id(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Self {
        self.call(Some(id.into()), name.into(), arguments.into())
    }

    #[track_caller]
    fn call(self, id: Option<String>, name: String, arguments: Arguments) -> Self {
        self.part(ScriptedPart::ToolCall {
            id,
            name,
            arguments,
            caller: None,
            fragments: None,
        })
    }

    /// Adds a call of one of the client's custom tools, whose input is any text, with an id made from the script's
    /// seed. Where an API has no such tools (Anthropic Messages) the turn is unplayable.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Turn, accumulate, sse_body};
    ///
    /// let turn = Turn::new().custom_tool_call("run", "SELECT 1;");
    /// let reply = accumulate(Api::OpenAiChat, &sse_body(Api::OpenAiChat, &turn)).unwrap();
    /// let call = reply.custom_tool_calls().next().unwrap();
    /// assert_eq!((call.name.as_str(), call.input.as_str()), ("run", "SELECT 1;"));
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn custom_tool_call(self, name: impl Into<String>, input: impl Into<String>) -> Self {
        self.custom_call(None, name.into(), input.into())
    }

    /// Adds a call of one of the client's custom tools, with this id.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn custom_tool_call_with_id(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        input: impl Into<String>,
    ) -> Self {
        self.custom_call(Some(id.into()), name.into(), input.into())
    }

    #[track_caller]
    fn custom_call(self, id: Option<String>, name: String, input: String) -> Self {
        self.part(ScriptedPart::CustomToolCall {
            id,
            name,
            input: input.into(),
            fragments: None,
        })
    }

    /// Lets the arguments of several tool calls come in turns, as some servers of OpenAI's API send them:
    /// all calls open, then one fragment of each. Without it one call follows the other, as OpenAI sends
    /// them. Where an API cannot do so (Anthropic's blocks come one after the other) the turn is
    /// unplayable.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Turn, accumulate, sse_body};
    /// use serde_json::json;
    ///
    /// let turn = Turn::new()
    ///     .tool_call("shell", json!({"cmd": "ls"}))
    ///     .tool_call("shell", json!({"cmd": "pwd"}))
    ///     .interleaved_tool_calls();
    /// let reply = accumulate(Api::OpenAiChat, &sse_body(Api::OpenAiChat, &turn)).unwrap();
    /// assert_eq!(reply.tool_calls().count(), 2);
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn interleaved_tool_calls(mut self) -> Self {
        self.message().call_order = CallOrder::Interleaved;
        self
    }

    /// Says who called the tool added last, if not the model itself: the member `caller`.
    ///
    /// ```
    /// use llm_wire_stub::{Json, Turn};
    /// use serde_json::json;
    ///
    /// let by_code = Json::raw(r#"{"type":"code_execution_20250825","tool_id":"srvtoolu_01a"}"#);
    /// let turn = Turn::new().tool_call("weather", json!({"city": "Rome"})).caller(by_code);
    /// # let _ = turn;
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, if the part added last is no tool call.
    #[track_caller]
    pub fn caller(mut self, by: impl Into<Json>) -> Self {
        match self.message().parts.last_mut() {
            Some(ScriptedPart::ToolCall { caller, .. }) => *caller = Some(by.into()),
            Some(_) | None => panic!(
                "only a tool call has a caller\n  \
                 help: call `.caller(..)` after the `.tool_call(..)` it is meant for, or on a `ServerTool`"
            ),
        }
        self
    }

    #[track_caller]
    pub(crate) fn part(mut self, part: ScriptedPart) -> Self {
        self.message().parts.push(part);
        self
    }

    /// Says how the text, the thinking, the arguments or the input added last are cut into deltas; without it text and
    /// thinking are cut into words.
    ///
    /// Of a tool of the provider's it cuts what is streamed of the call. On OpenAI Responses that is the code and the
    /// arguments of MCP; searches of the web and of files have nothing that is streamed, so it has no effect on them.
    /// A call that comes whole, as in some [dialects](crate::Dialect) of Chat, cannot be cut: the turn is unplayable.
    ///
    /// # Panics
    ///
    /// At the caller's line: if there is no part yet, or one that is never cut; if explicit pieces do not
    /// join to the whole, or to the raw arguments; if explicit pieces are given for arguments that are a
    /// JSON value, whose spacing is the API's.
    #[track_caller]
    pub fn fragments(mut self, fragments: Fragments) -> Self {
        let part = self.message().parts.last_mut();
        let Some((whole, slot)) = part.and_then(ScriptedPart::uncut) else {
            panic!(
                "there is nothing to cut into fragments yet\n  \
                 help: call `.fragments(..)` after the `.text(..)` or `.tool_call(..)` it is meant for"
            );
        };
        match (fragments.explicit(), whole) {
            (Some(pieces), Whole::Known(whole)) => {
                if let Err(why) = check_pieces(pieces, whole) {
                    panic!("{why}");
                }
            }
            (Some(_), Whole::Spelled) => panic!(
                "explicit pieces need arguments whose spelling is known\n  \
                 help: give the arguments as `Arguments::raw(..)`"
            ),
            (None, _) => {}
        }
        *slot = Some(fragments);
        self
    }
}
