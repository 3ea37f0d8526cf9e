//! Tools that the service runs itself, each with a result and with an error.

use llm_wire_stub::{Json, ServerTool};
use serde_json::{Value, json};

use super::{Case, SEALED};

/// The call of a tool that the service runs itself, and the result behind it.
pub(super) fn ran(id: &str, name: &str, input: &Value, kind: &str, content: &Value) -> [Value; 2] {
    [
        json!({"type": "server_tool_use", "id": id, "name": name, "input": input}),
        json!({"type": kind, "tool_use_id": id, "content": content}),
    ]
}

/// A result of the web says who called.
fn from_the_web(mut blocks: [Value; 2]) -> [Value; 2] {
    blocks[1]["caller"] = json!({"type": "direct"});
    blocks
}

pub(super) fn web_tools() -> Vec<Case> {
    let search = |content: &Value| {
        let input = json!({"query": "tides é"});
        from_the_web(ran(
            "srvtoolu_s",
            "web_search",
            &input,
            "web_search_tool_result",
            content,
        ))
    };
    let fetch = |content: &Value| {
        let input = json!({"url": "https://a.example"});
        from_the_web(ran(
            "srvtoolu_f",
            "web_fetch",
            &input,
            "web_fetch_tool_result",
            content,
        ))
    };
    let page = |title: &str, url: &str| json!({"type": "web_search_result", "title": title, "url": url, "encrypted_content": SEALED, "page_age": null});
    let searched = || {
        let pages = [
            ("Tides", "https://a.example"),
            ("More é", "https://b.example/?q=1&r=2"),
        ];
        ServerTool::web_search("tides é", pages).id("srvtoolu_s")
    };
    let fetched = || ServerTool::web_fetch("https://a.example", "High\nat six.").id("srvtoolu_f");
    let failed = |kind: &str, code: &str| json!({"type": kind, "error_code": code});
    let by_code = r#"{"type":"code_execution_20250825","tool_id":"srvtoolu_0"}"#;
    let mut called_by_code = search(&json!([]));
    for block in &mut called_by_code {
        block["caller"] = json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_0"});
    }
    vec![
        Case::new(
            "a web search",
            |turn| turn.server_tool(searched()).text("High."),
            json!([
                search(&json!([page("Tides", "https://a.example"), page("More é", "https://b.example/?q=1&r=2")])),
                [{"type": "text", "text": "High."}],
            ]),
        )
        .ran(1, 0),
        Case::new(
            "a web search that failed",
            |turn| turn.server_tool(searched().error("max_uses_exceeded")),
            json!([search(&failed("web_search_tool_result_error", "max_uses_exceeded"))]),
        )
        .ran(1, 0),
        Case::new(
            "a web search that code asked for",
            |turn| {
                let tool = searched().content(json!([])).caller(Json::raw(by_code));
                turn.server_tool(tool)
            },
            json!([called_by_code]),
        )
        .ran(1, 0),
        Case::new(
            "a web fetch",
            |turn| turn.server_tool(fetched()),
            json!([fetch(&json!({
                "type": "web_fetch_result", "url": "https://a.example",
                "retrieved_at": "2026-08-19T14:34:12.730129+00:00",
                "content": {
                    "type": "document", "title": null,
                    "source": {"type": "text", "media_type": "text/plain", "data": "High\nat six."},
                },
            }))]),
        )
        .ran(0, 1),
        Case::new(
            "a web fetch that failed",
            |turn| turn.server_tool(fetched().error("url_not_accessible")),
            json!([fetch(&failed("web_fetch_tool_result_error", "url_not_accessible"))]),
        )
        .ran(0, 1),
    ]
}

pub(super) fn other_tools() -> Vec<Case> {
    let found = |content: &Value| {
        let input = json!({"query": "weather"});
        let kind = "tool_search_tool_result";
        json!([ran(
            "srvtoolu_t",
            "tool_search_tool_regex",
            &input,
            kind,
            content
        )])
    };
    let searched = || ServerTool::tool_search("weather", ["weather", "tides"]).id("srvtoolu_t");
    let mcp = |is_error: bool, text: &str| {
        json!([[
            {"type": "mcp_tool_use", "id": "mcptoolu_m", "name": "now", "input": {"zone": "UTC"},
             "server_name": "clocks"},
            {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_m", "is_error": is_error,
             "content": [{"type": "text", "text": text}]},
        ]])
    };
    let clock =
        || ServerTool::mcp("clocks", "now", json!({"zone": "UTC"}), "14:34").id("mcptoolu_m");
    let advice = || json!({"type": "advisor_result", "text": "Go on.", "stop_reason": "end_turn"});
    vec![
        Case::new(
            "a search for tools",
            |turn| turn.server_tool(searched()),
            found(&json!({
                "type": "tool_search_tool_search_result",
                "tool_references": [
                    {"type": "tool_reference", "tool_name": "weather"},
                    {"type": "tool_reference", "tool_name": "tides"},
                ],
            })),
        )
        .ran(0, 0),
        Case::new(
            "a search for tools that failed",
            |turn| turn.server_tool(searched().error("unavailable")),
            found(&json!({
                "type": "tool_search_tool_result_error", "error_code": "unavailable", "error_message": null,
            })),
        )
        .ran(0, 0),
        Case::new("a tool of an MCP server", |turn| turn.server_tool(clock()), mcp(false, "14:34"))
            .ran(0, 0)
            .beta(&["content.0", "content.1"]),
        Case::new(
            "a tool of an MCP server that failed",
            |turn| turn.server_tool(clock().error("no such zone")),
            mcp(true, "no such zone"),
        )
        .ran(0, 0)
        .beta(&["content.0", "content.1"]),
        Case::new(
            "an advisor",
            |turn| {
                let tool = ServerTool::new("advisor", json!({}), "advisor_tool_result", advice());
                turn.server_tool(tool.id("srvtoolu_a"))
            },
            json!([ran("srvtoolu_a", "advisor", &json!({}), "advisor_tool_result", &advice())]),
        )
        .ran(0, 0)
        .beta(&["content.0", "content.1"]),

    ]
}
