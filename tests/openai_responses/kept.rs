//! What the stub keeps of its answers: responses that are fetched again, listed, deleted, gone on from. And what of
//! this API it does not serve.

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{
    bytes::events,
    call,
    post::{Answered, Call},
};

fn quiet() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

/// The answer to a request without a body.
async fn ask(stub: &StubHandle, method: &str, target: &str) -> Answered {
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let url = format!("{}{target}", stub.openai_url());
    let request = reqwest::Client::new().request(method, url).bearer_auth("k");
    let response = request.send().await.unwrap();
    Answered {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await.unwrap(),
    }
}

async fn fetch(stub: &StubHandle, id: &str) -> Answered {
    ask(stub, "GET", &format!("/responses/{id}")).await
}

fn id(answered: &Answered) -> String {
    assert_eq!(answered.status, 200, "{answered:?}");
    answered.json()["id"].as_str().unwrap().to_owned()
}

/// The id of an answer that was streamed.
fn streamed_id(answered: &Answered) -> String {
    let events = events(&answered.body);
    events[0]["response"]["id"].as_str().unwrap().to_owned()
}

fn after(call: Call, previous: &str, input: Value) -> Call {
    call.member("previous_response_id", previous)
        .member("input", input)
}

fn output(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": "ok"})
}

fn calls(ids: &[&str]) -> Turn {
    let turn = Turn::new().allow_script_drift();
    let turns = ids.iter();
    turns.fold(turn, |turn, id| {
        turn.tool_call_with_id(*id, "f", json!({"a": 1}))
    })
}

const NOT_FOUND: &str = r#"{
  "error": {
    "message": "Response with id 'resp_x' not found.",
    "type": "invalid_request_error",
    "param": null,
    "code": null
  }
}"#;

#[tokio::test]
async fn a_response_is_fetched_as_its_body_whether_it_was_streamed_or_not() {
    let turn = || Turn::new().thinking("hm").text("Grüße").seed(7);
    let stub = WireStub::builder().turn(turn()).turn(turn()).start();
    let whole = call(&stub).send().await;
    let fetched = fetch(&stub, &id(&whole)).await;
    assert_eq!((fetched.status, &fetched.body), (200, &whole.body));
    assert_eq!(fetched.header("content-type"), "application/json");
    let streamed = call(&stub).streamed().send().await;
    assert_eq!(streamed_id(&streamed), id(&whole));
    let fetched = fetch(&stub, &streamed_id(&streamed)).await;
    assert_eq!(fetched.body, whole.body);
    // they are no calls of the model, and last longer than the journal
    assert_eq!((stub.requests().len(), stub.journal().len()), (2, 4));
    stub.clear_requests();
    assert_eq!(fetch(&stub, &id(&whole)).await.body, whole.body);
}

#[tokio::test]
async fn what_was_not_given_whole_or_is_not_to_be_stored_is_not_found() {
    let cut = Turn::new()
        .text("a b c")
        .end(After::deltas(1), Ending::CleanEof);
    let stub = quiet()
        .turn(Turn::new().text("a").seed(1))
        .turn(cut.seed(2))
        .turn(Turn::error(ApiError::overloaded()))
        .start();
    let unstored = call(&stub).member("store", false).send().await;
    assert_eq!(fetch(&stub, &id(&unstored)).await.status, 404);
    let broken = call(&stub).streamed().send().await;
    assert_eq!(fetch(&stub, &streamed_id(&broken)).await.status, 404);
    assert_eq!(call(&stub).send().await.status, 503);
    let missing = fetch(&stub, "resp_x").await;
    assert_eq!(missing.status, 404);
    assert_eq!(std::str::from_utf8(&missing.body).unwrap(), NOT_FOUND);
    assert_eq!(ask(&stub, "DELETE", "/responses/resp_x").await.status, 404);
    let listed = ask(&stub, "GET", "/responses/resp_x/input_items").await;
    assert_eq!(listed.status, 404);
}

#[tokio::test]
async fn a_deleted_response_is_gone() {
    let stub = quiet().turn("a").turn("b").start();
    let first = id(&call(&stub).send().await);
    let deleted = ask(&stub, "DELETE", &format!("/responses/{first}")).await;
    let expected =
        format!("{{\n  \"id\": \"{first}\",\n  \"object\": \"response\",\n  \"deleted\": true\n}}");
    assert_eq!((deleted.status, deleted.body), (200, expected.into()));
    assert_eq!(fetch(&stub, &first).await.status, 404);
    let refused = after(call(&stub), &first, json!("x")).send().await;
    assert_eq!((refused.status, refused.why()), (400, "previous-response"));
}

