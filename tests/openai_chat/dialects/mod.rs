//! The dialects: each is written, read back, cut, and compared with recorded traffic.

mod captures;
mod errors;
mod live;
mod readback;
mod routes;
mod tokens;
mod unplayable;

use llm_wire_stub::*;
use serde_json::json;

use crate::API;

/// Whether a dialect says what the model thought, calls tools.
fn thinks(dialect: Dialect) -> bool {
    !matches!(
        dialect,
        Dialect::OpenAi | Dialect::Azure | Dialect::Perplexity
    )
}

fn calls(dialect: Dialect) -> bool {
    dialect != Dialect::Perplexity
}

/// Turns that the dialect can say, with everything that it has.
fn turns(dialect: Dialect) -> Vec<Turn> {
    let say = |turn: Turn| turn.dialect(dialect);
    let mut turns = vec![
        say(Turn::new().text("Hé <b>&</b> \"😀\" two words")),
        say(Turn::new()),
        say(Turn::new()
            .text("cut off")
            .stop_reason(StopReason::MaxTokens)),
    ];
    if calls(dialect) {
        turns.push(say(Turn::new().tool_call("f", json!({"a": "<漢>"}))));
        turns.push(say(Turn::new()
            .text("Let me look.")
            .tool_call("f", json!({"a": 1}))
            .tool_call("g", Arguments::raw(""))));
    }
    if thinks(dialect) {
        turns.push(say(Turn::new()
            .thinking("Hm, so be it.")
            .text("Four and more.")));
        turns.push(say(Turn::new()
            .thinking("Hm.")
            .tool_call("f", json!({"a": 1}))));
        turns.push(say(Turn::new().thinking("Only that.")));
    }
    turns
}
