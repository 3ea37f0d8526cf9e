//! Streamed answers, through the SDK's helper and event by event.

use std::collections::BTreeSet;

use crate::turns::{ODD_TEXT, own_model, stops, turns};
use llm_wire_stub::{Api, Arguments, Cut, Fragments, Outcome, Turn, Usage, WireStub, sse_body};
use llm_wire_stub_interop::{Call, MODEL, Sdk, content, message, reply, usage};
use serde_json::{Value, json};

for_each_sdk!(
    every_turn_arrives_whole_through_the_helper,
    every_turn_arrives_whole_event_by_event,
    every_stop_reason_arrives_in_the_providers_word,
    plain_streams_carry_the_same_events,
    fragments_arrive_as_scripted,
    a_call_without_arguments_is_one_empty_delta,
    odd_characters_survive_a_write_for_each_byte,
    everything_in_one_write_is_read,
    every_padding_and_late_pings_are_read_over_sixty_seeds,
    a_mebibyte_in_one_delta_arrives,
    a_mebibyte_in_many_deltas_arrives,
    twenty_thousand_words_arrive_one_by_one,
);

fn every_turn_arrives_whole_through_the_helper(sdk: Sdk) {
    let turns = turns();
    let stub = WireStub::builder()
        .turns(turns.iter().map(|(_, turn)| turn.clone()))
        .start();

    let runs = sdk.run_times(&Call::helper(&stub), turns.len());

    for ((name, turn), seen) in turns.iter().zip(&runs) {
        assert_final_message(name, seen, turn);
        let request_id = seen["request_id"].as_str().expect(name);
        assert!(
            request_id.starts_with("req_011C") && request_id.len() == 28,
            "{name}: {request_id}"
        );
    }
    assert!(stub.requests().iter().all(|request| request.is_stream()));
    assert!(
        stub.requests()
            .iter()
            .all(|request| request.outcome() == Outcome::Complete)
    );
    stub.verify();
}

fn every_turn_arrives_whole_event_by_event(sdk: Sdk) {
    let turns = turns();
    let stub = WireStub::builder()
        .turns(turns.iter().map(|(_, turn)| turn.clone()))
        .start();

    let runs = sdk.run_times(&Call::raw(&stub), turns.len());

    for ((name, turn), seen) in turns.iter().zip(&runs) {
        assert_events(name, seen, turn);
        assert_eq!(
            seen["headers"]["content-type"], "text/event-stream; charset=utf-8",
            "{name}"
        );
        assert_eq!(seen["headers"]["cache-control"], "no-cache", "{name}");
    }
    stub.verify();
}

fn every_stop_reason_arrives_in_the_providers_word(sdk: Sdk) {
    let stops = stops();
    let script = stops.iter().map(|(_, turn)| turn.clone());
    let stub = WireStub::builder()
        .turns(script.clone())
        .turns(script)
        .start();

    let helper = sdk.run_times(&Call::helper(&stub), stops.len());
    let raw = sdk.run_times(&Call::raw(&stub), stops.len());

    for ((word, turn), (helper, raw)) in stops.iter().zip(helper.iter().zip(&raw)) {
        assert_eq!(helper["message"]["stop_reason"], *word);
        assert_final_message(word, helper, turn);
        assert_events(word, raw, turn);
    }
    stub.verify();
}

fn plain_streams_carry_the_same_events(sdk: Sdk) {
    let turns = turns();
    let script = turns.iter().map(|(_, turn)| turn.clone());
    let stub = WireStub::builder()
        .turns(script.clone())
        .turns(script)
        .plain()
        .start();

    let helper = sdk.run_times(&Call::helper(&stub), turns.len());
    let raw = sdk.run_times(&Call::raw(&stub), turns.len());

    for ((name, turn), (helper, raw)) in turns.iter().zip(helper.iter().zip(&raw)) {
        assert_final_message(name, helper, turn);
        assert_events(name, raw, turn);
    }
    stub.verify();
}

