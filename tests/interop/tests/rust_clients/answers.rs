//! One answer: its content and its usage, whole and streamed.

use llm_wire_stub::{Arguments, Cut, Part, Reply, Turn, WireStub, json_body};
use serde_json::{Value, json};

use crate::{
    client::{Client, Form, Library, Seen, Wants, Wire, async_openai, best},
    topics::{self, Topic, verdict},
    turns,
};

for_each_client!(
    every_turn_arrives_as_it_was_said,
    text_arrives_as_it_was_said_when_every_byte_is_a_write_of_its_own,
    the_usage_of_a_cached_prompt_adds_up,
    arguments_that_are_no_json_are_never_taken_for_shorter_ones,
    an_answer_to_a_schema_is_asked_for_and_read,
);
for_each_client!(on (Chat): calls_that_come_in_turns_are_told_apart);

pub(crate) async fn ask(client: Client, form: Form, turn: &Turn) -> Seen {
    // how it is read is what is looked at, so the request offers no tools
    let stub = WireStub::builder()
        .turn(turn.clone())
        .allow_script_drift()
        .start();
    let seen = client.ask(&stub, form, Wants::Answer).await;
    assert_eq!(stub.requests().len(), 1);
    stub.verify();
    seen
}

/// The parts as a client gives them that loses nothing.
pub(crate) fn said(wire: Wire, reply: &Reply) -> Vec<Value> {
    let parts = reply.parts.iter().map(|part| match part {
        Part::Text(text) => json!({"text": text}),
        Part::ToolCall(call) => {
            json!({"tool": call.name, "id": call.id, "arguments": call.arguments})
        }
        Part::Thinking { text, signature } => json!({"thinking": text, "signature": signature}),
        // to OpenAI it is reasoning of which nothing is told
        Part::RedactedThinking { data } if wire == Wire::Responses => {
            json!({"thinking": "", "signature": data})
        }
        Part::RedactedThinking { data } => {
            json!({"other": {"type": "redacted_thinking", "data": data}})
        }
        other => panic!("no turn has this part\n  found: `{other:?}`"),
    });
    parts.collect()
}

/// The turns that every SDK reads, and one that the APIs can say which have no place for text behind a call.
fn turns() -> Vec<(&'static str, Turn)> {
    let before = Turn::new()
        .text("Let me look.")
        .tool_call("weather", json!({"city": "Oslo"}))
        .tool_call("weather", json!({"city": "Łódź"}));
    let mut turns = turns::turns();
    turns.push(("text before parallel calls", before.seed(100)));
    turns
}

/// The turns that an API cannot say.
const fn unsayable(wire: Wire) -> &'static [&'static str] {
    match wire {
        Wire::Anthropic => &[],
        Wire::Responses => &["a stop sequence"],
        Wire::Chat => &["texts and parallel calls"],
    }
}

fn topic(turn: &str, reply: &Reply) -> Topic {
    match turn {
        _ if reply.text() != reply.text().trim() => topics::WHITE_SPACE,
        "texts and parallel calls" => topics::TEXT_BETWEEN_CALLS,
        "text before parallel calls" => topics::TEXT_BEFORE_CALLS,
        turn if turn.contains("call") || turn.contains("arguments") => topics::TOOL_CALLS,
        _ => topics::TEXT,
    }
}

async fn every_turn_arrives_as_it_was_said(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut unsaid = Vec::new();
        for (name, turn) in turns() {
            let Some(reply) = client.wire.reply(&turn) else {
                unsaid.push(name);
                continue;
            };
            let seen = ask(client, form, &turn).await;
            let found = verdict(seen.content == said(client.wire, &reply), &seen);
            topic(name, &reply).assert(client, form, found);

            let model = turns::own_model(name).unwrap_or(client.wire.model());
            let kept = |name, right: &str| match seen.kept[name].as_str() {
                Some(kept) => {
                    assert_eq!(kept, right);
                    true
                }
                None => false,
            };
            let found = match (kept("id", &reply.id), kept("model", model)) {
                (true, true) => "both",
                (true, false) => "id",
                (false, true) => "model",
                (false, false) => "neither",
            };
            topics::ID_AND_MODEL.assert(client, form, found);
        }
        assert_eq!(unsaid, unsayable(client.wire));
    }
}

