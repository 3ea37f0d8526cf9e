//! Ollama at the paths of OpenAI's API, as recorded in 2026: a stream that thinks and calls a tool. The body and errors are
//! those of its source.

use super::*;

pub(in super::super) static OLLAMA: Row = Row {
    name: "Ollama",
    base: "/v1",
    path: "/v1/chat/completions",
    model: "gpt-oss:120b",
    id: &[Id::Text("chatcmpl-"), Id::Digits(3)],
    call_id: &[Id::Text("call_"), Id::Base36(8)],
    fingerprint: Some(&[Id::Text("fp_ollama")]),
    tier: Tier::Never,
    no_logprobs: NoLogprobs::Null,
    line_end: LineEnd::Lf,
    escapes: Escapes::Html,
    pad: Pad::None,
    comments: Comments::None,
    usage: UsageRow {
        at: UsageAt::OwnChunk,
        asked: UsageAsked::Needed,
        null: UsageNull::Never,
        template: Template::new(
            r#"{"prompt_tokens":$prompt,"completion_tokens":$completion,"total_tokens":$total}"#,
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
        choice: Template::new(r#"{"index":$index,"delta":$delta,"finish_reason":$finish}"#),
        begin: [&[], &[], &[]],
        text: Template::new(r#"{$<$first"role":"assistant",$>"content":$text}"#),
        thinking: Some(Template::new(
            r#"{$<$first"role":"assistant",$>"content":"","reasoning":$text}"#,
        )),
        signature: None,
        refusal: None,
        annotations: None,
        finish: Template::new("{}"),
    },
    calls: Some(Calls {
        delta: Template::new(
            r#"{$<$first"role":"assistant",$>"content":"","tool_calls":[$calls]}"#,
        ),
        only: None,
        function: CallForm {
            item: Template::new(
                r#"{"id":$call_id,"index":$n,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
            more: Template::new(""),
            whole: Template::new(
                r#"{"id":$call_id,"index":$n,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
        },
        custom: None,
        chunks: CallChunks::Each,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"system_fingerprint":$fingerprint,"choices":[$choice],"usage":$usage}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$text$<,"reasoning":$thinking$>$<,"tool_calls":[$calls]$>},"finish_reason":$finish}"#,
        ),
        printed: Printed::CompactLine,
    },
    head: Some(HeadRow {
        stream: "text/event-stream",
        json: "application/json",
        always: &[],
        noise: &[],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        shape: r#"{"error":{"message":$message,"type":$type,"param":null,"code":null}}"#,
        printed: Printed::CompactLine,
        content_type: "application/json",
        rows: &[
            coded(
                ErrorKind::NotFound,
                404,
                "not_found_error",
                "",
                "model \"{model}\" not found, try pulling it first",
            ),
            coded(
                ErrorKind::Internal,
                500,
                "api_error",
                "",
                "llama runner process has terminated",
            ),
        ],
        stream: StreamError {
            name: None,
            shape: r#"{"error":{"message":$message,"type":$type,"param":null,"code":null}}"#,
            done: Done::No,
        },
    }),
    rules: RulesOf::Body,
};
