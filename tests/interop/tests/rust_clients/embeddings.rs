//! Embeddings of OpenAI: `rig-core`, `genai` and `async-openai` read the same vectors.

use std::time::Duration;

use llm_wire_stub::{ApiError, Embedding, WireStub};
use serde_json::json;

use crate::client::{EMBEDDING_MODEL, Embedded, Failure, Library, async_openai};

#[tokio::test]
async fn every_client_reads_the_same_vectors_scripted_and_derived() {
    let mut read = Vec::new();
    for library in Library::EMBEDDING {
        let stub = WireStub::builder()
            .embedding("cat", [0.6, -0.8, 1e-7])
            .embedding("é 😀", Embedding::from([0.0, 1.0, 0.0]).tokens(40))
            .start();
        let inputs = ["cat", "a derived one", "é 😀", "cat", "a derived one"];

        let embedded = library.embed(&stub, &inputs, Some(3)).await;
        let embedded = embedded.expect("vectors");

        let body = json!({"model": EMBEDDING_MODEL, "input": inputs, "dimensions": 3});
        let journal = stub.journal();
        assert_eq!(journal.len(), 1);
        assert_eq!(journal[0].json(), &body, "{library:?}");
        assert_eq!(journal[0].target(), "/v1/embeddings");
        read.push(embedded);
        stub.verify();
    }
    let vectors = &read[0].vectors;
    assert_eq!(vectors[0], [0.6, -0.8, 1e-7]);
    assert_eq!(vectors[2], [0.0, 1.0, 0.0]);
    assert_eq!((&vectors[0], &vectors[1]), (&vectors[3], &vectors[4]));
    assert_eq!(vectors[1].len(), 3);
    assert_eq!(read[0].model.as_deref(), Some(EMBEDDING_MODEL));
    let tokens = read[0].tokens.expect("counted");
    assert!(tokens > 40, "{tokens}");
    assert_eq!(read, vec![read[0].clone(); 3]);
}

#[tokio::test]
async fn as_many_dimensions_come_as_are_asked_for() {
    for library in Library::EMBEDDING {
        let stub = WireStub::builder().start();
        for (asked, given) in [(None, 1536), (Some(8), 8)] {
            let embedded = library.embed(&stub, &["a text"], asked).await;
            let Embedded { vectors, .. } = embedded.expect("vectors");
            assert_eq!(vectors.len(), 1);
            assert_eq!(vectors[0].len(), given, "{library:?}");
            let length: f32 = vectors[0].iter().map(|number| number * number).sum();
            assert!((length - 1.0).abs() < 1e-3, "{length}");
        }
        let asked = |n: usize| stub.journal()[n].json().get("dimensions").cloned();
        // rig knows how many the model has, and asks for them
        let known = (library == Library::Rig).then(|| json!(1536));
        assert_eq!((asked(0), asked(1)), (known, Some(json!(8))), "{library:?}");
        stub.verify();
    }
}

#[tokio::test]
async fn an_error_is_the_clients_error_with_its_status() {
    for library in Library::EMBEDDING {
        let error = ApiError::rate_limited()
            .message("slow down")
            .retry_after(Duration::from_secs(3600));
        let stub = WireStub::builder().embedding("cat", error).start();

        let failure = library.embed(&stub, &["cat"], None).await;

        let Failure {
            kind, status, body, ..
        } = failure.expect_err("it was refused");
        let expected = match library {
            Library::Rig => "ProviderResponse",
            Library::Genai => "WebModelCall",
            Library::AsyncAnthropic | Library::AsyncOpenai => "ApiError",
        };
        assert_eq!((kind, status), (expected, Some(429)));
        let body: serde_json::Value = serde_json::from_str(&body.expect("a body")).expect("JSON");
        assert_eq!(body["error"]["message"], "slow down");
        assert_eq!(body["error"]["code"], "rate_limit_exceeded");
        assert_eq!(stub.journal().len(), 1);
        stub.verify();
    }
}

#[tokio::test]
async fn async_openai_reads_the_same_vector_from_base64() {
    let stub = WireStub::builder().embedding("cat", [0.6, -0.8]).start();
    for input in ["cat", "another one"] {
        let spelled = async_openai::embed_as_base64(&stub, input).await;
        let numbers = Library::AsyncOpenai.embed(&stub, &[input], None).await;
        assert_eq!(numbers.expect("vectors").vectors, [spelled]);
    }
    assert_eq!(stub.journal()[0].json()["encoding_format"], "base64");
    stub.verify();
}

#[tokio::test]
async fn async_openai_embeds_tokens() {
    let stub = WireStub::builder()
        .embedding([1, 2], [0.6, 0.8])
        .embedding([3], [1.0, 0.0])
        .start();
    let embedded = async_openai::embed_tokens(&stub, vec![vec![1, 2], vec![3]]).await;
    assert_eq!(embedded.vectors, [[0.6, 0.8], [1.0, 0.0]]);
    assert_eq!(embedded.tokens, Some(3));
    stub.verify();
}