async fn text_arrives_as_it_was_said_when_every_byte_is_a_write_of_its_own(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let turn = Turn::new().text(turns::ODD_TEXT);
        let stub = WireStub::builder().cut(Cut::EveryByte).turn(turn).start();
        let seen = client.ask(&stub, form, Wants::Answer).await;
        let right = seen.content == [json!({"text": turns::ODD_TEXT})];
        topics::EVERY_BYTE_ALONE.assert(client, form, verdict(right, &seen));
        stub.verify();
    }
}

/// The text of both texts arrives, but in one piece and before all calls: nobody can tell any more that the
/// second was said after them. `StreamEnd` joins the text chunks (`chat_stream.rs`, "Ordering policy").
#[tokio::test]
async fn a_genai_stream_puts_text_said_after_a_tool_call_before_it() {
    let turn = Turn::new()
        .text("Let me look.")
        .tool_call_with_id("toolu_1", "weather", json!({"city": "Oslo"}))
        .text("And the time.")
        .tool_call_with_id("toolu_2", "now", json!({}));
    let oslo = json!({"tool": "weather", "id": "toolu_1", "arguments": {"city": "Oslo"}});
    let now = json!({"tool": "now", "id": "toolu_2", "arguments": {}});

    let genai = Client {
        library: Library::Genai,
        wire: Wire::Anthropic,
    };
    let whole = ask(genai, Form::Whole, &turn).await;
    let streamed = ask(genai, Form::Streamed, &turn).await;

    let (look, time) = (
        json!({"text": "Let me look."}),
        json!({"text": "And the time."}),
    );
    assert_eq!(whole.content, [look, oslo.clone(), time, now.clone()]);
    let joined = json!({"text": "Let me look.And the time."});
    assert_eq!(streamed.content, [joined, oslo, now]);
}

async fn the_usage_of_a_cached_prompt_adds_up(client: Client) {
    let turns = turns::turns();
    let turn = turns
        .iter()
        .find(|(name, _)| *name == "a usage with caches");
    let (_, turn) = turn.expect("the turn is there");
    for form in [Form::Whole, Form::Streamed] {
        let seen = ask(client, form, turn).await;
        let kept = ["input", "output", "cache_read", "cache_creation"].map(|name| &seen.kept[name]);
        let found = match client.library {
            // all count the cached tokens as input
            Library::Rig | Library::Genai | Library::AsyncOpenai => {
                let all = [7 + 4_096 + 512, 123, 4_096, 512].map(Value::from);
                assert_eq!(kept, all.each_ref());
                "kept"
            }
            // the caches have no field: a prompt of 4615 tokens looks like one of 7
            Library::AsyncAnthropic => {
                let all = [json!(7), json!(123), Value::Null, Value::Null];
                assert_eq!(kept, all.each_ref());
                "**silent**"
            }
        };
        topics::CACHE_USAGE.assert(client, form, found);
    }
}

