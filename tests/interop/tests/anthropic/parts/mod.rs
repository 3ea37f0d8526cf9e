//! What only this provider says, as the SDKs read it: every member of every case, whole, through the helper and
//! event by event, on both surfaces of the SDKs.
//!
//! | file | holds |
//! | --- | --- |
//! | `cases/` | turns, and beside each the message that a client has to read, by hand |
//! | `events.rs` | the same message as a stream |
//! | `types.rs` | what the types of Python's SDK make of it; TypeScript has none at run time |
//! | `eras.rs` | answers of earlier months |
//! | `made.rs` | ids, what is sealed, raw deltas |
//! | `loops.rs` | what came goes back as it came |

mod cases;
mod eras;
mod events;
mod loops;
mod made;
mod types;

use llm_wire_stub::{StubHandle, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Map, Value, json};

use cases::{Case, SEALED, cases};
use types::{classes, same_names, unknown};

for_each_sdk!(
    every_part_arrives_whole,
    every_part_arrives_whole_through_the_helper,
);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surface {
    Plain,
    Beta,
}

const SURFACES: [Surface; 2] = [Surface::Plain, Surface::Beta];

/// What each case comes to on the surface for betas, or on the other one.
fn seen_of(
    sdk: Sdk,
    cases: &[Case],
    call: fn(&StubHandle) -> Call,
    surface: Surface,
) -> Vec<Value> {
    let stub = WireStub::builder()
        .turns(cases.iter().map(|case| case.turn.clone()))
        .start();
    let call = call(&stub).types();
    let call = match surface {
        Surface::Beta => call.beta(),
        Surface::Plain => call,
    };
    let seen = sdk.run_times(&call, cases.len());
    stub.verify();
    seen
}

fn every_part_arrives_whole(sdk: Sdk) {
    let cases = cases();
    for surface in SURFACES {
        let runs = seen_of(sdk, &cases, Call::create, surface);
        for (case, seen) in cases.iter().zip(&runs) {
            let name = format!("{}, {surface:?}", case.name);
            assert_eq!(seen["error"], Value::Null, "{name}");
            assert_eq!(unsealed(&seen["message"]), case.message, "{name}");
            if sdk != Sdk::TypeScript {
                let blocks = case.message["content"].as_array().expect(&name);
                let expected: Vec<String> =
                    blocks.iter().map(|block| classes(block, surface)).collect();
                assert_eq!(same_names(&seen["classes"]), expected, "{name}");
                assert_eq!(seen["misfits"], json!(unknown(case, surface)), "{name}");
            }
        }
    }
}

fn every_part_arrives_whole_through_the_helper(sdk: Sdk) {
    let cases = cases();
    for surface in SURFACES {
        let runs = seen_of(sdk, &cases, Call::helper, surface);
        for (case, seen) in cases.iter().zip(&runs) {
            let name = format!("{}, {surface:?}", case.name);
            assert_eq!(seen["error"], Value::Null, "{name}");
            let mut read = unsealed(&seen["message"]);
            // TypeScript's helper adds a member for structured answers
            let added = members(&mut read).remove("parsed_output");
            assert!(added.is_none_or(|added| added.is_null()), "{name}");
            assert_eq!(read, through_the_helper(sdk, case, surface), "{name}");
            assert_passed_on(&name, seen, &case.message);
        }
    }
}

/// What the helpers make of a stream: all of it on the surface for betas; on the other one they lose what is of a
/// beta, whichever way it came.
fn through_the_helper(sdk: Sdk, case: &Case, surface: Surface) -> Value {
    let mut message = case.message.clone();
    if surface == Surface::Beta {
        for block in message["content"].as_array_mut().into_iter().flatten() {
            let is_plain =
                block["type"] == "compaction" && block.get("encrypted_content").is_none();
            if is_plain && sdk != Sdk::TypeScript {
                // Python's has the member all the same
                block["encrypted_content"] = Value::Null;
            }
        }
        return message;
    }
    for block in message["content"].as_array_mut().into_iter().flatten() {
        match block["type"].as_str() {
            Some("mcp_tool_use") => block["input"] = json!({}),
            Some("compaction") => {
                for member in ["content", "encrypted_content"] {
                    if let Some(value) = block.get_mut(member) {
                        *value = Value::Null;
                    }
                }
            }
            _ => {}
        }
    }
    members(&mut message).remove("context_management");
    members(&mut message["usage"]).remove("iterations");
    message
}

/// The helper passed on each delta that it has a word for.
#[track_caller]
fn assert_passed_on(name: &str, seen: &Value, message: &Value) {
    let blocks = || message["content"].as_array().into_iter().flatten();
    let all = |member: &str| -> Vec<Value> {
        let values = blocks().filter_map(|block| block.get(member));
        values.cloned().collect()
    };
    let text = |values: &[Value]| -> String { values.iter().filter_map(Value::as_str).collect() };
    let passed = |member: &str| seen[member].as_array().expect(name).clone();

    assert_eq!(text(&passed("texts")), text(&all("text")), "{name}");
    assert_eq!(text(&passed("thoughts")), text(&all("thinking")), "{name}");
    let mut signatures = all("signature");
    signatures.retain(|signature| signature != "");
    assert_eq!(passed("signatures"), signatures, "{name}");
    let citations = all("citations");
    let citations = citations.iter().filter_map(Value::as_array);
    let citations: Vec<Value> = citations.flatten().cloned().collect();
    assert_eq!(passed("citations"), citations, "{name}");
}

/// What was encrypted is made from the seed: its place is looked at, and not the bytes.
fn unsealed(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with("EqUB") => SEALED.into(),
        Value::Array(items) => items.iter().map(unsealed).collect(),
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(name, value)| (name.clone(), unsealed(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

fn members(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().expect("an object")
}
