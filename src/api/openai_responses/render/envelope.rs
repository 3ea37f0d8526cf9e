//! The response object: what stands around the output.

use crate::{
    api::{
        Context, Ids,
        openai::{CREATED, DEFAULT_MODEL, Wanted},
        openai_responses::{asked::Asked, purpose},
    },
    json::{write_number, write_str},
    script::{Extras, Json, Message, Says, Turn, Usage},
};

/// What is the same in every response object of an answer.
pub(super) struct Envelope {
    pub(super) id: String,
    pub(super) model: String,
    /// The tier that the turn names.
    tier: Option<String>,
    /// How often the web was searched.
    searches: u64,
    /// What moderation found, where it is said.
    pub(super) moderation: Option<Json>,
    asked: Asked,
    /// What the answer repeats of a request that has no word for it, if it was recorded.
    repeated: Vec<(String, Json)>,
    /// The ids that were recorded and that no item has yet.
    item_ids: Vec<(String, String)>,
    /// What every id made for the answer has behind its prefix.
    shared: String,
    ids: Ids,
}

/// The id of the response that `turn` is; empty if it is an error.
pub(crate) fn response_id(turn: &Turn, context: &Context) -> String {
    let Says::Message(message) = &turn.says else {
        return String::new();
    };
    let extras = message.extras.as_deref().cloned().unwrap_or_default();
    Envelope::new(message, &extras, &Usage::default(), context).id
}

/// How far the answer has come, and what only then is said.
pub(super) enum Status<'a> {
    InProgress,
    Completed(&'a Usage),
    Incomplete(&'static str, &'a Usage),
    Failed { code: &'a str, message: &'a str },
}

/// Where the response object stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    Event,
    /// The body says who pays.
    Body,
}

impl Envelope {
    pub(super) fn new(
        message: &Message,
        extras: &Extras,
        usage: &Usage,
        context: &Context,
    ) -> Self {
        let model = message.model.as_ref().unwrap_or(&context.model);
        let model = match model.as_str() {
            "" => DEFAULT_MODEL,
            model => model,
        };
        let shared = Ids::new(context.seed, purpose::RESPONSE).hex("", 16);
        let mut envelope = Self {
            id: String::new(),
            model: model.to_owned(),
            tier: extras.service_tier.clone(),
            searches: usage.web_search_requests.unwrap_or(0),
            moderation: match context.asked.responses.moderation {
                Wanted::Yes => extras.moderation.clone(),
                Wanted::No => None,
            },
            asked: context.asked.responses.clone(),
            repeated: extras.repeated.clone(),
            item_ids: extras.item_ids.clone(),
            shared: format!("{shared}01{CREATED:08x}"),
            ids: Ids::new(context.seed, purpose::ITEMS),
        };
        let made = envelope.new_id("resp_");
        envelope.id = extras.id.clone().unwrap_or(made);
        envelope
    }

    /// An id with this prefix. All of an answer have their first digits in common.
    pub(super) fn new_id(&mut self, prefix: &str) -> String {
        let own = self.ids.hex("", 24);
        format!("{prefix}{}{own}", self.shared)
    }

    /// The id of the next item of the kind whose ids have this prefix: the one that was recorded, if one was.
    pub(super) fn item_id(&mut self, prefix: &str) -> String {
        let made = self.new_id(prefix);
        let mut recorded = self.item_ids.iter();
        match recorded.position(|(known, _)| known == prefix) {
            Some(place) => self.item_ids.remove(place).1,
            None => made,
        }
    }

