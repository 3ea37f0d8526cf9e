//! Vendors that speak Chat in their own way, each read by the client's own form of it.

use llm_wire_stub::{After, Api, ApiError, Dialect, Part, Reply, Turn, WireStub};
use serde_json::{Value, json};

use crate::{
    client::{Client, Form},
    topics::{self, Topic, verdict},
};

for_each_client!(on (Chat): every_vendor_is_read_by_the_clients_form_of_it);

fn topic(vendor: Dialect) -> Topic {
    match vendor {
        Dialect::OpenRouter => topics::OPENROUTER,
        Dialect::Azure => topics::AZURE,
        Dialect::DeepSeek => topics::DEEPSEEK,
        Dialect::Groq => topics::GROQ,
        Dialect::Mistral => topics::MISTRAL,
        Dialect::Perplexity => topics::PERPLEXITY,
        Dialect::Xai => topics::XAI,
        Dialect::Together => topics::TOGETHER,
        Dialect::Ollama => topics::OLLAMA,
        Dialect::Vllm => topics::VLLM,
        vendor => panic!("there is a new dialect\n  found: `{vendor:?}`"),
    }
}

/// What is said of each kind, where the vendor can say it.
fn turns() -> [(&'static str, Turn); 3] {
    [
        ("text", Turn::new().text("Héllo, how are <you>?")),
        (
            "calls",
            Turn::new()
                .text("Let me look.")
                .tool_call("weather", json!({"city": "Zürich"}))
                .tool_call("weather", json!({"city": "Paris"})),
        ),
        (
            "thinking",
            Turn::new().thinking("Two and two.").text("Four."),
        ),
    ]
}

/// The parts as a client gives them that loses nothing; nobody signs thinking here.
fn said(reply: &Reply) -> Vec<Value> {
    let parts = reply.parts.iter().map(|part| match part {
        Part::Text(text) => json!({"text": text}),
        Part::ToolCall(call) => {
            json!({"tool": call.name, "id": call.id, "arguments": call.arguments})
        }
        Part::Thinking { text, .. } => json!({"thinking": text}),
        other => panic!("no turn has this part\n  found: `{other:?}`"),
    });
    parts.collect()
}

/// Without what stands beside what is said: a thought's signature, OpenRouter's details of one, Perplexity's pages.
fn without_extras(mut parts: Vec<Value>) -> Vec<Value> {
    parts.retain(|part| part["other"]["type"] != "reasoning.text");
    for part in parts.iter_mut().filter_map(Value::as_object_mut) {
        part.remove("signature");
        part.remove("citations");
    }
    parts
}

async fn every_vendor_is_read_by_the_clients_form_of_it(client: Client) {
    for &vendor in Dialect::ALL.iter().filter(|one| **one != Dialect::OpenAi) {
        for form in [Form::Whole, Form::Streamed] {
            let mut found = Vec::new();
            for (kind, turn) in turns() {
                let turn = turn.dialect(vendor).seed(1);
                let Ok(reply) = turn.normalized(Api::OpenAiChat) else {
                    continue;
                };
                let stub = WireStub::builder()
                    .dialect(vendor)
                    .turn(turn)
                    .allow_script_drift()
                    .start();
                let seen = client.ask_vendor(&stub, vendor, form).await;
                stub.verify();
                let right = without_extras(seen.content.clone()) == said(&reply);
                let word = verdict(right, &seen);
                if word != "equal" {
                    found.push(format!("{kind}: {word}"));
                }
            }
            if form == Form::Streamed {
                found.extend(loss_of_an_error_event(client, vendor).await);
            }
            let found = if found.is_empty() {
                "equal".to_owned()
            } else {
                found.join(", ")
            };
            topic(vendor).assert(client, form, &found);
        }
    }
}

/// What the client loses of an error inside a stream, in the vendor's own form.
async fn loss_of_an_error_event(client: Client, vendor: Dialect) -> Option<String> {
    let error = ApiError::overloaded().message("come back later");
    let turn = Turn::new().text("one two three").dialect(vendor);
    let stub = WireStub::builder()
        .dialect(vendor)
        .turn(turn.end(After::deltas(1), error))
        .start();
    let seen = client.ask_vendor(&stub, vendor, Form::Streamed).await;
    stub.verify();
    match &seen.failure {
        None => Some("error event: **silent**".to_owned()),
        Some(failure) if failure.text.contains("come back later") => None,
        Some(_) => Some("error event: its words".to_owned()),
    }
}