#[tokio::test]
async fn of_deletions_that_meet_only_one_finds_the_response() {
    let stub = quiet().turn("a").repeat_last().start();
    for _ in 0..8 {
        let target = format!("/responses/{}", id(&call(&stub).send().await));
        let deletions = (0..8).map(|_| ask(&stub, "DELETE", &target));
        let answers = futures_util::future::join_all(deletions).await;
        let found = answers.iter().filter(|answer| answer.status == 200);
        assert_eq!(found.count(), 1);
    }
}

#[tokio::test]
async fn what_goes_on_from_a_deleted_response_says_so_when_its_input_is_asked_for() {
    let stub = quiet().turn("a").turn("b").start();
    let first = id(&call(&stub).send().await);
    let second = id(&after(call(&stub), &first, json!("x")).send().await);
    ask(&stub, "DELETE", &format!("/responses/{first}")).await;
    let target = format!("/responses/{second}/input_items");
    let listed = ask(&stub, "GET", &target).await;
    assert_eq!((listed.status, listed.why()), (422, "not-served"));
    let expected = format!(
        "the stub does not serve the input of a response that goes on from a deleted one\n  \
         where: request GET /v1{target}\n  \
         help: list the input before the responses that it goes on from are deleted"
    );
    assert_eq!(listed.message(), expected);
    assert_eq!(fetch(&stub, &second).await.status, 200);
}

