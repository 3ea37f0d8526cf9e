//! What a turn says is said again by the turn that is made from its bytes; and what no turn says is refused.

use std::{fs, path::PathBuf};

use llm_wire_stub::*;
use proptest::prelude::*;

use crate::{
    API,
    resay::{first_difference, from_wire, undrawn},
    turns::of_openai_responses,
};

/// A stream, of which the obfuscation is left out too: whether there is any is the request's.
fn said(turn: &Turn) -> String {
    undrawn(&sse_body(API, turn)).replace(",\"obfuscation\":,", ",")
}

fn again(recorded: &[u8]) -> Result<Turn, TestCaseError> {
    let script = Script::from_wire(API, recorded);
    let script = script.map_err(|error| TestCaseError::fail(error.to_string()))?;
    Ok(Turn::clone(&script.turns()[0]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_turn_is_said_again_from_its_bytes(turn in of_openai_responses()) {
        let recorded = sse_body(API, &turn);
        let streamed = again(&recorded)?;
        prop_assert_eq!(first_difference(&said(&streamed), &said(&turn)), None);
        prop_assert_eq!(streamed.normalized(API), Ok(accumulate(API, &recorded).unwrap()));

        let recorded = json_body(API, &turn);
        let whole = json_body(API, &again(&recorded)?);
        let (whole, recorded) = [&whole, &recorded].map(|body| String::from_utf8_lossy(body)).into();
        prop_assert_eq!(first_difference(&whole, &recorded), None);
    }

    #[test]
    fn any_turn_that_fails_fails_so_again(turn in of_openai_responses(), at in 0_usize..30) {
        let failed = turn.end(After::events(at), ApiError::overloaded().param("p"));
        if let Ok(recorded) = try_sse_body(API, &failed) {
            prop_assert_eq!(first_difference(&said(&again(&recorded)?), &said(&failed)), None);
        }
    }
}

#[test]
fn every_fixture_is_said_again() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/openai_responses");
    let mut said_again = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let recorded = fs::read(&path).unwrap();
        let turn = from_wire(&name, &recorded);
        let said = match &*name {
            name if name.ends_with(".sse") => sse_body(API, &turn.plain()),
            name if name.starts_with("error-") => continue,
            _ => json_body(API, &turn),
        };
        assert_eq!(undrawn(&said), undrawn(&recorded), "{name}");
        said_again += 1;
    }
    assert!(said_again > 10, "{said_again}");
}

/// A stream of these events, numbered anew.
fn stream<'a>(events: impl IntoIterator<Item = &'a str>) -> String {
    let number = "\"sequence_number\":";
    let events = events.into_iter().enumerate().map(|(n, event)| {
        let (before, behind) = event.rsplit_once(number).unwrap();
        let behind = behind.trim_start_matches(|digit: char| digit.is_ascii_digit());
        format!("{before}{number}{n}{behind}")
    });
    events.collect()
}

fn events(stream: &str) -> Vec<&str> {
    stream.split_inclusive("\n\n").collect()
}

fn plain(turn: Turn) -> String {
    String::from_utf8(sse_body(API, &turn.id("resp_1").plain()).to_vec()).unwrap()
}

#[track_caller]
fn refusal(recorded: &[u8]) -> String {
    let error = Script::from_wire(API, recorded).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::NotSaidAgain, "{error}");
    error.to_string()
}

#[test]
fn what_no_turn_says_is_refused_with_its_place() {
    let hi = plain(Turn::new().text("Hi"));
    let calls = plain(
        Turn::new()
            .tool_call("f", Arguments::raw(""))
            .tool_call("g", Arguments::raw("")),
    );
    let calls = events(&calls);
    let overlapping = stream([0, 1, 2, 5, 3, 4, 6, 7, 8].map(|place| calls[place]));
    let help = "\n  help: only what OpenAI writes today is said again; script the turn by name";
    for (recorded, expected) in [
        (
            hi.replace("\"background\":false", "\"background\":true")
                .into_bytes(),
            "the recorded answer is not in today's form\n  \
             where: openai_responses, event #1, byte 0\n  \
             expected: `…esponse\",\"created_at\":…,\"status\":\"in_progress\",\"background\":false,\"completed_at\":null,\"error\":null,\"frequency_penalty\":0.0,\"incomplete_details\":null,\"instructio…`\n  \
             found: `…esponse\",\"created_at\":…,\"status\":\"in_progress\",\"background\":true,\"completed_at\":null,\"error\":null,\"frequency_penalty\":0.0,\"incomplete_details\":null,\"instruction…`",
        ),
        (
            hi.replace("event: response.output_item.done\n", "")
                .into_bytes(),
            "an event of the recorded answer has not today's name\n  \
             where: openai_responses, event #8, byte 3416\n  \
             expected: `response.output_item.done`\n  \
             found: no name",
        ),
        (
            format!("{hi}data: [DONE]\n\n").into_bytes(),
            "the recorded answer is not in today's form\n  \
             where: openai_responses, event #10, byte 5183\n  \
             expected: the end of the stream\n  \
             found: `[DONE]`",
        ),
        (
            overlapping.into_bytes(),
            "the recorded answer is not in today's form\n  \
             where: openai_responses, event #4, byte 2456\n  \
             expected: `{\"type\":\"response.function_call_arguments.done\"",
        ),
    ] {
        let found = refusal(&recorded);
        assert!(found.starts_with(expected), "{found}");
        assert!(found.ends_with(help), "{found}");
    }
}

