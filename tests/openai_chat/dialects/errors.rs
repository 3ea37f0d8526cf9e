//! Errors of the dialects, before the stream and inside it: status, content type, headers and whole bodies.

use super::*;
use crate::post::call;

/// Dialect, error, status, content type, and the body.
type Row = (Dialect, ApiError, u16, &'static str, &'static str);

const JSON: &str = "application/json";

fn of_gateways() -> Vec<Row> {
    use Dialect::*;
    let key = ApiError::authentication;
    let filtered = || ApiError::invalid_request("Filtered.").error_code("content_filter");
    vec![
        (
            OpenRouter,
            key(),
            401,
            JSON,
            r#"{"error":{"message":"User not found.","code":401}}"#,
        ),
        (
            OpenRouter,
            ApiError::rate_limited().message("slow"),
            429,
            JSON,
            r#"{"error":{"message":"Provider returned error","code":429,"metadata":{"provider_name":"Amazon Bedrock","raw":"slow"}},"user_id":"user_2pXkVbQ7mLwRtZcY4dNfHs8JgAe"}"#,
        ),
        (
            OpenRouter,
            ApiError::invalid_request("bad"),
            400,
            JSON,
            r#"{"error":{"message":"bad","code":400}}"#,
        ),
        (
            Azure,
            key(),
            401,
            JSON,
            r#"{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."}}"#,
        ),
        (
            Azure,
            ApiError::not_found().message("gone"),
            404,
            JSON,
            "{\n  \"error\": {\n    \"type\": \"invalid_request_error\",\n    \"code\": \"DeploymentNotFound\",\n    \"message\": \"gone\"\n  }\n}",
        ),
        (
            Azure,
            ApiError::rate_limited().message("slow"),
            429,
            "application/json; charset=utf-8",
            r#"{"error":{"code":"RateLimitReached","message":"slow","details":"slow"}}"#,
        ),
        (
            Azure,
            filtered(),
            400,
            JSON,
            r#"{"error":{"message":"Filtered.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"detected":true,"filtered":true},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}}}"#,
        ),
    ]
}

fn of_models() -> Vec<Row> {
    use Dialect::*;
    let key = ApiError::authentication;
    vec![
        (
            DeepSeek,
            key(),
            401,
            JSON,
            r#"{"error":{"message":"Authentication Fails, Your api key: ****k is invalid","type":"authentication_error","param":null,"code":"invalid_request_error"}}"#,
        ),
        (
            DeepSeek,
            ApiError::context_overflow().message("long"),
            400,
            "application/octet-stream",
            r#"{"error":{"message":"long","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
        ),
        (
            DeepSeek,
            ApiError::credit_too_low(),
            402,
            JSON,
            r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#,
        ),
        (
            Groq,
            key(),
            401,
            JSON,
            r#"{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}"#,
        ),
        (
            Groq,
            ApiError::invalid_request("<bad>"),
            400,
            JSON,
            r#"{"error":{"message":"\u003cbad\u003e","type":"invalid_request_error"}}"#,
        ),
        (
            Mistral,
            key(),
            401,
            JSON,
            "{\"detail\":\"Invalid API Key\"}\n",
        ),
        (
            Mistral,
            ApiError::rate_limited(),
            429,
            JSON,
            r#"{"object":"error","message":"Rate limit exceeded","type":"rate_limited","param":null,"code":"1300"}"#,
        ),
    ]
}

