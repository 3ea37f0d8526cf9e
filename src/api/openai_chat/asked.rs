//! What a request asks of the form of its answer, read once from its body.

use serde_json::Value;

use crate::api::{openai::Wanted, sketch::string};

/// What the answer depends on besides the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// `stream_options.include_usage`.
    pub(super) usage: Wanted,
    /// `stream_options.include_obfuscation`.
    pub(super) obfuscation: Wanted,
    /// How many other tokens stand beside each; `None` without `logprobs`.
    pub(super) top_logprobs: Option<usize>,
    pub(super) moderation: Moderation,
    /// `n`: how many choices.
    pub(super) choices: usize,
}

/// Whether what moderation finds is part of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Moderation {
    No,
    /// `moderation.model`.
    By(String),
    /// Without a request: if the turn says it.
    IfSaid,
}

/// More choices than the service gives are not given.
const MOST_CHOICES: u64 = 128;
/// As with the tokens beside each.
const MOST_LOGPROBS: u64 = 20;

impl Asked {
    pub(crate) fn read(body: &Value) -> Self {
        let option =
            |name: &str| Some(body.get("stream_options")?.get(name)? == &Value::Bool(true));
        let number = |name: &str| body.get(name).and_then(Value::as_u64);
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let moderation = body.get("moderation").filter(|asked| asked.is_object());
        let logprobs = body.get("logprobs") == Some(&Value::Bool(true));
        Self {
            usage: Wanted::when(option("include_usage") == Some(true)),
            obfuscation: Wanted::when(option("include_obfuscation") != Some(false)),
            top_logprobs: logprobs
                .then(|| small(number("top_logprobs").unwrap_or(0).min(MOST_LOGPROBS))),
            moderation: match moderation {
                Some(asked) => Moderation::By(string(asked.get("model"))),
                None => Moderation::No,
            },
            choices: small(number("n").unwrap_or(1).clamp(1, MOST_CHOICES)),
        }
    }
}

/// Without a request: everything that the turn says is said, its usage too.
impl Default for Asked {
    fn default() -> Self {
        Self {
            usage: Wanted::Yes,
            obfuscation: Wanted::Yes,
            top_logprobs: None,
            moderation: Moderation::IfSaid,
            choices: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn usage_has_to_be_asked_for_and_obfuscation_to_be_declined() {
        let plain = Asked {
            usage: Wanted::No,
            moderation: Moderation::No,
            ..Asked::default()
        };
        for (body, expected) in [
            (json!({}), plain.clone()),
            (Value::Null, plain.clone()),
            (
                json!({"stream_options": {"include_usage": true, "include_obfuscation": false}}),
                Asked {
                    obfuscation: Wanted::No,
                    moderation: Moderation::No,
                    ..Asked::default()
                },
            ),
            (
                json!({"logprobs": true, "top_logprobs": 2, "n": 3}),
                Asked {
                    top_logprobs: Some(2),
                    choices: 3,
                    ..plain.clone()
                },
            ),
            (
                json!({"moderation": {"model": "omni-moderation-latest"}}),
                Asked {
                    moderation: Moderation::By("omni-moderation-latest".to_owned()),
                    ..plain.clone()
                },
            ),
            (json!({"moderation": null}), plain.clone()),
            (
                json!({"logprobs": false, "top_logprobs": 2, "n": 0}),
                plain.clone(),
            ),
            (
                json!({"logprobs": true, "top_logprobs": u64::MAX, "n": u64::MAX}),
                Asked {
                    top_logprobs: Some(20),
                    choices: 128,
                    ..plain
                },
            ),
        ] {
            assert_eq!(Asked::read(&body), expected, "{body}");
        }
    }
}
