//! What a request asks of the form of its answer, read once from its body; and what the answer says of it again.

use serde_json::Value;

use super::echo;
use crate::api::{openai::Wanted, sketch::items};

/// What the answer depends on besides the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// `stream_options.include_obfuscation`.
    pub(super) obfuscation: Wanted,
    /// `reasoning.encrypted_content` in `include`.
    pub(super) encrypted_reasoning: Wanted,
    /// `web_search_call.action.sources` in `include`.
    pub(super) web_sources: Wanted,
    /// `file_search_call.results` in `include`.
    pub(super) file_results: Wanted,
    /// `code_interpreter_call.outputs` in `include`.
    pub(super) code_outputs: Wanted,
    /// `moderation`.
    pub(super) moderation: Wanted,
    /// Members of the request that the answer repeats, as JSON.
    pub(super) echo: Vec<(&'static str, String)>,
}

impl Asked {
    /// Reads the body, which came in these bytes.
    pub(crate) fn read(body: &Value, sent: &[u8]) -> Self {
        let included =
            |name: &str| Wanted::when(items(body.get("include")).any(|item| item == name));
        let obfuscation = body.pointer("/stream_options/include_obfuscation");
        Self {
            obfuscation: Wanted::when(obfuscation != Some(&Value::Bool(false))),
            encrypted_reasoning: included("reasoning.encrypted_content"),
            web_sources: included("web_search_call.action.sources"),
            file_results: included("file_search_call.results"),
            code_outputs: included("code_interpreter_call.outputs"),
            moderation: Wanted::when(body.get("moderation").is_some_and(Value::is_object)),
            echo: echo::read(body, std::str::from_utf8(sent).unwrap_or_default()),
        }
    }

    /// What the answer repeats of this member; the default where the request has none.
    pub(super) fn echo<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        let mut echo = self.echo.iter();
        let said = echo.find_map(|(known, text)| (*known == name).then_some(text.as_str()));
        said.unwrap_or(default)
    }
}

/// Without a request: everything that the turn says is said.
impl Default for Asked {
    fn default() -> Self {
        Self {
            obfuscation: Wanted::Yes,
            encrypted_reasoning: Wanted::Yes,
            web_sources: Wanted::Yes,
            file_results: Wanted::Yes,
            code_outputs: Wanted::Yes,
            moderation: Wanted::Yes,
            echo: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: &Value) -> Asked {
        Asked::read(body, body.to_string().as_bytes())
    }

    #[test]
    fn what_is_encrypted_has_to_be_asked_for_and_obfuscation_to_be_declined() {
        let plain = Asked {
            encrypted_reasoning: Wanted::No,
            web_sources: Wanted::No,
            file_results: Wanted::No,
            code_outputs: Wanted::No,
            moderation: Wanted::No,
            ..Asked::default()
        };
        for (body, expected) in [
            (json!({}), plain.clone()),
            (Value::Null, plain.clone()),
            (
                json!({
                    "include": [
                        "reasoning.encrypted_content", "file_search_call.results",
                        "code_interpreter_call.outputs"
                    ],
                    "moderation": {"model": "m"}
                }),
                Asked {
                    web_sources: Wanted::No,
                    ..Asked::default()
                },
            ),
            (
                json!({"stream_options": {"include_obfuscation": false}}),
                Asked {
                    obfuscation: Wanted::No,
                    ..plain
                },
            ),
        ] {
            assert_eq!(read(&body), expected, "{body}");
        }
    }

    #[test]
    fn members_are_repeated_in_the_services_form_with_its_defaults() {
        let sent = r#"{
            "temperature": 1, "top_p": 0.5, "instructions": "caf\u00e9", "metadata": {"z": "1", "a": 2},
            "tool_choice": {"name": "f", "type": "function"},
            "text": {"format": {"schema": {"type": "object", "a": []}, "type": "json_schema", "name": "n"}},
            "reasoning": {"summary": "auto", "effort": null},
            "tools": [
                {"name": "f", "parameters": {"type": "object", "properties": {}}, "type": "function", "strict": false},
                {"type": "web_search", "search_context_size": "low"},
                {"type": "tomorrow", "b": 1, "a": 2}
            ],
            "store": null, "user": "u"
        }"#;
        let asked = Asked::read(&serde_json::from_str(sent).unwrap(), sent.as_bytes());
        for (name, expected) in [
            ("temperature", "1.0"),
            ("top_p", "0.5"),
            ("instructions", r#""café""#),
            ("metadata", r#"{"z":"1","a":2}"#),
            ("tool_choice", r#"{"type":"function","name":"f"}"#),
            (
                "text",
                r#"{"format":{"type":"json_schema","description":null,"name":"n","schema":{"type":"object","a":[]},"strict":true},"verbosity":"medium"}"#,
            ),
            (
                "reasoning",
                r#"{"context":"current_turn","effort":"medium","mode":"standard","summary":"auto"}"#,
            ),
            (
                "tools",
                r#"[{"type":"function","description":null,"name":"f","output_schema":null,"parameters":{"type":"object","properties":{}},"strict":false},{"type":"web_search","filters":null,"search_context_size":"low"},{"type":"tomorrow","a":2,"b":1}]"#,
            ),
            ("store", "the default"),
            ("user", r#""u""#),
            ("truncation", "the default"),
        ] {
            assert_eq!(asked.echo(name, "the default"), expected, "{name}");
        }
    }
}