fn of_others() -> Vec<Row> {
    use Dialect::*;
    let key = ApiError::authentication;
    vec![
        (
            Perplexity,
            ApiError::invalid_request("bad"),
            400,
            JSON,
            r#"{"error":{"message":"bad","type":"invalid_request_error","code":400}}"#,
        ),
        (
            Xai,
            key(),
            400,
            JSON,
            r#"{"code":"invalid-argument","error":"Incorrect API key provided. You can obtain an API key from https://console.x.ai."}"#,
        ),
        (
            Together,
            ApiError::invalid_request("bad"),
            400,
            JSON,
            r#"{"id":"ID","error":{"message":"bad","type":"invalid_request_error","param":null,"code":null}}"#,
        ),
        (
            Ollama,
            ApiError::not_found(),
            404,
            JSON,
            "{\"error\":{\"message\":\"model \\\"m\\\" not found, try pulling it first\",\"type\":\"not_found_error\",\"param\":null,\"code\":null}}\n",
        ),
        (
            Vllm,
            ApiError::invalid_request("bad"),
            400,
            JSON,
            r#"{"error":{"message":"bad","type":"BadRequestError","param":null,"code":400}}"#,
        ),
        (Vllm, key(), 401, JSON, r#"{"error":"Unauthorized"}"#),
    ]
}

#[tokio::test]
async fn an_error_answer_has_status_headers_and_body_of_its_dialect() {
    for (dialect, error, status, content_type, body) in
        [of_gateways(), of_models(), of_others()].concat()
    {
        let row = format!("{} {error:?}", dialect.name());
        let turn = Turn::error(error).dialect(dialect);
        let stub = WireStub::builder().turn(turn).start();
        let answered = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .send()
            .await;
        assert_eq!(answered.status, status, "{row}");
        assert_eq!(answered.header("content-type"), content_type, "{row}");
        let found = String::from_utf8(answered.body.to_vec()).unwrap();
        // an id is drawn
        let found = match found.strip_prefix("{\"id\":\"") {
            Some(rest) => format!("{{\"id\":\"ID{}", rest.trim_start_matches(|c| c != '"')),
            None => found,
        };
        assert_eq!(found, body, "{row}");
        let read = accumulate_json(API, &answered.body).unwrap_err();
        assert!(
            matches!(read.kind(), AccumulateErrorKind::Provider { .. }),
            "{row}: {read}"
        );
    }
}

#[test]
fn no_error_of_another_vendor_names_what_is_openais() {
    let kinds = [
        ApiError::authentication(),
        ApiError::billing(),
        ApiError::conflict(),
        ApiError::context_overflow(),
        ApiError::context_overflow_with_output(),
        ApiError::credit_too_low(),
        ApiError::effort_not_supported(),
        ApiError::internal(),
        ApiError::not_found(),
        ApiError::output_limit(),
        ApiError::overloaded(),
        ApiError::permission(),
        ApiError::rate_limited(),
        ApiError::request_too_large(),
        ApiError::timeout(),
        ApiError::status(401),
        ApiError::status(403),
        ApiError::status(429),
    ];
    for &dialect in Dialect::ALL {
        for error in &kinds {
            let body = dialect.error_body(error);
            let body = String::from_utf8_lossy(&body);
            let is_openais = |name| body.contains(name);
            let names = ["openai.com", "org-", "Country"];
            // Azure serves this model, and says so in its own words
            let model = dialect != Dialect::Azure && body.contains("gpt-4o");
            let found = model || names.into_iter().any(is_openais);
            assert!(
                !found || dialect == Dialect::OpenAi,
                "{dialect:?} {error:?}: {body}"
            );
        }
    }
    let body = Dialect::Together.error_body(&ApiError::rate_limited());
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let expected = "The rate limit is reached. Please try again later.";
    assert_eq!(body["error"]["message"], expected);
}

#[tokio::test]
async fn headers_of_an_error_are_those_of_its_dialect() {
    let stub = WireStub::builder()
        .turns([
            Turn::error(ApiError::rate_limited()).dialect(Dialect::Azure),
            Turn::error(ApiError::internal()).dialect(Dialect::DeepSeek),
        ])
        .start();
    let ask = || {
        call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .send()
    };
    let azure = ask().await;
    assert_eq!(azure.header("retry-after"), "1");
    assert_eq!(azure.header("retry-after-ms"), "0");
    assert_eq!(azure.header("apim-request-id").len(), 36);
    assert_eq!(azure.header("openai-version"), "");
    let deepseek = ask().await;
    assert_eq!(deepseek.header("x-ds-trace-id").len(), 32);
}

/// What follows the whole text of a plain stream that fails behind it.
#[test]
fn an_error_inside_a_stream_has_the_form_of_its_dialect() {
    use Dialect::*;
    const CODE: &str =
        r#""error":{"message":"gone","type":"server_error","param":null,"code":null}"#;
    for (dialect, expected) in [
        (OpenAi, format!("data: {{{CODE}}}\n\n")),
        (Azure, format!("data: {{{CODE}}}\n\n")),
        (DeepSeek, format!("data: {{{CODE}}}\n\n")),
        (Together, format!("data: {{{CODE}}}\n\ndata: [DONE]\n\n")),
        (
            Groq,
            "event: error\ndata: {\"error\":{\"message\":\"gone\",\"type\":\"server_error\",\"status_code\":500}}\n\n".to_owned(),
        ),
        (
            OpenRouter,
            "data: {\"id\":\"ID\",\"object\":\"chat.completion.chunk\",\"created\":1787150052,\"model\":\"m\",\"provider\":\"Amazon Bedrock\",\"error\":{\"code\":502,\"message\":\"gone\"},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\",\"role\":\"assistant\"},\"finish_reason\":null,\"native_finish_reason\":null}]}\n\ndata: [DONE]\n\n".to_owned(),
        ),
        (
            Mistral,
            "data: {\"object\":\"error\",\"message\":\"gone\",\"type\":\"server_error\",\"param\":null,\"code\":null}\n\n".to_owned(),
        ),
        (
            Perplexity,
            "data: {\"error\":{\"message\":\"gone\",\"type\":\"server_error\",\"code\":500}}\r\n\r\n".to_owned(),
        ),
        (
            Xai,
            "data: {\"code\":\"server_error\",\"error\":\"gone\"}\n\n".to_owned(),
        ),
        (
            Ollama,
            "data: {\"error\":{\"message\":\"gone\",\"type\":\"api_error\",\"param\":null,\"code\":null}}\n\n".to_owned(),
        ),
        (
            Vllm,
            "data: {\"error\":{\"message\":\"gone\",\"type\":\"InternalServerError\",\"param\":null,\"code\":500}}\n\ndata: [DONE]\n\n".to_owned(),
        ),
    ] {
        let error = ApiError::internal().message("gone");
        let turn = Turn::new().text("x").model("m").id("ID").dialect(dialect).plain();
        let failing = turn.clone().end(After::deltas(1), error);
        let cut = sse_body(API, &turn.end(After::deltas(1), Ending::CleanEof));
        let body = sse_body(API, &failing);
        let behind = body.strip_prefix(&cut[..]).unwrap();
        assert_eq!(std::str::from_utf8(behind).unwrap(), expected, "{}", dialect.name());
        let read = accumulate(API, &body).unwrap_err();
        assert!(
            matches!(read.kind(), AccumulateErrorKind::Provider { message, .. } if message == "gone"),
            "{}: {read}",
            dialect.name()
        );
    }
}
