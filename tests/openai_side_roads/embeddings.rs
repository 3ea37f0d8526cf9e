//! `POST /v1/embeddings`: vectors, their spellings, usage, errors, drift.

use llm_wire_stub::{
    Api, ApiError, Embedding, EmbeddingInput, Era, Outcome, StubHandle, WireStubBuilder,
    serde_json::{Value, json},
};

use crate::{builder, caught::panic_of, embed, error, place_of_script, text};

const SMALL: &str = "text-embedding-3-small";

async fn vectors(stub: &StubHandle, input: impl Into<Value>) -> Vec<Vec<f64>> {
    vectors_of(
        &embed(stub, json!({"model": SMALL, "input": input.into()}))
            .await
            .json(),
    )
}

#[track_caller]
fn vectors_of(answer: &Value) -> Vec<Vec<f64>> {
    let data = answer["data"].as_array().unwrap().iter().enumerate();
    let vectors = data.map(|(n, item)| {
        assert_eq!(item["index"], n);
        let numbers = item["embedding"].as_array().unwrap().iter();
        numbers.map(|number| number.as_f64().unwrap()).collect()
    });
    vectors.collect()
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|n| n * n).sum::<f64>().sqrt()
}

fn three() -> WireStubBuilder {
    builder()
        .embedding("a", [1.0, -0.5, 0.25])
        .embedding("b", vec![0.1_f32, 1e-7, -0.0])
        .embedding([1, 2], Embedding::from([3.0, 4.0, 5.0]).tokens(40))
}

#[tokio::test]
async fn scripted_vectors_come_as_numbers_in_the_compact_form_of_today() {
    let stub = three().start();
    let answered = embed(&stub, json!({"model": SMALL, "input": ["a", "b"]})).await;
    let expected = r#"{"object":"list","data":[{"object":"embedding","embedding":[1.0,-0.5,0.25],"index":0},{"object":"embedding","embedding":[0.1,1e-7,-0.0],"index":1}],"model":"text-embedding-3-small","usage":{"prompt_tokens":2,"total_tokens":2}}"#;
    assert_eq!((answered.status, text(&answered)), (200, expected));
    assert_eq!(answered.header("content-type"), "application/json");

    let tokens = embed(
        &stub,
        json!({"model": "m", "input": [1, 2], "encoding_format": null}),
    )
    .await;
    let expected = r#"{"object":"list","data":[{"object":"embedding","embedding":[3.0,4.0,5.0],"index":0}],"model":"m","usage":{"prompt_tokens":40,"total_tokens":40}}"#;
    assert_eq!(text(&tokens), expected);

    let journal = stub.journal();
    assert_eq!(journal[0].answered_by(), "the embeddings");
    assert_eq!(journal[0].outcome(), Outcome::Complete);
    assert_eq!(
        (journal[0].api(), stub.requests().len()),
        (Some(Api::OpenAiChat), 0)
    );
    stub.verify();
}

#[tokio::test]
async fn base64_has_the_same_vector_as_floats_of_32_bits() {
    let stub = builder().embedding("a", [1.0, -0.5, 0.1]).start();
    let body = json!({"model": "m", "input": "a", "encoding_format": "base64"});
    let answered = embed(&stub, body).await;
    let expected = r#"{"object":"list","data":[{"object":"embedding","embedding":"AACAPwAAAL/NzMw9","index":0}],"model":"m","usage":{"prompt_tokens":1,"total_tokens":1}}"#;
    assert_eq!(text(&answered), expected);
    stub.verify();

    let derived = builder().start();
    let body = json!({"model": SMALL, "input": "a", "encoding_format": "base64"});
    let spelled = embed(&derived, body).await.json()["data"][0]["embedding"].clone();
    assert_eq!(spelled.as_str().unwrap().len(), 8192);
    derived.verify();
}