fn fragments_arrive_as_scripted(sdk: Sdk) {
    let turn = Turn::new()
        .text("Let me look")
        .fragments(Fragments::pieces(["L", "et m", "e l", "ook"]))
        .text(" twice. ")
        .tool_call("edit", Arguments::raw(r#"{"path":"é\u00e9😀","n":1}"#))
        .fragments(Fragments::pieces([
            "{",
            "\"path\":\"é\\u00",
            "e9😀",
            "\",\"n\":1",
            "}",
        ]))
        .seed(5)
        .allow_script_drift();
    let stub = WireStub::builder()
        .turns([turn.clone(), turn.clone()])
        .start();

    let raw = sdk.run(&Call::raw(&stub));
    let helper = sdk.run(&Call::helper(&stub));

    let texts = ["L", "et m", "e l", "ook", " twice. "];
    let inputs = ["", "{", "\"path\":\"é\\u00", "e9😀", "\",\"n\":1", "}"];
    assert_eq!(deltas(&raw, "text_delta", "text"), texts);
    assert_eq!(deltas(&raw, "input_json_delta", "partial_json"), inputs);
    assert_eq!(helper["texts"], json!(texts));
    assert_eq!(helper["inputs"], json!(inputs));
    assert_eq!(
        helper["message"]["content"][1]["input"],
        json!({"path": "éé😀", "n": 1})
    );
    assert_events("raw", &raw, &turn);
    stub.verify();
}

fn a_call_without_arguments_is_one_empty_delta(sdk: Sdk) {
    let turn = Turn::new().tool_call("now", json!({})).seed(3);
    let turn = turn.allow_script_drift();
    let stub = WireStub::builder()
        .turns([turn.clone(), turn.clone()])
        .start();

    let raw = sdk.run(&Call::raw(&stub));
    let helper = sdk.run(&Call::helper(&stub));

    assert_eq!(deltas(&raw, "input_json_delta", "partial_json"), [""]);
    assert_eq!(helper["inputs"], json!([""]));
    assert_eq!(helper["message"]["content"][0]["input"], json!({}));
    assert_final_message("helper", &helper, &turn);
    stub.verify();
}

fn odd_characters_survive_a_write_for_each_byte(sdk: Sdk) {
    arrives_at_every_cut(sdk, Cut::EveryByte);
}

fn everything_in_one_write_is_read(sdk: Sdk) {
    arrives_at_every_cut(sdk, Cut::Whole);
}

fn arrives_at_every_cut(sdk: Sdk, cut: Cut) {
    let turn = Turn::new()
        .text(ODD_TEXT)
        .fragments(Fragments::characters())
        .tool_call("odd", json!({"text": ODD_TEXT}))
        .text(ODD_TEXT)
        .seed(11)
        .allow_script_drift();
    let stub = WireStub::builder()
        .turns([turn.clone(), turn.clone()])
        .cut(cut)
        .start();

    let helper = sdk.run(&Call::helper(&stub));
    let raw = sdk.run(&Call::raw(&stub));

    assert_final_message("helper", &helper, &turn);
    assert_events("raw", &raw, &turn);
    let characters: Vec<String> = ODD_TEXT.chars().map(String::from).collect();
    assert_eq!(
        deltas(&raw, "text_delta", "text")[..characters.len()],
        characters
    );
    stub.verify();
}

fn every_padding_and_late_pings_are_read_over_sixty_seeds(sdk: Sdk) {
    let turns: Vec<Turn> = (100..160)
        .map(|seed| {
            Turn::new()
                .text("Let me look at both of them, é and 😀.")
                .tool_call("weather", json!({"city": "Paris", "unit": "°C"}))
                .tool_call("now", json!({}))
                .seed(seed)
                .allow_script_drift()
        })
        .collect();
    let stub = WireStub::builder()
        .turns(turns.clone())
        .turns(turns.clone())
        .start();

    let helper = sdk.run_times(&Call::helper(&stub), turns.len());
    let raw = sdk.run_times(&Call::raw(&stub), turns.len());

    let (mut paddings, mut ping_places) = (BTreeSet::new(), BTreeSet::new());
    for (n, turn) in turns.iter().enumerate() {
        let name = format!("seed {}", 100 + n);
        assert_final_message(&name, &helper[n], turn);
        assert_events(&name, &raw[n], turn);
        let body = sse_body(Api::AnthropicMessages, turn);
        let body = String::from_utf8(body.to_vec()).expect("UTF-8");
        for (place, event) in body.split_terminator("\n\n").enumerate() {
            if event.starts_with("event: ping\n") {
                ping_places.insert(place);
            } else {
                let unpadded = event.trim_end_matches('}').trim_end_matches(' ');
                paddings.insert(event.trim_end_matches('}').len() - unpadded.len());
            }
        }
    }
    assert_eq!(paddings, (0..16).collect());
    assert!(ping_places.len() > 3, "all pings stand at {ping_places:?}");
    stub.verify();
}

fn a_mebibyte_in_one_delta_arrives(sdk: Sdk) {
    let text = mebibyte();
    let turn = Turn::new()
        .text(&*text)
        .fragments(Fragments::whole())
        .tool_call("edit", json!({"text": text}));
    let turn = turn
        .fragments(Fragments::whole())
        .seed(8)
        .allow_script_drift();
    let stub = WireStub::builder()
        .turns([turn.clone(), turn.clone()])
        .start();

    assert_final_message("helper", &sdk.run(&Call::helper(&stub)), &turn);
    assert_events("raw", &sdk.run(&Call::raw(&stub)), &turn);
    stub.verify();
}

fn a_mebibyte_in_many_deltas_arrives(sdk: Sdk) {
    let turn = Turn::new()
        .text(mebibyte())
        .fragments(Fragments::size(1_000))
        .seed(9);
    let stub = WireStub::builder()
        .turns([turn.clone(), turn.clone()])
        .cut(Cut::Whole)
        .start();

    assert_final_message("helper", &sdk.run(&Call::helper(&stub)), &turn);
    assert_events("raw", &sdk.run(&Call::raw(&stub)), &turn);
    stub.verify();
}

fn mebibyte() -> String {
    let mut text = "0123 é漢😀\n".repeat(1024 * 1024 / 16 + 1);
    text.truncate(
        text.char_indices()
            .map(|(at, _)| at)
            .take_while(|at| *at <= 1024 * 1024)
            .last()
            .unwrap_or(0),
    );
    text
}

fn twenty_thousand_words_arrive_one_by_one(sdk: Sdk) {
    let words: Vec<String> = (0..20_000)
        .map(|n| format!("{}w{n}", if n == 0 { "" } else { " " }))
        .collect();
    let turn = Turn::new()
        .text(words.concat())
        .usage(Usage::input(3).output(20_000))
        .seed(2);
    let stub = WireStub::builder()
        .turns([turn.clone(), turn.clone()])
        .start();

    let raw = sdk.run(&Call::raw(&stub));
    let helper = sdk.run(&Call::helper(&stub));

    assert_eq!(deltas(&raw, "text_delta", "text"), words);
    assert_eq!(
        helper["texts"].as_array().expect("texts").len(),
        words.len()
    );
    assert_final_message("helper", &helper, &turn);
    stub.verify();
}

/// The helper's final message is the turn, and it passed on its deltas.
#[track_caller]
fn assert_final_message(name: &str, seen: &Value, turn: &Turn) {
    assert_eq!(seen["error"], Value::Null, "{name}");
    let mut read = seen["message"].clone();
    // TypeScript's helper adds a member for structured answers
    let added = read
        .as_object_mut()
        .and_then(|read| read.remove("parsed_output"));
    assert!(added.is_none_or(|added| added.is_null()), "{name}");
    assert_eq!(read, message(turn, own_model(name)), "{name}");
    let texts: String = seen["texts"]
        .as_array()
        .expect(name)
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(texts, reply(turn).text(), "{name}");
    let events = seen["events"].as_array().expect(name);
    assert_eq!(events.first().expect(name), "message_start", "{name}");
    assert_eq!(events.last().expect(name), "message_stop", "{name}");
}

/// The events are those of the turn: in order, each with the fields that the service sends, and no others.
/// The SDKs skip pings.
#[track_caller]
fn assert_events(name: &str, seen: &Value, turn: &Turn) {
    assert_eq!(seen["error"], Value::Null, "{name}");
    let reply = reply(turn);
    let whole = message(turn, own_model(name));
    let mut events = seen["events"].as_array().expect(name).iter();
    let mut next = || events.next().unwrap_or(&Value::Null);

    let mut start = next().clone();
    let tokens = start["message"]["usage"]["output_tokens"].take();
    let tokens = tokens.as_u64().expect(name);
    let most = reply.usage.output_tokens.min(8);
    assert!(
        (most.min(1)..=most).contains(&tokens),
        "{name}: {tokens} tokens at the start"
    );
    let mut begun = whole.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    begun["stop_details"] = Value::Null;
    begun["stop_sequence"] = Value::Null;
    begun["usage"]["output_tokens"] = Value::Null;
    assert_eq!(
        start,
        json!({"type": "message_start", "message": begun}),
        "{name}"
    );

    let blocks = content(&reply);
    for (index, block) in blocks.as_array().expect(name).iter().enumerate() {
        let (kind, member, mut open) = match block["type"].as_str() {
            Some("text") => ("text_delta", "text", block.clone()),
            _ => ("input_json_delta", "partial_json", block.clone()),
        };
        let whole = if kind == "text_delta" {
            open["text"] = "".into();
            block["text"].clone()
        } else {
            open["input"] = json!({});
            block["input"].clone()
        };
        let begun = json!({"type": "content_block_start", "index": index, "content_block": open});
        assert_eq!(*next(), begun, "{name}");
        let (mut joined, mut fragments) = (String::new(), 0);
        let stop = loop {
            let event = next();
            if event["type"] != "content_block_delta" {
                break event;
            }
            let fragment = event["delta"][member].as_str().expect(name);
            let delta = json!({"type": kind, member: fragment});
            let expected = json!({"type": "content_block_delta", "index": index, "delta": delta});
            assert_eq!(*event, expected, "{name}");
            let first_of_arguments = kind == "input_json_delta" && fragments == 0;
            assert_eq!(fragment.is_empty(), first_of_arguments, "{name}: {event}");
            joined += fragment;
            fragments += 1;
        };
        assert_eq!(
            *stop,
            json!({"type": "content_block_stop", "index": index}),
            "{name}"
        );
        let read = match kind {
            "text_delta" => joined.into(),
            _ if joined.is_empty() => json!({}),
            _ => serde_json::from_str(&joined).expect(name),
        };
        assert_eq!(read, whole, "{name}");
    }

    let mut cumulative = usage(&reply.usage);
    for absent in ["cache_creation", "service_tier", "inference_geo"] {
        cumulative.as_object_mut().expect(name).remove(absent);
    }
    let stop = json!({
        "stop_reason": whole["stop_reason"],
        "stop_sequence": whole["stop_sequence"],
        "stop_details": whole["stop_details"],
    });
    let expected = json!({"type": "message_delta", "delta": stop, "usage": cumulative});
    assert_eq!(*next(), expected, "{name}");
    assert_eq!(*next(), json!({"type": "message_stop"}), "{name}");
    assert_eq!(*next(), Value::Null, "{name}: an event after the last");
    assert_eq!(whole["model"], own_model(name).unwrap_or(MODEL), "{name}");
}

/// This member of all deltas of this kind, in order.
fn deltas(seen: &Value, kind: &str, member: &str) -> Vec<String> {
    let events = seen["events"].as_array().into_iter().flatten();
    let deltas = events
        .map(|event| &event["delta"])
        .filter(|delta| delta["type"] == kind);
    deltas
        .filter_map(|delta| Some(delta[member].as_str()?.to_owned()))
        .collect()
}
