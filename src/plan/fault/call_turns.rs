//! Damage to what a turn says of its tool calls.

use crate::{
    json::Spacing,
    script::{Arguments, FaultVariant, Fragments, Message, ScriptedPart, StopReason, Turn},
};

/// What the calls are called with, cut in odd places.
pub(super) fn split(message: &mut Message, fault: &FaultVariant) {
    let split = |arguments: &mut Arguments, fragments: &mut Option<Fragments>| {
        let way = match fault.name() {
            "inside-escapes" => {
                *arguments = Arguments::raw(escaped(&arguments.to_text(Spacing::Compact)));
                Fragments::characters()
            }
            "inside-key" => Fragments::by(|text| cut_behind(text, key(text))),
            "inside-number" => Fragments::by(|text| cut_behind(text, number(text))),
            "equal-neighbours" => Fragments::by(equal_neighbours),
            _ => Fragments::characters(),
        };
        let text = arguments.to_text(Spacing::Compact);
        let is_there = match fault.name() {
            "inside-key" => key(&text).is_some(),
            "inside-number" => number(&text).is_some(),
            "equal-neighbours" => equal_neighbours(&text).len() > 1,
            "inside-escapes" => text.contains('\\'),
            _ => true,
        };
        if is_there {
            *fragments = Some(way);
        }
    };
    each_call(message, split);
}

/// Arguments that are no JSON.
pub(super) fn break_arguments(message: &mut Message, fault: &FaultVariant) {
    each_call(message, |arguments, fragments| {
        let text = arguments.to_text(Spacing::Compact);
        let broken = match fault.name() {
            "stray-quote" => text.strip_suffix('}').map(|text| format!("{text}\"}}")),
            "two-objects" => (!text.is_empty()).then(|| format!("{text}{text}")),
            _ => text
                .split_once('"')
                .map(|(before, behind)| format!("{before}\"\\x{behind}")),
        };
        reword(arguments, fragments, broken);
    });
}

/// Arguments of the last call that are not all there.
pub(super) fn truncate(message: &mut Message, fault: &FaultVariant) {
    last_call(message, |arguments, fragments| {
        let text = arguments.to_text(Spacing::Compact);
        let cut = match fault.name() {
            // a name that no colon follows is no JSON, whatever else there is
            "middle-lost" => colon(&text).and_then(|at| {
                let behind = text.get(at + 1..)?;
                let lost = behind.chars().next().map_or(0, char::len_utf8);
                Some([text.get(..at)?, behind.get(lost..)?].concat())
            }),
            _ => half(&text),
        };
        reword(arguments, fragments, cut);
    });
}

/// The last call is cut by the limit on the answer's tokens.
pub(super) fn reach_limit(message: &mut Message, fault: &FaultVariant) {
    if fault.name() != "valid-json" {
        truncate(message, fault);
    }
    let calls = message
        .parts
        .iter()
        .any(|part| matches!(part, ScriptedPart::ToolCall { .. }));
    if calls {
        message.stop_reason = Some(match fault.name() {
            "says-tool-calls" => StopReason::ToolUse,
            _ => StopReason::MaxTokens,
        });
    }
}

/// The second call has the id of the first.
pub(super) fn share_id(message: &mut Message) {
    let ids = message.parts.iter_mut().filter_map(|part| match part {
        ScriptedPart::ToolCall { id, .. } | ScriptedPart::CustomToolCall { id, .. } => Some(id),
        ScriptedPart::Text { .. }
        | ScriptedPart::Thinking { .. }
        | ScriptedPart::RedactedThinking { .. }
        | ScriptedPart::ServerTool { .. }
        | ScriptedPart::Compaction { .. }
        | ScriptedPart::Raw { .. } => None,
    });
    let mut ids: Vec<_> = ids.take(2).collect();
    if let [first, second] = ids.as_mut_slice() {
        let id = first.get_or_insert_with(|| "call_1".to_owned());
        **second = Some(id.clone());
    }
}

/// Calls without arguments. What they cost is left as it is.
pub(super) fn empty(message: &mut Message) {
    message.usage = Some(message.effective_usage());
    each_call(message, |arguments, fragments| {
        *arguments = Arguments::Json(serde_json::json!({}));
        *fragments = None;
    });
}

/// Thinking between the first call and the second.
pub(super) fn think_between(message: &mut Message) {
    let is_call = |part: &ScriptedPart| matches!(part, ScriptedPart::ToolCall { .. });
    let calls = message
        .parts
        .iter()
        .enumerate()
        .filter(|(_, part)| is_call(part));
    let second = calls.map(|(at, _)| at).nth(1);
    if let Some(second) = second {
        let thinking = Turn::new()
            .thinking("Another one.")
            .message()
            .parts
            .remove(0);
        message.parts.insert(second, thinking);
    }
}

