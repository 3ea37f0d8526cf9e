//! Every dialect of Chat, read by OpenAI's own SDKs at the base URL that each vendor's users give them: whole answers,
//! chunk by chunk, thinking, tool calls, usage; errors before a stream and inside it.

use llm_wire_stub::{After, Api, ApiError, Dialect, Part, Turn, WireStub};
use llm_wire_stub_interop::{CHAT_MODEL, Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    every_dialect_is_read_whole,
    every_dialect_is_read_chunk_by_chunk,
    a_wrong_key_is_the_error_of_its_status_in_every_dialect,
    an_error_inside_a_stream_is_an_error_where_its_form_is_openais,
);

/// Whether a dialect says what the model thought, and in which member.
const fn thinks(dialect: Dialect) -> Option<&'static str> {
    match dialect {
        Dialect::DeepSeek | Dialect::Xai => Some("reasoning_content"),
        Dialect::Groq
        | Dialect::OpenRouter
        | Dialect::Ollama
        | Dialect::Together
        | Dialect::Vllm => Some("reasoning"),
        // Mistral's stands in a list, which only its own SDK reads as what it is
        _ => None,
    }
}

fn turns(dialect: Dialect) -> Vec<Turn> {
    let mut turns = vec![Turn::new().text("Héllo, how are <you>?")];
    if dialect != Dialect::Perplexity {
        let call = |turn: Turn| {
            turn.tool_call("weather", json!({"city": "Zürich"}))
                .tool_call("weather", json!({"city": "Paris"}))
        };
        turns.push(call(Turn::new().text("Let me look.")));
    }
    if thinks(dialect).is_some() {
        turns.push(Turn::new().thinking("Two and two.").text("Four."));
    }
    let turns = turns.into_iter().enumerate();
    let seeded = turns.map(|(n, turn)| turn.seed(u64::try_from(n).unwrap_or_default()));
    seeded.map(|turn| turn.dialect(dialect)).collect()
}

/// Text, thinking, and the calls with their ids.
fn expected(turn: &Turn) -> (String, String, Vec<Value>) {
    let reply = turn.clone().model(CHAT_MODEL).normalized(Api::OpenAiChat);
    let reply = reply.expect("a reply");
    let calls = reply.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(json!([call.id, call.name, call.arguments])),
        _ => None,
    });
    (reply.text(), reply.thinking(), calls.collect())
}

fn asked(stub: &WireStub, dialect: Dialect, what: &str) -> Call {
    Call::chat(stub, what).at(stub.dialect_url(dialect))
}

