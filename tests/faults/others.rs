//! Faults on answers that are none of the references: whatever else is said, the judgement is the same.

use llm_wire_stub::*;
use serde_json::json;

use crate::{APIS, cases, is_seen_in_the_body, judged_wrongly};

/// Answers with text, thinking and several calls, as far as the API has them, plain and not.
fn others(api: Api) -> Vec<Turn> {
    let calls = |turn: Turn| {
        turn.tool_call(
            "get_weather",
            json!({"city": "Zürich", "days": 11, "at": [1, 22]}),
        )
        .tool_call("f", json!({}))
        .tool_call(
            "get_time",
            json!({"zone": {"name": "日本", "summer": false}}),
        )
    };
    let thinking = if api == Api::OpenAiChat {
        Turn::new()
    } else {
        Turn::new().thinking("Two things to look up.")
    };
    let usage = Usage::input(30).output(70).cache_read(5);
    let all = calls(thinking.text("Let me look, \"both\" of them. 🦀")).usage(usage);
    let mut others = vec![
        all.clone(),
        all.plain().seed(7),
        calls(Turn::new()).text("Behind."),
        Turn::new().text("Cut.").stop_reason(StopReason::MaxTokens),
    ];
    if api == Api::OpenAiChat {
        let dialects = [
            Dialect::OpenRouter,
            Dialect::Azure,
            Dialect::DeepSeek,
            Dialect::Groq,
            Dialect::Mistral,
            Dialect::Xai,
            Dialect::Together,
            Dialect::Ollama,
            Dialect::Vllm,
        ];
        for dialect in dialects {
            others.push(calls(Turn::new().text("Let me look.")).dialect(dialect));
        }
        others.push(calls(Turn::new()).interleaved_tool_calls());
    }
    others
}

#[test]
fn faults_are_judged_alike_on_other_answers() {
    let mut wrong = Vec::new();
    for api in APIS {
        let others: Vec<Turn> = others(api);
        for (of, fault) in cases() {
            if of != api || is_large(fault) || !is_seen_in_the_body(fault) {
                continue;
            }
            for (n, turn) in others.iter().enumerate() {
                let damaged = turn.clone().fault(fault);
                if let Err(error) = try_sse_body(api, &damaged) {
                    let error = error.to_string();
                    let kind = ["has no target", "cannot say"];
                    if !kind.iter().any(|kind| error.contains(kind)) {
                        wrong.push(format!("{} #{n}: {fault}: {error}", api.name()));
                    }
                } else if is_ambiguous(fault) && n + 1 == others.len() {
                    let read = accumulate(api, &sse_body(api, &damaged));
                    assert!(read.is_err(), "{read:?}");
                } else if let Some(why) = judged_wrongly(api, fault, &damaged) {
                    wrong.push(format!("#{n} {why}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Whether calls whose fragments take turns cannot be told apart any more: the catalogue accepts an error there.
fn is_ambiguous(fault: FaultVariant) -> bool {
    fault.id() == "tool-index-collision/without-ids"
}

/// Whether the fault makes the answer longer than is worth to be made so often.
fn is_large(fault: FaultVariant) -> bool {
    matches!(
        fault.fault(),
        Fault::LargeEvent | Fault::TinyFragments | Fault::ManyTinyEvents
    )
}