/// Two summaries in one item, which parts with names would join.
#[test]
fn an_item_without_a_name_for_it_is_said_as_it_is_with_numbers_of_its_own() {
    let one = plain(Turn::new().thinking_with_signature("Hm.", "").text("Hi"));
    let mut events = events(&one);
    let second = [3, 4, 5, 6].map(|place| {
        events[place]
            .replace("_index\":0}", "_index\":1}")
            .replace("_index\":0,\"text", "_index\":1,\"text")
    });
    events.splice(7..7, second.iter().map(String::as_str));
    let summary = "{\"type\":\"summary_text\",\"text\":\"Hm.\"}";
    let two = stream(events).replace(&format!("[{summary}]"), &format!("[{summary},{summary}]"));
    let reply = accumulate(API, two.as_bytes()).unwrap();
    assert_eq!(reply.thinking(), "Hm.\n\nHm.");

    let script = Script::from_wire(API, two.as_bytes()).unwrap();
    assert_eq!(script.text(), "Hi");
    let turn = Turn::clone(&script.turns()[0]).plain();
    assert_eq!(String::from_utf8_lossy(&sse_body(API, &turn)), two);
    assert_eq!(turn.normalized(API), Ok(reply.clone()));
    assert_eq!(
        accumulate_json(API, &json_body(API, &turn)),
        Ok(reply.clone())
    );
    // it is numbered where it stands
    let behind_another: FaultVariant = "unknown-content-block/item".parse().unwrap();
    let later = sse_body(API, &turn.fault(behind_another));
    assert_eq!(
        accumulate(API, &later).unwrap().thinking(),
        reply.thinking()
    );
}

/// Real answers have a commentary and an answer one behind the other; parts with names would join them.
#[test]
fn two_messages_one_behind_the_other_stay_two() {
    let message = |text: &str| {
        let json = format!(
            "{{\"id\":\"msg_{text}\",\"type\":\"message\",\"status\":\"completed\",\"content\":[{{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"{text}\"}}],\"role\":\"assistant\"}}"
        );
        Json::raw(json)
    };
    let recorded = json_body(
        API,
        &Turn::new().raw_block(message("a")).raw_block(message("b")),
    );
    let script = Script::from_wire(API, &recorded).unwrap();
    assert_eq!(script.text(), "ab");
    assert_eq!(json_body(API, &script.turns()[0]), recorded);
}

#[test]
fn a_nesting_without_an_end_is_refused() {
    let stream = plain(Turn::new().text("Hi"));
    let deep = format!("event: x\ndata: {{\"output\":{}\n\n", "[".repeat(100_000));
    let refused = refusal((stream + &deep).as_bytes());
    assert!(refused.contains("event #10"), "{refused}");
}

/// A page is cited by the characters that it stands behind, which need not be where a fragment begins.
#[test]
fn citations_are_said_again_where_they_stood() {
    let page = |word: &str| Citation::web_search_result("", format!("https://{word}.example"));
    let told = Turn::new()
        .text("So: ")
        .cited_text("grass", [page("a").title("A"), page("b")])
        .text(" is ")
        .cited_text("green", [page("c")]);
    let cited = "\"end_index\":9,\"start_index\":4";
    let (streamed, whole) = (plain(told.clone()), json_body(API, &told));
    for recorded in [
        &streamed,
        &streamed.replace(cited, "\"end_index\":9,\"start_index\":5"),
    ] {
        let turn = from_wire("a stream", recorded.as_bytes()).plain();
        assert_eq!(
            first_difference(&said(&turn), &undrawn(recorded.as_bytes())),
            None
        );
    }
    let turn = from_wire("a stream", streamed.as_bytes());
    assert!(!format!("{turn:?}").contains("Raw {"), "{turn:?}");
    let turn = from_wire("a body", &whole);
    assert!(!format!("{turn:?}").contains("Other("), "{turn:?}");
    assert_eq!(json_body(API, &turn), whole);
}
