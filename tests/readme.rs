//! The README's test: it compiles, it passes, and it is the one that the README shows.
#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use llm_wire_stub::{Turn, WireStub};
use serde_json::{Value, json};

/// An agent with one tool, in as few lines as it takes.
async fn my_agent(url: String) -> Result<String, reqwest::Error> {
    let http = reqwest::Client::new();
    let mut messages = vec![json!({"role": "user", "content": "What is here?"})];
    let shell = json!({"name": "shell", "input_schema": {"type": "object"}});
    loop {
        let request = http
            .post(format!("{url}/v1/messages"))
            .header("x-api-key", "sk-ant-test")
            .header("anthropic-version", "2023-06-01")
            .json(&json!({
                "model": "claude-haiku-4-5", "max_tokens": 99, "tools": [shell], "messages": messages
            }));
        let answer: Value = request.send().await?.json().await?;
        let content = answer.get("content").cloned().unwrap_or_default();
        let Some(id) = content.pointer("/0/id") else {
            let text = content.pointer("/0/text").and_then(Value::as_str);
            return Ok(text.unwrap_or_default().to_owned());
        };
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "a.txt"});
        messages.push(json!({"role": "assistant", "content": content}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
}

#[tokio::test]
async fn the_agent_runs_the_tool_and_answers() {
    let stub = WireStub::builder()
        .turn(Turn::new().tool_call_with_id("toolu_1", "shell", json!({"cmd": "ls"})))
        .turn("There is one file.")
        .start(); // a port of its own, under any async runtime or none

    // your code, unchanged: an agent with a tool `shell`; all it needs is a base URL
    let answer = my_agent(stub.anthropic_url()).await.unwrap();

    assert_eq!(answer, "There is one file.");
    let second = stub.request(1);
    assert_eq!(second.expect_tool_result("toolu_1").text(), "a.txt");
    stub.verify(); // every turn was played, and no call came without one
}

#[test]
fn the_readme_shows_exactly_this_test() {
    let here = include_str!("readme.rs");
    let start = here.find("#[tokio::test]").unwrap();
    let end = here.find("#[test]").unwrap();
    let shown = here.get(start..end).unwrap().trim_end();
    let block = format!("```rust,ignore\n{shown}\n```\n");
    assert!(include_str!("../README.md").contains(&block), "{block}");
}
