//! Turns that hold all that a turn can say, each with a seed of its own, so that its ids are known whatever
//! its place in a script.

use llm_wire_stub::{Arguments, StopReason, Turn, Usage};
use serde_json::json;

/// Characters of one to four bytes, a combining mark, a joined emoji, a line and a paragraph separator,
/// everything that JSON escapes, and what looks like the framing of a stream.
pub(crate) const ODD_TEXT: &str = "ASCII é ß 漢字 😀 👩\u{200d}👩\u{200d}👧 e\u{301} \u{2028}\u{2029}\u{85}\u{a0}\u{feff} \
    \"quoted\" back\\slash \\u0041 /slash/ \u{0}\u{1}\u{8}\u{b}\u{c}\u{1f}\u{7f} tab\t cr\r crlf\r\n lf\n\n\
    data: {\"type\":\"message_stop\"}\n\nevent: error\n\n</script>&amp; \u{10ffff}";

/// Name and turn.
pub(crate) fn turns() -> Vec<(&'static str, Turn)> {
    let turns = [
        ("a text", Turn::new().text("Hello, world!")),
        ("one character", Turn::new().text("x")),
        ("white space only", Turn::new().text(" \n\t ")),
        ("white space at both ends", Turn::new().text("\n\n  two words \n")),
        ("adjacent texts", Turn::new().text("one ").text("").text("two").text(" three")),
        ("nothing at all", Turn::new()),
        ("odd text", Turn::new().text(ODD_TEXT)),
        (
            "a tool call",
            Turn::new().tool_call("weather", json!({"city": "Paris", "days": 3})),
        ),
        (
            "a tool call without arguments",
            Turn::new().tool_call("now", json!({})),
        ),
        (
            "a tool call with an id and raw arguments",
            Turn::new().tool_call_with_id("toolu_own", "edit", Arguments::raw("{ \"a\":1 ,\n \"b\" : [ ] }")),
        ),
        (
            "arguments of every kind",
            Turn::new().tool_call(
                "every",
                json!({
                    "null": null, "yes": true, "int": -42, "big": 9_007_199_254_740_991_i64, "float": 0.25,
                    "empty": {}, "none": [], "deep": {"a": [{"b": [[1], ["😀"]]}]}, "text": ODD_TEXT, "": "",
                }),
            ),
        ),
        (
            "texts and parallel calls",
            Turn::new()
                .text("Let me look.")
                .tool_call("weather", json!({"city": "Oslo"}))
                .tool_call("weather", json!({"city": "Łódź"}))
                .text("Both at once.")
                .tool_call("now", json!({})),
        ),
        (
            "a usage with caches",
            Turn::new()
                .text("cached")
                .usage(Usage::input(7).output(123).cache_read(4_096).cache_creation(512)),
        ),
        (
            "a stop sequence",
            Turn::new().text("until ").stop_reason(StopReason::StopSequence("\n\nEND 😀".to_owned())),
        ),
        ("a model of its own", Turn::new().text("from another").model("claude-opus-4-1-20250805")),
        ("JSON", Turn::new().json(json!({"best": 1, "why": ["short", "é"]}))),
    ];
    let numbered = (1_u64..).zip(turns);
    numbered
        // how an SDK reads it is what is looked at, so the callers offer no tools
        .map(|(seed, (name, turn))| (name, turn.seed(seed).allow_script_drift()))
        .collect()
}

/// A turn for every neutral stop reason, and for one that no SDK knows yet, with the provider's word.
pub(crate) fn stops() -> Vec<(&'static str, Turn)> {
    let reasons = [
        ("end_turn", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("stop_sequence", StopReason::StopSequence("END".to_owned())),
        ("tool_use", StopReason::ToolUse),
        ("pause_turn", StopReason::PauseTurn),
        ("refusal", StopReason::Refusal),
        (
            "model_context_window_exceeded",
            StopReason::ContextWindowExceeded,
        ),
        ("compaction", StopReason::Compaction),
        (
            "a_reason_of_tomorrow",
            StopReason::from("a_reason_of_tomorrow"),
        ),
    ];
    let numbered = (1_u64..).zip(reasons);
    let turn = |(seed, (word, reason))| {
        (
            word,
            Turn::new().text("so far").stop_reason(reason).seed(seed),
        )
    };
    numbered.map(turn).collect()
}

/// The model that a turn of [`turns`] names, if it names one.
pub(crate) fn own_model(name: &str) -> Option<&'static str> {
    (name == "a model of its own").then_some("claude-opus-4-1-20250805")
}