#[tokio::test]
async fn before_june_2026_the_form_is_the_indented_one() {
    let stub = builder()
        .era(Era::of(2025, 5))
        .embedding("a", [1.0, -0.5])
        .start();
    let answered = embed(&stub, json!({"model": SMALL, "input": ["a"]})).await;
    let expected = r#"{
  "object": "list",
  "data": [
    {
      "object": "embedding",
      "index": 0,
      "embedding": [
        1.0,
        -0.5
      ]
    }
  ],
  "model": "text-embedding-3-small",
  "usage": {
    "prompt_tokens": 1,
    "total_tokens": 1
  }
}
"#;
    assert_eq!(text(&answered), expected);
    stub.verify();
}

#[tokio::test]
async fn every_input_has_a_vector_of_its_own_also_in_another_stub() {
    let (one, other) = (builder().start(), builder().seed(7).start());
    let first = vectors(&one, json!(["a", "b", "a"])).await;
    assert_eq!(first[0], first[2]);
    assert_ne!(first[0], first[1]);
    assert_eq!(vectors(&other, "b").await, [first[1].clone()]);
    assert_eq!(
        vectors(&other, json!(["b", "a"])).await,
        [first[1].clone(), first[0].clone()]
    );

    let tokens = vectors(&one, json!([[1, 2], [3]])).await;
    assert_eq!(vectors(&other, json!([1, 2])).await, [tokens[0].clone()]);
    assert_ne!(tokens[0], tokens[1]);
    for vector in first.iter().chain(&tokens) {
        assert_eq!(vector.len(), 1536);
        assert!((length(vector) - 1.0).abs() < 5e-4, "{}", length(vector));
    }
    one.verify();
    other.verify();
}

#[tokio::test]
async fn a_vector_has_as_many_dimensions_as_asked_for_or_as_the_model_has() {
    let stub = builder().start();
    for (model, dimensions, expected) in [
        (SMALL, None, 1536),
        ("text-embedding-3-large", None, 3072),
        ("text-embedding-ada-002", None, 1536),
        ("another", None, 1536),
        (SMALL, Some(8), 8),
        ("text-embedding-3-large", Some(3072), 3072),
        ("another", Some(65_536), 65_536),
    ] {
        let mut body = json!({"model": model, "input": "a"});
        if let Some(dimensions) = dimensions {
            body["dimensions"] = json!(dimensions);
        }
        let vectors = vectors_of(&embed(&stub, body).await.json());
        assert_eq!(vectors[0].len(), expected, "{model}");
        assert!((length(&vectors[0]) - 1.0).abs() < 5e-4, "{model}");
    }
    stub.verify();

    // beside scripted ones it is as long as they are
    let stub = builder().embedding("a", [1.0, 0.0]).start();
    let mixed = vectors(&stub, json!(["a", "b"])).await;
    assert_eq!((mixed[0].len(), mixed[1].len()), (2, 2));
    assert_eq!(vectors(&stub, "b").await, [mixed[1].clone()]);
    stub.verify();
}

#[tokio::test]
async fn the_model_is_echoed_and_the_usage_estimated_unless_scripted() {
    let stub = builder()
        .embedding("counted", Embedding::derived().tokens(100))
        .start();
    for (model, input, said, tokens) in [
        (
            "text-embedding-ada-002",
            json!("123456789"),
            "text-embedding-ada-002-v2",
            3,
        ),
        (SMALL, json!(["1234", "12345"]), SMALL, 3),
        ("m", json!([[1, 2, 3], [4]]), "m", 4),
        ("m", json!(["counted", "abcd"]), "m", 101),
    ] {
        let answer = embed(&stub, json!({"model": model, "input": input}))
            .await
            .json();
        assert_eq!(answer["model"], said);
        let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
        assert_eq!(answer["usage"], usage, "{input}");
    }
    stub.verify();
}

#[tokio::test]
async fn the_model_stands_in_a_header_too_unless_the_stub_is_plain() {
    for (stub, expected) in [
        (builder().start(), ""),
        (
            llm_wire_stub::WireStub::builder().start(),
            "text-embedding-ada-002-v2",
        ),
    ] {
        let body = json!({"model": "text-embedding-ada-002", "input": "a"});
        let answered = embed(&stub, body).await;
        assert_eq!(answered.header("openai-model"), expected);
        stub.verify();
    }
}

