//! Mistral, as recorded in 2026: a stream that thinks, one that calls a tool, an error. The body is that of its
//! documentation. Recorded, and not written: the chunk in which thinking ends and text begins.

use super::*;

pub(in super::super) static MISTRAL: Row = Row {
    name: "Mistral",
    base: "/v1",
    path: "/v1/chat/completions",
    model: "mistral-small-latest",
    id: &[Id::Hex(32)],
    call_id: &[Id::Base62(9)],
    fingerprint: None,
    tier: Tier::Always("standard"),
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Least,
    pad: Pad::Alphabet,
    comments: Comments::None,
    usage: UsageRow {
        at: UsageAt::WithFinish,
        asked: UsageAsked::No,
        null: UsageNull::Never,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"total_tokens":$total,"completion_tokens":$completion,"prompt_tokens_details":{"cached_tokens":$cached},"service_tier":$tier}"#,
        ),
    },
    finish: FinishAt::WithLast,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model,"choices":[$choice]$<,"usage":$usage$>$<,"p":"$pad"$>}"#,
        ),
        choice: Template::new(r#"{"index":$index,"delta":$delta,"finish_reason":$finish}"#),
        begin: [
            &[r#"{"role":"assistant","content":""}"#],
            &[r#"{"role":"assistant","content":""}"#, r#"{"content":""}"#],
            &[r#"{"role":"assistant","content":""}"#],
        ],
        text: Template::new(r#"{"content":$text}"#),
        thinking: Some(Template::new(
            r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":$text}]$<,"closed":true$later$>}]}"#,
        )),
        signature: None,
        refusal: None,
        annotations: None,
        finish: Template::new(r#"{"content":""}"#),
    },
    calls: Some(Calls {
        delta: Template::new(r#"{"tool_calls":[$calls]}"#),
        only: None,
        function: CallForm {
            item: Template::new(
                r#"{"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments},"index":$n}"#,
            ),
            more: Template::new(""),
            whole: Template::new(
                r#"{"id":$call_id,"function":{"name":$name,"arguments":$arguments},"index":$n}"#,
            ),
        },
        custom: None,
        chunks: CallChunks::All,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"created":$created,"model":$model,"usage":$usage,"object":"chat.completion","choices":[$choice]}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"finish_reason":$finish,"message":{"role":"assistant","tool_calls":$calls_or_null,"content":$<$thinks[{"type":"thinking","thinking":[{"type":"text","text":$thinking}]},{"type":"text","text":$text}]$>$<$unthinking$text$>}}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream; charset=utf-8",
        json: "application/json",
        always: &[("Mistral-Correlation-Id", "$uuid")],
        noise: &[
            ("X-Max-Retry-Attempts-Reached", "false"),
            ("X-Envoy-Upstream-Service-Time", "173"),
            ("Server", "cloudflare"),
            ("Access-Control-Allow-Origin", "*"),
            ("X-Kong-Upstream-Latency", "174"),
            ("X-Kong-Proxy-Latency", "28"),
            ("Cf-Cache-Status", "DYNAMIC"),
            (
                "Strict-Transport-Security",
                "max-age=15552000; includeSubDomains; preload",
            ),
            ("X-Content-Type-Options", "nosniff"),
            ("Alt-Svc", "h3=\":443\"; ma=86400"),
        ],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        shape: r#"{"object":"error","message":$message,"type":$type,"param":$param,"code":$code}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        // 401 is recorded; the shape of the others is in public reports
        rows: &[
            ErrorRow {
                shape: Some("{\"detail\":$message}\n"),
                ..uncoded(ErrorKind::Authentication, 401, "Invalid API Key")
            },
            coded(
                ErrorKind::RateLimited,
                429,
                "rate_limited",
                "1300",
                "Rate limit exceeded",
            ),
            coded(
                ErrorKind::NotFound,
                400,
                "invalid_model",
                "1500",
                "Invalid model: {model}",
            ),
            ErrorRow {
                shape: Some(
                    r#"{"object":"error","message":{"detail":[{"type":"value_error","loc":["body"],"msg":$message}]},"type":"invalid_request_error","param":$param,"code":$code}"#,
                ),
                ..uncoded(ErrorKind::Status(422), 422, "Value error")
            },
        ],
        stream: StreamError {
            name: None,
            shape: r#"{"object":"error","message":$message,"type":$type,"param":$param,"code":$code}"#,
            done: Done::No,
        },
    }),
    rules: RulesOf::KeyAndBody,
};
