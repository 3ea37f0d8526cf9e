//! OpenAI's own form, as recorded in 2026. The first chunk of a refusal and the place of annotations in a stream are not
//! recorded.

use super::*;

const FUNCTION: &str = r#"{"index":$n,"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments}}"#;
const CUSTOM: &str =
    r#"{"index":$n,"id":$call_id,"type":"custom","custom":{"name":$name,"input":$arguments}}"#;

pub(in super::super) static OPENAI: Row = Row {
    name: "OpenAI Chat",
    base: "/v1",
    path: "/v1/chat/completions",
    model: crate::api::openai::DEFAULT_MODEL,
    id: &[Id::Text("chatcmpl-"), Id::Base62(29)],
    call_id: &[Id::Text("call_"), Id::Base62(24)],
    fingerprint: Some(&[Id::Text("fp_"), Id::Hex(10)]),
    tier: Tier::ByModel,
    no_logprobs: NoLogprobs::ByModel,
    line_end: LineEnd::Lf,
    escapes: Escapes::Least,
    pad: Pad::ToSixteen,
    comments: Comments::None,
    usage: UsageRow {
        at: UsageAt::OwnChunk,
        asked: UsageAsked::Needed,
        null: UsageNull::IfAsked,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"completion_tokens":$completion,"total_tokens":$total,"prompt_tokens_details":{"cached_tokens":$cached$<,"cache_write_tokens":$written$>,"audio_tokens":$audio_in},"completion_tokens_details":{"reasoning_tokens":$reasoning_or_0,"audio_tokens":$audio_out,"accepted_prediction_tokens":$accepted,"rejected_prediction_tokens":$rejected}}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model$<,"service_tier":$tier$>,"system_fingerprint":$fingerprint,"choices":[$choice]$<,"moderation":$moderation$>$<,"usage":$usage$>$<,"obfuscation":"$pad"$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"delta":$delta$<,"logprobs":$logprobs$>,"finish_reason":$finish}"#,
        ),
        begin: [
            &[r#"{"role":"assistant","content":"","refusal":null}"#],
            &[],
            &[r#"{"role":"assistant","content":null}"#],
        ],
        text: Template::new(r#"{"content":$text}"#),
        thinking: None,
        signature: None,
        refusal: Some((
            r#"{"role":"assistant","content":null,"refusal":""}"#,
            Template::new(r#"{"refusal":$text}"#),
        )),
        annotations: Some(Template::new(r#"{"annotations":$annotations}"#)),
        finish: Template::new("{}"),
    },
    calls: Some(Calls {
        delta: Template::new(r#"{"tool_calls":[$calls]}"#),
        only: Some(Template::new(
            r#"{"role":"assistant","content":null,"tool_calls":[$calls],"refusal":null}"#,
        )),
        function: CallForm {
            item: Template::new(FUNCTION),
            more: Template::new(r#"{"index":$n,"function":{"arguments":$arguments}}"#),
            whole: Template::new(
                r#"{"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
        },
        custom: Some(CallForm {
            item: Template::new(CUSTOM),
            // not recorded, and in no type of the SDKs: as the function's is
            more: Template::new(r#"{"index":$n,"custom":{"input":$arguments}}"#),
            whole: Template::new(
                r#"{"id":$call_id,"type":"custom","custom":{"name":$name,"input":$arguments}}"#,
            ),
        }),
        chunks: CallChunks::Fragments,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"choices":[$choice]$<,"moderation":$moderation$>,"usage":$usage$<,"service_tier":$tier$>,"system_fingerprint":$fingerprint}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$text_or_null$<,"tool_calls":[$calls]$>,"refusal":$refusal,"annotations":$annotations}$<,"logprobs":$logprobs$>,"finish_reason":$finish}"#,
        ),
        printed: Printed::IndentedLine,
    },
    head: None,
    errors: None,
    rules: RulesOf::OpenAi,
};
