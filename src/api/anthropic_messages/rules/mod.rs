//! Requests that the service refuses: a table of named rules, and which of them a request breaks first.
//!
//! | file | rules on |
//! | --- | --- |
//! | `envelope.rs` | headers, the body as JSON, its required, unknown and mistyped fields |
//! | `content.rs` | roles, text, the last message |
//! | `tool_calls.rs` | tool calls and their results in the conversation |
//! | `tools.rs` | the tools that are offered |
//! | `limits.rs` | thinking, cache points |
//! | `since_2026_10_21.rs` | what `anthropic-version: 2026-10-21` refuses and its predecessor does not |
//!
//! Of several broken rules the one whose [`Place`] comes first answers, as a validator that walks the
//! request once would; at one place it is the one that stands first in [`TABLE`].

mod asked;
mod content;
mod envelope;
mod limits;
mod since_2026_10_21;
mod tool_calls;
mod tools;

use serde_json::Value;

use asked::Asked;

use crate::{
    api::{ByDefault, Rule, violation},
    request::RecordedRequest,
    script::ApiError,
};

/// What looks at a request.
#[derive(Clone, Copy)]
enum Check {
    /// At headers, and at whether there is a body.
    Request(fn(&RecordedRequest) -> Option<Violation>),
    /// At the body, which is a JSON object.
    Body(fn(&Asked<'_>) -> Option<Violation>),
}

type Violation = violation::Violation<Place>;

/// Where a request breaks a rule, in the order in which the service is taken to look: headers, the fields
/// of the body, the messages one after the other, and last what only the whole request breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Credentials,
    Version,
    Body,
    Model,
    MaxTokens,
    Sampling,
    Thinking,
    System,
    Tool(usize),
    Tools,
    Unknown,
    /// The list of messages itself.
    Messages,
    /// A message, or one of its blocks.
    Message(usize, Option<usize>),
    Whole,
}

impl Place {
    /// A 400 in these words.
    fn refused(self, message: impl Into<String>) -> Violation {
        Violation {
            place: self,
            error: ApiError::invalid_request(message),
        }
    }
}

const REPORTS: &str = "public reports";

const fn on(name: &'static str, source: &'static str, check: Check) -> (Rule, Check) {
    let by_default = ByDefault::On;
    let rule = Rule {
        name,
        source,
        by_default,
    };
    (rule, check)
}

const fn off(name: &'static str, source: &'static str, check: Check) -> (Rule, Check) {
    let by_default = ByDefault::Off;
    let rule = Rule {
        name,
        source,
        by_default,
    };
    (rule, check)
}

/// All rules, in the order of the places that they look at.
const TABLE: &[(Rule, Check)] = {
    use Check::{Body, Request};
    &[
        on(
            "credentials",
            "public reports: 401 without a key in `x-api-key` or `authorization: Bearer`",
            Request(envelope::credentials),
        ),
        on(
            "anthropic-version",
            "public reports: 400 without the header",
            Request(envelope::version),
        ),
        on(
            "anthropic-version-value",
            "public reports: 400 for any other value; the documentation lists the versions",
            Request(envelope::version_value),
        ),
        on(
            "json-body",
            "the documentation: 400; the text is this crate's own",
            Request(envelope::json_body),
        ),
        on(
            "batch-requests",
            "the documentation, and a public report (64 characters): 400; the other texts are pydantic's, \
             that of an id that stands twice is this crate's own",
            Body(envelope::batch_requests),
        ),
        on("required-fields", REPORTS, Body(envelope::required_fields)),
        on("field-types", REPORTS, Body(envelope::field_types)),
        on(
            "sampling-parameters",
            "the documentation of version 2026-10-21, and public reports: 400, also at the default value",
            Body(since_2026_10_21::sampling_parameters),
        ),
        on("thinking-budget", REPORTS, Body(limits::thinking_budget)),
        on("tool-schema", REPORTS, Body(tools::schema)),
        on("tool-name-pattern", REPORTS, Body(tools::name_pattern)),
        on("unique-tool-names", REPORTS, Body(tools::unique_names)),
        on("unknown-fields", REPORTS, Body(envelope::unknown_fields)),
        on(
            "messages-not-empty",
            REPORTS,
            Body(content::messages_not_empty),
        ),
        on(
            "first-message-user",
            REPORTS,
            Body(content::first_message_user),
        ),
        off(
            "roles-alternate",
            "public reports until 2024; consecutive messages of one role are merged since",
            Body(content::roles_alternate),
        ),
        on(
            "non-empty-messages",
            REPORTS,
            Body(content::non_empty_messages),
        ),
        on("non-empty-text", REPORTS, Body(content::non_empty_text)),
        on("non-blank-text", REPORTS, Body(content::non_blank_text)),
        on(
            "document-in-assistant",
            "the documentation of version 2026-10-21; the text is this crate's own",
            Body(since_2026_10_21::document_in_assistant),
        ),
        on(
            "citations-in-user-text",
            "the documentation of version 2026-10-21; the text is this crate's own",
            Body(since_2026_10_21::citations_in_user_text),
        ),
        on("unique-tool-ids", REPORTS, Body(tool_calls::unique_ids)),
        on("tool-results-follow", REPORTS, Body(tool_calls::answered)),
        on("tool-results-match", REPORTS, Body(tool_calls::matched)),
        on("one-result-per-call", REPORTS, Body(tool_calls::one_result)),
        on(
            "thinking-first",
            "public reports up to 2026-01; by the documentation the service may go on without thinking",
            Body(limits::thinking_first),
        ),
        on(
            "thinking-signature",
            REPORTS,
            Body(limits::thinking_signature),
        ),
        on(
            "prefill-whitespace",
            REPORTS,
            Body(content::prefill_whitespace),
        ),
        on(
            "prefill-support",
            "public reports: models from 4.6 on, told by the model's name",
            Body(content::prefill_support),
        ),
        on("cache-points", REPORTS, Body(limits::cache_points)),
    ]
};

/// The rules, without what applies them.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLE.iter().map(|(rule, _)| rule)
}

