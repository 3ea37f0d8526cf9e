//! What the stub makes up itself, and what a script gives as it is.

use llm_wire_stub::{Json, ServerTool, Turn, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    made_ids_and_what_is_sealed_fit_each_other,
    raw_deltas_pass_through,
);

/// Ids that the stub makes: each of its own kind and used once, the result names the call before it; and what the
/// service would have encrypted is base64.
fn made_ids_and_what_is_sealed_fit_each_other(sdk: Sdk) {
    let turn = Turn::new()
        .thinking("Hm.")
        .redacted_thinking()
        .server_tool(ServerTool::web_search("a", [("A", "https://a.example")]))
        .server_tool(ServerTool::web_fetch("https://a.example", "A"))
        .server_tool(ServerTool::bash("ls", "a"))
        .server_tool(ServerTool::view_file("a", "b"))
        .server_tool(ServerTool::tool_search("a", ["a"]))
        .server_tool(ServerTool::mcp("m", "t", json!({}), "a"))
        .tool_call("weather", json!({"city": "Oslo"}))
        .tool_call("weather", json!({"city": "Rome"}))
        .seed(6)
        .allow_script_drift();
    let stub = WireStub::builder().turns([turn.clone(), turn]).start();

    let whole = sdk.run(&Call::create(&stub).beta())["message"].take();
    let streamed = sdk.run(&Call::helper(&stub).beta())["message"].take();

    assert_eq!(whole["content"], streamed["content"]);
    let blocks = whole["content"].as_array().expect("blocks");
    let mut ids: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["id"].as_str())
        .collect();
    for (block, next) in blocks.iter().zip(&blocks[1..]) {
        let (prefix, len, has_result) = match block["type"].as_str() {
            Some("server_tool_use") => ("srvtoolu_01", 33, true),
            Some("mcp_tool_use") => ("mcptoolu_01", 33, true),
            Some("tool_use") => ("toolu_01", 30, false),
            _ => continue,
        };
        let id = block["id"].as_str().expect("an id");
        assert!(id.starts_with(prefix) && id.len() == len, "{block}");
        assert_eq!(next["tool_use_id"] == id, has_result, "{block}: {next}");
    }
    assert_eq!(ids.len(), 8);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8, "an id is used twice: {ids:?}");
    for sealed in [
        &blocks[0]["signature"],
        &blocks[1]["data"],
        &blocks[3]["content"][0]["encrypted_content"],
    ] {
        let text = sealed.as_str().expect("sealed");
        assert!(text.starts_with("EqUB") && text.len() % 4 == 0, "{text}");
    }
    stub.verify();
}

fn raw_deltas_pass_through(sdk: Sdk) {
    let turn = Turn::new()
        .raw_block(Json::raw(r#"{"type":"hum","tune":""}"#))
        .raw_delta(Json::raw(r#"{"type":"hum_delta","tune":"la","bars":[1]}"#))
        .raw_delta(Json::raw(r#"{"type":"hum_delta","tune":"lu"}"#))
        .raw_block(Json::raw(r#"{"type":"text","text":"","mood":"odd"}"#))
        .raw_delta(Json::raw(
            r#"{"type":"text_delta","text":"hi","mood":"odder"}"#,
        ))
        .seed(3);
    let stub = WireStub::builder().turns([turn.clone(), turn]).start();

    let raw = sdk.run(&Call::raw(&stub));
    let helper = sdk.run(&Call::helper(&stub));

    let events = raw["events"].as_array().expect("events");
    assert_eq!(
        events[1..events.len() - 2],
        [
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "hum", "tune": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "hum_delta", "tune": "la", "bars": [1]}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "hum_delta", "tune": "lu"}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "", "mood": "odd"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "hi", "mood": "odder"}}),
            json!({"type": "content_block_stop", "index": 1}),
        ]
    );
    // the helpers leave out deltas that they have no word for
    assert_eq!(helper["error"], Value::Null);
    assert_eq!(
        helper["message"]["content"],
        json!([{"type": "hum", "tune": ""}, {"type": "text", "text": "hi", "mood": "odd"}])
    );
    stub.verify();
}
