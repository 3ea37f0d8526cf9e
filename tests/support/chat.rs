//! The same client and agent on OpenAI Chat Completions.

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::{Answer, Call, Client, Error};

/// Streams one answer; `on_call` sees each tool call as soon as its arguments are whole.
pub(super) async fn answer(
    client: &Client,
    messages: &[Value],
    mut on_call: impl FnMut(&Call),
) -> Result<Answer, Error> {
    let shell = json!({"type": "function", "function": {"name": "shell", "parameters": {"type": "object"}}});
    let body =
        json!({"model": client.model, "stream": true, "tools": [shell], "messages": messages});
    let url = format!("{}/chat/completions", client.base_url);
    let request = client.http.post(url).bearer_auth("sk-test-0123456789");
    let response = request.json(&body).send().await?;
    if !response.status().is_success() {
        let body: Value = response.json().await?;
        return Err(body["error"]["message"].as_str().unwrap_or_default().into());
    }
    let mut events = response.bytes_stream().eventsource();
    let mut answer = Answer::default();
    let mut arguments: Vec<String> = Vec::new();
    while let Some(event) = events.next().await {
        let event = event?;
        if event.data == "[DONE]" {
            break;
        }
        let chunk: Value = serde_json::from_str(&event.data)?;
        if let Some(message) = chunk["error"]["message"].as_str() {
            return Err(message.into());
        }
        let choice = &chunk["choices"][0];
        answer.text += choice["delta"]["content"].as_str().unwrap_or_default();
        answer.finish += choice["finish_reason"].as_str().unwrap_or_default();
        for sent in choice["delta"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let index = usize::try_from(sent["index"].as_u64().unwrap_or_default())?;
            if index == arguments.len() {
                let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                arguments.push(String::new());
                answer.calls.push(Call {
                    id: word(&sent["id"]),
                    name: word(&sent["function"]["name"]),
                    input: Value::Null,
                });
            }
            arguments[index] += sent["function"]["arguments"].as_str().unwrap_or_default();
            if let Ok(input) = serde_json::from_str(&arguments[index]) {
                answer.calls[index].input = input;
                on_call(&answer.calls[index]);
            }
        }
    }
    if answer.finish.is_empty() {
        return Err("the stream ended before its finish_reason".into());
    }
    Ok(answer)
}

/// What the history has of tool calls that were made, and of their results.
pub(super) fn exchange(calls: &[(Call, String)]) -> Vec<Value> {
    let made = calls.iter().map(|(call, _)| {
        let function = json!({"name": call.name, "arguments": call.input.to_string()});
        json!({"id": call.id, "type": "function", "function": function})
    });
    let made: Vec<Value> = made.collect();
    let mut messages = vec![json!({"role": "assistant", "content": null, "tool_calls": made})];
    messages.extend(
        calls.iter().map(
            |(call, result)| json!({"role": "tool", "tool_call_id": call.id, "content": result}),
        ),
    );
    messages
}
