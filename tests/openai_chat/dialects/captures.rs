//! Recorded traffic of the vendors, which lies beside the repository and is never copied into it: each stream is read, and
//! said again by a turn in its dialect. Names, their order and values agree event by event; what is drawn or made up has its
//! own value, and is named here. What a row does not cover is named with its reason, and nothing else differs.

use std::ops::Range;

use super::{tokens::tokens, *};
use crate::captures::captures;
use serde_json::Value;

/// A recorded stream, its dialect, and how its words are cut.
struct Row {
    name: &'static str,
    dialect: Dialect,
    /// Members whose value is drawn or made up.
    drawn: &'static [&'static str],
    /// Events that the row does not write as recorded: theirs, ours, and the reason as the documentation has it.
    but: Option<(Range<usize>, Range<usize>, &'static str)>,
}

/// The documentation, where what is not written stands in a table.
const DOCUMENTED: &str = include_str!("../../../src/api/openai_chat/dialect/dialects.md");

/// Drawn wherever they stand.
const DRAWN: &[&str] = &["id", "created", "system_fingerprint"];

const ROWS: &[Row] = &[
    Row {
        name: "azure-content-filter.sse",
        dialect: Dialect::Azure,
        drawn: &["obfuscation"],
        but: None,
    },
    Row {
        name: "azure-ai-grok-tools.sse",
        dialect: Dialect::Xai,
        drawn: &[],
        but: None,
    },
    Row {
        name: "deepseek-reasoning.sse",
        dialect: Dialect::DeepSeek,
        drawn: &[],
        but: None,
    },
    Row {
        name: "deepseek-tools.sse",
        dialect: Dialect::DeepSeek,
        drawn: &[],
        but: None,
    },
    Row {
        name: "groq-tools-reasoning.sse",
        dialect: Dialect::Groq,
        drawn: &[
            "seed",
            "queue_time",
            "prompt_time",
            "completion_time",
            "total_time",
        ],
        but: None,
    },
    Row {
        name: "mistral-thinking.sse",
        dialect: Dialect::Mistral,
        drawn: &["p"],
        but: Some((
            19..20,
            19..21,
            "Mistral: one chunk in which thinking ends and text begins; here each has its own",
        )),
    },
    Row {
        name: "mistral-tools.sse",
        dialect: Dialect::Mistral,
        drawn: &["p"],
        but: None,
    },
    Row {
        name: "ollama-cloud-v1-tools.sse",
        dialect: Dialect::Ollama,
        drawn: &[],
        but: None,
    },
    Row {
        name: "openrouter-tools.sse",
        dialect: Dialect::OpenRouter,
        drawn: &[
            "cost",
            "upstream_inference_cost",
            "upstream_inference_prompt_cost",
            "upstream_inference_completions_cost",
            "provider",
        ],
        but: Some((
            1..3,
            1..1,
            "OpenRouter: fragments of arguments that are empty, which are no fragments",
        )),
    },
    Row {
        name: "perplexity.sse",
        dialect: Dialect::Perplexity,
        drawn: &[
            "citations",
            "search_results",
            "input_tokens_cost",
            "output_tokens_cost",
            "total_cost",
            "request_cost",
        ],
        but: None,
    },
    Row {
        name: "together.sse",
        dialect: Dialect::Together,
        drawn: &["token_id", "seed"],
        but: None,
    },
];

/// Data of the events.
fn events(body: &[u8]) -> Vec<String> {
    let mut decoder = SseDecoder::new();
    decoder.push(body).unwrap();
    let mut events = Vec::new();
    while let Some(event) = decoder.next_event() {
        let name = event
            .name()
            .map_or(String::new(), |name| format!("{name}: "));
        events.push(name + event.data());
    }
    decoder.finish().unwrap();
    events
}

