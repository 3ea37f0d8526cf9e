//! Groq, as recorded in 2026 of `gpt-oss`: a stream that thinks and calls a tool, and one that fails. The body is that of its
//! documentation. Times are made up.

use super::*;

pub(in super::super) static GROQ: Row = Row {
    name: "Groq",
    base: "/openai/v1",
    path: "/openai/v1/chat/completions",
    model: "openai/gpt-oss-120b",
    id: &[Id::Text("chatcmpl-"), Id::Uuid],
    call_id: &[Id::Text("fc_"), Id::Uuid],
    fingerprint: Some(&[Id::Text("fp_"), Id::Hex(10)]),
    tier: Tier::Never,
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Html,
    pad: Pad::None,
    comments: Comments::None,
    usage: UsageRow {
        at: UsageAt::WithFinish,
        asked: UsageAsked::No,
        null: UsageNull::Never,
        template: Template::new(
            r#"{"queue_time":0.00491786,"prompt_tokens":$prompt,"prompt_time":0.01460151,"completion_tokens":$completion,"completion_time":0.11216431,"total_tokens":$total,"total_time":0.12676582$<,"prompt_tokens_details":{"cached_tokens":$cached_if_any}$>$<,"completion_tokens_details":{"reasoning_tokens":$reasoning}$>}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model,"system_fingerprint":$fingerprint,"choices":[$choice]$<,"x_groq":{"id":$request_id$first,"seed":$seed}$>$<,"x_groq":{"id":$request_id$bill,"usage":$usage},"usage":$usage$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"delta":$delta,"logprobs":$logprobs,"finish_reason":$finish}"#,
        ),
        begin: [
            &[r#"{"role":"assistant","content":""}"#],
            &[r#"{"role":"assistant","content":""}"#],
            &[r#"{"role":"assistant","content":""}"#],
        ],
        text: Template::new(r#"{"content":$text}"#),
        thinking: Some(Template::new(r#"{"reasoning":$text,"channel":"analysis"}"#)),
        signature: None,
        refusal: None,
        annotations: None,
        finish: Template::new("{}"),
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
                r#"{"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
        },
        custom: None,
        chunks: CallChunks::Each,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"choices":[$choice],"usage":$usage,"usage_breakdown":null,"system_fingerprint":$fingerprint,"x_groq":{"id":$request_id,"seed":$seed}}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant"$<,"content":$text$texts$>$<,"reasoning":$thinking$>$<,"tool_calls":[$calls]$>},"logprobs":$logprobs,"finish_reason":$finish}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream",
        json: "application/json",
        always: &[("x-request-id", "$request_id")],
        noise: &[
            ("cache-control", "no-cache"),
            ("vary", "Origin"),
            ("strict-transport-security", "max-age=15552000"),
            ("alt-svc", "h3=\":443\"; ma=86400"),
            ("x-ratelimit-limit-requests", "14400"),
            ("x-ratelimit-limit-tokens", "18000"),
            ("x-ratelimit-remaining-requests", "14370"),
            ("x-ratelimit-remaining-tokens", "17997"),
            ("x-ratelimit-reset-requests", "2m59.56s"),
            ("x-ratelimit-reset-tokens", "7.66s"),
        ],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        shape: r#"{"error":{"message":$message,"type":$type$<,"code":$code_if_any$>}}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        // the shape is recorded; the words are in public reports
        rows: &[
            coded(
                ErrorKind::Authentication,
                401,
                "invalid_request_error",
                "invalid_api_key",
                "Invalid API Key",
            ),
            coded(
                ErrorKind::RateLimited,
                429,
                "tokens",
                "rate_limit_exceeded",
                "Rate limit reached for model `{model}` in organization `org_01hq3v8n5kf2yb7x4dm6twzr9c` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Used 7412, Requested 1026. Please try again in 3.285s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
            ),
            uncoded(ErrorKind::Internal, 500, "Internal Server Error"),
            // recorded; `.error_code("tool_use_failed")` chooses it
            ErrorRow {
                by_code: true,
                shape: Some(
                    r#"{"error":{"message":$message,"type":$type,"code":$code,"failed_generation":""}}"#,
                ),
                in_stream: Some(
                    r#"{"error":{"message":$message,"type":$type,"code":$code,"failed_generation":"","status_code":$status}}"#,
                ),
                ..coded(
                    ErrorKind::InvalidRequest,
                    400,
                    "invalid_request_error",
                    "tool_use_failed",
                    "Tool choice is required, but model did not call a tool",
                )
            },
        ],
        stream: StreamError {
            name: Some("error"),
            shape: r#"{"error":{"message":$message,"type":$type$<,"code":$code_if_any$>,"status_code":$status}}"#,
            done: Done::No,
        },
    }),
    rules: RulesOf::KeyAndBody,
};