#[tokio::test]
async fn a_function_gives_vectors_by_content_and_one_for_the_input_goes_before() {
    let stub = builder()
        .embedding("a", [9.0, 9.0])
        .embeddings_by(|input, request| {
            if input.text() == "b" {
                return Some([1.0, 2.0].into());
            }
            let is_seven = *input == EmbeddingInput::from([7]) && request.model() == "m";
            is_seven.then(|| vec![3.0, 4.0].into())
        })
        .start();
    let texts = vectors(&stub, json!(["a", "b", "c"])).await;
    assert_eq!(texts[..2], [vec![9.0, 9.0], vec![1.0, 2.0]]);
    assert_eq!(texts[2].len(), 2);
    let tokens = embed(&stub, json!({"model": "m", "input": [7]}))
        .await
        .json();
    assert_eq!(vectors_of(&tokens), [[3.0, 4.0]]);
    stub.verify();
}

#[tokio::test]
async fn an_error_is_scripted_for_an_input_and_answers_the_whole_request() {
    let stub = builder()
        .embedding("boom", ApiError::rate_limited().message("slow down"))
        .embeddings_by(|input, _| (input.text() == "down").then(|| ApiError::overloaded().into()))
        .start();
    let refused = embed(&stub, json!({"model": SMALL, "input": ["a", "boom"]})).await;
    assert_eq!(refused.status, 429);
    assert_eq!(
        refused.json(),
        error("slow down", "tokens", None, Some("rate_limit_exceeded"))
    );
    assert_eq!(refused.why(), "");
    assert_eq!(
        embed(&stub, json!({"model": SMALL, "input": "down"}))
            .await
            .status,
        503
    );
    let answered: Vec<_> = stub.journal().iter().map(|r| r.answered_by()).collect();
    assert_eq!(answered, ["the error for an embedding"; 2]);
    stub.verify();
}

#[tokio::test]
async fn a_scripted_vector_that_does_not_fit_is_script_drift() {
    let stub = three().without_verify_on_drop();
    let stub = stub.embedding("c", [1.0]).start();
    let place = place_of_script(&stub);
    for (body, input, expected, found) in [
        (
            json!({"model": SMALL, "input": ["x", "a"], "dimensions": 8}),
            r#""a""#,
            "8 dimensions, which the request asks for",
            3,
        ),
        (
            json!({"model": SMALL, "input": ["a", "c"]}),
            r#""c""#,
            r#"3 dimensions, as the one of "a" has"#,
            1,
        ),
        (
            json!({"model": SMALL, "input": [1, 2], "dimensions": 2}),
            "[1, 2]",
            "2 dimensions, which the request asks for",
            3,
        ),
    ] {
        let refused = embed(&stub, body).await;
        assert_eq!((refused.status, refused.why()), (422, "script-drift"));
        assert_eq!(refused.header("x-should-retry"), "false");
        let message = format!(
            "the scripted vector of {input} does not fit the request\n  \
             where: {place}, for request POST /v1/embeddings\n  \
             expected: {expected}\n  found: {found}\n  \
             help: mend the request or the script; if it is meant, say so with \
             `.allow_script_drift()` on the stub"
        );
        assert_eq!(
            refused.json(),
            error(&message, "invalid_request_error", None, None)
        );
    }
    assert!(stub.try_verify().is_err());

    let allowed = builder().embedding("a", [1.0]).allow_script_drift().start();
    let body = json!({"model": SMALL, "input": ["a", "b"], "dimensions": 2});
    let vectors = vectors_of(&embed(&allowed, body).await.json());
    assert_eq!((vectors[0].len(), vectors[1].len()), (1, 2));
    allowed.verify();
}

