//! Members of the request as the answer repeats them: the defaults filled in, `type` first and the rest in the order
//! of the alphabet; schemas and the like as they were spelled.

use serde_json::Value;

use crate::{json::write_str, json_slices, script::Json};

/// How a member is repeated.
#[derive(Clone, Copy)]
enum Kind {
    AsSent,
    /// With a decimal point.
    Decimal,
    Reasoning,
    Text,
    /// A word, or an object that starts with its type.
    Choice,
    Tools,
}

const MEMBERS: [(&str, Kind); 20] = [
    ("instructions", Kind::AsSent),
    ("max_output_tokens", Kind::AsSent),
    ("max_tool_calls", Kind::AsSent),
    ("parallel_tool_calls", Kind::AsSent),
    ("previous_response_id", Kind::AsSent),
    ("prompt_cache_key", Kind::AsSent),
    ("prompt_cache_retention", Kind::AsSent),
    ("reasoning", Kind::Reasoning),
    ("safety_identifier", Kind::AsSent),
    ("service_tier", Kind::AsSent),
    ("store", Kind::AsSent),
    ("temperature", Kind::Decimal),
    ("text", Kind::Text),
    ("tool_choice", Kind::Choice),
    ("tools", Kind::Tools),
    ("top_logprobs", Kind::AsSent),
    ("top_p", Kind::Decimal),
    ("truncation", Kind::AsSent),
    ("user", Kind::AsSent),
    ("metadata", Kind::AsSent),
];

/// The members that the body has.
pub(super) fn read(body: &Value, sent: &str) -> Vec<(&'static str, String)> {
    if !body.is_object() {
        return Vec::new();
    }
    let sent = json_slices::members(sent);
    let known = MEMBERS.iter().filter_map(|(name, kind)| {
        body.get(name).filter(|value| !value.is_null())?;
        let text = sent.iter().find(|(known, _)| known == name)?.1;
        Some((*name, repeated(*kind, text)))
    });
    known.collect()
}

/// Those that a recorded answer repeats.
pub(super) fn recorded(response: &str) -> Vec<(String, Json)> {
    let known = MEMBERS.iter().filter_map(|(name, _)| {
        let text = json_slices::member(response, name)?;
        Some(((*name).to_owned(), Json::spelled(&respelled(text))))
    });
    known.collect()
}

fn repeated(kind: Kind, text: &str) -> String {
    match kind {
        Kind::AsSent => respelled(text),
        Kind::Decimal if text.bytes().all(|byte| byte.is_ascii_digit()) => format!("{text}.0"),
        Kind::Decimal => text.to_owned(),
        Kind::Reasoning => {
            let said = json_slices::members(text);
            let defaults = [
                ("context", r#""current_turn""#),
                ("effort", r#""medium""#),
                ("mode", r#""standard""#),
                ("summary", "null"),
            ];
            object(&said, &defaults, &[])
        }
        Kind::Text => {
            let mut said = json_slices::members(text);
            let format = said.iter().find(|(name, _)| *name == "format");
            let format = format.map(|(_, format)| typed(format));
            said.retain(|(name, _)| *name != "format");
            let defaults = [
                ("format", format.as_deref().unwrap_or(r#"{"type":"text"}"#)),
                ("verbosity", r#""medium""#),
            ];
            object(&said, &defaults, &[])
        }
        Kind::Choice if text.starts_with('{') => {
            object(&json_slices::members(text), &[], &["type"])
        }
        Kind::Choice => respelled(text),
        Kind::Tools => {
            let tools: Vec<String> = json_slices::items(text).into_iter().map(typed).collect();
            format!("[{}]", tools.join(","))
        }
    }
}

/// A tool, or a format: it starts with its type, and has the defaults of it.
fn typed(text: &str) -> String {
    let said = json_slices::members(text);
    if said.is_empty() {
        return respelled(text);
    }
    let kind = said.iter().find(|(name, _)| *name == "type");
    let defaults: &[(&str, &str)] = match kind.map_or("", |(_, kind)| *kind) {
        r#""function""# => &[
            ("description", "null"),
            ("output_schema", "null"),
            ("parameters", "null"),
            ("strict", "true"),
        ],
        r#""json_schema""# => &[("description", "null"), ("strict", "true")],
        r#""web_search""# => &[("filters", "null"), ("search_context_size", r#""medium""#)],
        r#""file_search""# => &[
            ("filters", "null"),
            ("max_num_results", "20"),
            (
                "ranking_options",
                r#"{"ranker":"auto","score_threshold":0.0}"#,
            ),
        ],
        r#""custom""# => &[("description", "null"), ("format", r#"{"type":"text"}"#)],
        _ => &[],
    };
    object(&said, defaults, &["type"])
}

/// An object: these names first, the rest sorted. A null gives way to the default.
fn object(said: &[(&str, &str)], defaults: &[(&str, &str)], first: &[&str]) -> String {
    let mut members: Vec<(&str, String)> = said
        .iter()
        .filter(|(_, text)| *text != "null")
        .map(|(name, text)| (*name, respelled(text)))
        .collect();
    for (name, text) in defaults {
        if !members.iter().any(|(known, _)| known == name) {
            members.push((*name, (*text).to_owned()));
        }
    }
    for (name, text) in said {
        if !members.iter().any(|(known, _)| known == name) {
            members.push((*name, (*text).to_owned()));
        }
    }
    let rank = |name: &str| !first.contains(&name);
    members.sort_by(|(a, _), (b, _)| (rank(a), *a).cmp(&(rank(b), *b)));
    let members: Vec<String> = members
        .iter()
        .map(|(name, text)| format!("\"{name}\":{text}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// The same document without white space, its strings spelled as the service spells them. Its nesting is bounded:
/// it was parsed before.
pub(super) fn respelled(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    respell(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}

fn respell(out: &mut Vec<u8>, text: &str) {
    let string = |out: &mut Vec<u8>, text: &str| match serde_json::from_str::<String>(text) {
        Ok(plain) => write_str(out, &plain),
        Err(_) => out.extend_from_slice(text.as_bytes()),
    };
    if text.starts_with('{') {
        out.push(b'{');
        for (n, (name, value)) in json_slices::members(text).into_iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            string(out, &format!("\"{name}\""));
            out.push(b':');
            respell(out, value);
        }
        out.push(b'}');
    } else if text.starts_with('[') {
        out.push(b'[');
        for (n, item) in json_slices::items(text).into_iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            respell(out, item);
        }
        out.push(b']');
    } else if text.starts_with('"') {
        string(out, text);
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