    /// What is said of a member of the request: its own word, the one that was recorded, or the default.
    fn repeated<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        let recorded = self.repeated.iter().find(|(known, _)| known == name);
        let recorded = recorded.map_or(default, |(_, value)| value.as_str());
        self.asked.echo(name, recorded)
    }

    /// At which tier the answer was made.
    pub(super) fn final_tier(&self) -> String {
        let asked = self.repeated("service_tier", r#""default""#);
        let asked = asked.trim_matches('"');
        let asked = if asked == "auto" { "default" } else { asked };
        self.tier.clone().unwrap_or_else(|| asked.to_owned())
    }

    /// The object with this output.
    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        status: &Status<'_>,
        output: &[u8],
        carrier: Carrier,
    ) {
        out.extend_from_slice(br#"{"id":"#);
        write_str(out, &self.id);
        out.extend_from_slice(br#","object":"response","created_at":"#);
        write_number(out, CREATED);
        out.extend_from_slice(br#","status":"#);
        write_str(out, status.word());
        out.extend_from_slice(br#","background":false"#);
        if carrier == Carrier::Body {
            out.extend_from_slice(br#","billing":{"payer":"developer"}"#);
        }
        out.extend_from_slice(br#","completed_at":"#);
        match status {
            Status::Completed(_) => write_number(out, CREATED + 1),
            Status::InProgress | Status::Incomplete(..) | Status::Failed { .. } => {
                out.extend_from_slice(b"null");
            }
        }
        status.write_error(out);
        for (name, default) in [
            ("instructions", "null"),
            ("max_output_tokens", "null"),
            ("max_tool_calls", "null"),
        ] {
            self.echo(out, name, default);
        }
        out.extend_from_slice(br#","model":"#);
        write_str(out, &self.model);
        out.extend_from_slice(br#","moderation":"#);
        let found = self.moderation.as_ref().map_or("null", Json::as_str);
        let found = match status {
            Status::Completed(_) | Status::Incomplete(..) => found,
            Status::InProgress | Status::Failed { .. } => "null",
        };
        out.extend_from_slice(found.as_bytes());
        out.extend_from_slice(br#","output":["#);
        out.extend_from_slice(output);
        out.push(b']');
        self.write_echoes(out, status);
        out.extend_from_slice(br#","usage":"#);
        match status {
            Status::Completed(usage) | Status::Incomplete(_, usage) => write_usage(out, usage),
            Status::InProgress | Status::Failed { .. } => out.extend_from_slice(b"null"),
        }
        self.echo(out, "user", "null");
        self.echo(out, "metadata", "{}");
        out.push(b'}');
    }

    /// What stands between output and usage.
    fn write_echoes(&self, out: &mut Vec<u8>, status: &Status<'_>) {
        self.echo(out, "parallel_tool_calls", "true");
        out.extend_from_slice(br#","presence_penalty":0.0"#);
        self.echo(out, "previous_response_id", "null");
        self.echo(out, "prompt_cache_key", "null");
        let family = Family::of(&self.model);
        self.echo(out, "prompt_cache_retention", family.retention);
        let reasoning = if family.reasons {
            r#"{"context":"current_turn","effort":"medium","mode":"standard","summary":null}"#
        } else {
            r#"{"effort":null,"summary":null}"#
        };
        self.echo(out, "reasoning", reasoning);
        self.echo(out, "safety_identifier", "null");
        match status {
            Status::InProgress => self.echo(out, "service_tier", r#""auto""#),
            Status::Completed(_) | Status::Incomplete(..) | Status::Failed { .. } => {
                out.extend_from_slice(br#","service_tier":"#);
                write_str(out, &self.final_tier());
            }
        }
        self.echo(out, "store", "true");
        self.echo(out, "temperature", "1.0");
        let text = r#"{"format":{"type":"text"},"verbosity":"medium"}"#;
        self.echo(out, "text", text);
        self.echo(out, "tool_choice", r#""auto""#);
        out.extend_from_slice(
            br#","tool_usage":{"image_gen":{"input_tokens":0,"input_tokens_details":{"image_tokens":0,"text_tokens":0},"output_tokens":0,"output_tokens_details":{"image_tokens":0,"text_tokens":0},"total_tokens":0},"web_search":{"num_requests":"#,
        );
        let searches = match status {
            Status::Completed(_) | Status::Incomplete(..) => self.searches,
            Status::InProgress | Status::Failed { .. } => 0,
        };
        write_number(out, searches);
        out.extend_from_slice(b"}}");
        self.echo(out, "tools", "[]");
        self.echo(out, "top_logprobs", "0");
        self.echo(out, "top_p", family.top_p);
        self.echo(out, "truncation", r#""disabled""#);
    }

    /// `,"name":…`
    fn echo(&self, out: &mut Vec<u8>, name: &str, default: &'static str) {
        out.extend_from_slice(br#",""#);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(br#"":"#);
        out.extend_from_slice(self.repeated(name, default).as_bytes());
    }
}

impl Status<'_> {
    const fn word(&self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed(_) => "completed",
            Self::Incomplete(..) => "incomplete",
            Self::Failed { .. } => "failed",
        }
    }

    /// `,"error":…,"frequency_penalty":0.0,"incomplete_details":…`
    fn write_error(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#","error":"#);
        if let Self::Failed { code, message } = self {
            out.extend_from_slice(br#"{"code":"#);
            write_str(out, code);
            out.extend_from_slice(br#","message":"#);
            write_str(out, message);
            out.push(b'}');
        } else {
            out.extend_from_slice(b"null");
        }
        out.extend_from_slice(br#","frequency_penalty":0.0,"incomplete_details":"#);
        if let Self::Incomplete(reason, _) = self {
            out.extend_from_slice(br#"{"reason":"#);
            write_str(out, reason);
            out.push(b'}');
        } else {
            out.extend_from_slice(b"null");
        }
    }
}

/// What differs between models, as recorded.
pub(super) struct Family {
    /// Whether it has an effort where none is asked for.
    reasons: bool,
    /// Whether its messages say their phase.
    pub(super) has_phases: bool,
    top_p: &'static str,
    retention: &'static str,
}

impl Family {
    pub(super) fn of(model: &str) -> Self {
        let version = model.strip_prefix("gpt-5.").unwrap_or_default();
        let since = |first: u8| {
            let minor = version.bytes().next();
            minor.is_some_and(|minor| (first..=b'9').contains(&minor))
        };
        Self {
            reasons: ["gpt-5", "o1", "o3", "o4"]
                .iter()
                .any(|family| model.starts_with(family)),
            has_phases: since(b'4'),
            top_p: if since(b'4') { "0.98" } else { "1.0" },
            retention: if since(b'5') {
                r#""24h""#
            } else {
                r#""in_memory""#
            },
        }
    }
}

/// The member's value.
fn write_usage(out: &mut Vec<u8>, usage: &Usage) {
    let input = usage
        .input_tokens
        .saturating_add(usage.cache_read_tokens)
        .saturating_add(usage.cache_creation_tokens);
    for (name, number) in [
        (r#"{"input_tokens":"#, input),
        (
            r#","input_tokens_details":{"cache_write_tokens":"#,
            usage.cache_creation_tokens,
        ),
        (r#","cached_tokens":"#, usage.cache_read_tokens),
        (r#"},"output_tokens":"#, usage.output_tokens),
        (
            r#","output_tokens_details":{"reasoning_tokens":"#,
            usage.thinking_tokens.unwrap_or(0),
        ),
        (
            r#"},"total_tokens":"#,
            input.saturating_add(usage.output_tokens),
        ),
    ] {
        out.extend_from_slice(name.as_bytes());
        write_number(out, number);
    }
    out.push(b'}');
}
