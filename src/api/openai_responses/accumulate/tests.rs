//! Events in every stage, on byte literals; every message pinned whole.

use serde_json::json;

use super::*;
use crate::{
    api::{AccumulateError, Api, accumulate, accumulate_json},
    script::{Citation, CitedSource, Json, ServerToolCall, ServerToolResult, StopReason, ToolCall},
};

pub(super) const API: Api = Api::OpenAiResponses;

/// Events whose names are their types, numbered from 0.
pub(super) fn numbered(events: &[Value]) -> String {
    let numbered = events.iter().enumerate().map(|(n, event)| {
        let mut event = event.clone();
        event["sequence_number"] = json!(n);
        event
    });
    body(&numbered.collect::<Vec<_>>())
}

/// Events whose names are their types.
pub(super) fn body(events: &[Value]) -> String {
    let frame = |event: &Value| {
        let name = event["type"].as_str().unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    };
    events.iter().map(frame).collect()
}

#[track_caller]
pub(super) fn reply(events: &[Value]) -> Reply {
    match accumulate(API, numbered(events).as_bytes()) {
        Ok(reply) => reply,
        Err(error) => panic!("{error}\n  row: {events:?}"),
    }
}

#[track_caller]
pub(super) fn error(body: &str) -> AccumulateError {
    match accumulate(API, body.as_bytes()) {
        Ok(reply) => panic!("accepted: {reply:?}\n  row: {body}"),
        Err(error) => error,
    }
}

pub(super) fn created() -> Value {
    json!({"type": "response.created", "response": {"id": "resp_1", "model": "m", "status": "in_progress", "output": []}})
}

pub(super) fn added(index: usize, item: impl Into<Value>) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item.into()})
}

pub(super) fn done(index: usize, item: impl Into<Value>) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item.into()})
}

pub(super) fn completed(output: impl Into<Value>) -> Value {
    json!({"type": "response.completed", "response": {"id": "resp_1", "model": "m", "status": "completed", "output": output.into()}})
}

/// An event of content part 0 of item 0, `msg_1`.
pub(super) fn of_text(word: &str, name: &str, value: impl Into<Value>) -> Value {
    json!({"type": format!("response.{word}"), "item_id": "msg_1", "output_index": 0, "content_index": 0, name: value.into()})
}

pub(super) fn message(content: impl Into<Value>) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content.into()})
}

