//! What a request asks of the form of its answer.

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{API, complete_with, text};

/// The data of the events.
#[track_caller]
fn chunks(body: &str) -> Vec<Value> {
    let data = body.split("\n\n").filter(|event| !event.is_empty());
    let mut data: Vec<&str> = data
        .map(|event| event.strip_prefix("data: ").unwrap())
        .collect();
    assert_eq!(data.pop(), Some("[DONE]"));
    data.into_iter()
        .map(|json| serde_json::from_str(json).unwrap())
        .collect()
}

#[tokio::test]
async fn a_stream_says_its_usage_only_where_it_is_asked_for() {
    let turn = || Turn::new().text(" upon a").usage(Usage::input(1).output(2));
    let stub = WireStub::builder().turns([turn(), turn()]).start();
    let plain = complete_with(&stub, &json!({"stream": true})).send().await;
    assert_eq!(plain.header("content-type"), "text/event-stream");
    let sent = chunks(text(&plain));
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|chunk| chunk.get("usage").is_none()));

    let options = json!({"stream": true, "stream_options": {"include_usage": true}});
    let with = complete_with(&stub, &options).send().await;
    let sent = chunks(text(&with));
    assert_eq!(
        sent[..3]
            .iter()
            .map(|chunk| &chunk["usage"])
            .collect::<Vec<_>>(),
        [&Value::Null; 3]
    );
    assert_eq!(sent[3]["choices"], json!([]));
    assert_eq!(
        sent[3]["usage"],
        json!({"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3})
    );
    stub.verify();
}

#[tokio::test]
async fn each_prompt_has_its_choices_with_its_own_words_before_them_if_they_are_echoed() {
    let stub = WireStub::builder()
        .turn(" upon a time")
        .repeat_last()
        .start();
    let asked =
        json!({"prompt": ["Once", "Twice"], "n": 2, "echo": true, "best_of": 2, "suffix": "."});
    let body = complete_with(&stub, &asked).send().await.json();
    let choices: Vec<_> = body["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|choice| {
            (
                choice["index"].as_u64().unwrap(),
                choice["text"].as_str().unwrap(),
            )
        })
        .collect();
    let (once, twice) = ("Once upon a time", "Twice upon a time");
    assert_eq!(choices, [(0, once), (1, once), (2, twice), (3, twice)]);

    let asked = json!({"prompt": ["Once", "Twice"], "echo": true, "stream": true});
    let answered = complete_with(&stub, &asked).send().await;
    let first: Vec<_> = chunks(text(&answered))[..3]
        .iter()
        .map(|chunk| chunk["choices"].clone())
        .collect();
    let chunk = |index: usize, text: &str| json!([{"text": text, "index": index, "logprobs": null, "finish_reason": null}]);
    assert_eq!(
        first,
        [chunk(0, "Once"), chunk(1, "Twice"), chunk(0, " upon")]
    );
    let reply = accumulate(API, &answered.body).unwrap();
    assert_eq!(reply.text(), once);
    assert_eq!(reply.other_choices[0].parts, [Part::Text(twice.to_owned())]);
    stub.verify();
}

#[tokio::test]
async fn an_echo_of_tokens_is_unplayable_since_their_text_is_not_known() {
    let stub = WireStub::builder()
        .turn("a")
        .without_verify_on_drop()
        .start();
    let asked = json!({"prompt": [1, 2], "echo": true});
    let refused = complete_with(&stub, &asked).send().await;
    assert_eq!((refused.status, refused.why()), (422, "unplayable"));
    let what = "the text of a prompt's tokens is not known here, and the request asks for it with `echo`\n  where: turn #1 on openai_completions";
    assert!(refused.message().starts_with(what), "{}", refused.message());
    assert!(
        refused
            .message()
            .ends_with("\n  help: send the prompt as text, or leave out `echo`")
    );
}

#[tokio::test]
async fn logprobs_have_the_lists_of_this_api() {
    let stub = WireStub::builder().turn(" upon a").repeat_last().start();
    let body = complete_with(&stub, &json!({"logprobs": 2, "echo": true}))
        .send()
        .await
        .json();
    let found = &body["choices"][0]["logprobs"];
    assert_eq!(found["tokens"], json!(["Once", " upon", " a"]));
    assert_eq!(found["text_offset"], json!([0, 4, 9]));
    let chosen = found["token_logprobs"].as_array().unwrap();
    assert!(chosen[0].is_null() && chosen[1].as_f64().unwrap() < 0.0);
    let top = found["top_logprobs"].as_array().unwrap();
    assert!(top[0].is_null());
    assert_eq!(top[1].as_object().unwrap().len(), 2);
    assert_eq!(top[1][" upon"], chosen[1]);

    let answered = complete_with(&stub, &json!({"logprobs": 0, "stream": true}))
        .send()
        .await;
    let sent = chunks(text(&answered));
    let of = |n: usize| sent[n]["choices"][0]["logprobs"].clone();
    assert_eq!(of(0)["tokens"], json!([" upon"]));
    assert_eq!(of(0)["top_logprobs"], Value::Null);
    assert_eq!(of(1)["text_offset"], json!([9]));
    assert_eq!(of(2), Value::Null);
    stub.verify();
}
