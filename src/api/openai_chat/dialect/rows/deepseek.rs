//! DeepSeek, as recorded in 2026: streams, and two errors. The body is that of its documentation.

use super::*;

pub(in super::super) static DEEPSEEK: Row = Row {
    name: "DeepSeek",
    base: "",
    path: "/chat/completions",
    model: "deepseek-v4-pro",
    id: &[Id::Uuid],
    call_id: &[Id::Text("call_"), Id::Number, Id::Text("_"), Id::Base62(24)],
    fingerprint: Some(&[
        Id::Text("fp_"),
        Id::Hex(10),
        Id::Text("_prod0820_fp8_kvcache_20260402"),
    ]),
    tier: Tier::Never,
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Least,
    pad: Pad::None,
    comments: Comments::WhileWaiting {
        text: "keep-alive",
        in_body: "\n",
    },
    usage: UsageRow {
        at: UsageAt::WithFinish,
        asked: UsageAsked::No,
        null: UsageNull::Always,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"completion_tokens":$completion,"total_tokens":$total,"prompt_tokens_details":{"cached_tokens":$cached}$<,"completion_tokens_details":{"reasoning_tokens":$reasoning}$>,"prompt_cache_hit_tokens":$cached,"prompt_cache_miss_tokens":$missed}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model,"system_fingerprint":$fingerprint,"choices":[$choice]$<,"usage":$usage$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"delta":$delta,"logprobs":$logprobs,"finish_reason":$finish}"#,
        ),
        begin: [
            &[r#"{"role":"assistant","content":""}"#],
            &[r#"{"role":"assistant","content":null,"reasoning_content":""}"#],
            &[r#"{"role":"assistant","content":""}"#],
        ],
        text: Template::new(r#"{"content":$text$<,"reasoning_content":null$thinks$>}"#),
        thinking: Some(Template::new(
            r#"{"content":null,"reasoning_content":$text}"#,
        )),
        signature: None,
        refusal: None,
        annotations: None,
        finish: Template::new(r#"{"content":""$<,"reasoning_content":null$thinks$>}"#),
    },
    calls: Some(Calls {
        delta: Template::new(r#"{"tool_calls":[$calls]}"#),
        only: None,
        function: CallForm {
            item: Template::new(
                r#"{"index":$n,"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
            more: Template::new(r#"{"index":$n,"function":{"arguments":$arguments}}"#),
            whole: Template::new(
                r#"{"index":$n,"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
        },
        custom: None,
        chunks: CallChunks::Fragments,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"choices":[$choice],"usage":$usage,"system_fingerprint":$fingerprint}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$text$<,"reasoning_content":$thinking$>$<,"tool_calls":[$calls]$>},"logprobs":$logprobs,"finish_reason":$finish}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream; charset=utf-8",
        json: "application/json",
        always: &[("X-Ds-Trace-Id", "$hex32")],
        noise: &[
            ("Cache-Control", "no-cache"),
            ("Server", "elb"),
            (
                "Vary",
                "origin, access-control-request-method, access-control-request-headers",
            ),
            ("Access-Control-Allow-Credentials", "true"),
            (
                "Strict-Transport-Security",
                "max-age=31536000; includeSubDomains; preload",
            ),
            ("X-Content-Type-Options", "nosniff"),
        ],
    }),
    errors: Some(ErrorTable {
        without_key: Some("Authentication Fails (auth header format should be Bearer sk-...)"),
        shape: r#"{"error":{"message":$message,"type":$type,"param":$param,"code":$code}}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        // 401 and the long prompt are recorded, its content type too; without a key: cohesion-org/deepseek-go#9; the balance is in
        // public reports, the statuses are documented; the last three say what the documentation calls them
        rows: &[
            coded(
                ErrorKind::Authentication,
                401,
                "authentication_error",
                "invalid_request_error",
                "Authentication Fails, Your api key: ****{key} is invalid",
            ),
            ErrorRow {
                content_type: Some("application/octet-stream"),
                ..coded(
                    ErrorKind::ContextOverflow,
                    400,
                    "invalid_request_error",
                    "invalid_request_error",
                    "This model's maximum context length is 131072 tokens. However, you requested 200001 tokens (200001 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
                )
            },
            ErrorRow {
                content_type: Some("application/octet-stream"),
                ..coded(
                    ErrorKind::ContextOverflowWithOutput,
                    400,
                    "invalid_request_error",
                    "invalid_request_error",
                    "This model's maximum context length is 131072 tokens. However, you requested 138240 tokens (121856 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.",
                )
            },
            // the content type is that of SaladDay/cc-switch-cli#170
            ErrorRow {
                by_code: true,
                content_type: Some("application/octet-stream"),
                ..coded(
                    ErrorKind::InvalidRequest,
                    400,
                    "invalid_request_error",
                    "invalid_request_error",
                    "The `reasoning_content` in the thinking mode must be passed back to the API.",
                )
            },
            coded(
                ErrorKind::CreditTooLow,
                402,
                "unknown_error",
                "invalid_request_error",
                "Insufficient Balance",
            ),
            coded(
                ErrorKind::NotFound,
                400,
                "invalid_request_error",
                "invalid_request_error",
                "Model Not Exist",
            ),
            uncoded(ErrorKind::RateLimited, 429, "Rate Limit Reached"),
            uncoded(ErrorKind::Internal, 500, "Server Error"),
            uncoded(ErrorKind::Overloaded, 503, "Server Overloaded"),
        ],
        stream: StreamError {
            name: None,
            shape: r#"{"error":{"message":$message,"type":$type,"param":$param,"code":$code}}"#,
            done: Done::No,
        },
    }),
    rules: RulesOf::KeyBodyAndReasoning,
};