fn each_call(message: &mut Message, mut edit: impl FnMut(&mut Arguments, &mut Option<Fragments>)) {
    for part in &mut message.parts {
        if let ScriptedPart::ToolCall {
            arguments,
            fragments,
            ..
        } = part
        {
            edit(arguments, fragments);
        }
    }
}

fn last_call(message: &mut Message, edit: impl FnOnce(&mut Arguments, &mut Option<Fragments>)) {
    let last = message.parts.iter_mut().rev().find_map(|part| {
        let ScriptedPart::ToolCall {
            arguments,
            fragments,
            ..
        } = part
        else {
            return None;
        };
        Some((arguments, fragments))
    });
    if let Some((arguments, fragments)) = last {
        edit(arguments, fragments);
    }
}

/// Other arguments, if there are any; pieces that were said one by one do not fit them.
fn reword(arguments: &mut Arguments, fragments: &mut Option<Fragments>, text: Option<String>) {
    if let Some(text) = text {
        *arguments = Arguments::raw(text);
        *fragments = fragments.take().filter(|fragments| !fragments.are_given());
    }
}

/// The first half; nothing of a text that has none.
fn half(text: &str) -> Option<String> {
    let mut starts = text.char_indices().map(|(at, _)| at);
    let middle = starts.find(|at| *at > 0 && *at >= text.len() / 2)?;
    Some(text.get(..middle)?.to_owned())
}

/// The text with an escape for each character that is not ASCII.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out += &format!("\\u{unit:04x}");
            }
        }
    }
    out
}

/// Where the colon behind the first name stands.
fn colon(text: &str) -> Option<usize> {
    let (mut in_string, mut escaped) = (false, false);
    text.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        byte == b':' && !in_string
    })
}

/// The end of the first character of the first name.
fn key(text: &str) -> Option<usize> {
    let start = text.find('"')? + 1;
    let first = text.get(start..)?.chars().next()?;
    (!matches!(first, '"' | '\\')).then(|| start + first.len_utf8())
}

/// Where the second digit of the first number that has two stands, outside of strings.
fn number(text: &str) -> Option<usize> {
    let (mut in_string, mut escaped, mut digits) = (false, false, 0);
    text.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        digits = if byte.is_ascii_digit() && !in_string {
            digits + 1
        } else {
            0
        };
        digits == 2
    })
}

fn cut_behind(text: &str, at: Option<usize>) -> Vec<String> {
    match at.and_then(|at| text.split_at_checked(at)) {
        Some((before, behind)) => vec![before.to_owned(), behind.to_owned()],
        None => vec![text.to_owned()],
    }
}

/// Two equal characters, each a fragment of its own, with what is before and behind them.
fn equal_neighbours(text: &str) -> Vec<String> {
    let starts = text.char_indices().zip(text.chars().skip(1));
    let mut equal = starts.filter(|((_, one), two)| one == two);
    let Some(((at, one), _)) = equal.next() else {
        return vec![text.to_owned()];
    };
    let width = one.len_utf8();
    let ends = [0, at, at + width, at + 2 * width, text.len()];
    let pieces = ends.windows(2).filter_map(|ends| match ends {
        [from, to] => text.get(*from..*to),
        _ => None,
    });
    let pieces = pieces.filter(|piece| !piece.is_empty());
    pieces.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_cut_are_found_outside_of_strings() {
        let text = r#"{"kéy":"1:2 77\"","n":997}"#;
        assert_eq!(colon(text), Some(7));
        assert_eq!(
            cut_behind(text, key(text)),
            ["{\"k", "éy\":\"1:2 77\\\"\",\"n\":997}"]
        );
        assert_eq!(
            cut_behind(text, number(text)),
            [r#"{"kéy":"1:2 77\"","n":9"#, "97}"]
        );
        assert_eq!(
            equal_neighbours(text),
            [r#"{"kéy":"1:2 "#, "7", "7", r#"\"","n":997}"#]
        );
        assert_eq!(escaped("é🦀!"), "\\u00e9\\ud83e\\udd80!");
        for none in ["", "{}", "1"] {
            assert_eq!(
                (colon(none), key(none), number(none)),
                (None, None, None),
                "{none}"
            );
            assert_eq!(equal_neighbours(none), [none], "{none}");
        }
        assert_eq!(half("é"), None);
        assert_eq!(half(r#"{"é":1}"#).as_deref(), Some(r#"{"é"#));
    }
}