/// The turn that says a recorded stream again: its fragments as they came.
fn turn_of(body: &[u8], dialect: Dialect) -> Turn {
    let reply = accumulate(API, body).unwrap();
    let mut texts: [Vec<String>; 3] = Default::default();
    for chunk in events(body) {
        let chunk: Value = serde_json::from_str(&chunk).unwrap_or_default();
        let delta = &chunk["choices"][0]["delta"];
        let mut push = |n: usize, text: &Value| {
            let text = text.as_str().unwrap_or_default();
            if !text.is_empty() {
                texts[n].push(text.to_owned());
            }
        };
        push(0, &delta["reasoning_content"]);
        push(0, &delta["reasoning"]);
        push(1, &delta["content"]);
        for item in delta["content"].as_array().into_iter().flatten() {
            push(0, &item["thinking"][0]["text"]);
            push(1, &item["text"]);
        }
        push(2, &delta["tool_calls"][0]["function"]["arguments"]);
    }
    let [thoughts, texts, arguments] = texts;
    let mut turn = Turn::new()
        .dialect(dialect)
        .model(reply.model.as_str())
        .usage(reply.usage.clone());
    if !thoughts.is_empty() {
        turn = turn
            .thinking(thoughts.concat())
            .fragments(Fragments::pieces(thoughts));
    }
    if !texts.is_empty() {
        turn = turn
            .text(texts.concat())
            .fragments(Fragments::pieces(texts));
    }
    for call in reply.tool_calls() {
        turn = turn.tool_call_with_id(
            call.id.as_str(),
            call.name.as_str(),
            Arguments::raw(arguments.concat()),
        );
        if arguments.len() > 1 {
            turn = turn.fragments(Fragments::pieces(arguments.iter().map(String::as_str)));
        }
    }
    turn
}

/// Members and values, but for what is drawn.
fn compared(event: &str, drawn: &[&str]) -> Vec<(String, String)> {
    if event == "[DONE]" {
        return vec![(event.to_owned(), String::new())];
    }
    let is_drawn = |path: &str| {
        path.split(['.', '[']).any(|name| drawn.contains(&name))
            || DRAWN.contains(&path)
            || path == "x_groq.id"
    };
    let mut found: Vec<_> = tokens(event)
        .into_iter()
        .map(|(path, value)| match is_drawn(&path) {
            true => (without_places(&path), String::new()),
            false => (path, value),
        })
        .collect();
    found.dedup();
    found
}

/// Lists that are drawn may have more items than ours.
fn without_places(path: &str) -> String {
    match path.split_once('[') {
        Some((list, _)) if list == "citations" || list == "search_results" => list.to_owned(),
        _ => path.to_owned(),
    }
}

