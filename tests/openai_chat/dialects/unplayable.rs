//! What a dialect cannot carry is refused, whole texts.

use super::*;

/// A turn, its dialect, what is in the way, and the way out.
type Row = (Turn, Dialect, &'static str, &'static str);

fn thoughts() -> Vec<Row> {
    use Dialect::*;
    let text = || Turn::new().text("x");
    let think = || Turn::new().thinking("hm");
    vec![
        (
            think(),
            Azure,
            "Azure OpenAI cannot say what the model thought",
            "leave the thinking out; `Usage::thinking(..)` says how much of it there was; or give the turn a dialect that carries it (`Dialect::DeepSeek`, `Dialect::OpenRouter`, ..)",
        ),
        (
            Turn::new().thinking_with_signature("hm", "s"),
            DeepSeek,
            "DeepSeek cannot say that thinking is signed",
            "use `.thinking(..)`",
        ),
        (
            Turn::new().thinking(""),
            Groq,
            "Groq cannot say thinking that is hidden",
            "leave it out, or give it a text",
        ),
        (
            think().empty_last_delta(),
            Mistral,
            "Mistral cannot say that thinking ends with an empty delta",
            "leave out `.empty_last_delta()`",
        ),
        (
            text().thinking("hm"),
            Vllm,
            "vLLM cannot say thinking behind text or a tool call: that of a message stands before these",
            "put the thinking first",
        ),
        (
            think().thinking("hm"),
            OpenRouter,
            "OpenRouter cannot say several thoughts, each with a signature",
            "join them to one",
        ),
        (
            Turn::new().redacted_thinking(),
            OpenRouter,
            "OpenRouter cannot say thinking that is encrypted",
            "leave it out",
        ),
    ]
}

fn others() -> Vec<Row> {
    use Dialect::*;
    let text = || Turn::new().text("x");
    let call = || Turn::new().tool_call("f", json!({"a": 1}));
    let page = || Citation::web_search_result("x", "https://x.example");
    vec![
        (
            call(),
            Perplexity,
            "Perplexity cannot say a tool call",
            "leave it out, or choose another dialect",
        ),
        (
            text().interleaved_tool_calls(),
            Perplexity,
            "Perplexity cannot say a tool call",
            "leave it out, or choose another dialect",
        ),
        (
            Turn::new().custom_tool_call("run", "ls"),
            Groq,
            "Groq cannot say a call of a custom tool",
            "leave it out, or choose another dialect",
        ),
        (
            call().fragments(Fragments::size(2)),
            Mistral,
            "Mistral cannot say a tool call in fragments: a call comes whole",
            "leave out `.fragments(..)`, or choose another dialect",
        ),
        (
            call().tool_call("g", json!({})).interleaved_tool_calls(),
            Ollama,
            "Ollama cannot say tool calls in turns: a call comes whole",
            "leave out `.interleaved_tool_calls()`, or choose another dialect",
        ),
        (
            text().stop_reason(StopReason::Refusal),
            Together,
            "Together cannot say that the model refuses: a message has no member for it",
            "say it as text, or stop with `StopReason::ContentFilter`",
        ),
        (
            Turn::new().cited_text("x", [page()]),
            Xai,
            "xAI cannot say what a text is based on",
            "leave the citations out, or choose another dialect",
        ),
        (
            text().service_tier("flex"),
            DeepSeek,
            "an answer of DeepSeek has no `service_tier`",
            "leave it out of the turn",
        ),
        (
            text().usage(Usage::input(1).cache_read(1)),
            Ollama,
            "the usage of Ollama cannot say what was read from a cache",
            "leave it out of the usage",
        ),
        (
            text().usage(Usage::input(1).thinking(1)),
            Mistral,
            "the usage of Mistral cannot say how much of the answer is thinking",
            "leave it out of the usage",
        ),
        (
            text().era(Era::of(2024, 6)),
            Groq,
            "on Groq answers are written as today only",
            "leave out `.era(..)`",
        ),
        (
            text().stop_reason(StopReason::PauseTurn),
            Groq,
            "Groq cannot say that a turn pauses",
            "choose another stop reason; a string stands for itself",
        ),
    ]
}

#[test]
fn what_a_dialect_cannot_carry_is_said_with_a_way_out() {
    for (turn, dialect, what, help) in [thoughts(), others()].concat() {
        let turn = turn.dialect(dialect);
        let error = try_sse_body(API, &turn).unwrap_err().to_string();
        let (first, rest) = error.split_once('\n').unwrap();
        let help_line = rest.lines().last().unwrap();
        assert_eq!(
            (first, help_line),
            (what, format!("  help: {help}").as_str()),
            "{dialect:?}"
        );
        assert_eq!(try_json_body(API, &turn).unwrap_err().to_string(), error);
    }
}

#[test]
fn a_dialect_is_one_of_chat() {
    let turn = Turn::new().text("x").dialect(Dialect::Groq);
    let error = try_sse_body(Api::AnthropicMessages, &turn).unwrap_err();
    for api in [
        Api::AnthropicMessages,
        Api::OpenAiResponses,
        Api::OpenAiCompletions,
    ] {
        assert!(try_sse_body(api, &turn).is_err(), "{}", api.name());
        assert_eq!(
            turn.normalized(api).unwrap_err(),
            try_json_body(api, &turn).unwrap_err()
        );
    }
    let error = error.to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(
        lines[0],
        "groq is a dialect of openai_chat, and this is anthropic_messages"
    );
    assert_eq!(
        lines[2],
        "  help: choose it on the turns of that API; a turn's own `.dialect(Dialect::OpenAi)` goes before the stub's"
    );
}
