//! Together, as recorded in 2026: a stream of text. Tool calls, the body and errors are those of its documentation.

use super::*;

pub(in super::super) static TOGETHER: Row = Row {
    name: "Together",
    base: "/v1",
    path: "/v1/chat/completions",
    model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    id: &[
        Id::Text("o"),
        Id::Base62(6),
        Id::Text("-"),
        Id::Base62(6),
        Id::Text("-"),
        Id::Hex(16),
    ],
    call_id: &[Id::Text("call_"), Id::Base36(24)],
    fingerprint: None,
    tier: Tier::Never,
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Least,
    pad: Pad::None,
    comments: Comments::None,
    usage: UsageRow {
        at: UsageAt::WithFinish,
        asked: UsageAsked::No,
        null: UsageNull::Always,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"completion_tokens":$completion,"total_tokens":$total,"cached_tokens":$cached}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"choices":[$choice],"model":$model$<,"usage":$usage$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"text":$said,"logprobs":null,"finish_reason":$finish,"seed":$<$seed$stops$>$<null$goes_on$>,"delta":$delta}"#,
        ),
        begin: [&[], &[], &[]],
        text: Template::new(r#"{"token_id":$token,"role":"assistant","content":$text}"#),
        thinking: Some(Template::new(
            r#"{"token_id":$token,"role":"assistant","content":"","reasoning":$text}"#,
        )),
        signature: None,
        refusal: None,
        annotations: None,
        finish: Template::new(r#"{"token_id":$token,"role":"assistant","content":""}"#),
    },
    calls: Some(Calls {
        delta: Template::new(
            r#"{"token_id":$token,"role":"assistant","content":"","tool_calls":[$calls]}"#,
        ),
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
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"prompt":[],"choices":[$choice],"usage":$usage}"#,
        ),
        choice: Template::new(
            r#"{"finish_reason":$finish,"seed":$seed,"logprobs":null,"index":$index,"message":{"role":"assistant","content":$text,"tool_calls":[$calls_or_nothing]$<,"reasoning":$thinking$>}}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream;charset=utf-8",
        json: "application/json",
        always: &[("x-request-id", "$uuid")],
        noise: &[("Server", "cloudflare")],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        shape: r#"{"id":$id,"error":{"message":$message,"type":$type,"param":$param,"code":$code}}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        rows: &[coded(
            ErrorKind::Authentication,
            401,
            "invalid_request_error",
            "invalid_api_key",
            "Invalid API key provided. You can find your API key at https://api.together.ai/settings/api-keys.",
        )],
        stream: StreamError {
            name: None,
            shape: r#"{"error":{"message":$message,"type":$type,"param":$param,"code":$code}}"#,
            done: Done::Yes,
        },
    }),
    rules: RulesOf::KeyAndBody,
};
