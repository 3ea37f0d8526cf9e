//! Thinking: read with its signature, in its place, and sent back as it came, which the service insists on.

use llm_wire_stub::{Part, Reply, Turn, Usage, WireStub};
use serde_json::{Value, json};

use crate::{
    answers::said,
    client::{Client, Failure, Form, Library, Seen, Wants, Wire},
    topics::{self, Topic, verdict},
};

for_each_client!(on (Anthropic Responses): thinking_arrives_with_its_signature_and_in_its_place);
for_each_client!(on (Anthropic): thinking_goes_back_as_it_came);
for_each_client!(on (Responses): reasoning_goes_back_as_it_came);
for_each_client!(the_tokens_of_thinking_are_counted);

fn turns() -> Vec<(Topic, Turn)> {
    let turns = [
        (
            topics::THINKING,
            Turn::new()
                .thinking("A simple é 😀\n\n question.")
                .text("Four."),
        ),
        (
            topics::THINKING,
            Turn::new()
                .thinking("Short.")
                .empty_last_delta()
                .text("Four."),
        ),
        (
            topics::HIDDEN_THINKING,
            Turn::new().thinking("").text("Four."),
        ),
        (
            topics::REDACTED_THINKING,
            Turn::new()
                .redacted_thinking()
                .thinking("Open.")
                .text("Four."),
        ),
        (
            topics::THINKING_BETWEEN,
            Turn::new()
                .thinking("First.")
                .text("Let me look.")
                .thinking("Then.")
                .tool_call("weather", json!({"city": "Oslo"})),
        ),
    ];
    let numbered = (1_u64..).zip(turns);
    numbered
        .map(|(seed, (topic, turn))| (topic, turn.seed(seed)))
        .collect()
}

async fn thinking_arrives_with_its_signature_and_in_its_place(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut unsaid = 0;
        for (topic, turn) in turns() {
            let Some(reply) = client.wire.reply(&turn) else {
                unsaid += 1;
                continue;
            };
            let stub = WireStub::builder()
                .turn(turn.clone())
                .allow_script_drift()
                .start();
            let seen = client.ask(&stub, form, Wants::Thinking).await;
            let found = verdict(seen.content == said(client.wire, &reply), &seen);
            topic.assert(client, form, found);
            assert_unknown(client, form, &seen);
            stub.verify();
        }
        // an empty last delta is Anthropic's
        assert_eq!(unsaid, usize::from(client.wire != Wire::Anthropic));
    }
}

/// async-anthropic knows three kinds of block, and fails on every other. (It cannot ask for thinking either, but
/// some models think unasked.)
fn assert_unknown(client: Client, form: Form, seen: &Seen) {
    if client.library != Library::AsyncAnthropic {
        assert_eq!(seen.failure, None);
        return;
    }
    let mut failure = seen.failure().clone();
    let text = match form {
        Form::Whole => "network error: error decoding response body",
        Form::Streamed => {
            failure.text = failure
                .text
                .replace("`redacted_thinking`, e", "`thinking`, e");
            "failed to deserialize response: unknown variant `thinking`, expected one of `tool_use`, `tool_result`, `text`"
        }
    };
    let kind = match form {
        Form::Whole => "NetworkError",
        Form::Streamed => "DeserializationError",
    };
    let text = text.to_owned();
    let expected = Failure {
        kind,
        text,
        ..Failure::default()
    };
    assert_eq!(failure, expected);
    assert_eq!(seen.content, Vec::<Value>::new());
}

/// `StreamEnd` puts all thinking first, then the text, then the calls, so the service is shown another turn
/// than the model wrote.
#[tokio::test]
async fn a_genai_stream_puts_thinking_that_came_after_text_before_it() {
    let turn = Turn::new()
        .thinking_with_signature("First.", "c2lnMQ==")
        .text("Let me look.")
        .thinking_with_signature("Then.", "c2lnMg==")
        .tool_call_with_id("toolu_1", "weather", json!({"city": "Oslo"}));
    let stub = WireStub::builder().turn(turn).allow_script_drift().start();

    let genai = Client {
        library: Library::Genai,
        wire: Wire::Anthropic,
    };
    let seen = genai.ask(&stub, Form::Streamed, Wants::Thinking).await;

    assert_eq!(
        seen.content,
        [
            json!({"thinking": "First.", "signature": "c2lnMQ=="}),
            json!({"thinking": "Then.", "signature": "c2lnMg=="}),
            json!({"text": "Let me look."}),
            json!({"tool": "weather", "id": "toolu_1", "arguments": {"city": "Oslo"}}),
        ]
    );
    stub.verify();
}

