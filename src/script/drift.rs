//! Script drift: a turn that says what the request does not allow for, so that the script no longer fits
//! the client. Turn and request in, what does not fit out.

use serde_json::Value;

use super::{Message, Says, ScriptedPart, StopReason, ToolKind, Turn, schema::misfit};
use crate::request::{Calls, ServerTools};

/// At most so many names are listed.
const LISTED: usize = 20;

const HELP: &str = "help: mend the request or the script; if it is meant, say so with \
                    `.allow_script_drift()` on the turn or on the stub";

const NOT_OFFERED: &str = "the script calls a tool that the request does not offer";

/// What the turn says and the request does not allow for; the others are what the request says.
pub(crate) fn drift<'a>(
    turn: &Turn,
    calls: impl FnOnce() -> Calls<'a>,
    server_tools: impl FnOnce() -> ServerTools,
    schema: impl FnOnce() -> Option<&'a Value>,
) -> Option<Drift> {
    let Says::Message(message) = &turn.says else {
        return None;
    };
    if turn.allows_drift {
        return None;
    }
    let served = served_drift(message, server_tools);
    if served.is_some() {
        return served;
    }
    if called(message).next().is_some() {
        // a text beside a call is not bound to the schema
        return call_drift(message, &calls());
    }
    text_drift(message, schema()?)
}

/// What does not fit, what was expected, what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drift(&'static str, String, String);

impl Drift {
    /// The message, with its place.
    pub(crate) fn located(&self, place: &str) -> String {
        let Self(what, expected, found) = self;
        format!("{what}\n  where: {place}\n  expected: {expected}\n  found: {found}\n  {HELP}")
    }
}

/// The tools that the turn calls.
fn called(message: &Message) -> impl Iterator<Item = (ToolKind, &str)> {
    message.parts.iter().filter_map(|part| match part {
        ScriptedPart::ToolCall { name, .. } => Some((ToolKind::Function, name.as_str())),
        ScriptedPart::CustomToolCall { name, .. } => Some((ToolKind::Custom, name.as_str())),
        ScriptedPart::Text { .. }
        | ScriptedPart::Thinking { .. }
        | ScriptedPart::RedactedThinking { .. }
        | ScriptedPart::ServerTool { .. }
        | ScriptedPart::Compaction { .. }
        | ScriptedPart::Raw { .. } => None,
    })
}

/// A call of a tool of the provider's, where none is offered. Which one is not looked at: one may run another.
/// A result alone is no call: its call stands in the request, in the answer that was paused.
fn served_drift(message: &Message, server_tools: impl FnOnce() -> ServerTools) -> Option<Drift> {
    let tool = message.parts.iter().find_map(ScriptedPart::server_tool)?;
    match server_tools() {
        ServerTools::Possible => None,
        ServerTools::NotOffered => {
            let expected = "no tool of the provider's, since the request offers none";
            let found = quoted(tool.kind.name());
            Some(Drift(NOT_OFFERED, expected.to_owned(), found))
        }
    }
}

/// A call of a tool of the client's that is not offered.
fn call_drift(message: &Message, calls: &Calls<'_>) -> Option<Drift> {
    let mut called = called(message);
    match calls {
        Calls::Unknown => None,
        Calls::Forbidden => {
            let expected = "no tool call, since `tool_choice` is `none`";
            called
                .next()
                .map(|(_, name)| Drift(NOT_OFFERED, expected.to_owned(), quoted(name)))
        }
        Calls::Of { functions, custom } => {
            let offered = |kind| match kind {
                ToolKind::Function => functions,
                ToolKind::Custom => custom,
            };
            let (kind, name) = called.find(|(kind, name)| !offered(*kind).contains(name))?;
            let names = [&**functions, custom].concat();
            let nearest = match (kind, nearest(name, &names)) {
                (ToolKind::Function, Some(near)) if near == name => {
                    ", called with arguments, and offered as a custom tool".to_owned()
                }
                (ToolKind::Custom, Some(near)) if near == name => {
                    ", called as a custom tool, and offered with arguments".to_owned()
                }
                (_, Some(near)) => format!(", nearest to {}", quoted(near)),
                (_, None) => String::new(),
            };
            Some(Drift(
                NOT_OFFERED,
                listed(&names),
                format!("{}{nearest}", quoted(name)),
            ))
        }
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.escape_debug())
}

fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| quoted(name)).collect();
    let more = match names.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" or {more} more"),
    };
    match names {
        [] => "no tool call, since the request offers no tools".to_owned(),
        [_] => shown.concat(),
        _ => format!("one of {}{more}", shown.join(", ")),
    }
}

/// The name that was probably meant: the one with the fewest edits, unless most of it would be edited.
pub(crate) fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let near = names.iter().map(|known| (edits(name, known), *known));
    let (edits, known) = near.min()?;
    (edits * 2 <= name.chars().count()).then_some(known)
}

/// Characters to put in, take out or change (Levenshtein's distance).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (n, c) in from.chars().enumerate() {
        let (mut left, mut diagonal) = (n + 1, n);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (above, d) in row.iter_mut().skip(1).zip(&to) {
            let changed = diagonal + usize::from(c != *d);
            diagonal = *above;
            *above = changed.min(left + 1).min(*above + 1);
            left = *above;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// A text that does not fit the schema. What was cut short or refused is not bound to it, as the service
/// says itself; neither is what the model says before it works on with a tool of the service's.
fn text_drift(message: &Message, schema: &Value) -> Option<Drift> {
    const WHAT: &str = "the script's text does not fit the schema that the request asks for";
    if message.effective_stop_reason() != StopReason::EndTurn {
        return None;
    }
    let text = last_text(message);
    if text.is_empty() && !message.parts.is_empty() {
        return None;
    }
    match serde_json::from_str::<Value>(&text) {
        Err(error) => Some(Drift(WHAT, "JSON".to_owned(), format!("none: {error}"))),
        Ok(value) => {
            let misfit = misfit(&value, schema)?;
            let at = match misfit.path.as_str() {
                "" => String::new(),
                path => format!(" at `{path}`"),
            };
            Some(Drift(WHAT, misfit.expected + &at, misfit.found))
        }
    }
}

/// The text behind the last block that is the service's own affair.
fn last_text(message: &Message) -> String {
    let mut last = String::new();
    for part in &message.parts {
        match part {
            ScriptedPart::Text { text, .. } => last.push_str(text),
            ScriptedPart::ServerTool { .. }
            | ScriptedPart::Compaction { .. }
            | ScriptedPart::Raw { .. } => last.clear(),
            ScriptedPart::Thinking { .. }
            | ScriptedPart::RedactedThinking { .. }
            | ScriptedPart::ToolCall { .. }
            | ScriptedPart::CustomToolCall { .. } => {}
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_the_one_with_the_fewest_edits() {
        for (name, names, expected) in [
            ("shel", &["seal", "shell"][..], Some("shell")),
            ("read_fil", &["write_file", "read_file"], Some("read_file")),
            ("Shell", &["shell"], Some("shell")),
            ("weather", &["now"], None),
            ("x", &[], None),
        ] {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
        for (from, to, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edits(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn a_long_list_of_names_is_cut() {
        let names = vec!["f"; 23];
        let expected = format!("one of {} or 3 more", vec!["`f`"; 20].join(", "));
        assert_eq!(listed(&names), expected);
        assert_eq!(listed(&["f"]), "`f`");
    }
}
