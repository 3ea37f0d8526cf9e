//! Errors of Responses: before the stream, to the class that each SDK has for them, and how often each tries again;
//! inside one; and streams that break.
#![expect(
    clippy::disallowed_types,
    reason = "some bytes are not for a stub to write: they are served by hand"
)]

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use crate::errors::{Row, check_classes, check_tries};
use llm_wire_stub::{After, Api, ApiError, Ending, Turn, WireStub, sse_body};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    every_error_reaches_its_class_with_all_that_it_says,
    what_may_help_is_tried_twice_more_and_nothing_else,
    a_chain_that_is_gone_is_a_bad_request,
    an_error_inside_a_stream_is_an_error,
    a_stream_that_is_cut_is_an_error_or_ends_early,
    each_damage_is_what_the_sdk_makes_of_it,
);

fn table() -> Vec<Row> {
    let (bad, status, limited, broken) = (
        "BadRequestError",
        "APIStatusError",
        "RateLimitError",
        "InternalServerError",
    );
    let (long, missing) = (Some("context_length_exceeded"), Some("model_not_found"));
    let region = Some("unsupported_country_region_territory");
    let (unknown, key) = ("UnprocessableEntityError", Some("invalid_api_key"));
    vec![
        (ApiError::context_overflow(), 400, bad, long, Some("input")),
        (
            ApiError::authentication(),
            401,
            "AuthenticationError",
            key,
            None,
        ),
        (
            ApiError::permission(),
            403,
            "PermissionDeniedError",
            region,
            None,
        ),
        // of a model; 404 on Chat
        (ApiError::not_found(), 400, bad, missing, Some("model")),
        (ApiError::status(408), 408, status, None, None),
        (ApiError::conflict(), 409, "ConflictError", None, None),
        (ApiError::request_too_large(), 413, status, None, None),
        (ApiError::status(422), 422, unknown, None, None),
        (
            ApiError::rate_limited(),
            429,
            limited,
            Some("rate_limit_exceeded"),
            None,
        ),
        (
            ApiError::credit_too_low(),
            429,
            limited,
            Some("insufficient_quota"),
            None,
        ),
        (ApiError::internal(), 500, broken, None, None),
        (
            ApiError::overloaded(),
            503,
            broken,
            Some("server_is_overloaded"),
            None,
        ),
    ]
}

fn every_error_reaches_its_class_with_all_that_it_says(sdk: Sdk) {
    check_classes(sdk, table(), |stub| Call::responses(stub, "create"));
}

fn what_may_help_is_tried_twice_more_and_nothing_else(sdk: Sdk) {
    check_tries(sdk, table(), |stub| Call::responses(stub, "create"));
}

fn a_chain_that_is_gone_is_a_bad_request(sdk: Sdk) {
    let stub = WireStub::builder().without_verify_on_drop().start();
    let call = Call::responses(&stub, "create").param("previous_response_id", "resp_gone");
    let seen = sdk.run(&call);
    let error = &seen["error"];
    assert_eq!(
        (&error["class"], &error["code"], &error["param"]),
        (
            &json!("BadRequestError"),
            &json!("previous_response_not_found"),
            &json!("previous_response_id")
        ),
        "{seen}"
    );
}

fn an_error_inside_a_stream_is_an_error(sdk: Sdk) {
    let turn = || Turn::new().text("Half an answer").seed(1);
    let error = ApiError::credit_too_low();
    for what in ["raw", "helper"] {
        let stub = WireStub::builder()
            .turn(turn().end(After::deltas(2), error.clone()))
            .start();
        let seen = sdk.run(&Call::responses(&stub, what));
        let found = &seen["error"];
        assert_eq!(
            (&found["class"], &found["code"]),
            (&json!("APIError"), &json!("insufficient_quota")),
            "{what}: {seen}"
        );
        // of the two events that the service says it in, neither SDK comes to the second
        if what == "raw" {
            let last = seen["events"]
                .as_array()
                .expect("events")
                .last()
                .expect("one");
            assert_eq!(last["type"], "response.output_text.delta", "{seen}");
        }
        stub.verify();
    }
}

/// A stream that ends properly before its last event is taken for whole, event by event, and by TypeScript's helper.
fn a_stream_that_is_cut_is_an_error_or_ends_early(sdk: Sdk) {
    for (ending, is_error) in [
        (Ending::CleanEof, false),
        (Ending::Fin, true),
        (Ending::Reset, true),
    ] {
        let turn = Turn::new().text("Half an answer");
        let turn = turn.end(After::deltas(2), ending.clone());
        let stub = WireStub::builder().turns([turn.clone(), turn]).start();
        let seen = sdk.run(&Call::responses(&stub, "raw"));
        assert_eq!(seen["error"].is_object(), is_error, "{ending:?}: {seen}");
        assert_eq!(seen["events"].as_array().expect("events").len(), 6);
        let seen = sdk.run(&Call::responses(&stub, "helper"));
        let is_error = is_error || sdk != Sdk::TypeScript;
        assert_eq!(seen["error"].is_object(), is_error, "{ending:?}: {seen}");
        if !is_error {
            assert_eq!(seen["response"]["status"], "in_progress");
        }
        stub.verify();
    }
}