#[tokio::test]
async fn the_input_is_listed_with_what_came_before_newest_first_and_in_pages() {
    let stub = quiet().turn("a").turn("b").start();
    let first = id(&call(&stub).member("input", "hi").send().await);
    let second = after(
        call(&stub),
        &first,
        json!([{"role": "user", "content": "é"}]),
    );
    let second = id(&second.send().await);
    let list = async |query: &str| {
        let target = format!("/responses/{second}/input_items{query}");
        ask(&stub, "GET", &target).await
    };
    let all = list("").await;
    let json = all.json();
    let texts = |json: &Value| -> Vec<String> {
        let items = json["data"].as_array().unwrap().iter();
        items
            .map(|item| item["content"][0]["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(texts(&json), ["é", "a", "hi"]);
    let ids: Vec<&Value> = json["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["id"])
        .collect();
    assert_eq!((&json["first_id"], &json["last_id"]), (ids[0], ids[2]));
    assert_eq!(
        (&json["object"], &json["has_more"]),
        (&json!("list"), &json!(false))
    );
    assert!(all.body.is_ascii());
    let rest = list(&format!("?limit=1&after={}", ids[0].as_str().unwrap()))
        .await
        .json();
    assert_eq!(
        (texts(&rest), &rest["has_more"]),
        (vec!["a".to_owned()], &json!(true))
    );
    assert_eq!(texts(&list("?order=asc").await.json()), ["hi", "a", "é"]);
    assert_eq!(list("?limit=0").await.status, 400);
}

#[tokio::test]
async fn calls_of_the_responses_before_count_for_their_outputs() {
    let stub = quiet()
        .turn(calls(&["a", "b"]))
        .turn(calls(&["c"]))
        .turn("done")
        .start();
    let first = id(&call(&stub).send().await);
    let unanswered = after(call(&stub), &first, json!([output("a")]))
        .send()
        .await;
    assert_eq!(
        unanswered.message(),
        "No tool output found for function call b."
    );
    let stray = after(
        call(&stub),
        &first,
        json!([output("a"), output("b"), output("z")]),
    );
    let stray = stray.send().await;
    assert_eq!(
        stray.message(),
        "No tool call found for function call output with call_id z."
    );
    let second = after(call(&stub), &first, json!([output("a"), output("b")]));
    let second = streamed_id(&second.streamed().send().await);
    let third = after(call(&stub), &second, json!([output("c")]))
        .send()
        .await;
    assert_eq!(third.status, 200, "{third:?}");
    // what is kept no more may have had any call
    ask(&stub, "DELETE", &format!("/responses/{first}")).await;
    let hidden = after(call(&stub), &second, json!([output("c"), output("y")]));
    assert_eq!(hidden.send().await.why(), "exhausted");
}

#[tokio::test]
async fn what_came_behind_reasoning_is_sent_back_with_it() {
    let reasoned = || {
        Turn::new()
            .thinking("hm")
            .tool_call_with_id("a", "f", json!({}))
    };
    let builder = || {
        quiet()
            .allow_script_drift()
            .turn(reasoned())
            .turn("ok")
            .turn("ok")
    };
    let stub = builder().start();
    let answer = call(&stub).send().await.json();
    let (reasoning, made) = (&answer["output"][0], &answer["output"][1]);
    let refused = call(&stub)
        .member("input", json!([made, output("a")]))
        .send()
        .await;
    assert_eq!((refused.status, refused.why()), (400, "reasoning-kept"));
    let word = |item: &Value| item["id"].as_str().unwrap().to_owned();
    let expected = json!({"error": {
        "message": format!("Item '{}' of type 'function_call' was provided without its required 'reasoning' item: '{}'.", word(made), word(reasoning)),
        "type": "invalid_request_error", "param": "input", "code": null,
    }});
    assert_eq!(refused.json(), expected);
    let whole = json!([reasoning, made, output("a")]);
    let passed = call(&stub).member("input", whole).send().await;
    assert_eq!(passed.status, 200, "{passed:?}");
    // an item without its id is anybody's
    let mut unnamed = made.clone();
    unnamed.as_object_mut().unwrap().remove("id");
    let passed = call(&stub)
        .member("input", json!([unnamed, output("a")]))
        .send()
        .await;
    assert_eq!(passed.status, 200, "{passed:?}");

    let stub = builder().without_rule("reasoning-kept").start();
    let answer = call(&stub).send().await.json();
    let passed = call(&stub).member("input", json!([answer["output"][1], output("a")]));
    assert_eq!(passed.send().await.status, 200);
}

#[tokio::test]
async fn what_a_live_turn_said_is_gone_on_from_and_not_said_once_more() {
    let live = Live::new();
    let stub = quiet().turn(&live).turn("ok").start();
    let speak = async {
        live.text("hi").await;
        live.finish().await;
    };
    let (first, ()) = tokio::join!(call(&stub).streamed().send(), speak);
    let first = streamed_id(&first);
    let refused = fetch(&stub, &first).await;
    assert_eq!((refused.status, refused.why()), (422, "not-served"));
    let expected = format!(
        "the stub does not serve what a live turn said once more\n  \
         where: request GET /v1/responses/{first}\n  \
         help: script the answer as a turn that is whole"
    );
    assert_eq!(refused.message(), expected);
    let passed = after(call(&stub), &first, json!([output("any")]))
        .send()
        .await;
    assert_eq!(passed.status, 200, "{passed:?}");
}

#[tokio::test]
async fn what_is_not_served_is_said_and_uses_no_turn() {
    let stub = quiet().turn("ok").start();
    for (name, value, what, help) in [
        (
            "background",
            json!(true),
            "`background`: a response that is made while nobody waits",
            "leave `background` out of the request; its answer is then streamed, or whole",
        ),
        (
            "conversation",
            json!("conv_1"),
            "`conversation`: one that the service keeps",
            "go on with `previous_response_id`, or send the items again",
        ),
    ] {
        let refused = call(&stub).member(name, value).send().await;
        assert_eq!((refused.status, refused.why()), (422, "not-served"));
        let index = stub.requests().len();
        let expected = format!(
            "the stub does not serve {what}\n  where: request #{index} POST /v1/responses\n  help: {help}"
        );
        assert_eq!(refused.message(), expected);
    }
    let passed = call(&stub).member("background", false).send().await;
    assert_eq!(passed.status, 200);
}

#[tokio::test]
async fn other_roads_of_responses_are_not_served() {
    let stub = quiet().turn("ok").start();
    let first = id(&call(&stub).send().await);
    let resumed = fetch(&stub, &format!("{first}?stream=true&starting_after=1")).await;
    assert_eq!((resumed.status, resumed.why()), (422, "not-served"));
    let expected = format!(
        "the stub does not serve `stream=true` here: it goes on with a response that is made in the background\n  \
         where: request GET /v1/responses/{first}?stream=true&starting_after=1\n  \
         help: stream the response when it is created"
    );
    assert_eq!(resumed.message(), expected);
    for target in [
        "/responses/r/cancel",
        "/responses/compact",
        "/responses/input_tokens",
        "/conversations",
    ] {
        let answered = ask(&stub, "POST", target).await;
        assert_eq!(
            (answered.status, answered.why()),
            (404, "not-served"),
            "{target}"
        );
    }
}

/// As a client does that goes on from a response and repeats it.
#[tokio::test]
async fn an_item_of_the_response_before_is_not_sent_again() {
    let stub = quiet().turn(calls(&["call_1"])).turn("done").start();
    let first = call(&stub).send().await;
    let repeated = json!([first.json()["output"][0], output("call_1")]);
    let refused = after(call(&stub), &id(&first), repeated).send().await;
    assert_eq!(refused.status, 400);
    let item = first.json()["output"][0]["id"].clone();
    assert_eq!(
        refused.json()["error"]["message"],
        format!(
            "Duplicate item found with id {}. Remove duplicate items from your input and try again.",
            item.as_str().unwrap()
        )
    );
    let gone_on = after(call(&stub), &id(&first), json!([output("call_1")]));
    assert_eq!(gone_on.send().await.status, 200);
}
