//! Azure OpenAI, as recorded in 2026: a stream of text and two errors; the key that is wrong and the filtered prompt are in
//! public reports. Tool calls, thinking of the order of their members: as the rest, by the alphabet. Times are made up.

use super::*;

const SAFE: &str = r#"{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"detected":false,"filtered":false},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}]}"#;

pub(in super::super) static AZURE: Row = Row {
    name: "Azure OpenAI",
    base: "/openai/v1",
    path: "/openai/deployments/{name}/chat/completions",
    model: crate::api::openai::DEFAULT_MODEL,
    id: &[Id::Text("chatcmpl-"), Id::Base62(29)],
    call_id: &[Id::Text("call_"), Id::Base62(24)],
    fingerprint: Some(&[Id::Text("fp_"), Id::Hex(10)]),
    tier: Tier::ByModel,
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Least,
    pad: Pad::UpTo15,
    comments: Comments::None,
    usage: UsageRow {
        at: UsageAt::OwnChunk,
        asked: UsageAsked::Needed,
        null: UsageNull::IfAsked,
        template: Template::new(
            r#"{"completion_tokens":$completion,"completion_tokens_details":{"accepted_prediction_tokens":$accepted,"audio_tokens":$audio_out,"reasoning_tokens":$reasoning_or_0,"rejected_prediction_tokens":$rejected},"prompt_tokens":$prompt,"prompt_tokens_details":{"audio_tokens":$audio_in$<,"cache_write_tokens":$written$>,"cached_tokens":$cached},"total_tokens":$total}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: Some(SAFE),
        chunk: Template::new(
            r#"{"choices":[$choice],"created":$created,"id":$id$<,"latency_checkpoint":{"engine_tbt_ms":10,"engine_ttft_ms":80,"engine_ttlt_ms":320,"pre_inference_ms":82,"service_tbt_ms":10,"service_ttft_ms":664,"service_ttlt_ms":886,"total_duration_ms":811,"user_visible_ttft_ms":582}$bill$>,"model":$model$<,"moderation":$moderation$>$<,"obfuscation":"$pad"$>,"object":"chat.completion.chunk"$<,"service_tier":$tier$>,"system_fingerprint":$fingerprint$<,"usage":$usage$>}"#,
        ),
        choice: Template::new(
            r#"{"content_filter_results":{$<"protected_material_text":{"detected":false,"filtered":false}$says$>},"delta":$delta,"finish_reason":$finish,"index":$index$<,"logprobs":$logprobs$>}"#,
        ),
        begin: [
            &[r#"{"content":"","refusal":null,"role":"assistant"}"#],
            &[],
            &[r#"{"content":null,"role":"assistant"}"#],
        ],
        text: Template::new(r#"{"content":$text}"#),
        thinking: None,
        signature: None,
        refusal: Some((
            r#"{"content":null,"refusal":"","role":"assistant"}"#,
            Template::new(r#"{"refusal":$text}"#),
        )),
        annotations: Some(Template::new(r#"{"annotations":$annotations}"#)),
        finish: Template::new("{}"),
    },
    calls: Some(Calls {
        delta: Template::new(r#"{"tool_calls":[$calls]}"#),
        only: Some(Template::new(
            r#"{"content":null,"refusal":null,"role":"assistant","tool_calls":[$calls]}"#,
        )),
        function: CallForm {
            item: Template::new(
                r#"{"function":{"arguments":$arguments,"name":$name},"id":$call_id,"index":$n,"type":"function"}"#,
            ),
            more: Template::new(r#"{"function":{"arguments":$arguments},"index":$n}"#),
            whole: Template::new(
                r#"{"function":{"arguments":$arguments,"name":$name},"id":$call_id,"type":"function"}"#,
            ),
        },
        custom: Some(CallForm {
            item: Template::new(
                r#"{"custom":{"input":$arguments,"name":$name},"id":$call_id,"index":$n,"type":"custom"}"#,
            ),
            more: Template::new(r#"{"custom":{"input":$arguments},"index":$n}"#),
            whole: Template::new(
                r#"{"custom":{"input":$arguments,"name":$name},"id":$call_id,"type":"custom"}"#,
            ),
        }),
        chunks: CallChunks::Fragments,
    }),
    body: Body {
        whole: Template::new(
            r#"{"choices":[$choice],"created":$created,"id":$id,"model":$model$<,"moderation":$moderation$>,"object":"chat.completion","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"detected":false,"filtered":false},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}]$<,"service_tier":$tier$>,"system_fingerprint":$fingerprint,"usage":$usage}"#,
        ),
        choice: Template::new(
            r#"{"content_filter_results":{$<"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}$texts$>},"finish_reason":$finish,"index":$index$<,"logprobs":$logprobs$>,"message":{"annotations":$annotations,"content":$text_or_null,"refusal":$refusal,"role":"assistant"$<,"tool_calls":[$calls]$>}}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream; charset=utf-8",
        json: "application/json",
        always: &[("apim-request-id", "$uuid"), ("x-request-id", "$uuid")],
        noise: &[
            (
                "Strict-Transport-Security",
                "max-age=31536000; includeSubDomains; preload",
            ),
            ("azureml-model-session", "d20260526124601-421ae15f"),
            ("x-content-type-options", "nosniff"),
            ("x-ms-rai-invoked", "true"),
            ("x-ms-region", "East US 2"),
            ("x-ratelimit-limit-requests", "2500"),
            ("x-ratelimit-limit-tokens", "250000"),
            ("x-ratelimit-remaining-requests", "2499"),
            ("x-ratelimit-remaining-tokens", "249988"),
            ("x-ratelimit-reset-requests", "0"),
            ("x-ratelimit-reset-tokens", "0"),
        ],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        shape: r#"{"error":{"message":$message,"type":$type,"param":$param,"code":$code}}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        rows: &[
            ErrorRow {
                shape: Some(r#"{"error":{"code":"401","message":$message}}"#),
                ..uncoded(
                    ErrorKind::Authentication,
                    401,
                    "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
                )
            },
            ErrorRow {
                shape: Some(r#"{"error":{"type":$type,"code":$code,"message":$message}}"#),
                printed: Some(Printed::Indented),
                ..coded(
                    ErrorKind::NotFound,
                    404,
                    "invalid_request_error",
                    "DeploymentNotFound",
                    "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
                )
            },
            ErrorRow {
                shape: Some(r#"{"error":{"code":$code,"message":$message,"details":$message}}"#),
                content_type: Some("application/json; charset=utf-8"),
                headers: &[Header("Retry-After", "1"), Header("Retry-After-Ms", "0")],
                ..coded(
                    ErrorKind::RateLimited,
                    429,
                    "",
                    "RateLimitReached",
                    "Your requests to {model} for {model} in East US 2 have exceeded rate limit.",
                )
            },
            // `.error_code("content_filter")` chooses it
            ErrorRow {
                by_code: true,
                shape: Some(
                    r#"{"error":{"message":$message,"type":null,"param":"prompt","code":$code,"status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"detected":true,"filtered":true},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}}}"#,
                ),
                ..coded(
                    ErrorKind::InvalidRequest,
                    400,
                    "",
                    "content_filter",
                    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
                )
            },
        ],
        stream: StreamError {
            name: None,
            shape: r#"{"error":{"message":$message,"type":$type,"param":$param,"code":$code}}"#,
            done: Done::No,
        },
    }),
    rules: RulesOf::OpenAiDeployment,
};
