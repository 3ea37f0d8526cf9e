//! What a request asks of the form of its answer, read once from its body.

use serde_json::Value;

/// What the answer depends on besides the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// One choice, or `n` choices, for each.
    pub(super) prompts: Vec<Prompt>,
    /// How many choices each prompt has.
    pub(super) n: usize,
    pub(super) echo: Echo,
    /// How many other tokens stand beside each; `None` without `logprobs`.
    pub(super) top_logprobs: Option<usize>,
    pub(super) usage: Usage,
}

/// What is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Prompt {
    Text(String),
    /// Tokens, whose text is not known here.
    Tokens,
}

/// Whether the prompt stands before its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echo {
    Yes,
    No,
}

/// Whether a stream says what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Said,
    Unsaid,
}

/// More choices of a prompt than the service gives are not given.
const MOST_CHOICES: u64 = 128;
/// As with the tokens beside each.
const MOST_LOGPROBS: u64 = 5;

impl Asked {
    pub(crate) fn read(body: &Value) -> Self {
        let number = |name: &str| body.get(name).and_then(Value::as_u64);
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let is_true = |value: Option<&Value>| value == Some(&Value::Bool(true));
        Self {
            prompts: prompts(body.get("prompt")),
            n: small(number("n").unwrap_or(1).clamp(1, MOST_CHOICES)),
            echo: match is_true(body.get("echo")) {
                true => Echo::Yes,
                false => Echo::No,
            },
            top_logprobs: number("logprobs").map(|n| small(n.min(MOST_LOGPROBS))),
            usage: match is_true(body.pointer("/stream_options/include_usage")) {
                true => Usage::Said,
                false => Usage::Unsaid,
            },
        }
    }

    /// The prompt of each choice, in order.
    pub(super) fn choices(&self) -> impl Iterator<Item = &Prompt> {
        let of_prompt = |prompt| std::iter::repeat_n(prompt, self.n);
        self.prompts.iter().flat_map(of_prompt)
    }
}

/// Without a request: one choice, and a stream says its usage.
impl Default for Asked {
    fn default() -> Self {
        Self {
            prompts: vec![Prompt::Text(String::new())],
            n: 1,
            echo: Echo::No,
            top_logprobs: None,
            usage: Usage::Said,
        }
    }
}

/// A text or tokens, or a list of these; without one, nothing is to be completed.
fn prompts(sent: Option<&Value>) -> Vec<Prompt> {
    let prompt = |sent: &Value| match sent.as_str() {
        Some(text) => Prompt::Text(text.to_owned()),
        None => Prompt::Tokens,
    };
    match sent {
        Some(Value::Array(items)) if items.iter().any(Value::is_number) => vec![Prompt::Tokens],
        Some(Value::Array(items)) if !items.is_empty() => items.iter().map(prompt).collect(),
        Some(text @ Value::String(_)) => vec![prompt(text)],
        _ => vec![Prompt::Text(String::new())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prompts_are_read_in_each_of_their_forms() {
        let text = |text: &str| Prompt::Text(text.to_owned());
        for (sent, expected) in [
            (json!("a"), vec![text("a")]),
            (json!(["a", "b"]), vec![text("a"), text("b")]),
            (json!([1, 2]), vec![Prompt::Tokens]),
            (json!([[1], [2, 3]]), vec![Prompt::Tokens, Prompt::Tokens]),
            (json!([]), vec![text("")]),
            (json!(null), vec![text("")]),
        ] {
            assert_eq!(prompts(Some(&sent)), expected, "{sent}");
        }
        assert_eq!(prompts(None), [text("")]);
    }

    #[test]
    fn what_is_not_asked_for_is_not_given() {
        let plain = Asked {
            usage: Usage::Unsaid,
            ..Asked::default()
        };
        assert_eq!(Asked::read(&Value::Null), plain);
        let asked = json!({
            "n": 3, "echo": true, "logprobs": 9, "stream_options": {"include_usage": true}
        });
        let expected = Asked {
            n: 3,
            echo: Echo::Yes,
            top_logprobs: Some(5),
            ..Asked::default()
        };
        assert_eq!(Asked::read(&asked), expected);
        let none = json!({"n": 0, "echo": false, "logprobs": null, "stream_options": null});
        assert_eq!(Asked::read(&none), plain);
    }
}
