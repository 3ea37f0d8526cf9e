//! xAI, as recorded in 2026 of a Grok model that Azure serves: a stream with a tool call; and of its own service an error. The
//! body, thinking and text are those of its documentation.

use super::*;

pub(in super::super) static XAI: Row = Row {
    name: "xAI",
    base: "/v1",
    path: "/v1/chat/completions",
    model: "grok-4-1-fast-non-reasoning",
    id: &[Id::Uuid],
    call_id: &[Id::Text("call_"), Id::Digits(8)],
    fingerprint: Some(&[Id::Text("fp_"), Id::Base36(10)]),
    tier: Tier::Always("default"),
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Least,
    pad: Pad::None,
    comments: Comments::None,
    usage: UsageRow {
        at: UsageAt::OwnChunk,
        asked: UsageAsked::Needed,
        null: UsageNull::Never,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"completion_tokens":$completion,"total_tokens":$total,"prompt_tokens_details":{"text_tokens":$prompt,"audio_tokens":$audio_in,"image_tokens":0,"cached_tokens":$cached},"completion_tokens_details":{"reasoning_tokens":$reasoning_or_0,"audio_tokens":$audio_out,"accepted_prediction_tokens":$accepted,"rejected_prediction_tokens":$rejected},"num_sources_used":0,"cost_in_usd_ticks":0}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model,"choices":[$choice]$<,"usage":$usage$>,"system_fingerprint":$fingerprint$<,"service_tier":$tier$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"delta":$delta$<,"finish_reason":$finish_or_absent$>}"#,
        ),
        begin: [&[], &[], &[]],
        text: Template::new(r#"{$<$first"role":"assistant",$>"content":$text}"#),
        thinking: Some(Template::new(
            r#"{$<$first"role":"assistant",$>"reasoning_content":$text}"#,
        )),
        signature: None,
        refusal: None,
        annotations: None,
        finish: Template::new("{}"),
    },
    calls: Some(Calls {
        delta: Template::new(r#"{$<$first"role":"assistant",$>"tool_calls":[$calls]}"#),
        only: None,
        function: CallForm {
            item: Template::new(
                r#"{"id":$call_id,"function":{"name":$name,"arguments":$arguments},"index":$n,"type":"function"}"#,
            ),
            more: Template::new(""),
            whole: Template::new(
                r#"{"id":$call_id,"function":{"name":$name,"arguments":$arguments},"type":"function"}"#,
            ),
        },
        custom: None,
        chunks: CallChunks::Each,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"choices":[$choice],"usage":$usage,"system_fingerprint":$fingerprint$<,"service_tier":$tier$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$text$<,"reasoning_content":$thinking$>$<,"tool_calls":[$calls]$>,"refusal":null},"finish_reason":$finish}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream",
        json: "application/json",
        always: &[("x-request-id", "$uuid")],
        noise: &[("Cache-Control", "no-cache"), ("Server", "cloudflare")],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        // the key that is wrong is recorded; the other words of the member `code` are this crate's own
        shape: r#"{"code":$type,"error":$message}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        rows: &[
            coded(
                ErrorKind::Authentication,
                400,
                "invalid-argument",
                "",
                "Incorrect API key provided. You can obtain an API key from https://console.x.ai.",
            ),
            coded(
                ErrorKind::NotFound,
                404,
                "not-found",
                "",
                "The model {model} does not exist or your team does not have access to it.",
            ),
            coded(
                ErrorKind::RateLimited,
                429,
                "resource-exhausted",
                "",
                "Too many requests: your team has used up its rate limit.",
            ),
        ],
        stream: StreamError {
            name: None,
            shape: r#"{"code":$type,"error":$message}"#,
            done: Done::No,
        },
    }),
    rules: RulesOf::KeyAndBody,
};