#[test]
fn every_recorded_stream_is_said_again_event_by_event() {
    let streams: Vec<_> = captures("", ".sse")
        .into_iter()
        .filter(|(name, _)| !name.starts_with("openai-"))
        .collect();
    let mut differ = Vec::new();
    for (name, body) in &streams {
        let Some(row) = ROWS.iter().find(|row| row.name == name) else {
            assert!(name.contains("midstream-error"), "{name} has no row");
            continue;
        };
        let again = sse_body(API, &turn_of(body, row.dialect));
        let (mut theirs, mut ours) = (events(body), events(&again));
        if let Some((not_theirs, not_ours, reason)) = &row.but {
            assert!(DOCUMENTED.contains(reason), "not documented: {reason}");
            theirs.drain(not_theirs.clone());
            ours.drain(not_ours.clone());
        }
        for (n, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
            let drawn = row.drawn;
            let (ours, theirs) = (compared(ours, drawn), compared(theirs, drawn));
            if ours != theirs {
                differ.push(format!(
                    "{name}, event {n}\n ours   {ours:?}\n theirs {theirs:?}"
                ));
            }
        }
        if ours.len() != theirs.len() {
            differ.push(format!(
                "{name}: {} events, {} recorded",
                ours.len(),
                theirs.len()
            ));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// The fragments of what is thought before the error of a recorded stream, which is said again too.
#[test]
fn a_recorded_error_of_groq_inside_a_stream_is_read_and_said_again() {
    for (_, body) in captures("groq-midstream-error", ".sse") {
        let error = accumulate(API, &body).unwrap_err();
        let expected = AccumulateErrorKind::Provider {
            error_type: "invalid_request_error".to_owned(),
            message: "Tool choice is required, but model did not call a tool".to_owned(),
        };
        assert_eq!(error.kind(), &expected);
        let theirs = events(&body);
        let mut thoughts = Vec::new();
        for chunk in &theirs {
            let chunk: Value = serde_json::from_str(chunk).unwrap_or_default();
            let text = &chunk["choices"][0]["delta"]["reasoning"];
            thoughts.extend(text.as_str().map(str::to_owned));
        }
        let failed =
            ApiError::invalid_request("Tool choice is required, but model did not call a tool")
                .error_code("tool_use_failed");
        let turn = Turn::new()
            .dialect(Dialect::Groq)
            .model("openai/gpt-oss-120b")
            .thinking(thoughts.concat())
            .fragments(Fragments::pieces(thoughts))
            .text("maybe")
            .end(After::parts(2), failed);
        let ours = events(&sse_body(API, &turn));
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            let is_error = ours.starts_with("error: ");
            assert_eq!(is_error, theirs.starts_with("error: "));
            let data = |event: &str| compared(event.trim_start_matches("error: "), &["seed"]);
            assert_eq!(data(ours), data(theirs));
        }
    }
}

#[test]
fn a_recorded_error_of_openrouter_inside_a_stream_is_read() {
    const REASON: &str = "OpenRouter: the order of members of 2025";
    assert!(DOCUMENTED.contains(REASON));
    for (_, body) in captures("openrouter-midstream-error", ".sse") {
        let error = accumulate(API, &body).unwrap_err();
        let expected = AccumulateErrorKind::Provider {
            error_type: "400".to_owned(),
            message: "Token limit reached".to_owned(),
        };
        assert_eq!(error.kind(), &expected);
        // the same members as ours, in another order
        let turn = Turn::new()
            .dialect(Dialect::OpenRouter)
            .thinking("We need")
            .end(
                After::deltas(1),
                ApiError::invalid_request("Token limit reached"),
            );
        let named = |events: &[String]| -> Vec<String> {
            let event = events
                .iter()
                .find(|event| event.contains("\"error\":"))
                .unwrap();
            let mut names: Vec<_> = tokens(event).into_iter().map(|(path, _)| path).collect();
            names.retain(|name| !name.starts_with("usage") && !name.ends_with("logprobs"));
            names.sort();
            names
        };
        assert_eq!(named(&events(&sse_body(API, &turn))), named(&events(&body)));
    }
}

/// The errors as recorded, byte for byte: only a message that the service made for its request is given.
#[test]
fn recorded_error_bodies_are_said_again_byte_for_byte() {
    let long = "This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens \
        (1250025 in the messages, 0 in the completion). Please reduce the length of the messages or completion.";
    let limit = "Your requests to grok-4-1-fast-non-reasoning for grok-4-1-fast-non-reasoning in westeurope have \
        exceeded rate limit.";
    let rows = [
        (
            "azure-error-404-deployment.json",
            Dialect::Azure,
            ApiError::not_found(),
        ),
        (
            "azure-error-429.json",
            Dialect::Azure,
            ApiError::rate_limited().message(limit),
        ),
        (
            "deepseek-error-400-octet-stream.json",
            Dialect::DeepSeek,
            ApiError::context_overflow().message(long),
        ),
        (
            "deepseek-error-401.json",
            Dialect::DeepSeek,
            ApiError::authentication(),
        ),
        (
            "mistral-error-401.json",
            Dialect::Mistral,
            ApiError::authentication(),
        ),
        (
            "openrouter-error-401.json",
            Dialect::OpenRouter,
            // no key was sent
            ApiError::authentication().message("Missing Authentication header"),
        ),
    ];
    for (name, body) in captures("", ".json") {
        if name.starts_with("openai-") {
            continue;
        }
        let row = rows.iter().find(|(known, ..)| *known == name);
        let (_, dialect, error) = row.unwrap_or_else(|| panic!("{name} has no row"));
        let ours = dialect.error_body(error);
        assert_eq!(
            ours.escape_ascii().to_string(),
            body.escape_ascii().to_string(),
            "{name}"
        );
        let read = accumulate_json(API, &body).unwrap_err();
        assert!(
            matches!(read.kind(), AccumulateErrorKind::Provider { .. }),
            "{name}: {read}"
        );
    }
}

/// Each line of the table has its proof here or in a recorded stream.
#[test]
fn what_is_recorded_and_not_written_is_documented_line_by_line() {
    let table = DOCUMENTED.split("| recorded, and not written |\n| --- |\n");
    let found: Vec<&str> = table.last().unwrap().lines().collect();
    let of_rows = ROWS.iter().filter_map(|row| row.but.as_ref());
    let mut expected: Vec<String> = of_rows
        .map(|(_, _, reason)| format!("| {reason} |"))
        .collect();
    let others = [
        "Azure: chunks with the results of a filter and without `delta`; they are read",
        "Grok on Azure: spaces in the chunk with the usage",
        "Groq: a `created` that grows in a stream",
        "OpenRouter: the order of members of 2025",
    ];
    expected.extend(others.map(|reason| format!("| {reason} |")));
    expected.sort();
    assert_eq!(found, expected);
    for (_, body) in captures("azure-ai-grok-tools", ".sse") {
        let spaced = events(&body)
            .iter()
            .filter(|event| event.contains("\": \""))
            .count();
        assert_eq!(spaced, 1, "the chunk with the usage");
    }
    for (_, body) in captures("groq-midstream-error", ".sse") {
        let created = |event: &String| {
            let event: Value = serde_json::from_str(event).unwrap_or_default();
            event["created"].as_u64()
        };
        let mut created: Vec<u64> = events(&body).iter().filter_map(created).collect();
        created.dedup();
        assert_eq!(created.len(), 2);
    }
}
