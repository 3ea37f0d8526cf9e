//! How a turn is given the parts that not every API has.

use super::{
    Citation, Json, ServerTool, Turn,
    part::{ScriptedPart, ServerToolSays},
};

impl Turn {
    /// Adds text with what it is based on: a block of its own, whose citations come before its text. Without
    /// any citation it is as the text of a model that could have cited something.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Citation, Part, Turn, accumulate, sse_body};
    ///
    /// let grass = Citation::characters("The grass is green.", 0..19).title("facts.txt");
    /// let turn = Turn::new().text("As it says: ").cited_text("grass is green.", [grass.clone()]);
    /// let reply = accumulate(Api::AnthropicMessages, &sse_body(Api::AnthropicMessages, &turn)).unwrap();
    /// assert_eq!(reply.text(), "As it says: grass is green.");
    /// assert_eq!(
    ///     reply.parts[1],
    ///     Part::CitedText { text: "grass is green.".to_owned(), citations: vec![grass] }
    /// );
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn cited_text(
        self,
        text: impl Into<String>,
        citations: impl IntoIterator<Item = Citation>,
    ) -> Self {
        self.part(ScriptedPart::Text {
            text: text.into().into(),
            citations: Some(citations.into_iter().collect()),
            fragments: None,
        })
    }

    /// Adds a tool that the provider runs itself: its call, and its result in the block behind.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn server_tool(self, tool: ServerTool) -> Self {
        self.run(tool, ServerToolSays::CallAndResult)
    }

    /// Adds only the call of a tool that the provider runs itself: its result comes later, or in the next answer
    /// if the model pauses.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn server_tool_call(self, tool: ServerTool) -> Self {
        self.run(tool, ServerToolSays::Call)
    }

    /// Adds only the result of a tool that the provider ran.
    ///
    /// ```
    /// use llm_wire_stub::{ServerTool, StopReason, Turn};
    ///
    /// let tides = ServerTool::web_search("tides", [("Tides", "https://tides.example")]).id("srvtoolu_01a");
    /// let paused = Turn::new().server_tool_call(tides.clone()).stop_reason(StopReason::PauseTurn);
    /// let resumed = Turn::new().server_tool_result(tides).text("It is high tide.");
    /// # let _ = (paused, resumed);
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn, or if the tool has no id that names its call.
    #[track_caller]
    pub fn server_tool_result(self, tool: ServerTool) -> Self {
        assert!(
            tool.id.is_some(),
            "a result alone does not say which call it is of\n  \
             help: give call and result the same id, with `ServerTool::id(..)`"
        );
        self.run(tool, ServerToolSays::Result)
    }

    #[track_caller]
    fn run(self, tool: ServerTool, says: ServerToolSays) -> Self {
        self.part(ScriptedPart::ServerTool {
            tool: Box::new(tool),
            says,
            fragments: None,
        })
    }

    /// Adds a summary that stands for the conversation so far.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn compaction(self, content: impl Into<String>) -> Self {
        self.part(ScriptedPart::Compaction {
            content: content.into(),
            encrypted_content: None,
        })
    }

    /// Adds a summary that stands for the conversation so far, with its encrypted form.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn compaction_with_encrypted_content(
        self,
        content: impl Into<String>,
        encrypted_content: impl Into<String>,
    ) -> Self {
        self.part(ScriptedPart::Compaction {
            content: content.into(),
            encrypted_content: Some(encrypted_content.into()),
        })
    }

    /// Adds a block as it is: one that this crate has no word for, or one that is odd on purpose. A stream starts
    /// it with this object; a body has it as it is.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Json, Turn, sse_body};
    /// use serde_json::json;
    ///
    /// let turn = Turn::new()
    ///     .raw_block(Json::raw(r#"{"type":"hum","tune":""}"#))
    ///     .raw_delta(json!({"type": "hum_delta", "tune": "la"}))
    ///     .plain();
    /// let body = sse_body(Api::AnthropicMessages, &turn);
    /// let delta = r#""delta":{"tune":"la","type":"hum_delta"}}"#;
    /// assert!(std::str::from_utf8(&body).unwrap().contains(delta));
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn raw_block(self, block: impl Into<Json>) -> Self {
        self.part(ScriptedPart::Raw {
            start: block.into(),
            deltas: Vec::new(),
            added: None,
        })
    }

    /// Adds a delta, as it is, to the raw block added last. A body has no place for it.
    ///
    /// # Panics
    ///
    /// At the caller's line, if the part added last is no raw block.
    #[track_caller]
    pub fn raw_delta(mut self, delta: impl Into<Json>) -> Self {
        match self.message().parts.last_mut() {
            Some(ScriptedPart::Raw { deltas, .. }) => deltas.push(delta.into()),
            Some(_) | None => panic!(
                "only a raw block has raw deltas\n  \
                 help: call `.raw_delta(..)` after the `.raw_block(..)` it is meant for"
            ),
        }
        self
    }
}
