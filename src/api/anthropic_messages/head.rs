//! Response headers, in the service's own spelling.
//!
//! Known from traffic: the names and their case over HTTP/1.1. Their order is not (the recorders did not
//! keep it). The values are made up: the date stands still, limits never run down.

use super::purpose;
use crate::api::{Context, Document, Form, Head, Ids};

/// Headers of an answer that succeeds.
pub(crate) fn head(form: Form, context: &Context) -> Head {
    let mut head = common(200, context);
    match form {
        Form::Stream => {
            head.push("Content-Type", "text/event-stream; charset=utf-8");
            head.push("Cache-Control", "no-cache");
        }
        Form::Json => head.push("Content-Type", "application/json"),
    }
    if !context.plain {
        push_limits(&mut head);
        push_account(&mut head);
        push_noise(&mut head, context);
    }
    head
}

/// Status, headers and body of what a side road answers.
pub(crate) fn document_answer(document: Document, context: &Context) -> (Head, Vec<u8>) {
    let mut head = head(Form::Json, context);
    match document {
        Document::Json(body) => (head, body),
        Document::JsonLines(body) => {
            head.remove("content-type");
            head.push("Content-Type", "application/x-jsonl");
            (head, body)
        }
    }
}

/// Headers of an error. An unknown key belongs to no organisation; recorded 400s have no limits.
pub(super) fn error_head(status: u16, context: &Context) -> Head {
    let mut head = common(status, context);
    head.push("Content-Type", "application/json");
    if !context.plain {
        if status == 429 {
            push_limits(&mut head);
            for (name, value) in LIMITS_REACHED {
                head.remove(name);
                head.push(*name, *value);
            }
        }
        if status != 401 {
            push_account(&mut head);
        }
        push_noise(&mut head, context);
    }
    head
}

/// The id of this exchange; the header and an error's body name the same one.
pub(super) fn request_id(context: &Context) -> String {
    Ids::new(context.seed, purpose::HEAD).base58("req_011C", 20)
}

fn common(status: u16, context: &Context) -> Head {
    let mut head = Head {
        status,
        headers: Vec::with_capacity(32),
    };
    head.push("Date", "Wed, 19 Aug 2026 14:34:12 GMT");
    head.push("request-id", request_id(context));
    head
}

fn push_limits(head: &mut Head) {
    for (name, value) in LIMITS {
        head.push(*name, *value);
    }
}

fn push_account(head: &mut Head) {
    head.push(
        "anthropic-organization-id",
        "3f1c0a52-7d0e-4b7e-9a65-0c4f7e21b8d4",
    );
    head.push("anthropic-workspace-id", "wrkspc_01A7sJcQGmTqRzWvKx2NfYbD");
}

fn push_noise(head: &mut Head, context: &Context) {
    let mut ids = Ids::new(context.seed, purpose::HEAD ^ u64::MAX);
    let trace = format!("{}{}", ids.hex("00-", 32), ids.hex("-", 16));
    head.push("traceresponse", trace + "-01");
    for (name, value) in NOISE {
        head.push(*name, *value);
    }
    head.push("CF-RAY", ids.hex("", 16) + "-FRA");
}

const LIMITS: &[(&str, &str)] = &[
    ("anthropic-ratelimit-requests-limit", "10000"),
    ("anthropic-ratelimit-requests-remaining", "9999"),
    ("anthropic-ratelimit-requests-reset", "2026-08-19T14:34:11Z"),
    ("anthropic-ratelimit-input-tokens-limit", "10000000"),
    ("anthropic-ratelimit-input-tokens-remaining", "10000000"),
    (
        "anthropic-ratelimit-input-tokens-reset",
        "2026-08-19T14:34:11Z",
    ),
    ("anthropic-ratelimit-output-tokens-limit", "2000000"),
    ("anthropic-ratelimit-output-tokens-remaining", "2000000"),
    (
        "anthropic-ratelimit-output-tokens-reset",
        "2026-08-19T14:34:11Z",
    ),
    ("anthropic-ratelimit-tokens-limit", "12000000"),
    ("anthropic-ratelimit-tokens-remaining", "12000000"),
    ("anthropic-ratelimit-tokens-reset", "2026-08-19T14:34:11Z"),
];

/// What is otherwise where the limit of the 429's text is reached.
const LIMITS_REACHED: &[(&str, &str)] = &[
    ("anthropic-ratelimit-input-tokens-limit", "50000"),
    ("anthropic-ratelimit-input-tokens-remaining", "0"),
    (
        "anthropic-ratelimit-input-tokens-reset",
        "2026-08-19T14:35:12Z",
    ),
    ("anthropic-ratelimit-tokens-limit", "2050000"),
    ("anthropic-ratelimit-tokens-remaining", "2000000"),
];

const NOISE: &[(&str, &str)] = &[
    (
        "strict-transport-security",
        "max-age=31536000; includeSubDomains; preload",
    ),
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    ),
    ("vary", "Accept-Encoding"),
    ("x-robots-tag", "none"),
    ("cf-cache-status", "DYNAMIC"),
    ("Server", "cloudflare"),
];
