//! vLLM, not recorded: names and order as in its source, the empty `finish_reason` of chunks that do not finish as public
//! reports have it of compatible servers. Thinking is its member `reasoning` of today: `reasoning_content` was renamed
//! (vllm-project/vllm#27752, which wrote both) and removed (vllm-project/vllm#33402).

use super::*;

pub(in super::super) static VLLM: Row = Row {
    name: "vLLM",
    base: "/v1",
    path: "/v1/chat/completions",
    model: "meta-llama/Llama-3.1-8B-Instruct",
    id: &[Id::Text("chatcmpl-"), Id::Hex(32)],
    call_id: &[Id::Text("chatcmpl-tool-"), Id::Hex(32)],
    fingerprint: None,
    tier: Tier::Never,
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
            r#"{"prompt_tokens":$prompt,"total_tokens":$total,"completion_tokens":$completion$<,"prompt_tokens_details":{"cached_tokens":$cached_if_any}$>}"#,
        ),
    },
    finish: FinishAt::OwnChunk,
    native: NO_NATIVE,
    done: Done::Yes,
    stream: Stream {
        prelude: None,
        chunk: Template::new(
            r#"{"id":$id,"object":"chat.completion.chunk","created":$created,"model":$model,"choices":[$choice]$<,"usage":$usage$>}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"delta":$delta,"logprobs":$logprobs,"finish_reason":$finish_or_empty$<,"stop_reason":null$stops$>}"#,
        ),
        begin: [
            &[r#"{"role":"assistant","content":""}"#],
            &[r#"{"role":"assistant","content":""}"#],
            &[r#"{"role":"assistant","content":""}"#],
        ],
        text: Template::new(r#"{"content":$text}"#),
        thinking: Some(Template::new(r#"{"reasoning":$text}"#)),
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
                r#"{"id":$call_id,"type":"function","index":$n,"function":{"name":$name,"arguments":$arguments}}"#,
            ),
            more: Template::new(r#"{"index":$n,"function":{"arguments":$arguments}}"#),
            whole: Template::new(
                r#"{"id":$call_id,"type":"function","function":{"name":$name,"arguments":$arguments}}"#,
            ),
        },
        custom: None,
        chunks: CallChunks::Fragments,
    }),
    body: Body {
        whole: Template::new(
            r#"{"id":$id,"object":"chat.completion","created":$created,"model":$model,"choices":[$choice],"usage":$usage,"prompt_logprobs":null}"#,
        ),
        choice: Template::new(
            r#"{"index":$index,"message":{"role":"assistant","content":$text_or_null,"refusal":null,"annotations":null,"audio":null,"function_call":null,"tool_calls":[$calls_or_nothing],"reasoning":$thinking_or_null},"logprobs":$logprobs,"finish_reason":$finish,"stop_reason":null}"#,
        ),
        printed: Printed::Compact,
    },
    head: Some(HeadRow {
        stream: "text/event-stream; charset=utf-8",
        json: "application/json",
        always: &[],
        noise: &[("server", "uvicorn")],
    }),
    errors: Some(ErrorTable {
        without_key: None,
        shape: r#"{"error":{"message":$message,"type":$type,"param":$param,"code":$status}}"#,
        printed: Printed::Compact,
        content_type: "application/json",
        rows: &[
            ErrorRow {
                shape: Some(r#"{"error":$message}"#),
                ..uncoded(ErrorKind::Authentication, 401, "Unauthorized")
            },
            coded(
                ErrorKind::NotFound,
                404,
                "NotFoundError",
                "",
                "The model `{model}` does not exist.",
            ),
            coded(
                ErrorKind::InvalidRequest,
                400,
                "BadRequestError",
                "",
                "invalid request",
            ),
            coded(
                ErrorKind::ContextOverflow,
                400,
                "BadRequestError",
                "",
                "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.",
            ),
            coded(
                ErrorKind::Internal,
                500,
                "InternalServerError",
                "",
                "Internal server error",
            ),
        ],
        stream: StreamError {
            name: None,
            shape: r#"{"error":{"message":$message,"type":$type,"param":$param,"code":$status}}"#,
            done: Done::Yes,
        },
    }),
    rules: RulesOf::Body,
};