pub(super) fn output_text(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

/// The item `msg_1` that says `Hé` in two deltas.
fn text_item() -> Vec<Value> {
    vec![
        added(0, message(json!([]))),
        of_text("content_part.added", "part", output_text("")),
        of_text("output_text.delta", "delta", "H"),
        of_text("output_text.delta", "delta", "é"),
        of_text("output_text.done", "text", "Hé"),
        of_text("content_part.done", "part", output_text("Hé")),
        done(0, message(json!([output_text("Hé")]))),
    ]
}

pub(super) fn text_answer() -> Vec<Value> {
    let mut events = vec![created()];
    events.extend(text_item());
    events.push(completed(json!([message(json!([output_text("Hé")]))])));
    events
}

pub(super) fn function_call(arguments: &str) -> Value {
    json!({"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "f", "arguments": arguments})
}

pub(super) fn arguments(word: &str, name: &str, value: &str) -> Value {
    let kind = format!("response.function_call_arguments.{word}");
    json!({"type": kind, "item_id": "fc_1", "output_index": 0, name: value})
}

/// A call in these fragments.
pub(super) fn call_answer(fragments: &[&str]) -> Vec<Value> {
    let whole = fragments.concat();
    let mut events = vec![created(), added(0, function_call(""))];
    let fragments = fragments.iter();
    events.extend(fragments.map(|fragment| arguments("delta", "delta", fragment)));
    events.push(arguments("done", "arguments", &whole));
    events.push(done(0, function_call(&whole)));
    events.push(completed(json!([function_call(&whole)])));
    events
}

/// The answer of these items, which come without events of their own.
pub(super) fn answer_of(items: &[Value]) -> Vec<Value> {
    let mut events = vec![created()];
    for (n, item) in items.iter().enumerate() {
        events.extend([added(n, item.clone()), done(n, item.clone())]);
    }
    events.push(completed(items));
    events
}

#[test]
fn a_text_is_its_deltas_joined_whatever_may_be_left_out() {
    let expected = reply(&text_answer());
    assert_eq!(expected.parts, [Part::Text("Hé".to_owned())]);
    assert_eq!(
        (expected.id.as_str(), expected.model.as_str()),
        ("resp_1", "m")
    );
    assert_eq!(expected.stop_reason, StopReason::EndTurn);
    let whole = text_answer();
    let mut bare = whole.clone();
    // what says nothing new
    bare.retain(|event| event["type"] != "response.content_part.done");
    let without = |names: &[&str]| -> Vec<Value> {
        let mut events = whole.clone();
        for event in &mut events {
            let event = event.as_object_mut().unwrap();
            event.retain(|name, _| !names.contains(&name.as_str()));
        }
        events
    };
    let unnamed: String = whole
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let mut no_output = whole.clone();
    no_output[8]["response"] = json!({"id": "resp_1", "model": "m"});
    for row in [
        body(&whole),
        numbered(&bare),
        numbered(&without(&["item_id"])),
        numbered(&without(&["output_index"])),
        numbered(&without(&["output_index", "item_id", "content_index"])),
        unnamed,
        format!("{}data: [DONE]\n\n", body(&whole)),
        numbered(&no_output),
    ] {
        assert_eq!(
            accumulate(API, row.as_bytes()).as_ref(),
            Ok(&expected),
            "{row}"
        );
    }
}

#[test]
fn heartbeats_unknown_events_and_unknown_members_leave_no_trace_anywhere() {
    let expected = reply(&text_answer());
    let whole = text_answer();
    for noise in [
        "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n",
        "event: ping\ndata: {\"type\": \"ping\"}\n\n",
        "event: response.tomorrow\ndata: not json\n\n",
        "event: response.tomorrow\ndata: {\"type\":\"response.tomorrow\",\"sequence_number\":77,\"x\":{}}\n\n",
        "data: {\"type\":\"response.tomorrow\",\"output_index\":0,\"delta\":\"x\"}\n\n",
        "data:\n\n",
    ] {
        for at in 0..=whole.len() {
            let (before, behind) = whole.split_at(at);
            let row = [body(before).as_str(), noise, &body(behind)].concat();
            assert_eq!(
                accumulate(API, row.as_bytes()).as_ref(),
                Ok(&expected),
                "{at} {row}"
            );
        }
    }
    let mut events = text_answer();
    for event in &mut events {
        event["x"] = json!(null);
        for nested in ["response", "item", "part"] {
            if event[nested].is_object() {
                event[nested]["x"] = json!({"type": 1});
            }
        }
    }
    assert_eq!(reply(&events), expected);
    // a heartbeat counts where it is numbered
    events.insert(3, json!({"type": "keepalive"}));
    events.insert(5, json!({"type": "response.tomorrow"}));
    assert_eq!(reply(&events), expected);
}

#[test]
fn a_call_is_its_fragments_joined_wherever_they_are_cut() {
    let call = |arguments: Value| {
        Part::ToolCall(ToolCall::new(
            "call_1".to_owned(),
            "f".to_owned(),
            arguments,
        ))
    };
    let whole = r#"{"a":"\u00e9\ud83d\ude00","n":997}"#;
    for at in 0..=whole.len() {
        let (left, right) = whole.split_at(at);
        let read = reply(&call_answer(&[left, right]));
        assert_eq!(read.parts, [call(json!({"a": "é😀", "n": 997}))], "{at}");
        assert_eq!(read.stop_reason, StopReason::ToolUse);
    }
    let mut silent = vec![created(), added(0, function_call(""))];
    silent.extend([
        done(0, function_call("")),
        completed(json!([function_call("")])),
    ]);
    for events in [
        call_answer(&[]),
        call_answer(&["{}"]),
        call_answer(&["null"]),
        silent,
    ] {
        assert_eq!(reply(&events).parts, [call(json!({}))], "{events:?}");
    }
}

#[test]
fn fragments_of_two_calls_are_told_apart_by_index_and_by_id() {
    let item = |n: usize, arguments: &str| json!({"id": format!("fc_{n}"), "type": "function_call", "call_id": format!("call_{n}"), "name": "f", "arguments": arguments});
    let event = |word: &str, n: usize, name: &str, text: &str| json!({"type": format!("response.function_call_arguments.{word}"), "item_id": format!("fc_{n}"), "output_index": n, name: text});
    let events = [
        created(),
        added(0, item(0, "")),
        added(1, item(1, "")),
        event("delta", 0, "delta", "{\"n\""),
        event("delta", 1, "delta", "{\"n\""),
        event("delta", 0, "delta", ":0}"),
        event("delta", 1, "delta", ":1}"),
        event("done", 1, "arguments", "{\"n\":1}"),
        event("done", 0, "arguments", "{\"n\":0}"),
        done(1, item(1, "{\"n\":1}")),
        done(0, item(0, "{\"n\":0}")),
        completed(json!([item(0, "{\"n\":0}"), item(1, "{\"n\":1}")])),
    ];
    for left_out in ["", "item_id", "output_index"] {
        let mut events = events.to_vec();
        for event in &mut events {
            event.as_object_mut().unwrap().remove(left_out);
        }
        let calls = reply(&events).tool_calls().cloned().collect::<Vec<_>>();
        let call = |n: usize| ToolCall::new(format!("call_{n}"), "f".to_owned(), json!({ "n": n }));
        assert_eq!(calls, [call(0), call(1)], "{left_out}");
    }
}

#[test]
fn reasoning_is_its_summaries_and_its_last_encrypted_form() {
    let item = |summary: Value, sealed: Value| json!({"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": sealed});
    let event = |word: &str, n: usize, name: &str, value: Value| json!({"type": format!("response.reasoning_summary_{word}"), "item_id": "rs_1", "output_index": 0, "summary_index": n, name: value});
    let part = |text: &str| json!({"type": "summary_text", "text": text});
    let mut events = vec![created(), added(0, item(json!([]), json!("first")))];
    for (n, text) in ["a", "b"].into_iter().enumerate() {
        events.extend([
            event("part.added", n, "part", part("")),
            event("text.delta", n, "delta", json!(text)),
            event("text.done", n, "text", json!(text)),
            event("part.done", n, "part", part(text)),
        ]);
    }
    let whole = |sealed: &str| item(json!([part("a"), part("b")]), json!(sealed));
    events.push(done(0, whole("second")));
    let partial = error(&body(&events)).partial().to_vec();
    events.push(completed(json!([whole("third")])));
    let thinking = |text: &str, signature: &str| Part::Thinking {
        text: text.to_owned(),
        signature: signature.to_owned(),
    };
    assert_eq!(reply(&events).parts, [thinking("a\n\nb", "third")]);
    assert_eq!(partial, [thinking("a\n\nb", "second")]);
    for (sealed, expected) in [
        (json!(null), thinking("", "")),
        (json!(""), thinking("", "")),
        (
            json!("s"),
            Part::RedactedThinking {
                data: "s".to_owned(),
            },
        ),
    ] {
        let read = reply(&answer_of(&[item(json!([]), sealed.clone())]));
        assert_eq!(read.parts, [expected], "{sealed}");
    }
}

#[test]
fn annotations_are_citations_of_the_characters_that_they_name() {
    let page = json!({"type": "url_citation", "start_index": 1, "end_index": 2, "title": "T", "url": "https://a.example"});
    let file =
        json!({"type": "file_citation", "file_id": "file_1", "filename": "f.txt", "index": 2});
    let made = json!({"type": "container_file_citation", "container_id": "cntr_1", "file_id": "cfile_1", "filename": "g.txt", "start_index": 0, "end_index": 1});
    let said = json!({"type": "output_text", "text": "Hé", "annotations": [page, file, made]});
    let mut events = text_answer();
    for (n, annotation) in [&page, &file, &made].into_iter().enumerate() {
        let mut event = of_text(
            "output_text.annotation.added",
            "annotation",
            annotation.clone(),
        );
        event["annotation_index"] = json!(n);
        events.insert(5 + n, event);
    }
    let end = events.len();
    events[end - 3]["part"] = said.clone();
    events[end - 2]["item"] = message(json!([said]));
    events[end - 1] = completed(json!([message(json!([said]))]));
    let other = |words: &str, name: &str, sent: &Value| {
        let mut citation = Citation::raw(Json::from(sent.clone())).title(name);
        words.clone_into(&mut citation.cited_text);
        citation.source = CitedSource::Other(Json::from(sent.clone()));
        citation
    };
    let citations = vec![
        Citation::web_search_result("é", "https://a.example").title("T"),
        other("", "f.txt", &file),
        other("H", "g.txt", &made),
    ];
    assert_eq!(citations[1].file_id.as_deref(), Some("file_1"));
    let text = "Hé".to_owned();
    assert_eq!(reply(&events).parts, [Part::CitedText { text, citations }]);
}

#[test]
fn tools_of_the_providers_are_a_call_and_its_result() {
    let items = [
        json!({"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q", "sources": [{"type": "url", "url": "u"}]}}),
        json!({"id": "fs_1", "type": "file_search_call", "status": "completed", "queries": ["q"], "results": null}),
        json!({"id": "ci_1", "type": "code_interpreter_call", "status": "completed", "code": "1", "container_id": "cntr_1", "outputs": []}),
        json!({"id": "mcp_1", "type": "mcp_call", "status": "completed", "name": "now", "server_label": "clocks", "arguments": "{\"a\":1}", "output": "14:34", "error": null}),
        json!({"id": "mcp_2", "type": "mcp_call", "status": "failed", "name": "now", "server_label": "clocks", "arguments": "", "output": null, "error": "no clock"}),
    ];
    let expected = [
        (
            "ws_1",
            "web_search",
            None,
            json!({"type": "search", "query": "q"}),
            "web_search_call",
            false,
            json!([{"type": "url", "url": "u"}]),
        ),
        (
            "fs_1",
            "file_search",
            None,
            json!({"queries": ["q"]}),
            "file_search_call",
            false,
            json!(null),
        ),
        (
            "ci_1",
            "code_interpreter",
            None,
            json!({"code": "1", "container_id": "cntr_1"}),
            "code_interpreter_call",
            false,
            json!([]),
        ),
        (
            "mcp_1",
            "now",
            Some("clocks"),
            json!({"a": 1}),
            "mcp_call",
            false,
            json!("14:34"),
        ),
        (
            "mcp_2",
            "now",
            Some("clocks"),
            json!({}),
            "mcp_call",
            true,
            json!("no clock"),
        ),
    ];
    let expected =
        expected
            .into_iter()
            .flat_map(|(id, name, server, arguments, kind, failed, content)| {
                let call = ServerToolCall {
                    id: id.to_owned(),
                    name: name.to_owned(),
                    server: server.map(str::to_owned),
                    arguments,
                    caller: None,
                };
                let result =
                    ServerToolResult::new(id.to_owned(), kind.to_owned(), Some(failed), content);
                [Part::ServerToolCall(call), Part::ServerToolResult(result)]
            });
    let expected: Vec<Part> = expected.collect();
    let read = reply(&answer_of(&items));
    assert_eq!(read.parts, expected);
    assert_eq!(read.stop_reason, StopReason::EndTurn);
    let body = json!({"id": "resp_1", "status": "completed", "output": items});
    let read = accumulate_json(API, body.to_string().as_bytes()).unwrap();
    assert_eq!(read.parts, expected);
}

#[test]
fn items_and_parts_of_tomorrow_are_kept_with_their_events() {
    let compaction = json!({"id": "cmp_1", "type": "compaction", "encrypted_content": "s"});
    let image = json!({"id": "ig_1", "type": "image_generation_call", "status": "completed", "result": "AA=="});
    let event = |word: &str, payload: Value| {
        let mut event = json!({"type": word, "item_id": "ig_1", "output_index": 1});
        for (name, value) in payload.as_object().unwrap() {
            event[name] = value.clone();
        }
        event
    };
    let partial = json!({"type": "response.image_generation_call.partial_image", "partial_image_b64": "AA=="});
    let odd = json!({"type": "tomorrow_text", "words": "x"});
    let mut events = vec![
        created(),
        added(0, compaction.clone()),
        done(0, compaction.clone()),
        added(
            1,
            json!({"id": "ig_1", "type": "image_generation_call", "status": "in_progress"}),
        ),
        event("response.image_generation_call.generating", json!({})),
        event(
            "response.image_generation_call.partial_image",
            json!({"partial_image_b64": "AA=="}),
        ),
        done(1, image.clone()),
    ];
    let mut message = message(json!([odd]));
    message["id"] = json!("msg_1");
    for mut event in [
        added(2, json!({"id": "msg_1", "type": "message", "content": []})),
        of_text("content_part.added", "part", odd.clone()),
        of_text("tomorrow_text.delta", "delta", "x"),
        done(2, message.clone()),
    ] {
        event["output_index"] = json!(2);
        events.push(event);
    }
    events.push(completed(json!([compaction, image, message])));
    let delta = json!({"type": "response.tomorrow_text.delta", "delta": "x"});
    assert_eq!(
        reply(&events).parts,
        [
            Part::Compaction {
                content: None,
                encrypted_content: Some("s".to_owned())
            },
            Part::Unknown {
                block: image,
                deltas: vec![partial]
            },
            Part::Unknown {
                block: odd,
                deltas: vec![delta]
            },
        ]
    );
}

#[test]
fn a_refusal_is_the_reason_where_it_is_all_that_is_said() {
    let refusal = json!({"type": "refusal", "refusal": "no"});
    let unknown = || Part::Unknown {
        block: refusal.clone(),
        deltas: Vec::new(),
    };
    let streamed = |other: &[Value]| {
        let mut events = vec![
            created(),
            added(0, message(json!([]))),
            of_text(
                "content_part.added",
                "part",
                json!({"type": "refusal", "refusal": ""}),
            ),
            of_text("refusal.delta", "delta", "no"),
            of_text("refusal.done", "refusal", "no"),
            of_text("content_part.done", "part", refusal.clone()),
            done(0, message(json!([refusal]))),
        ];
        let mut output = vec![message(json!([refusal]))];
        for item in other {
            events.extend([added(1, function_call("")), done(1, item.clone())]);
            output.push(item.clone());
        }
        events.push(completed(output));
        reply(&events)
    };
    let read = streamed(&[]);
    assert_eq!(read.parts, [Part::Text("no".to_owned())]);
    assert_eq!(read.stop_reason, StopReason::Refusal);
    let read = streamed(&[function_call("")]);
    assert_eq!(read.parts[0], unknown());
    assert_eq!(read.stop_reason, StopReason::ToolUse);
    let cut =
        json!({"id": "resp_1", "status": "incomplete", "output": [message(json!([refusal]))]});
    let read = accumulate_json(API, cut.to_string().as_bytes()).unwrap();
    assert_eq!(read.parts, [unknown()]);
}

#[test]
fn an_incomplete_answer_says_why() {
    for (details, expected) in [
        (
            json!({"reason": "max_output_tokens"}),
            StopReason::MaxTokens,
        ),
        (
            json!({"reason": "content_filter"}),
            StopReason::ContentFilter,
        ),
        (
            json!({"reason": "x_new"}),
            StopReason::Other("x_new".to_owned()),
        ),
        (json!(null), StopReason::Other("incomplete".to_owned())),
    ] {
        let mut events = text_answer();
        // its text need not have come to its end
        events[7]["item"]["status"] = json!("incomplete");
        events[8] = json!({"type": "response.incomplete", "response": {"id": "resp_1", "incomplete_details": details}});
        assert_eq!(reply(&events).stop_reason, expected);
        events.remove(5);
        events.remove(5);
        assert_eq!(reply(&events).text(), "Hé");
    }
}

#[test]
fn usage_is_read_where_it_is_said() {
    let usage = json!({"input_tokens": 12, "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 1}, "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 16});
    let expected = || {
        let usage = crate::script::Usage::input(6);
        usage.output(4).cache_read(5).cache_creation(1).thinking(3)
    };
    let searched = json!({"web_search": {"num_requests": 2}});
    for (usage, tools, expected) in [
        (usage.clone(), json!(null), expected()),
        (usage, searched, expected().web_searches(2)),
        (
            json!(null),
            json!({"web_search": {"num_requests": 0}}),
            Default::default(),
        ),
        (json!({}), json!(null), Default::default()),
    ] {
        let mut events = text_answer();
        events[8]["response"]["usage"] = usage;
        events[8]["response"]["tool_usage"] = tools;
        events[8]["response"]["service_tier"] = json!("default");
        let read = reply(&events);
        assert_eq!(read.usage, expected);
        assert_eq!(read.service_tier.as_deref(), Some("default"));
    }
}

#[test]
fn members_of_a_body_that_have_a_wrong_type_are_told() {
    let text =
        |annotations| json!({"type": "output_text", "text": "x", "annotations": annotations});
    for (annotations, tools, field) in [
        (
            json!([null]),
            json!(null),
            "output[0].content[0].annotations",
        ),
        (json!([]), json!("x"), "tool_usage"),
        (json!([]), json!({"web_search": 1}), "tool_usage.web_search"),
        (
            json!([]),
            json!({"web_search": {"num_requests": "1"}}),
            "tool_usage.web_search.num_requests",
        ),
    ] {
        let message = json!({"type": "message", "id": "msg_1", "content": [text(annotations)]});
        let body = json!({
            "id": "resp_1", "status": "completed", "output": [message], "tool_usage": tools
        });
        let error = accumulate_json(API, body.to_string().as_bytes()).unwrap_err();
        let field = field.to_owned();
        assert_eq!(error.kind(), &AccumulateErrorKind::WrongField { field });
    }
}

#[test]
fn a_stream_that_goes_on_is_read_from_where_it_does() {
    let mut events = text_answer();
    events.insert(
        1,
        json!({"type": "response.queued", "response": {"id": "resp_1"}}),
    );
    events.insert(
        2,
        json!({"type": "response.in_progress", "response": {"id": "resp_1"}}),
    );
    let expected = reply(&events);
    let body = numbered(&events);
    let frames: Vec<&str> = body.split_inclusive("\n\n").collect();
    for from in [1, 2] {
        let rest = frames[from..].concat();
        assert_eq!(accumulate(API, rest.as_bytes()), Ok(expected.clone()));
    }
}
