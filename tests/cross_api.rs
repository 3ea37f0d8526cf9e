//! Any turn on every API that can carry it: read back as it was said, and as the same on all of them.
#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, and an enum that can grow has no other last arm"
)]

#[path = "support/turns/mod.rs"]
mod turns;

use llm_wire_stub::*;
use proptest::prelude::*;
use serde_json::Value;
use turns::{Form, of_anthropic, of_every_api, of_openai_chat, of_openai_responses};

const APIS: &[Api] = &[
    Api::AnthropicMessages,
    Api::OpenAiChat,
    Api::OpenAiResponses,
    Api::OpenAiCompletions,
];

/// What a turn says, whatever the API.
#[derive(Debug, PartialEq)]
struct Neutral {
    text: String,
    thinking: String,
    calls: Vec<(String, Value)>,
    custom_calls: Vec<(String, String)>,
    reason: Option<StopReason>,
    /// Input, output, read from a cache, written to one, thinking.
    usage: [u64; 5],
}

impl Neutral {
    fn of(reply: &Reply) -> Self {
        let calls = reply.tool_calls();
        let custom = reply.custom_tool_calls();
        let usage = &reply.usage;
        Self {
            text: reply.text(),
            thinking: reply.thinking(),
            calls: calls
                .map(|call| (call.name.clone(), call.arguments.clone()))
                .collect(),
            custom_calls: custom
                .map(|call| (call.name.clone(), call.input.clone()))
                .collect(),
            reason: common(&reply.stop_reason),
            usage: [
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_creation_tokens,
                usage.thinking_tokens.unwrap_or(0),
            ],
        }
    }
}

/// The reason as every API has a word for it; none for a word that is one API's own.
fn common(reason: &StopReason) -> Option<StopReason> {
    Some(match reason {
        StopReason::StopSequence(_) => StopReason::EndTurn,
        StopReason::ContextWindowExceeded => StopReason::MaxTokens,
        StopReason::ContentFilter => StopReason::Refusal,
        StopReason::Other(_) => return None,
        reason => reason.clone(),
    })
}

/// What is read of the turn in every form; `None` if the API cannot carry it, which it says in every form.
fn read(api: Api, turn: &Turn) -> Result<Option<Reply>, TestCaseError> {
    let expected = match turn.normalized(api) {
        Ok(expected) => expected,
        // what is broken on purpose is played
        Err(error) if error.to_string().contains("no strict client reads it") => return Ok(None),
        Err(error) => {
            prop_assert_eq!(
                try_sse_body(api, turn),
                Err(error.clone()),
                "{}",
                api.name()
            );
            prop_assert_eq!(
                try_json_body(api, turn),
                Err(error.clone()),
                "{}",
                api.name()
            );
            let text = error.to_string();
            prop_assert!(text.contains("\n  help: "), "{}", text);
            return Ok(None);
        }
    };
    let streamed = accumulate(api, &sse_body(api, turn));
    prop_assert_eq!(streamed.as_ref(), Ok(&expected), "{}", api.name());
    // a body has no deltas of raw blocks, and it says so
    if let Ok(body) = try_json_body(api, turn) {
        let whole = accumulate_json(api, &body);
        prop_assert_eq!(whole.as_ref(), Ok(&expected), "{}", api.name());
    }
    Ok(Some(expected))
}

/// How many APIs carry the turn.
fn carried(turn: &Turn) -> Result<usize, TestCaseError> {
    let mut known: Option<(Api, Neutral)> = None;
    let mut carried = 0;
    for api in APIS {
        let Some(reply) = read(*api, turn)? else {
            continue;
        };
        carried += 1;
        // what a raw block says is one API's own affair
        if format!("{turn:?}").contains("Raw {") {
            continue;
        }
        let mut neutral = Neutral::of(&reply);
        if let Some((first, expected)) = &known {
            if expected.reason.is_none() || neutral.reason.is_none() {
                neutral.reason.clone_from(&expected.reason);
            }
            prop_assert_eq!(&neutral, expected, "{} and {}", api.name(), first.name());
        } else {
            known = Some((*api, neutral));
        }
    }
    Ok(carried)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_every_api_can_say_is_the_same_on_all(turn in of_every_api()) {
        // text completions say text only
        let lacking = turn.normalized(Api::OpenAiCompletions).is_err();
        prop_assert_eq!(carried(&turn)?, APIS.len() - usize::from(lacking));
    }

    #[test]
    fn any_turn_is_read_back_wherever_it_can_be_said(
        turn in prop_oneof![of_anthropic(0..4, Form::Stream), of_openai_chat(), of_openai_responses()]
    ) {
        carried(&turn)?;
    }
}
