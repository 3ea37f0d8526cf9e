//! What stands around the blocks: the members of the message, its stop and its usage, each in the order of
//! its era.

use super::Said;
use crate::{
    api::anthropic_messages::era::{Envelope, First},
    json::{write_number, write_str},
    script::{Iteration, StopDetails, Usage},
};

/// `{"model":…,"content":[`, or `{"id":…` as it once was.
pub(super) fn write_start(out: &mut Vec<u8>, said: &Said) {
    match said.envelope.first {
        First::Model => {
            out.extend_from_slice(br#"{"model":"#);
            write_str(out, &said.model);
            out.extend_from_slice(br#","id":"#);
            write_str(out, &said.id);
            out.extend_from_slice(br#","type":"message","role":"assistant","content":["#);
        }
        First::Id => {
            out.extend_from_slice(br#"{"id":"#);
            write_str(out, &said.id);
            out.extend_from_slice(br#","type":"message","role":"assistant","model":"#);
            write_str(out, &said.model);
            out.extend_from_slice(br#","content":["#);
        }
    }
}

/// `"stop_reason":…,"stop_sequence":…,"stop_details":…` of an answer that has not stopped.
pub(super) fn write_no_stop(out: &mut Vec<u8>, envelope: &Envelope) {
    out.extend_from_slice(br#""stop_reason":null,"stop_sequence":null"#);
    if envelope.stop_details {
        out.extend_from_slice(br#","stop_details":null"#);
    }
}

/// `"stop_reason":…,"stop_sequence":…,"stop_details":…,"container":…`. Where the container stands in a body was
/// never recorded; here it is where a stream has it.
pub(super) fn write_stop(out: &mut Vec<u8>, said: &Said) {
    let (word, sequence) = &said.stop;
    out.extend_from_slice(br#""stop_reason":"#);
    write_str(out, word);
    out.extend_from_slice(br#","stop_sequence":"#);
    write_text(out, sequence.as_deref());
    let extras = said.extras.as_deref();
    match extras.and_then(|extras| extras.stop_details.as_ref()) {
        Some(details) => write_details(out, details),
        None if said.envelope.stop_details && !said.lacks().stop_details => {
            out.extend_from_slice(br#","stop_details":null"#);
        }
        None => {}
    }
    if let Some(container) = extras.and_then(|extras| extras.container.as_ref()) {
        out.extend_from_slice(br#","container":{"id":"#);
        write_str(out, &container.id);
        out.extend_from_slice(br#","expires_at":"#);
        write_str(out, &container.expires_at);
        out.push(b'}');
    }
}

fn write_details(out: &mut Vec<u8>, details: &StopDetails) {
    out.extend_from_slice(br#","stop_details":{"type":"refusal""#);
    for (name, value) in [
        (&br#","category":"#[..], &details.category),
        (br#","explanation":"#, &details.explanation),
    ] {
        out.extend_from_slice(name);
        write_text(out, value.as_deref());
    }
    for (name, value) in &details.others {
        out.push(b',');
        write_str(out, name);
        out.push(b':');
        out.extend_from_slice(value.as_str().as_bytes());
    }
    out.push(b'}');
}

fn write_text(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => write_str(out, text),
        None => out.extend_from_slice(b"null"),
    }
}

/// `,"context_management":…`, behind the usage.
pub(super) fn write_context_management(out: &mut Vec<u8>, said: &Said) {
    let extras = said.extras.as_deref();
    if let Some(applied) = extras.and_then(|extras| extras.context_management.as_ref()) {
        out.extend_from_slice(br#","context_management":"#);
        out.extend_from_slice(applied.as_str().as_bytes());
    }
}

/// `,"usage":…` of `message_start`, where the answer has only begun.
pub(super) fn write_first_usage(out: &mut Vec<u8>, said: &Said, output_tokens: u64) {
    if said.lacks().usage_at_start {
        return;
    }
    out.extend_from_slice(USAGE);
    let extras = said.extras.as_deref();
    match extras.and_then(|extras| extras.usage_at_start.as_ref()) {
        Some(start) => {
            let mut prompt = start.clone();
            prompt.cache_creation_1h_tokens = said.usage.cache_creation_1h_tokens;
            write_prompt(out, &prompt, said.envelope);
        }
        None => write_prompt(out, &said.usage, said.envelope),
    }
    write_member(out, br#","output_tokens":"#, output_tokens);
    write_service(out, said);
    out.push(b'}');
}

const USAGE: &[u8] = br#","usage":"#;

/// `,"usage":…` of a body.
pub(super) fn write_whole_usage(out: &mut Vec<u8>, said: &Said) {
    let lacks = said.lacks();
    if lacks.usage_at_start && lacks.usage_at_end {
        return;
    }
    out.extend_from_slice(USAGE);
    let usage = &said.usage;
    write_prompt(out, usage, said.envelope);
    write_iterations(out, &usage.iterations);
    write_member(out, br#","output_tokens":"#, usage.output_tokens);
    write_thinking(out, usage);
    write_service(out, said);
    write_server_tools(out, usage);
    out.push(b'}');
}

/// `,"usage":…` of `message_delta`: all counters, or in the beginning only what was put out.
pub(super) fn write_last_usage(out: &mut Vec<u8>, said: &Said) {
    if said.lacks().usage_at_end {
        return;
    }
    out.extend_from_slice(USAGE);
    let usage = &said.usage;
    if said.envelope.delta_counters {
        write_counters(out, usage, said.envelope);
        write_member(out, br#","output_tokens":"#, usage.output_tokens);
    } else {
        write_member(out, br#"{"output_tokens":"#, usage.output_tokens);
    }
    write_thinking(out, usage);
    write_server_tools(out, usage);
    write_iterations(out, &usage.iterations);
    out.push(b'}');
}

fn write_member(out: &mut Vec<u8>, name: &[u8], number: u64) {
    out.extend_from_slice(name);
    write_number(out, number);
}

/// `{"input_tokens":…,"cache_creation":{…}`
fn write_prompt(out: &mut Vec<u8>, usage: &Usage, envelope: &Envelope) {
    write_counters(out, usage, envelope);
    if envelope.cache_creation {
        write_cache_creation(out, usage);
    }
}

/// `{"input_tokens":…,"cache_creation_input_tokens":…,"cache_read_input_tokens":…`
fn write_counters(out: &mut Vec<u8>, usage: &Usage, envelope: &Envelope) {
    write_member(out, br#"{"input_tokens":"#, usage.input_tokens);
    if envelope.cache_counters {
        let name = br#","cache_creation_input_tokens":"#;
        write_member(out, name, usage.cache_creation_tokens);
        let name = br#","cache_read_input_tokens":"#;
        write_member(out, name, usage.cache_read_tokens);
    }
}

fn write_cache_creation(out: &mut Vec<u8>, usage: &Usage) {
    let hour = usage.cache_creation_1h_tokens;
    let minutes = usage.cache_creation_tokens.saturating_sub(hour);
    let name = br#","cache_creation":{"ephemeral_5m_input_tokens":"#;
    write_member(out, name, minutes);
    write_member(out, br#","ephemeral_1h_input_tokens":"#, hour);
    out.push(b'}');
}

fn write_thinking(out: &mut Vec<u8>, usage: &Usage) {
    if let Some(tokens) = usage.thinking_tokens {
        let name = br#","output_tokens_details":{"thinking_tokens":"#;
        write_member(out, name, tokens);
        out.push(b'}');
    }
}

fn write_service(out: &mut Vec<u8>, said: &Said) {
    if said.extras.is_none() && said.envelope.inference_geo {
        // as nearly every answer has it
        out.extend_from_slice(br#","service_tier":"standard","inference_geo":"not_available""#);
        return;
    }
    for (name, value) in [
        (&br#","service_tier":"#[..], said.service_tier()),
        (br#","inference_geo":"#, said.inference_geo()),
    ] {
        if let Some(value) = value {
            out.extend_from_slice(name);
            write_str(out, value);
        }
    }
}

fn write_server_tools(out: &mut Vec<u8>, usage: &Usage) {
    let mut before: &[u8] = br#","server_tool_use":{"#;
    for (name, requests) in [
        (&br#""web_search_requests":"#[..], usage.web_search_requests),
        (br#""web_fetch_requests":"#, usage.web_fetch_requests),
    ] {
        if let Some(requests) = requests {
            out.extend_from_slice(before);
            write_member(out, name, requests);
            before = b",";
        }
    }
    if before == b"," {
        out.push(b'}');
    }
}

/// Nothing if there are none.
fn write_iterations(out: &mut Vec<u8>, iterations: &[Iteration]) {
    let mut before: &[u8] = br#","iterations":["#;
    for iteration in iterations {
        let usage = &iteration.usage;
        out.extend_from_slice(before);
        for (name, tokens) in [
            (&br#"{"input_tokens":"#[..], usage.input_tokens),
            (br#","output_tokens":"#, usage.output_tokens),
            (br#","cache_read_input_tokens":"#, usage.cache_read_tokens),
            (
                br#","cache_creation_input_tokens":"#,
                usage.cache_creation_tokens,
            ),
        ] {
            write_member(out, name, tokens);
        }
        write_cache_creation(out, usage);
        out.extend_from_slice(br#","type":"#);
        write_str(out, &iteration.kind);
        if let Some(model) = &iteration.model {
            out.extend_from_slice(br#","model":"#);
            write_str(out, model);
        }
        out.push(b'}');
        before = b",";
    }
    if !iterations.is_empty() {
        out.push(b']');
    }
}
