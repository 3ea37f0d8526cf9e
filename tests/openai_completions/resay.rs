//! What a turn says is said again by the turn that is made from its bytes; and what no turn says is refused.

use llm_wire_stub::*;
use proptest::prelude::*;

use crate::{API, complete, complete_with, roundtrip::turn, text};

fn again(recorded: &[u8]) -> Result<Turn, TestCaseError> {
    let script = Script::from_wire(API, recorded);
    let script = script.map_err(|error| TestCaseError::fail(error.to_string()))?;
    Ok(Turn::clone(&script.turns()[0]))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_turn_is_said_again_from_its_bytes(turn in turn(), at in 0_usize..8) {
        let recorded = sse_body(API, &turn);
        prop_assert_eq!(sse_body(API, &again(&recorded)?), recorded);
        let recorded = json_body(API, &turn);
        prop_assert_eq!(json_body(API, &again(&recorded)?), recorded);
        let failed = turn.end(After::events(at), ApiError::rate_limited());
        if let Ok(recorded) = try_sse_body(API, &failed) {
            prop_assert_eq!(sse_body(API, &again(&recorded)?), recorded);
        }
    }
}

#[tokio::test]
async fn as_many_choices_as_were_recorded_are_said_where_they_are_asked_for() {
    let asked = serde_json::json!({"n": 2, "stream": true});
    let stub = WireStub::builder().turn("upon a time").start();
    let recorded = complete_with(&stub, &asked).send().await;
    let script = Script::from_wire(API, &recorded.body).unwrap();
    assert_eq!(script.text(), "upon a time");
    let stub = WireStub::builder().script(script).start();
    let said = complete_with(&stub, &asked).send().await;
    assert_eq!(text(&said), text(&recorded));
}

#[tokio::test]
async fn an_error_is_said_again() {
    let error = ApiError::rate_limited()
        .message("Slow down.")
        .param("model");
    let recorded = error_body(API, &error);
    let stub = WireStub::builder().turn(again(&recorded).unwrap()).start();
    let said = complete(&stub).send().await;
    assert_eq!((said.status, said.body), (429, recorded));
}

#[test]
fn what_no_turn_says_is_refused_with_its_place() {
    let body = sse_body(API, &Turn::new().text("Hi").id("c"));
    let body = String::from_utf8_lossy(&body).into_owned();
    let help = "\n  help: only what OpenAI writes today is said again; script the turn by name";
    for (recorded, expected) in [
        (
            body.replacen("\"logprobs\":null", "\"logprobs\":{}", 1),
            "the recorded answer is not in today's form\n  \
             where: openai_completions, event #1, byte 0\n  \
             expected: `…n\",\"created\":…,\"choices\":[{\"text\":\"Hi\",\"index\":0,\"logprobs\":null,\"finish_reason\":null}],\"model\":\"gpt-3.5-turbo-instruct\",\"usage\":null}`\n  \
             found: `…n\",\"created\":…,\"choices\":[{\"text\":\"Hi\",\"index\":0,\"logprobs\":{},\"finish_reason\":null}],\"model\":\"gpt-3.5-turbo-instruct\",\"usage\":null}`",
        ),
        (
            body.replace("data: [DONE]\n\n", ""),
            "the recorded answer is not in today's form\n  \
             where: openai_completions, event #4, byte 370\n  \
             expected: `[DONE]`\n  \
             found: the end of the stream",
        ),
    ] {
        let error = Script::from_wire(API, recorded.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), &AccumulateErrorKind::NotSaidAgain);
        assert_eq!(error.to_string(), format!("{expected}{help}"));
    }
}
