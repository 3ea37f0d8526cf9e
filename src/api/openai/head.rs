//! Response headers, in the service's own spelling.
//!
//! Known from traffic: the names and their case over HTTP/1.1, as one recorder kept them. Their order is not
//! known. The values are made up: the date stands still, limits never run down.

use super::HEAD;
use crate::api::{Context, Form, Head, Ids};

/// Headers of an answer that succeeds.
pub(crate) fn head(form: Form, context: &Context) -> Head {
    let content_type = match form {
        Form::Stream => "text/event-stream; charset=utf-8",
        Form::Json => "application/json",
    };
    let mut head = common(200, content_type, context);
    if !context.plain {
        push_all(&mut head, ACCOUNT);
        push_all(&mut head, LIMITS);
        push_noise(&mut head, context);
    }
    head
}

/// Headers of an error. An unknown key belongs to no organisation.
pub(super) fn error_head(
    status: u16,
    content_type: &'static str,
    limit: TokenLimit,
    context: &Context,
) -> Head {
    let mut head = common(status, content_type, context);
    if !context.plain {
        if status != 401 {
            push_all(&mut head, ACCOUNT);
        }
        if status == 429 {
            push_all(&mut head, LIMITS);
        }
        if limit == TokenLimit::Reached {
            for (name, value) in TOKENS_USED {
                head.remove(name);
                head.push(*name, *value);
            }
        }
        push_noise(&mut head, context);
    }
    head
}

/// Whether the limit on tokens is what an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenLimit {
    Left,
    Reached,
}

fn common(status: u16, content_type: &'static str, context: &Context) -> Head {
    let mut head = Head {
        status,
        headers: Vec::with_capacity(32),
    };
    head.push("Date", "Wed, 19 Aug 2026 14:34:12 GMT");
    head.push("Content-Type", content_type);
    head.push("x-request-id", Ids::new(context.seed, HEAD).hex("req_", 32));
    head
}

fn push_noise(head: &mut Head, context: &Context) {
    push_all(head, NOISE);
    let mut ids = Ids::new(context.seed, HEAD ^ u64::MAX);
    head.push("CF-RAY", ids.hex("", 16) + "-FRA");
    head.push("set-cookie", cookie(ids.base62("__cf_bm=", 43)));
    head.push("set-cookie", cookie(ids.base62("_cfuvid=", 43)));
}

fn cookie(value: String) -> String {
    value + "; path=/; HttpOnly; Secure; SameSite=None"
}

fn push_all(head: &mut Head, headers: &[(&'static str, &'static str)]) {
    for (name, value) in headers {
        head.push(*name, *value);
    }
}

const ACCOUNT: &[(&str, &str)] = &[
    ("openai-organization", "org-7dTqKcVx2mWbRfYhZ4sLp9Na"),
    ("openai-processing-ms", "228"),
    ("openai-project", "proj_k3HnVbQy8RtLwXcZ5mDfJs6P"),
    ("openai-version", "2020-10-01"),
    ("x-envoy-upstream-service-time", "241"),
];

const LIMITS: &[(&str, &str)] = &[
    ("x-ratelimit-limit-requests", "10000"),
    ("x-ratelimit-limit-tokens", "10000000"),
    ("x-ratelimit-remaining-requests", "9999"),
    ("x-ratelimit-remaining-tokens", "9999993"),
    ("x-ratelimit-reset-requests", "6ms"),
    ("x-ratelimit-reset-tokens", "0s"),
];

/// What is otherwise where the limit of the 429's text is reached: all of a minute's tokens are used, so that they are
/// there again in a minute, and those of the request in the time that the text says.
const TOKENS_USED: &[(&str, &str)] = &[
    ("x-ratelimit-limit-tokens", "200000"),
    ("x-ratelimit-remaining-tokens", "0"),
    ("x-ratelimit-reset-tokens", "1m0s"),
];

const NOISE: &[(&str, &str)] = &[
    ("x-openai-proxy-wasm", "v0.1"),
    ("access-control-expose-headers", "X-Request-ID"),
    ("X-Content-Type-Options", "nosniff"),
    (
        "Strict-Transport-Security",
        "max-age=31536000; includeSubDomains; preload",
    ),
    ("alt-svc", "h3=\":443\"; ma=86400"),
    ("cf-cache-status", "DYNAMIC"),
    ("Server", "cloudflare"),
];
