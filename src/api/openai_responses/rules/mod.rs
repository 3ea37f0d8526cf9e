//! Requests that the service refuses: a table of named rules, and which of them a request breaks first.
//!
//! | file | rules on |
//! | --- | --- |
//! | `envelope.rs` | the key, the body as JSON, its required and unknown members, the response that it goes on from |
//! | `input.rs` | the input: calls and their outputs, reasoning and what it led to |
//! | `members.rs` | members of a wrong type or value, and what a model does not support |
//! | `schema.rs` | the schemas of tools and of the answer |
//!
//! Of several broken rules the one whose [`Place`] comes first answers; at one place it is the one that stands first
//! in [`TABLE`]. Rules of the same name hold the same on other APIs, and are switched with them.

mod envelope;
mod input;
mod members;
mod schema;

use serde_json::{Map, Value};

use super::Earlier;
use crate::{
    api::{
        ByDefault, Rule,
        openai::rules::{self as shared, CREDENTIALS, JSON_BODY},
        violation,
    },
    request::RecordedRequest,
    script::ApiError,
};

/// What looks at a request.
#[derive(Clone, Copy)]
enum Check {
    /// At headers, and at whether there is a body.
    Request(Place, fn(&RecordedRequest) -> Option<ApiError>),
    /// At the body, which is a JSON object.
    Body(fn(&Map<String, Value>) -> Option<Violation>),
    /// At the body and at what the service keeps.
    Earlier(fn(&Map<String, Value>, &Earlier) -> Option<Violation>),
}

type Violation = violation::Violation<Place>;

/// Where a request breaks a rule, in the order in which the service is taken to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Credentials,
    Body,
    Model,
    /// A member of the body.
    Member,
    Tool(usize),
    Format,
    /// The response that the request goes on from.
    Previous,
    Item(usize),
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

const fn rule(name: &'static str, source: &'static str, check: Check) -> (Rule, Check) {
    let rule = Rule {
        name,
        source,
        by_default: ByDefault::On,
    };
    (rule, check)
}

/// All rules, in the order of the places that they look at.
const TABLE: &[(Rule, Check)] = {
    use Check::{Body, Earlier, Request};
    &[
        (
            CREDENTIALS,
            Request(Place::Credentials, shared::credentials),
        ),
        (JSON_BODY, Request(Place::Body, shared::json_body)),
        rule("required-fields", REPORTS, Body(envelope::required_fields)),
        rule("field-types", "as on Chat", Body(members::field_types)),
        rule("unknown-fields", RECORDED, Body(envelope::unknown_fields)),
        rule(
            "sampling-range",
            "traffic for what is below; public reports for what is above",
            Body(envelope::sampling_range),
        ),
        rule(
            "temperature-support",
            "OpenHands/software-agent-sdk#1837; models that reason, told by the model's name",
            Body(members::temperature_support),
        ),
        rule(
            "tool-form",
            "public reports: microsoft/autogen#6935",
            Body(schema::tool_form),
        ),
        rule(
            "tool-name-pattern",
            "openai/openai-dotnet#441 and justrach/codegraff#930; too long: as on Chat",
            Body(members::tool_names),
        ),
        rule("tool-schema", REPORTS, Body(schema::of_tools)),
        rule("strict-schema", REPORTS, Body(schema::strict)),
        rule(
            "format-name",
            "openai/openai-node#1404",
            Body(members::format_name),
        ),
        rule(
            "previous-response",
            "public reports; what the stub itself has answered is known",
            Earlier(envelope::previous_response),
        ),
        rule(
            "message-roles",
            "anomalyco/opencode#10803 and NousResearch/hermes-agent#5709; which member is named is as for contents",
            Body(members::roles),
        ),
        rule(
            "content-types",
            "public reports; of the model: openai/openai-go#485 and jeremychone/rust-genai#119",
            Body(members::content_types),
        ),
        rule("tool-results-follow", REPORTS, Earlier(input::answered)),
        rule("tool-results-match", REPORTS, Earlier(input::matched)),
        rule(
            "unique-item-ids",
            "public reports: openai/openai-agents-python#1789, MacPaw/OpenAI#432",
            Earlier(input::items_stand_once),
        ),
        rule(
            "reasoning-leads",
            RECORDED,
            Body(input::reasoning_leads_somewhere),
        ),
        rule(
            "reasoning-kept",
            "public reports; what the stub itself has answered is known",
            Earlier(input::reasoning_is_kept),
        ),
        rule("json-word", REPORTS, Body(input::json_word)),
    ]
};

/// The rules, without what applies them.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLE.iter().map(|(rule, _)| rule)
}

/// Of the rules that apply the one that the request breaks first, and the service's answer; `earlier` is what the
/// service keeps of the conversation.
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
            Check::Request(place, check) => check(request).map(|error| place.broken(error)),
            Check::Body(check) => body.and_then(check),
            Check::Earlier(check) => body.and_then(|body| check(body, earlier)),
        };
        found.map(|found| (rule, found))
    }))
}