/// Of the rules that apply the one that the request breaks first, and the service's answer.
pub(crate) fn first_broken(
    request: &RecordedRequest,
    body: &Value,
    applies: &dyn Fn(&Rule) -> bool,
) -> Option<(&'static Rule, ApiError)> {
    let asked = Asked::new(request, body);
    let applied = TABLE.iter().filter(|(rule, _)| applies(rule));
    violation::first(applied.filter_map(|(rule, check)| {
        let found = match check {
            Check::Request(check) => check(request),
            Check::Body(check) => asked.as_ref().and_then(check),
        };
        found.map(|found| (rule, found))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::Api,
        request::{Headers, Kind, Received, Sketch},
    };
    use proptest::prelude::*;
    use serde_json::json;

    fn request() -> RecordedRequest {
        request_to("/v1/messages")
    }

    /// Its body has no bytes: a rule that read them again would find nothing.
    fn request_to(target: &str) -> RecordedRequest {
        let api = Api::AnthropicMessages;
        let sketch = Sketch {
            model: "claude-opus-4-6".to_owned(),
            ..Sketch::default()
        };
        RecordedRequest::new(Received {
            kind: Kind::ModelCall { api, index: 0 },
            method: "POST".into(),
            target: target.to_owned(),
            headers: Headers::default(),
            body: bytes::Bytes::new(),
            sketch,
            connection: 0,
            arrived: std::time::Duration::ZERO,
        })
    }

    /// Any JSON in the words that the rules look for.
    fn body() -> impl Strategy<Value = Value> {
        const KEYS: [&str; 18] = [
            "messages",
            "role",
            "content",
            "type",
            "id",
            "tool_use_id",
            "text",
            "tools",
            "name",
            "input",
            "input_schema",
            "thinking",
            "budget_tokens",
            "max_tokens",
            "cache_control",
            "system",
            "thread",
            "model",
        ];
        const WORDS: [&str; 14] = [
            "user",
            "assistant",
            "system",
            "text",
            "tool_use",
            "tool_result",
            "thinking",
            "server_tool_use",
            "compaction",
            "document",
            "enabled",
            "continue",
            "",
            " ",
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            prop::sample::select(&WORDS[..]).prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 200, 12, |inner| {
            let member = (prop::sample::select(&KEYS[..]), inner.clone());
            prop_oneof![
                prop::collection::vec(inner, 0..8).prop_map(Value::from),
                prop::collection::vec(member, 0..8).prop_map(|members| {
                    let members = members.into_iter();
                    members
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect()
                }),
            ]
        })
    }

    /// A conversation in which every block is of a kind that a rule looks at.
    fn conversation() -> impl Strategy<Value = Value> {
        let role = prop::sample::select(&["user", "assistant", "system"][..]);
        let kinds = [
            "text",
            "tool_use",
            "tool_result",
            "thinking",
            "compaction",
            "mcp_tool_use",
        ];
        let block = (prop::sample::select(kinds.to_vec()), 0..4_u8).prop_map(|(kind, id)| {
            json!({"type": kind, "id": id.to_string(), "tool_use_id": id.to_string(), "text": "x"})
        });
        let content = prop::collection::vec(block, 0..5);
        let message =
            (role, content).prop_map(|(role, content)| json!({"role": role, "content": content}));
        prop::collection::vec(message, 0..9).prop_map(|messages| {
            let thinking = json!({"type": "enabled", "budget_tokens": 2000});
            json!({"model": "m", "max_tokens": 9, "thinking": thinking, "messages": messages})
        })
    }

    #[test]
    fn the_body_of_a_batch_is_not_read_again() {
        let body = json!({"requests": []});
        let broken = |target| {
            let request = request_to(target);
            let rule = |rule: &Rule| rule.name == "batch-requests";
            first_broken(&request, &body, &rule).is_some()
        };
        assert!(broken("/v1/messages/batches"));
        assert!(!broken("/v1/messages"));
    }

    proptest! {
        #[test]
        fn every_rule_looks_at_any_body_without_a_panic(
            body in prop_oneof![body(), conversation()]
        ) {
            let request = request();
            for (rule, _) in TABLE {
                let found = first_broken(&request, &body, &|applied| applied == rule);
                prop_assert!(found.is_none_or(|(broken, _)| broken == rule));
            }
            // all at once give one of them, and the same each time
            let first = || first_broken(&request, &body, &|_| true).map(|(rule, _)| rule);
            prop_assert_eq!(first(), first());
        }
    }
}
