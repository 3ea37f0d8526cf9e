//! `GET /v1/models`: whose it is, the list, one of it.

use llm_wire_stub::{Api, ModelInfo, Outcome, WireStubBuilder, serde_json::json};

use crate::{KEY, ask_with, builder, error, get, routes, text};

const BEARER: &str = "Bearer sk-test-0123456789";

fn two_models() -> WireStubBuilder {
    builder().models([
        ModelInfo::new("gpt-a")
            .member("created", 1_754_425_777)
            .member("owned_by", "org-1")
            .member("max_tokens", 64_000),
        ModelInfo::new("m/b"),
    ])
}

#[tokio::test]
async fn the_list_has_the_models_in_the_shape_and_the_printer_of_openai() {
    let stub = two_models().start();
    let list = get(&stub, "/models").await;
    let expected = r#"{
  "object": "list",
  "data": [
    {
      "id": "gpt-a",
      "object": "model",
      "created": 1754425777,
      "owned_by": "org-1",
      "max_tokens": 64000
    },
    {
      "id": "m/b",
      "object": "model",
      "created": 0,
      "owned_by": "system"
    }
  ]
}
"#;
    assert_eq!((list.status, text(&list)), (200, expected));
    assert_eq!(list.header("content-type"), "application/json");

    let one = get(&stub, "/models/m%2Fb").await;
    let expected = r#"{
  "id": "m/b",
  "object": "model",
  "created": 0,
  "owned_by": "system"
}
"#;
    assert_eq!((one.status, text(&one)), (200, expected));

    let journal = stub.journal();
    let answered: Vec<_> = journal.iter().map(|r| r.answered_by()).collect();
    assert_eq!(answered, ["the model list", "the model"]);
    assert_eq!(journal[0].outcome(), Outcome::Complete);
    assert_eq!(stub.requests().len(), 0);
    stub.verify();
}

#[tokio::test]
async fn without_a_script_the_list_has_a_model_for_each_api_and_side_road() {
    let stub = builder().start();
    let list = get(&stub, "/models").await.json();
    let data = list["data"].as_array().unwrap();
    let rows: Vec<_> = data
        .iter()
        .map(|model| {
            (
                model["id"].as_str().unwrap(),
                &model["created"],
                &model["owned_by"],
            )
        })
        .collect();
    let (system, internal) = (json!("system"), json!("openai-internal"));
    let created = [
        json!(1_754_425_777),
        json!(1_744_316_542),
        json!(1_715_367_049),
        json!(1_721_172_741),
        json!(1_692_901_427),
        json!(1_705_948_997),
        json!(1_705_953_180),
        json!(1_671_217_299),
        json!(1_731_689_265),
    ];
    assert_eq!(
        rows,
        [
            ("gpt-5", &created[0], &system),
            ("gpt-4.1", &created[1], &system),
            ("gpt-4o", &created[2], &system),
            ("gpt-4o-mini", &created[3], &system),
            ("gpt-3.5-turbo-instruct", &created[4], &system),
            ("text-embedding-3-small", &created[5], &system),
            ("text-embedding-3-large", &created[6], &system),
            ("text-embedding-ada-002", &created[7], &internal),
            ("omni-moderation-latest", &created[8], &system),
        ]
    );
    stub.verify();
}

#[tokio::test]
async fn a_model_that_is_not_listed_is_a_404() {
    let stub = two_models().start();
    for path in ["/models/gpt-b", "/models/gpt"] {
        let missing = get(&stub, path).await;
        let id = path.trim_start_matches("/models/");
        let message = format!("The model '{id}' does not exist");
        assert_eq!(missing.status, 404);
        assert_eq!(
            missing.header("content-type"),
            "application/json; charset=utf-8"
        );
        assert_eq!(
            missing.json(),
            error(
                &message,
                "invalid_request_error",
                Some("model"),
                Some("model_not_found")
            )
        );
    }
    stub.verify();
}

