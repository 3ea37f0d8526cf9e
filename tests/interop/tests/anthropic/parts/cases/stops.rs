//! Why the model stopped.

use llm_wire_stub::{ServerTool, StopDetails, StopReason};
use serde_json::{Value, json};

use super::Case;

pub(super) fn stops() -> Vec<Case> {
    let refusal = |category: Value, explanation: Value| json!({"type": "refusal", "category": category, "explanation": explanation});
    vec![
        Case::new(
            "a refusal that says why",
            |turn| turn.stop_details(StopDetails::new().category("cyber").explanation("It is é.")),
            json!([]),
        )
        .member("stop_reason", "refusal".into())
        .member("stop_details", refusal("cyber".into(), "It is é.".into())),
        Case::new(
            "a refusal of a category",
            |turn| turn.stop_details(StopDetails::new().category("bio")),
            json!([]),
        )
        .member("stop_reason", "refusal".into())
        .member("stop_details", refusal("bio".into(), Value::Null)),
        Case::new(
            "a refusal in the middle, which says nothing",
            |turn| turn.text("First, you").stop_reason(StopReason::Refusal),
            json!([{"type": "text", "text": "First, you"}]),
        )
        .member("stop_reason", "refusal".into())
        .member("stop_details", refusal(Value::Null, Value::Null)),
        Case::new(
            "a refusal with the members of a beta",
            |turn| {
                let details = StopDetails::new()
                    .category("general_harms")
                    .other("fallback_credit_token", json!("dG9rZW4="))
                    .other("fallback_has_prefill_claim", json!(true))
                    .other("recommended_model", json!("claude-haiku-4-5"));
                turn.stop_details(details)
            },
            json!([]),
        )
        .member("stop_reason", "refusal".into())
        .member(
            "stop_details",
            json!({
                "type": "refusal", "category": "general_harms", "explanation": null,
                "fallback_credit_token": "dG9rZW4=", "fallback_has_prefill_claim": true,
                "recommended_model": "claude-haiku-4-5",
            }),
        ),
        Case::new(
            "a pause",
            |turn| {
                let tool = ServerTool::bash("make", "").id("srvtoolu_b");
                turn.text("Building.").server_tool_call(tool).stop_reason(StopReason::PauseTurn)
            },
            json!([
                {"type": "text", "text": "Building."},
                {"type": "server_tool_use", "id": "srvtoolu_b", "name": "bash_code_execution",
                 "input": {"command": "make"}},
            ]),
        )
        .ran(0, 0)
        .member("stop_reason", "pause_turn".into()),
        Case::new(
            "what comes after a pause",
            |turn| turn.server_tool_result(ServerTool::bash("make", "ok").id("srvtoolu_b")).text("Built."),
            json!([
                {"type": "bash_code_execution_tool_result", "tool_use_id": "srvtoolu_b", "content": {
                    "type": "bash_code_execution_result", "stdout": "ok", "stderr": "", "return_code": 0, "content": [],
                }},
                {"type": "text", "text": "Built."},
            ]),
        )
        .ran(0, 0),
    ]
}
