//! Tool loops on what only this provider says: what came goes back as it came.

use llm_wire_stub::{
    Citation, RecordedRequest, ServerTool, StopReason, StubHandle, Turn, WireStub,
};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    thinking_goes_back_in_its_place,
    a_pause_is_gone_on_from,
    citations_and_server_tools_go_back,
);

const LOOPS: [fn(&StubHandle) -> Call; 2] = [Call::tool_loop, Call::streaming_tool_loop];

/// The loops that the SDKs run, with the history in each request.
const RUNNERS: [fn(&StubHandle) -> Call; 2] = [
    |stub| Call::tool_runner(stub).param("thread", false),
    |stub| Call::streaming_tool_runner(stub).param("thread", false),
];

/// The requests of the loop over these turns, with `tools`; and what it ends with.
#[track_caller]
fn requests(
    sdk: Sdk,
    turns: &[Turn],
    call: &dyn Fn(&StubHandle) -> Call,
) -> (Vec<RecordedRequest>, Value) {
    let stub = WireStub::builder().turns(turns.to_vec()).start();
    let seen = sdk.run(&call(&stub));
    assert_eq!(seen["error"], Value::Null);
    stub.verify();
    (stub.requests(), seen["message"].clone())
}

fn weather() -> Value {
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    json!({"name": "weather", "description": "The weather in a city.", "input_schema": schema})
}

fn call_of(id: &str, city: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "weather", "input": {"city": city}, "caller": {"type": "direct"}})
}

fn result_of(id: &str, city: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": format!("sunny in {city}")})
}