/// The answer is whole, the model's JSON is not. An object of Anthropic's whole answer cannot hold it.
async fn arguments_that_are_no_json_are_never_taken_for_shorter_ones(client: Client) {
    let forms = match client.wire {
        Wire::Anthropic => &[Form::Streamed][..],
        Wire::Chat | Wire::Responses => &[Form::Whole, Form::Streamed],
    };
    for form in forms {
        for (sent, read) in [
            (
                r#"{"line": 1, "path": "src/ma"#,
                json!({"line": 1, "path": "src/ma"}),
            ),
            (r#"{"line": nope}"#, json!({})),
        ] {
            let turn = Turn::new().tool_call_with_id("toolu_1", "edit", Arguments::raw(sent));
            let seen = ask(client, *form, &turn).await;
            let (arguments, found) = match client.library {
                // an object all the same, for a tool that never looks at `invalid_arguments`
                Library::Rig => (json!({"invalid": sent, "read": read}), "marked"),
                Library::Genai if *form == Form::Whole => (Value::Null, "error"),
                Library::Genai => (json!(sent), "given as a string"),
                Library::AsyncAnthropic | Library::AsyncOpenai => {
                    (json!({"not JSON": sent}), "given as sent")
                }
            };
            if found == "error" {
                assert_eq!(seen.failure().kind, "ChatResponseGeneration");
            } else {
                assert_eq!(seen.failure, None);
                let call = json!({"tool": "edit", "id": "toolu_1", "arguments": arguments});
                assert_eq!(seen.content, [call]);
            }
            topics::BAD_ARGUMENTS.assert(client, *form, found);
        }
    }
}

/// A judge of what joins the fragments: all calls open, then one fragment of each in turn.
async fn calls_that_come_in_turns_are_told_apart(client: Client) {
    let city = |city: &str| json!({"city": city, "days": [1, 2, 3]});
    let turn = Turn::new()
        .tool_call_with_id("call_a", "weather", city("Oslo"))
        .tool_call_with_id("call_b", "weather", city("Łódź"))
        .tool_call_with_id("call_c", "now", json!({}))
        .interleaved_tool_calls();
    let seen = ask(client, Form::Streamed, &turn).await;
    let right = seen.content == said(client.wire, &client.wire.reply(&turn).expect("sayable"));
    topics::CALLS_IN_TURNS.assert(client, Form::Streamed, verdict(right, &seen));
}

/// The request carries name and schema, in neutral words; what comes back fits it, or would be script drift.
async fn an_answer_to_a_schema_is_asked_for_and_read(client: Client) {
    if client.library == Library::AsyncAnthropic {
        // it has no such parameter
        return;
    }
    for form in [Form::Whole, Form::Streamed] {
        let stub = WireStub::builder()
            .turn(Turn::new().json(json!({"best": 1})))
            .start();
        let seen = client.ask(&stub, form, Wants::Structured).await;
        let right = seen.content == [json!({"text": r#"{"best":1}"#})];
        topics::STRUCTURED.assert(client, form, verdict(right, &seen));
        let request = stub.single_request();
        let format = request.response_format().expect("a format");
        assert_eq!(format.schema, best());
        stub.verify();
    }
}

/// What its types keep of a whole answer, member by member: all that they name has the value that was sent.
#[tokio::test]
async fn async_openai_has_a_type_for_nearly_every_member() {
    let without_a_type = ["/frequency_penalty", "/presence_penalty", "/store"];
    for (wire, unknown) in [(Wire::Chat, &[][..]), (Wire::Responses, &without_a_type)] {
        let turn = Turn::new()
            .text("Let me look. é 😀")
            .tool_call("weather", json!({"city": "Oslo"}))
            .model(wire.model())
            .seed(7);
        let stub = WireStub::builder()
            .turn(turn.clone())
            .allow_script_drift()
            .start();

        let read = async_openai::whole_answer(wire, &stub).await;

        let sent = json_body(wire.api(), &turn);
        let sent: Value = serde_json::from_slice(&sent).expect("JSON");
        let mut lost = Vec::new();
        compare("", &sent, &read, &mut lost);
        assert_eq!(lost, unknown);
        stub.verify();
    }
}

/// The paths of the members of `sent` that are not in `read`, or not the same there. What is `null` may be left out.
fn compare(path: &str, sent: &Value, read: &Value, lost: &mut Vec<String>) {
    match (sent, read) {
        (Value::Object(sent), Value::Object(read)) => {
            for (name, value) in sent {
                let path = format!("{path}/{name}");
                compare(&path, value, read.get(name).unwrap_or(&Value::Null), lost);
            }
        }
        (Value::Array(sent), Value::Array(read)) if sent.len() == read.len() => {
            for (n, (sent, read)) in sent.iter().zip(read).enumerate() {
                compare(&format!("{path}/{n}"), sent, read, lost);
            }
        }
        (sent, read) if sent == read => {}
        _ => lost.push(path.to_owned()),
    }
}