async fn thinking_goes_back_as_it_came(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let turn = Turn::new()
            .thinking("Two cities.")
            .redacted_thinking()
            .tool_call("weather", json!({"city": "Paris"}))
            .tool_call("weather", json!({"city": "Oslo"}))
            .seed(1);
        let builder = WireStub::builder().turn(turn.clone());
        if client.library == Library::AsyncAnthropic {
            let stub = builder.start();
            let seen = client.tool_loop(&stub, form, Wants::Thinking).await;
            topics::THINKING_LOOP.assert(client, form, verdict(false, &seen));
            assert_unknown(client, form, &seen);
            stub.verify();
            continue;
        }
        let stub = builder.turn("Sunny.").start();

        let seen = client.tool_loop(&stub, form, Wants::Thinking).await;

        stub.verify();
        let request = stub.request(1);
        let on = json!({"type": "enabled", "budget_tokens": 1024});
        assert_eq!(request.json()["thinking"], on);
        let mut sent = request.json()["messages"][1]["content"].clone();
        for block in sent.as_array_mut().expect("blocks") {
            block.as_object_mut().expect("a block").remove("caller");
        }
        let right = sent == as_sent(&client.wire.reply(&turn).expect("sayable"))
            && seen.content == [json!({"text": "Sunny."})];
        topics::THINKING_LOOP.assert(client, form, verdict(right, &seen));
    }
}

/// The blocks of a turn in a request.
fn as_sent(reply: &Reply) -> Value {
    let blocks = reply.parts.iter().map(|part| match part {
        Part::Thinking { text, signature } => {
            json!({"type": "thinking", "thinking": text, "signature": signature})
        }
        Part::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Part::ToolCall(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
        }
        other => panic!("the turn has no such part\n  found: `{other:?}`"),
    });
    blocks.collect()
}

async fn the_tokens_of_thinking_are_counted(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let usage = Usage::input(7).output(123).thinking(45);
        let turn = Turn::new().text("Four.").usage(usage);
        let stub = WireStub::builder().turn(turn).start();
        let seen = client.ask(&stub, form, Wants::Answer).await;
        assert_eq!(seen.kept["output"], 123);
        let found = match &seen.kept["thinking"] {
            Value::Null => "dropped",
            tokens => {
                assert_eq!(tokens, 45);
                "kept"
            }
        };
        topics::THINKING_USAGE.assert(client, form, found);
        stub.verify();
    }
}

/// Each item goes back with its id, its summary and what is encrypted.
async fn reasoning_goes_back_as_it_came(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let turn = Turn::new()
            .thinking("Two cities.")
            .tool_call("weather", json!({"city": "Paris"}))
            .tool_call("weather", json!({"city": "Oslo"}))
            .seed(1);
        let stub = WireStub::builder()
            .turn(turn.clone())
            .turn("Sunny.")
            .start();

        let seen = client.tool_loop(&stub, form, Wants::Thinking).await;

        stub.verify();
        assert_eq!(seen.content, [json!({"text": "Sunny."})]);
        let mut sent = stub.request(1).json()["input"][1].clone();
        assert_eq!(sent["type"], "reasoning");
        let reply = client.wire.reply(&turn).expect("sayable");
        let Some(Part::Thinking { text, signature }) = reply.parts.first() else {
            panic!("it begins with thinking\n  found: `{reply:?}`");
        };
        assert_eq!(&sent["encrypted_content"], signature);
        let id = sent["id"].take();
        let found = if sent["summary"] == json!([{"type": "summary_text", "text": text}]) {
            assert!(id.as_str().expect("an id").starts_with("rs_"), "{id}");
            "equal"
        } else {
            assert_eq!((&sent["summary"], id), (&json!([]), Value::Null));
            "what is encrypted"
        };
        topics::THINKING_LOOP.assert(client, form, found);
    }
}