#[tokio::test]
async fn a_vector_that_no_answer_can_carry_is_told_at_once() {
    let what = "a vector cannot be an embedding";
    let help =
        "help: give it at least one number, all of them finite and within the range of 32 bits";
    for (vector, found) in [
        (vec![], "no numbers"),
        (vec![0.0, f64::NAN], "`NaN`"),
        (vec![f64::INFINITY], "`inf`"),
        (vec![-1e39], "`-1e39`"),
    ] {
        let line = line!() + 1;
        let panic = panic_of(|| builder().embedding("a", vector.clone()));
        assert_eq!(panic.line, line);
        assert_eq!(panic.message, format!("{what}\n  found: {found}\n  {help}"));

        let stub = builder().without_verify_on_drop();
        let stub = stub
            .embeddings_by(move |_, _| Some(vector.clone().into()))
            .start();
        let place = place_of_script(&stub);
        let refused = embed(&stub, json!({"model": SMALL, "input": "a"})).await;
        assert_eq!((refused.status, refused.why()), (422, "unplayable"));
        let expected = format!(
            "{what}: the one of \"a\"\n  where: {place}, for request POST /v1/embeddings\n  \
             found: {found}\n  {help}"
        );
        assert_eq!(refused.message(), expected);
    }

    let stub = builder().without_verify_on_drop().start();
    let place = place_of_script(&stub);
    let body = json!({"model": "another", "input": "a", "dimensions": u64::MAX});
    let refused = embed(&stub, body).await;
    assert_eq!((refused.status, refused.why()), (422, "unplayable"));
    let expected = format!(
        "a derived vector has at most 65536 dimensions\n  \
         where: {place}, for request POST /v1/embeddings\n  found: {}\n  \
         help: ask for fewer dimensions, or script the vector",
        usize::MAX
    );
    assert_eq!(refused.message(), expected);
}

#[test]
fn a_script_that_contradicts_itself_is_told_at_the_callers_line() {
    let line = line!() + 1;
    let panic = panic_of(|| three().embedding("a", [2.0]));
    assert_eq!(panic.line, line);
    let expected = "there are two embeddings for \"a\"\n  help: remove one of the two";
    assert_eq!(panic.message, expected);
    let panic = panic_of(|| three().embedding([1, 2], [2.0]));
    let expected = "there are two embeddings for [1, 2]\n  help: remove one of the two";
    assert_eq!(panic.message, expected);

    let line = line!() + 2;
    let twice = builder().embeddings_by(|_, _| None);
    let panic = panic_of(|| twice.embeddings_by(|_, _| None));
    assert_eq!(panic.line, line);
    let expected = "there are two functions for embeddings\n  help: merge them into one";
    assert_eq!(panic.message, expected);
}

#[tokio::test]
async fn an_embedding_that_nobody_asked_for_fails_verify() {
    let stub = three().start();
    vectors(&stub, "a").await;
    let place = place_of_script(&stub);
    stub.settled().await;
    let written = stub.journal()[0].bytes_written();
    let report = panic_of(|| stub.verify()).message;
    let expected = format!(
        "the client and the script do not fit: 2 problems\n  where: {place}\n  calls:\n    \
         POST /v1/embeddings [text-embedding-3-small]: the embeddings, Complete, {written} bytes\n  problems:\n    \
         - `.embedding(\"b\", ..)` was never used: nobody asked for it\n    \
         - `.embedding([1, 2], ..)` was never used: nobody asked for it"
    );
    assert_eq!(report, expected);
}

#[tokio::test]
async fn a_panic_in_the_function_fails_the_request_and_the_test() {
    let stub = builder().without_verify_on_drop();
    let stub = stub
        .embeddings_by(|input, _| panic!("no {}", input.text()))
        .start();
    let place = place_of_script(&stub);
    let refused = embed(&stub, json!({"model": SMALL, "input": "luck"})).await;
    assert_eq!((refused.status, refused.why()), (422, "panicked"));
    let expected = format!(
        "the function of `.embeddings_by(..)` panicked: no luck\n  \
         where: {place}, for request POST /v1/embeddings\n  \
         help: standard error has the line of the panic"
    );
    assert_eq!(refused.message(), expected);
}

#[tokio::test]
async fn a_model_that_no_header_can_name_leaves_the_head_whole() {
    let stub = llm_wire_stub::WireStub::builder().start();
    for model in ["a\r\nx-forged: 1", "a\nb", "\0"] {
        let answer = embed(
            &stub,
            json!({"model": model, "input": "x", "dimensions": 2}),
        )
        .await;
        let forged = answer.header("x-forged");
        assert_eq!((answer.status, forged), (200, ""), "{model:?}");
        assert_eq!(answer.json()["model"], model);
    }
}
