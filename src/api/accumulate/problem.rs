//! What an API's accumulator finds wrong, and the strict reading of JSON members that finds it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::AccumulateErrorKind;
use crate::{
    json::{self, Spacing},
    sse::SseError,
};

/// What an API's accumulator finds wrong; the place is added here.
#[derive(Debug, PartialEq)]
pub(crate) struct Problem {
    pub(super) kind: AccumulateErrorKind,
    pub(super) what: Cow<'static, str>,
    pub(super) expected: Cow<'static, str>,
    pub(super) found: Found,
    pub(super) help: Option<&'static str>,
    pub(super) source: Option<SseError>,
}

/// What was there: bytes or words of the answer, or a description.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    Quoted { shown: String, cut: usize },
    Said(String),
}

impl Problem {
    pub(crate) fn new(
        kind: AccumulateErrorKind,
        what: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        found: Found,
    ) -> Box<Self> {
        Box::new(Self {
            kind,
            what: what.into(),
            expected: expected.into(),
            found,
            help: None,
            source: None,
        })
    }

    /// The problem where there is no place to name.
    pub(crate) fn shown(&self) -> String {
        let found = match &self.found {
            Found::Quoted { shown, .. } => format!("`{shown}`"),
            Found::Said(text) => text.clone(),
        };
        let (what, expected) = (&self.what, &self.expected);
        format!("{what}\n  expected: {expected}\n  found: {found}")
    }

    pub(crate) fn help(mut self: Box<Self>, help: &'static str) -> Box<Self> {
        self.help = Some(help);
        self
    }
}

/// The one object of a non-streaming body; `events` are the beginnings of a stream of this API, for the help.
///
/// # Errors
///
/// If it ended too early, or is something else.
pub(crate) fn body_object(
    body: &[u8],
    events: &[&[u8]],
) -> Result<Map<String, Value>, Box<Problem>> {
    let problem = |kind, what| Problem::new(kind, what, "one JSON object", Found::quoted(body));
    match json::parse(body) {
        Ok(Value::Object(map)) => Ok(map),
        Err(error) if error.is_eof() => Err(problem(
            AccumulateErrorKind::Truncated,
            "the JSON body ended too early",
        )),
        Ok(_) | Err(_) => {
            let problem = problem(
                AccumulateErrorKind::MalformedJson,
                "the body is not one JSON object",
            );
            Err(if events.iter().any(|event| body.starts_with(event)) {
                problem.help("this is an event stream; read it with `accumulate`")
            } else {
                problem
            })
        }
    }
}

impl Found {
    const SHOWN: usize = 200;

    pub(crate) fn quoted(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let mut shown = String::new();
        let (mut characters, mut taken) = (0, 0);
        'all: for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                if characters == Self::SHOWN {
                    break 'all;
                }
                // JSON is full of quotes, and between backticks they need no escape
                if matches!(character, '"' | '\'') {
                    shown.push(character);
                } else {
                    shown.extend(character.escape_debug());
                }
                characters += 1;
                taken += character.len_utf8();
            }
            for byte in chunk.invalid() {
                if characters == Self::SHOWN {
                    break 'all;
                }
                shown.push_str(&byte.escape_ascii().to_string());
                characters += 1;
                taken += 1;
            }
        }
        Self::Quoted {
            shown,
            cut: bytes.len() - taken,
        }
    }

    fn json(value: &Value) -> Self {
        Self::quoted(json::to_string(value, Spacing::Compact))
    }
}

/// A JSON object and its path, read member by member. `null` counts as absent where a member may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members<'a> {
    /// Empty, or ending in a dot.
    path: &'a str,
    map: &'a Map<String, Value>,
}

impl<'a> Members<'a> {
    /// The members of the object at `path`, which is empty or ends in a dot.
    pub(crate) const fn new(path: &'a str, map: &'a Map<String, Value>) -> Self {
        Self { path, map }
    }

    /// Where these members stand.
    pub(crate) const fn path(self) -> &'a str {
        self.path
    }

    /// All of them, as a message shows them.
    pub(crate) fn to_json(self) -> String {
        json::to_string(&Value::Object(self.map.clone()), Spacing::Compact)
    }

    /// All of them, as a value.
    pub(crate) fn to_value(self) -> Value {
        Value::Object(self.map.clone())
    }

    /// The member, if there is one and it is not `null`.
    pub(crate) fn get(self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Whether the member is there, be it `null`.
    pub(crate) fn has(self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// The member, of whatever type; `null` is one.
    pub(crate) fn required(
        self,
        name: &str,
        expected: &'static str,
    ) -> Result<&'a Value, Box<Problem>> {
        self.map
            .get(name)
            .ok_or_else(|| self.missing(name, expected))
    }

    pub(crate) fn string(self, name: &str) -> Result<&'a str, Box<Problem>> {
        let value = self.required(name, A_STRING)?;
        value.as_str().ok_or_else(|| self.wrong(name, A_STRING))
    }

    pub(crate) fn non_empty_string(self, name: &str) -> Result<&'a str, Box<Problem>> {
        match self.string(name)? {
            "" => Err(self.wrong(name, "a string that is not empty")),
            text => Ok(text),
        }
    }

    pub(crate) fn string_or_null(self, name: &str) -> Result<Option<&'a str>, Box<Problem>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_str() {
                Some(text) => Ok(Some(text)),
                None => Err(self.wrong(name, "a string or null")),
            },
        }
    }

    pub(crate) fn number_or_null(self, name: &str) -> Result<Option<u64>, Box<Problem>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "a whole number from 0 on, or null")),
            },
        }
    }

    pub(crate) fn object(self, name: &str) -> Result<&'a Map<String, Value>, Box<Problem>> {
        let value = self.required(name, AN_OBJECT)?;
        value.as_object().ok_or_else(|| self.wrong(name, AN_OBJECT))
    }

    pub(crate) fn object_or_null(
        self,
        name: &str,
    ) -> Result<Option<&'a Map<String, Value>>, Box<Problem>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_object() {
                Some(object) => Ok(Some(object)),
                None => Err(self.wrong(name, "an object or null")),
            },
        }
    }

    pub(crate) fn array(self, name: &str) -> Result<&'a [Value], Box<Problem>> {
        let value = self.required(name, AN_ARRAY)?;
        match value.as_array() {
            Some(items) => Ok(items),
            None => Err(self.wrong(name, AN_ARRAY)),
        }
    }

    /// The member `name` is missing.
    pub(crate) fn missing(
        self,
        name: &str,
        expected: impl Into<Cow<'static, str>>,
    ) -> Box<Problem> {
        let field = format!("{}{name}", self.path);
        Problem::new(
            AccumulateErrorKind::MissingField {
                field: field.clone(),
            },
            format!("the member `{field}` is missing"),
            expected,
            Found::json(&Value::Object(self.map.clone())),
        )
    }

    /// The member `name` is not what is `expected`.
    pub(crate) fn wrong(self, name: &str, expected: impl Into<Cow<'static, str>>) -> Box<Problem> {
        let field = format!("{}{name}", self.path);
        Problem::new(
            AccumulateErrorKind::WrongField {
                field: field.clone(),
            },
            format!("the member `{field}` has a wrong type or value"),
            expected,
            Found::json(self.map.get(name).unwrap_or(&Value::Null)),
        )
    }
}

const A_STRING: &str = "a string";
const AN_OBJECT: &str = "an object";
const AN_ARRAY: &str = "an array";