/// Where one request is answered with this body.
fn serving(body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        let (mut request, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            let read = socket.read(&mut piece).expect("a request");
            request.extend_from_slice(&piece[..read]);
            let text = String::from_utf8_lossy(&request);
            let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
                let head = head.to_lowercase();
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "));
                length.and_then(|length| length.trim().parse().ok()) == Some(body.len())
            });
            if whole || read == 0 {
                break;
            }
        }
        socket.write_all(answer.as_bytes()).expect("an answer");
    });
    url
}

/// What became of a call: the class of its error, or the status of the response that it ended with; `ok` of a raw stream.
fn became(seen: &Value) -> String {
    match seen["error"]["class"].as_str() {
        Some(class) => class.to_owned(),
        None => {
            let status = seen["response"]["status"].as_str();
            status.unwrap_or("ok").to_owned()
        }
    }
}

fn each_damage_is_what_the_sdk_makes_of_it(sdk: Sdk) {
    let turn = Turn::new().text("Hi").seed(1);
    let whole = String::from_utf8(sse_body(Api::OpenAiResponses, &turn).to_vec()).expect("text");
    let events: Vec<&str> = whole.split_inclusive("\n\n").collect();
    let edited = |edit: &dyn Fn(&mut Vec<String>)| {
        let mut events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
        edit(&mut events);
        events.concat()
    };
    let flat =
        r#"{"type":"error","code":"server_error","message":"m","param":null,"sequence_number":5}"#;
    let frame = |name: &str, data: &str| format!("event: {name}\ndata: {data}\n\n");
    let unknown = frame(
        "response.x_new",
        r#"{"type":"response.x_new","sequence_number":5}"#,
    );
    let keepalive = frame("keepalive", r#"{"type":"keepalive","sequence_number":5}"#);
    let last = events.len() - 1;
    // the body; then raw and helper of Python, raw and helper of TypeScript
    #[rustfmt::skip]
    let rows: Vec<(&str, String, [&str; 4])> = vec![
        ("whole", whole.clone(), ["ok", "completed", "ok", "completed"]),
        ("[DONE] appended", format!("{whole}data: [DONE]\n\n"), ["ok", "completed", "ok", "completed"]),
        ("no terminal event", edited(&|events| events.truncate(last)), ["ok", "RuntimeError", "ok", "in_progress"]),
        ("an error, flat", edited(&|events| { events.truncate(5); events.push(frame("error", flat)); }), ["ok", "RuntimeError", "ok", "Object"]),
        ("not created first", edited(&|events| drop(events.drain(..2))), ["ok", "RuntimeError", "ok", "OpenAIError"]),
        ("delta before its item", edited(&|events| drop(events.drain(2..4))), ["ok", "RuntimeError", "ok", "OpenAIError"]),
        ("delta before its part", edited(&|events| drop(events.remove(3))), ["ok", "IndexError", "ok", "OpenAIError"]),
        ("unknown event", edited(&|events| events.insert(5, unknown.clone())), ["ok", "completed", "ok", "OpenAIError"]),
        ("keepalive", edited(&|events| events.insert(5, keepalive.clone())), ["ok", "completed", "ok", "completed"]),
        ("comment", edited(&|events| events.insert(5, ": hi\n\n".to_owned())), ["ok", "completed", "ok", "completed"]),
        ("no names", whole.lines().filter(|line| !line.starts_with("event: ")).map(|line| format!("{line}\n")).collect(), ["ok", "completed", "ok", "completed"]),
        ("an event lost", edited(&|events| drop(events.remove(4))), ["ok", "completed", "ok", "completed"]),
        ("an event twice", edited(&|events| events.insert(5, events[4].clone())), ["ok", "completed", "ok", "completed"]),
        ("end in mid-frame", whole.chars().take(whole.chars().count() - 40).collect(), ["ok", "RuntimeError", "ok", "in_progress"]),
        ("invalid JSON", edited(&|events| events[4] = frame("response.output_text.delta", "{")), ["JSONDecodeError", "JSONDecodeError", "SyntaxError", "OpenAIError"]),
    ];
    let stub = WireStub::builder().start();
    for (name, body, expected) in rows {
        let found = ["raw", "helper"].map(|what| {
            let call = Call::responses(&stub, what).at(serving(&body));
            became(&sdk.run(&call))
        });
        let [python_raw, python_helper, node_raw, node_helper] = expected;
        let expected = match sdk {
            Sdk::Python | Sdk::PythonAsync => [python_raw, python_helper],
            Sdk::TypeScript => [node_raw, node_helper],
        };
        assert_eq!(found, expected, "{name}");
    }
}