fn thinking_goes_back_in_its_place(sdk: Sdk) {
    let turns = [
        Turn::new()
            .thinking_with_signature("Two cities é.", "b25l")
            .redacted_thinking_with_data("cmVkYWN0ZWQ=")
            .text("Let me look.")
            .thinking_with_signature("", "dHdv")
            .tool_call_with_id("toolu_a", "weather", json!({"city": "Oslo"}))
            .tool_call_with_id("toolu_b", "weather", json!({"city": "Łódź"})),
        Turn::new()
            .thinking_with_signature("One more.", "dGhyZWU=")
            .empty_last_delta()
            .tool_call_with_id("toolu_c", "weather", json!({"city": "Rome"})),
        Turn::new()
            .thinking_with_signature("Done.", "Zm91cg==")
            .text("Sunny."),
    ];
    for call in LOOPS.into_iter().chain(RUNNERS) {
        for beta in [false, true] {
            let call = |stub: &StubHandle| {
                let thinking = json!({"type": "enabled", "budget_tokens": 1024});
                let call = call(stub)
                    .param("max_tokens", 4096)
                    .param("thinking", thinking);
                let call = call.param("tools", json!([weather()]));
                if beta { call.beta() } else { call }
            };
            let (requests, message) = requests(sdk, &turns, &call);

            assert_eq!(requests.len(), 3);
            let thought = |text: &str, signature: &str| json!({"type": "thinking", "thinking": text, "signature": signature});
            let first = json!([
                thought("Two cities é.", "b25l"),
                {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
                {"type": "text", "text": "Let me look."},
                thought("", "dHdv"),
                call_of("toolu_a", "Oslo"),
                call_of("toolu_b", "Łódź"),
            ]);
            let second = json!([thought("One more.", "dGhyZWU="), call_of("toolu_c", "Rome")]);
            let user = |content: Value| json!({"role": "user", "content": content});
            let assistant = |content: &Value| json!({"role": "assistant", "content": content});
            assert_eq!(
                requests[2].json()["messages"],
                json!([
                    user("hello".into()),
                    assistant(&first),
                    user(json!([
                        result_of("toolu_a", "Oslo"),
                        result_of("toolu_b", "Łódź")
                    ])),
                    assistant(&second),
                    user(json!([result_of("toolu_c", "Rome")])),
                ])
            );
            assert_eq!(
                message["content"],
                json!([thought("Done.", "Zm91cg=="), {"type": "text", "text": "Sunny."}])
            );
        }
    }
}

fn a_pause_is_gone_on_from(sdk: Sdk) {
    let build = || ServerTool::bash("make", "ok").id("srvtoolu_b");
    let turns = [
        Turn::new()
            .text("Building.")
            .server_tool_call(build())
            .stop_reason(StopReason::PauseTurn)
            // the SDKs' runners offer the client's own tools only
            .allow_script_drift(),
        Turn::new().server_tool_result(build()).text("Built."),
    ];
    for call in LOOPS.into_iter().chain(RUNNERS) {
        let call = |stub: &StubHandle| {
            let tool = json!({"type": "code_execution_20250825", "name": "code_execution"});
            call(stub).param("tools", json!([tool]))
        };
        let (requests, message) = requests(sdk, &turns, &call);

        assert_eq!(requests.len(), 2);
        let paused = json!([
            {"type": "text", "text": "Building."},
            {"type": "server_tool_use", "id": "srvtoolu_b", "name": "bash_code_execution", "input": {"command": "make"}},
        ]);
        assert_eq!(
            requests[1].json()["messages"],
            json!([{"role": "user", "content": "hello"}, {"role": "assistant", "content": paused}])
        );
        let output = json!({
            "type": "bash_code_execution_result", "stdout": "ok", "stderr": "", "return_code": 0, "content": [],
        });
        assert_eq!(
            message["content"],
            json!([
                {"type": "bash_code_execution_tool_result", "tool_use_id": "srvtoolu_b", "content": output},
                {"type": "text", "text": "Built."},
            ])
        );
        assert_eq!(message["stop_reason"], "end_turn");
    }
}

fn citations_and_server_tools_go_back(sdk: Sdk) {
    let search = ServerTool::web_search("tides", [("T", "https://t.example")]).id("srvtoolu_s");
    let pages = json!([{
        "type": "web_search_result", "title": "T", "url": "https://t.example", "encrypted_content": "ZW5j",
        "page_age": null,
    }]);
    let turns = [
        Turn::new()
            .server_tool(search.content(pages.clone()))
            .cited_text(
                "High.",
                [
                    Citation::web_search_result("High at six.", "https://t.example")
                        .encrypted_index("aW5kZXg="),
                ],
            )
            .server_tool(
                ServerTool::mcp("clocks", "now", json!({"zone": "UTC"}), "6").id("mcptoolu_m"),
            )
            .tool_call_with_id("toolu_a", "weather", json!({"city": "Oslo"})),
        Turn::new().text("Done."),
    ];
    for call in LOOPS {
        let call = |stub: &StubHandle| {
            let search = json!({"type": "web_search_20250305", "name": "web_search"});
            let server = json!({"type": "url", "name": "clocks", "url": "https://clocks.example"});
            let call = call(stub).param("tools", json!([search, weather()]));
            call.param("mcp_servers", json!([server])).beta()
        };
        let (requests, _) = requests(sdk, &turns, &call);

        assert_eq!(
            requests[1].json()["messages"][1]["content"],
            json!([
                {"type": "server_tool_use", "id": "srvtoolu_s", "name": "web_search", "input": {"query": "tides"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_s", "content": pages,
                 "caller": {"type": "direct"}},
                {"type": "text", "text": "High.", "citations": [
                    {"type": "web_search_result_location", "cited_text": "High at six.", "url": "https://t.example",
                     "title": null, "encrypted_index": "aW5kZXg="},
                ]},
                {"type": "mcp_tool_use", "id": "mcptoolu_m", "name": "now", "input": {"zone": "UTC"},
                 "server_name": "clocks"},
                {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_m", "is_error": false,
                 "content": [{"type": "text", "text": "6"}]},
                call_of("toolu_a", "Oslo"),
            ])
        );
    }
}
