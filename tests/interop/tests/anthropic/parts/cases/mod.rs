//! Turns that say what only this provider says, and beside each the message, member by member, written by hand.

mod citations;
mod container_tools;
mod envelope;
mod server_tools;
mod stops;
mod thinking;

use llm_wire_stub::{Json, Turn, Usage};
use llm_wire_stub_interop::MODEL;
use serde_json::{Value, json};

/// What a stream or a body is made of, and what a client has to read.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) turn: Turn,
    pub(crate) message: Value,
    /// The members that the types of Python's SDK do not know, on its surface for betas; on the other one those of
    /// a beta come on top.
    pub(crate) unknown: &'static [&'static str],
    /// The members that are known to the surface for betas only.
    pub(crate) beta: &'static [&'static str],
}

impl Case {
    fn new(name: &'static str, says: impl FnOnce(Turn) -> Turn, content: Value) -> Self {
        let turn = Turn::new().id("msg_own").usage(usage());
        Self {
            name,
            turn: says(turn),
            message: json!({
                "model": MODEL, "id": "msg_own", "type": "message", "role": "assistant", "content": flat(content),
                "stop_reason": "end_turn", "stop_sequence": null, "stop_details": null,
                "usage": {
                    "input_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                    "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
                    "output_tokens": 40, "service_tier": "standard", "inference_geo": "not_available",
                },
            }),
            unknown: &[],
            beta: &[],
        }
    }

    fn member(mut self, name: &str, value: Value) -> Self {
        self.message[name] = value;
        self
    }

    fn usage(mut self, name: &str, value: Value) -> Self {
        self.message["usage"][name] = value;
        self
    }

    fn thought(self, tokens: u64) -> Self {
        self.usage("output_tokens_details", json!({"thinking_tokens": tokens}))
    }

    fn ran(self, searches: u64, fetches: u64) -> Self {
        let counts = json!({"web_search_requests": searches, "web_fetch_requests": fetches});
        self.usage("server_tool_use", counts)
    }

    const fn unknown(mut self, members: &'static [&'static str]) -> Self {
        self.unknown = members;
        self
    }

    const fn beta(mut self, members: &'static [&'static str]) -> Self {
        self.beta = members;
        self
    }
}

/// The blocks of lists in a list.
fn flat(blocks: Value) -> Vec<Value> {
    match blocks {
        Value::Array(blocks) => blocks.into_iter().flat_map(flat).collect(),
        block => vec![block],
    }
}

/// What every turn here costs, unless it is about that.
fn usage() -> Usage {
    Usage::input(7).output(40)
}

pub(crate) fn cases() -> Vec<Case> {
    let groups = [
        thinking::thinking(),
        citations::citations(),
        server_tools::web_tools(),
        container_tools::commands(),
        container_tools::files(),
        server_tools::other_tools(),
        stops::stops(),
        envelope::usages(),
        envelope::rest(),
        blocks(),
    ];
    let numbered = (1_u64..).zip(groups.into_iter().flatten());
    numbered
        .map(|(seed, case)| Case {
            turn: case.turn.seed(seed).allow_script_drift(),
            ..case
        })
        .collect()
}

/// A call that the model makes itself.
fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input, "caller": {"type": "direct"}})
}

fn blocks() -> Vec<Case> {
    vec![
        Case::new(
            "parallel calls",
            |turn| {
                let by_code = r#"{"type":"code_execution_20250825","tool_id":"srvtoolu_c"}"#;
                turn.text("All at once.")
                    .tool_call_with_id(
                        "toolu_a",
                        "weather",
                        json!({"city": "Łódź", "days": [1, 2.5]}),
                    )
                    .tool_call_with_id("toolu_b", "weather", json!({"city": "Oslo"}))
                    .tool_call_with_id("toolu_c", "now", json!({}))
                    .caller(Json::raw(by_code))
                    .tool_call_with_id("toolu_d", "now", json!({"deep": {"a": [{"b": null}]}}))
            },
            json!([
                {"type": "text", "text": "All at once."},
                call("toolu_a", "weather", &json!({"city": "Łódź", "days": [1, 2.5]})),
                call("toolu_b", "weather", &json!({"city": "Oslo"})),
                {"type": "tool_use", "id": "toolu_c", "name": "now", "input": {},
                 "caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_c"}},
                call("toolu_d", "now", &json!({"deep": {"a": [{"b": null}]}})),
            ]),
        )
        .member("stop_reason", "tool_use".into()),
        Case::new(
            "blocks as they are",
            |turn| {
                turn.raw_block(Json::raw(
                    r#"{"type":"container_upload","file_id":"file_01a"}"#,
                ))
                .text("hi")
                .raw_block(Json::raw(
                    r#"{"type":"hum","tune":"la é","bars":[1,{"rest":null}]}"#,
                ))
            },
            json!([
                {"type": "container_upload", "file_id": "file_01a"},
                {"type": "text", "text": "hi"},
                {"type": "hum", "tune": "la é", "bars": [1, {"rest": null}]},
            ]),
        )
        .unknown(&["content.2"]),
    ]
}

/// Stands for what the service encrypted, where a turn does not say what.
pub(crate) const SEALED: &str = "(sealed)";
