//! Perplexity, as recorded in 2026: a stream. The body is that of its documentation. Sources and costs are made up.

use super::*;

macro_rules! found {
    () => {
        r#""citations":["https://example.com/a"],"search_results":[{"title":"An example","url":"https://example.com/a","date":"2025-06-10","last_updated":"2026-06-08","snippet":"An example of a page.","source":"web"}]"#
    };
}

pub(in super::super) static PERPLEXITY: Row = Row {
    name: "Perplexity",
    base: "",
    path: "/chat/completions",
    model: "sonar",
    id: &[Id::Uuid],
    call_id: &[],
    fingerprint: None,
    tier: Tier::Never,
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::CrLf,
    escapes: Escapes::Least,
    pad: Pad::None,
    comments: Comments::WhileWaiting {
        text: "ping - 2026-08-19 14:34:12.737080",
        in_body: "",
    },
    usage: UsageRow {
        at: UsageAt::EveryChunk,
        asked: UsageAsked::No,
        null: UsageNull::Never,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"completion_tokens":$<$completion_so_far$unbilled$>$<$completion$bill$>,"total_tokens":$<$total_so_far$unbilled$>$<$total$bill$>,"search_context_size":"low","cost":{"input_tokens_cost":$<0$unbilled$>$<$cost_in$bill$>,"output_tokens_cost":$<0$unbilled$>$<$cost_out$bill,"request_cost":0.005$>,"total_cost":$<0$unbilled$>$<0.00501$bill$>}}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::No,
    stream: Stream {
        prelude: None,
        chunk: Template::new(concat!(
            r#"{"id":$id,"model":$model,"created":$created,"usage":$usage,"#,
            found!(),
            r#","object":"chat.completion.$<chunk$unbilled$>$<done$bill$>","choices":[$choice]}"#
        )),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$so_far},"delta":$delta$<,"finish_reason":$finish_or_absent$>}"#,
        ),
        begin: [&[], &[], &[]],
        text: Template::new(r#"{"role":"assistant","content":$text}"#),
        thinking: None,
        signature: None,
        refusal: None,
        annotations: None,
        finish: Template::new(r#"{"role":"assistant","content":""}"#),
    },
    calls: None,
    body: Body {
        whole: Template::new(concat!(
            r#"{"id":$id,"model":$model,"created":$created,"usage":$usage,"#,
            found!(),
            r#","object":"chat.completion","choices":[$choice]}"#
        )),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$text},"delta":{"role":"assistant","content":""},"finish_reason":$finish}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream; charset=utf-8",
        json: "application/json",
        always: &[],
        noise: &[
            ("Server", "cloudflare"),
            ("Cache-Control", "no-cache"),
            ("X-Ppl-Region", "us-east-1"),
            (
                "Strict-Transport-Security",
                "max-age=15552000; includeSubDomains; preload",
            ),
            ("Cf-Cache-Status", "DYNAMIC"),
        ],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        // the shape is recorded, its words are not
        shape: r#"{"error":{"message":$message,"type":$type,"code":$status}}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        rows: &[coded(
            ErrorKind::Authentication,
            401,
            "invalid_api_key",
            "invalid_api_key",
            "Invalid API key provided.",
        )],
        stream: StreamError {
            name: None,
            shape: r#"{"error":{"message":$message,"type":$type,"code":$status}}"#,
            done: Done::No,
        },
    }),
    rules: RulesOf::KeyAndBody,
};