#[tokio::test]
async fn a_request_without_a_key_is_refused_unless_the_rule_is_off() {
    let stub = two_models().without_verify_on_drop().start();
    let refused = ask_with(&stub, "GET", "/models", None, &[]).await;
    assert_eq!((refused.status, refused.why()), (401, "credentials"));
    assert!(stub.try_verify().is_err());

    let stub = two_models().without_rule("credentials").start();
    let listed = ask_with(&stub, "GET", "/models", None, &[]).await;
    assert_eq!(listed.status, 200);
    stub.verify();
}

#[tokio::test]
async fn the_path_is_anthropics_where_its_version_is_named_and_openais_otherwise() {
    let stub = two_models().start();
    let anthropic = [("x-api-key", KEY), ("anthropic-version", "2023-06-01")];
    let openai = [("authorization", BEARER)];

    for (path, first_member) in [("/models", "data"), ("/models/gpt-a", "type")] {
        let theirs = ask_with(&stub, "GET", path, None, &anthropic).await;
        assert!(
            text(&theirs).starts_with(&format!("{{\"{first_member}\":")),
            "{theirs:?}"
        );
        let ours = ask_with(&stub, "GET", path, None, &openai).await;
        assert!(text(&ours).starts_with("{\n  \""), "{ours:?}");
    }
    // nothing that was scripted is lost on either side
    let theirs = ask_with(&stub, "GET", "/models/gpt-a", None, &anthropic)
        .await
        .json();
    assert_eq!(
        (
            &theirs["max_tokens"],
            &theirs["created"],
            &theirs["owned_by"]
        ),
        (&json!(64_000), &json!(1_754_425_777), &json!("org-1"))
    );

    let apis: Vec<_> = stub.journal().iter().map(|r| r.api().unwrap()).collect();
    let (theirs, ours) = (Api::AnthropicMessages, Api::OpenAiChat);
    assert_eq!(apis, [theirs, ours, theirs, ours, theirs]);
    stub.verify();
}

#[tokio::test]
async fn a_stub_of_one_api_has_the_side_roads_of_its_provider_only() {
    let anthropic = two_models()
        .api(Api::AnthropicMessages)
        .without_verify_on_drop()
        .start();
    // it is Anthropic's also without the header, which one of its rules then asks for
    let bearer = [("authorization", BEARER)];
    let refused = ask_with(&anthropic, "GET", "/models", None, &bearer).await;
    assert_eq!((refused.status, refused.why()), (400, "anthropic-version"));

    let chat = two_models().api(Api::OpenAiChat).start();
    let version = [
        ("authorization", BEARER),
        ("anthropic-version", "2023-06-01"),
    ];
    let listed = ask_with(&chat, "GET", "/models", None, &version).await;
    assert!(
        text(&listed).starts_with("{\n  \"object\": \"list\""),
        "{listed:?}"
    );
    chat.verify();
}

#[tokio::test]
async fn what_is_not_served_is_told_with_the_side_roads_of_every_provider() {
    let stub = builder()
        .api(Api::OpenAiChat)
        .without_verify_on_drop()
        .start();
    let missing = get(&stub, "/models/").await;
    assert_eq!((missing.status, missing.why()), (404, "not-served"));
    let expected = format!(
        "\n  expected: {} (openai_chat); {}\n  help: check the base URL that the client was given; the nearest path is `/v1/models`",
        routes::CHAT,
        routes::OPENAI
    );
    assert!(
        missing.message().ends_with(&expected),
        "{}",
        missing.message()
    );
}

#[tokio::test]
async fn its_errors_are_the_same_whichever_api_is_served() {
    for api in [Api::OpenAiChat, Api::OpenAiResponses] {
        let stub = two_models().api(api).start();
        let missing = get(&stub, "/models/x").await;
        assert_eq!(missing.status, 404, "{api:?}");
        let typed = "application/json; charset=utf-8";
        assert_eq!(missing.header("content-type"), typed, "{api:?}");
        assert_eq!(stub.journal()[0].api(), Some(api));
        stub.verify();
    }
}