fn played(dialect: Dialect) -> (WireStub, Vec<Turn>) {
    let turns = turns(dialect);
    let builder = WireStub::builder().dialect(dialect).allow_script_drift();
    (builder.turns(turns.clone()).start(), turns)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn every_dialect_is_read_whole(sdk: Sdk) {
    for &dialect in Dialect::ALL {
        let (stub, turns) = played(dialect);
        let runs = sdk.run_times(&asked(&stub, dialect, "create"), turns.len());
        for (turn, seen) in turns.iter().zip(&runs) {
            assert_eq!(seen["error"], Value::Null, "{dialect:?}");
            let message = &seen["completion"]["choices"][0]["message"];
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            let calls = calls.map(|call| {
                let function = &call["function"];
                let arguments: Value = serde_json::from_str(text(&function["arguments"])).unwrap();
                json!([call["id"], function["name"], arguments])
            });
            let thought = thinks(dialect).map_or("", |member| text(&message[member]));
            let found = (
                text(&message["content"]).to_owned(),
                thought.to_owned(),
                calls.collect(),
            );
            assert_eq!(found, expected(turn), "{dialect:?}");
        }
        stub.verify();
    }
}

fn every_dialect_is_read_chunk_by_chunk(sdk: Sdk) {
    for &dialect in Dialect::ALL {
        let (stub, turns) = played(dialect);
        let call = asked(&stub, dialect, "raw");
        let call = call.param("stream_options", json!({"include_usage": true}));
        let runs = sdk.run_times(&call, turns.len());
        for (turn, seen) in turns.iter().zip(&runs) {
            assert_eq!(seen["error"], Value::Null, "{dialect:?}");
            let (mut said, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
            let mut tokens = Value::Null;
            for chunk in seen["chunks"].as_array().expect("chunks") {
                if chunk["usage"].is_object() {
                    tokens = chunk["usage"]["completion_tokens"].clone();
                }
                let delta = &chunk["choices"][0]["delta"];
                said += text(&delta["content"]);
                thought += thinks(dialect).map_or("", |member| text(&delta[member]));
                for call in delta["tool_calls"].as_array().into_iter().flatten() {
                    let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
                    if index == calls.len() {
                        let name = text(&call["function"]["name"]).to_owned();
                        calls.push((call["id"].clone(), name, String::new()));
                    }
                    calls[index].2 += text(&call["function"]["arguments"]);
                }
            }
            let calls = calls.iter().map(|(id, name, arguments)| {
                let arguments: Value = serde_json::from_str(arguments).unwrap();
                json!([id, name, arguments])
            });
            let found = (said, thought, calls.collect());
            assert_eq!(found, expected(turn), "{dialect:?}");
            let reply = turn.normalized(Api::OpenAiChat).expect("a reply");
            assert_eq!(tokens, reply.usage.output_tokens, "{dialect:?}");
        }
        stub.verify();
    }
}

fn a_wrong_key_is_the_error_of_its_status_in_every_dialect(sdk: Sdk) {
    for &dialect in Dialect::ALL {
        let stub = WireStub::builder()
            .dialect(dialect)
            .turn(ApiError::authentication())
            .start();
        let seen = sdk.run(&asked(&stub, dialect, "create"));
        let expected = match dialect {
            Dialect::Xai => ("BadRequestError", 400),
            _ => ("AuthenticationError", 401),
        };
        let error = &seen["error"];
        assert_eq!(error["class"], expected.0, "{dialect:?}");
        assert_eq!(error["status"], expected.1, "{dialect:?}");
        stub.verify();
    }
}

/// Mistral's and xAI's have no object `error`, so these SDKs pass the first over, and take the second for one with no more
/// than its words.
fn an_error_inside_a_stream_is_an_error_where_its_form_is_openais(sdk: Sdk) {
    for &dialect in Dialect::ALL {
        let error = ApiError::internal().message("gone");
        let turn = Turn::new().text("one two").end(After::deltas(1), error);
        let stub = WireStub::builder().dialect(dialect).turn(turn).start();
        let seen = sdk.run(&asked(&stub, dialect, "raw"));
        if dialect == Dialect::Mistral {
            assert_eq!(seen["error"], Value::Null, "{dialect:?}");
        } else {
            assert_eq!(seen["error"]["class"], "APIError", "{dialect:?}");
            let message = text(&seen["error"]["message"]);
            assert!(
                message.contains("gone") || dialect == Dialect::Xai,
                "{dialect:?}: {message}"
            );
        }
        stub.verify();
    }
}

/// A dialect, the name of its vendor's own SDK (Python), and whether that has a stream that fails.
const VENDORS: [(Dialect, &str); 2] = [(Dialect::Groq, "groq"), (Dialect::Mistral, "mistral")];

/// What the vendor's SDK made of a turn: text, thinking, calls, tokens of the answer.
fn by_vendor(turn: &Turn) -> Value {
    let (text, thinking, calls) = expected(turn);
    let reply = turn.normalized(Api::OpenAiChat).expect("a reply");
    let finish = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    json!({
        "text": text, "thinking": thinking, "calls": calls, "finish": finish,
        "tokens": reply.usage.output_tokens,
    })
}

#[test]
fn groq_and_mistral_are_read_by_their_own_sdks_streamed_and_not() {
    for (dialect, vendor) in VENDORS {
        for what in ["create", "stream"] {
            let mut turns = turns(dialect);
            let thought = Turn::new().thinking("Two and two.").text("Four.");
            turns.push(thought.dialect(dialect));
            let builder = WireStub::builder().dialect(dialect).allow_script_drift();
            let stub = builder.turns(turns.clone()).start();
            let call = Call::vendor(&stub, vendor, what);
            let runs = Sdk::Python.run_times(&call, turns.len());
            for (turn, seen) in turns.iter().zip(&runs) {
                assert_eq!(seen, &by_vendor(turn), "{vendor} {what}");
            }
            stub.verify();
        }
    }
}

#[test]
fn groq_and_mistral_know_their_own_errors() {
    let gone = || ApiError::internal().message("gone");
    for (dialect, vendor) in VENDORS {
        let stub = WireStub::builder()
            .dialect(dialect)
            .turn(ApiError::authentication())
            .turn(Turn::new().text("one two").end(After::deltas(1), gone()))
            .start();
        let seen = Sdk::Python.run(&Call::vendor(&stub, vendor, "create"));
        assert_eq!(seen["error"]["status"], 401, "{vendor}");
        let class = match dialect {
            Dialect::Groq => "AuthenticationError",
            _ => "SDKError",
        };
        assert_eq!(seen["error"]["class"], class, "{vendor}");
        let seen = Sdk::Python.run(&Call::vendor(&stub, vendor, "stream"));
        assert_eq!(seen["text"], "one", "{vendor}");
        let class = match dialect {
            Dialect::Groq => "APIError",
            // it is no chunk, and the SDK says so
            _ => "ResponseValidationError",
        };
        assert_eq!(seen["error"]["class"], class, "{vendor}");
        stub.verify();
    }
}
