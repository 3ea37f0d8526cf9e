//! OpenRouter, as recorded in 2026 of a model of Anthropic's: a stream with a tool call, one that fails, an error. What
//! a body looks like, text with annotations and signed thinking are in public reports. Provider, price and cost are made up.

use super::*;

pub(in super::super) static OPENROUTER: Row = Row {
    name: "OpenRouter",
    base: "/api/v1",
    path: "/api/v1/chat/completions",
    model: "anthropic/claude-4.5-haiku-20251001",
    id: &[Id::Text("gen-"), Id::Created, Id::Text("-"), Id::Base62(20)],
    call_id: &[Id::Text("toolu_bdrk_01"), Id::Base58(22)],
    fingerprint: None,
    tier: Tier::IfScripted,
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Least,
    pad: Pad::None,
    comments: Comments::Often("OPENROUTER PROCESSING"),
    usage: UsageRow {
        at: UsageAt::AgainWithFinish,
        asked: UsageAsked::No,
        null: UsageNull::Never,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"completion_tokens":$completion,"total_tokens":$total,"cost":$cost,"is_byok":false,"prompt_tokens_details":{"cached_tokens":$cached,"cache_write_tokens":$written_or_0,"audio_tokens":$audio_in,"video_tokens":0},"cost_details":{"upstream_inference_cost":$cost,"upstream_inference_prompt_cost":$cost_in,"upstream_inference_completions_cost":$cost_out},"completion_tokens_details":{"reasoning_tokens":$reasoning_or_0,"image_tokens":0,"audio_tokens":$audio_out}}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: ["end_turn", "tool_use", "max_tokens"],
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model,"provider":"Amazon Bedrock"$<,"service_tier":$tier_or_null$bill$>,"choices":[$choice]$<,"usage":$usage$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"delta":$delta,"finish_reason":$finish,"native_finish_reason":$native}"#,
        ),
        begin: [&[], &[], &[]],
        text: Template::new(r#"{"content":$text,"role":"assistant"}"#),
        thinking: Some(Template::new(
            r#"{"content":"","role":"assistant","reasoning":$text,"reasoning_details":[{"type":"reasoning.text","text":$text,"format":"anthropic-claude-v1","index":0}]}"#,
        )),
        signature: Some(Template::new(
            r#"{"content":"","role":"assistant","reasoning_details":[{"type":"reasoning.text","signature":$signature,"format":"anthropic-claude-v1","index":0}]}"#,
        )),
        refusal: None,
        annotations: Some(Template::new(
            r#"{"content":"","role":"assistant","annotations":$annotations}"#,
        )),
        finish: Template::new(r#"{"content":"","role":"assistant"}"#),
    },
    calls: Some(Calls {
        delta: Template::new(r#"{"content":null,"role":"assistant","tool_calls":[$calls]}"#),
        only: None,
        function: CallForm {
            item: Template::new(
                r#"{"index":$n,"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
            more: Template::new(r#"{"index":$n,"function":{"arguments":$arguments}}"#),
            whole: Template::new(
                r#"{"type":"function","index":$n,"id":$call_id,"function":{"name":$name,"arguments":$arguments}}"#,
            ),
        },
        custom: None,
        chunks: CallChunks::Fragments,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"provider":"Amazon Bedrock","service_tier":$tier_or_null,"choices":[$choice],"usage":$usage}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$text_or_null,"refusal":null$<,"reasoning":$thinking,"reasoning_details":[{"type":"reasoning.text","text":$thinking$signed,"format":"anthropic-claude-v1","index":0}]$>$<,"tool_calls":[$calls]$>$<,"annotations":$annotations_or_absent$>},"finish_reason":$finish,"native_finish_reason":$native}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream",
        json: "application/json",
        always: &[("X-Generation-Id", "$id")],
        noise: &[
            ("Access-Control-Allow-Origin", "*"),
            ("Cache-Control", "no-cache"),
            ("Access-Control-Expose-Headers", "X-Generation-Id,cf-ray"),
            (
                "Referrer-Policy",
                "no-referrer, strict-origin-when-cross-origin",
            ),
            ("X-Content-Type-Options", "nosniff"),
            ("Server", "cloudflare"),
        ],
    }),
    errors: Some(ErrorTable {
        without_key: Some("Missing Authentication header"),
        shape: r#"{"error":{"message":$message,"code":$status}}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        // that without a key is recorded; a wrong key: apurvsinghgautam/robin#103; the others are in public reports
        rows: &[
            uncoded(ErrorKind::Authentication, 401, "User not found."),
            uncoded(
                ErrorKind::CreditTooLow,
                402,
                "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
            ),
            upstream(
                ErrorKind::RateLimited,
                429,
                "{model} is temporarily rate-limited upstream. Please retry shortly.",
            ),
            upstream(ErrorKind::Internal, 502, "Internal server error"),
            upstream(ErrorKind::Overloaded, 503, "Overloaded"),
        ],
        stream: StreamError {
            name: None,
            shape: r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model,"provider":"Amazon Bedrock","error":{"code":$status,"message":$message},"choices":[{"index":0,"delta":{"content":"","role":"assistant"},"finish_reason":null,"native_finish_reason":null}]}"#,
            done: Done::Yes,
        },
    }),
    rules: RulesOf::KeyAndBody,
};

/// An error of the provider behind.
const fn upstream(kind: ErrorKind, status: u16, message: &'static str) -> ErrorRow {
    ErrorRow {
        shape: Some(
            r#"{"error":{"message":"Provider returned error","code":$status,"metadata":{"provider_name":"Amazon Bedrock","raw":$message}},"user_id":"user_2pXkVbQ7mLwRtZcY4dNfHs8JgAe"}"#,
        ),
        ..uncoded(kind, status, message)
    }
}
