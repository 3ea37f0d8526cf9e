//! Requests that the service refuses: a table of named rules, and which of them a request breaks first;
//! `earlier` is what was answered before.
//!
//! | file | rules on |
//! | --- | --- |
//! | `envelope.rs` | the key, the body as JSON, its required, unknown and unsupported members |
//! | `members.rs` | members of a wrong type or value, and those that go with others only |
//! | `messages.rs` | the conversation: roles, contents, tool calls and their results |
//! | `schema.rs` | the schemas of tools and of the answer |
//!
//! Of several broken rules the one whose [`Place`] comes first answers; at one place it is the one that stands first
//! in [`TABLE`]. Rules of the same name hold the same on other APIs, and are switched with them.

mod envelope;
mod members;
mod messages;
mod schema;

use serde_json::{Map, Value};

use crate::{
    api::{
        ByDefault, Rule,
        openai::rules::{CREDENTIALS, JSON_BODY},
        openai_responses::Earlier,
        violation,
    },
    request::RecordedRequest,
    script::ApiError,
};

/// What looks at a request.
#[derive(Clone, Copy)]
enum Check {
    /// At headers, and at whether there is a body.
    Request(fn(&RecordedRequest) -> Option<Violation>),
    /// At the body, which is a JSON object.
    Body(fn(&Map<String, Value>) -> Option<Violation>),
    /// At the body and at what was answered before.
    Earlier(fn(&Map<String, Value>, &Earlier) -> Option<Violation>),
}

type Violation = violation::Violation<Place>;

/// Where a request breaks a rule, in the order in which the service is taken to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Credentials,
    Body,
    Model,
    /// The list of messages itself.
    Messages,
    /// A member of the body.
    Member,
    Tool(usize),
    Format,
    Message(usize),
    Whole,
}

impl Place {
    /// A 400 in these words.
    fn refused(self, message: impl Into<String>) -> Violation {
        self.broken(ApiError::invalid_request(message))
    }

    const fn broken(self, error: ApiError) -> Violation {
        Violation { place: self, error }
    }
}

const RECORDED: &str = "traffic";
const REPORTS: &str = "public reports";

const fn rule(
    name: &'static str,
    source: &'static str,
    by_default: ByDefault,
    check: Check,
) -> (Rule, Check) {
    let rule = Rule {
        name,
        source,
        by_default,
    };
    (rule, check)
}

/// A rule of DeepSeek's, and of no one else.
pub(crate) const REASONING_PASSED_BACK: Rule = Rule {
    name: "reasoning-passed-back",
    source: "NousResearch/hermes-agent#15353 and other public reports since 2026-04, before in the words of \
             hotovo/aider-desk#529; what the stub itself has answered is known",
    by_default: ByDefault::On,
};

/// All rules, in the order of the places that they look at.
const TABLE: &[(Rule, Check)] = {
    use ByDefault::On;
    use Check::{Body, Request};
    &[
        (CREDENTIALS, Request(envelope::credentials)),
        (JSON_BODY, Request(envelope::json_body)),
        rule(
            "required-fields",
            REPORTS,
            On,
            Body(envelope::required_fields),
        ),
        rule(
            "messages-not-empty",
            "public reports: CopilotKit/CopilotKit#529",
            On,
            Body(envelope::messages_not_empty),
        ),
        rule(
            "field-types",
            "pydantic/pydantic-ai#2653, aaif-goose/goose-mobile#20, langchain-ai/langchainjs#4153 and other public reports",
            On,
            Body(members::field_types),
        ),
        rule(
            "unknown-fields",
            RECORDED,
            On,
            Body(envelope::unknown_fields),
        ),
        rule(
            "sampling-range",
            "traffic for what is below; public reports for what is above",
            On,
            Body(envelope::sampling_range),
        ),
        rule(
            "max-tokens-support",
            "traffic: reasoning models, told by the model's name",
            On,
            Body(envelope::max_tokens_support),
        ),
        rule(
            "temperature-support",
            "public reports: models that reason, told by the model's name",
            On,
            Body(members::temperature_support),
        ),
        rule(
            "tools-needed",
            "public reports; `parallel_tool_calls`: Upsonic/Upsonic#323",
            On,
            Body(members::tools_needed),
        ),
        rule(
            "stream-needed",
            "BerriAI/litellm#5803",
            On,
            Body(members::stream_needed),
        ),
        rule(
            "tool-form",
            "public reports: bolna-ai/bolna#144",
            On,
            Body(schema::tool_form),
        ),
        rule(
            "tool-name-pattern",
            "public reports",
            On,
            Body(members::tool_names),
        ),
        rule("tool-schema", REPORTS, On, Body(schema::of_tools)),
        rule("strict-schema", REPORTS, On, Body(schema::strict)),
        rule(
            "format-name",
            "public reports",
            On,
            Body(members::format_name),
        ),
        rule(
            "message-roles",
            "public reports; without a role: ServiceNow/TapeAgents#66",
            On,
            Body(members::roles),
        ),
        rule(
            "system-role-support",
            "traffic: `o1-mini` and `o1-preview`, told by the model's name",
            On,
            Body(messages::system_role_support),
        ),
        rule("content-types", RECORDED, On, Body(messages::content_types)),
        rule("tool-results-follow", REPORTS, On, Body(messages::answered)),
        rule("tool-results-match", REPORTS, On, Body(messages::matched)),
        rule(
            "one-result-per-call",
            "public reports: agno-agi/agno#5116",
            On,
            Body(messages::answered_once),
        ),
        rule(
            "tool-calls-not-empty",
            "public reports: openai/openai-node#1341",
            On,
            Body(messages::tool_calls_not_empty),
        ),
        (
            REASONING_PASSED_BACK,
            Check::Earlier(messages::reasoning_passed_back),
        ),
        rule("json-word", REPORTS, On, Body(messages::json_word)),
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
    earlier: &Earlier,
    applies: &dyn Fn(&Rule) -> bool,
) -> Option<(&'static Rule, ApiError)> {
    let body = body.as_object();
    let applied = TABLE.iter().filter(|(rule, _)| applies(rule));
    violation::first(applied.filter_map(|(rule, check)| {
        let found = match check {
            Check::Request(check) => check(request),
            Check::Body(check) => body.and_then(check),
            Check::Earlier(check) => body.and_then(|body| check(body, earlier)),
        };
        found.map(|found| (rule, found))
    }))
}
