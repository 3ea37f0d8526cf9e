//! The same client and agent on OpenAI Responses.

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::{Answer, Call, Client, Error};

/// Streams one answer; `on_call` sees each tool call as soon as it is whole.
pub(super) async fn answer(
    client: &Client,
    messages: &[Value],
    mut on_call: impl FnMut(&Call),
) -> Result<Answer, Error> {
    let shell = json!({"type": "function", "name": "shell", "parameters": {"type": "object"}});
    let body = json!({"model": client.model, "stream": true, "tools": [shell], "input": messages});
    let url = format!("{}/responses", client.base_url);
    let request = client.http.post(url).bearer_auth("sk-test-0123456789");
    let response = request.json(&body).send().await?;
    if !response.status().is_success() {
        let body: Value = response.json().await?;
        return Err(body["error"]["message"].as_str().unwrap_or_default().into());
    }
    let mut events = response.bytes_stream().eventsource();
    let mut answer = Answer::default();
    while let Some(event) = events.next().await {
        let data: Value = serde_json::from_str(&event?.data)?;
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match data["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" => answer.text += &word(&data["delta"]),
            "response.output_item.done" if data["item"]["type"] == "function_call" => {
                let item = &data["item"];
                let call = Call {
                    id: word(&item["call_id"]),
                    name: word(&item["name"]),
                    input: serde_json::from_str(&word(&item["arguments"]))?,
                };
                on_call(&call);
                answer.calls.push(call);
            }
            "response.completed" => {
                answer.finish = word(&data["response"]["status"]);
                return Ok(answer);
            }
            "error" => return Err(word(&data["error"]["message"]).into()),
            _ => {}
        }
    }
    Err("the stream ended before response.completed".into())
}

/// What the history has of tool calls that were made, and of their results.
pub(super) fn exchange(calls: &[(Call, String)]) -> Vec<Value> {
    let made = calls.iter().map(|(call, _)| {
        let arguments = call.input.to_string();
        json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments})
    });
    let results = calls.iter().map(|(call, result)| {
        json!({"type": "function_call_output", "call_id": call.id, "output": result})
    });
    made.chain(results).collect()
}
