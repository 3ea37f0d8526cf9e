//! A real reqwest client walks a tool loop of three turns against the stub, and prints what happened.
//!
//! `cargo run --example quickstart`
#![expect(clippy::print_stdout, reason = "printing is what this example is for")]
#![expect(
    clippy::indexing_slicing,
    reason = "a missing member of a JSON value is null"
)]

use std::error::Error;

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use llm_wire_stub::{Turn, WireStub};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // What the model will say, turn by turn.
    let stub = WireStub::builder()
        .turn(
            Turn::new()
                .text("Let me look at both.")
                .tool_call("weather", json!({"city": "Oslo"}))
                .tool_call("weather", json!({"city": "Bergen"})),
        )
        .turn(Turn::new().tool_call("umbrella", json!({"city": "Bergen"})))
        .turn("Oslo is dry. Take an umbrella to Bergen.")
        .start();
    println!("the stub listens on {}\n", stub.url());

    // The program under test: an agent loop over HTTP, as it would talk to the provider.
    let mut messages = vec![json!({"role": "user", "content": "Oslo or Bergen?"})];
    loop {
        let blocks = ask(&stub.anthropic_url(), &messages).await?;
        let mut results = Vec::new();
        for block in &blocks {
            if block["type"] == "text" {
                println!("  got text:      {}", block["text"]);
            } else {
                println!("  got tool call: {} {}", block["name"], block["input"]);
                let result = run_tool(block);
                println!("  ran tool:      {result}");
                results.push(json!({
                    "type": "tool_result", "tool_use_id": block["id"], "content": result
                }));
            }
        }
        messages.push(json!({"role": "assistant", "content": blocks}));
        if results.is_empty() {
            break;
        }
        messages.push(json!({"role": "user", "content": results}));
    }

    // What the stub saw.
    println!("\nwhat the stub saw:");
    for request in stub.requests() {
        let results: Vec<&str> = request.tool_results().iter().map(|r| r.text()).collect();
        println!(
            "  {request}: {} messages, tool results {results:?}, answered by {}, {:?}",
            request.messages().len(),
            request.answered_by(),
            request.outcome()
        );
    }
    stub.verify();
    println!("\nthe script was fully played, and no request broke a rule of the provider");
    Ok(())
}

/// Streams one answer and puts its blocks together.
async fn ask(base_url: &str, messages: &[Value]) -> Result<Vec<Value>, Box<dyn Error>> {
    println!("sent {} message(s)", messages.len());
    let response = reqwest::Client::new()
        .post(format!("{base_url}/v1/messages"))
        .header("x-api-key", "sk-ant-example")
        .header("anthropic-version", "2023-06-01")
        .json(&json!({
            "model": "claude-haiku-4-5", "max_tokens": 1024, "stream": true, "messages": messages,
            "tools": [tool("weather"), tool("umbrella")]
        }))
        .send()
        .await?
        .error_for_status()?;

    let mut events = response.bytes_stream().eventsource();
    let mut blocks: Vec<Value> = Vec::new();
    let mut input = String::new();
    while let Some(event) = events.next().await {
        let event = event?;
        let data: Value = serde_json::from_str(&event.data)?;
        match event.event.as_str() {
            "content_block_start" => blocks.push(data["content_block"].clone()),
            "content_block_delta" => {
                let block = blocks.last_mut().ok_or("a delta without a block")?;
                if let Some(text) = data["delta"]["text"].as_str() {
                    let so_far = block["text"].as_str().unwrap_or_default();
                    block["text"] = json!(format!("{so_far}{text}"));
                }
                input += data["delta"]["partial_json"].as_str().unwrap_or_default();
            }
            "content_block_stop" if !input.is_empty() => {
                let block = blocks.last_mut().ok_or("a stop without a block")?;
                block["input"] = serde_json::from_str(&std::mem::take(&mut input))?;
            }
            "error" => return Err(data["error"]["message"].to_string().into()),
            "message_stop" => return Ok(blocks),
            _ => {}
        }
    }
    Err("the stream ended before message_stop".into())
}

/// A tool that wants a city.
fn tool(name: &str) -> Value {
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    json!({"name": name, "input_schema": city})
}

fn run_tool(call: &Value) -> String {
    let city = call["input"]["city"].as_str().unwrap_or("nowhere");
    match call["name"].as_str() {
        Some("weather") if city == "Bergen" => "rain".to_owned(),
        Some("weather") => "sun".to_owned(),
        Some(tool) => format!("{tool} packed for {city}"),
        None => "unknown tool".to_owned(),
    }
}
