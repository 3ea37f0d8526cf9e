//! Which dialect answers: a turn's own, the stub's, or that of the path.

use super::*;
use crate::post::call;

/// The member that tells the dialects apart by their chunks.
async fn answered(stub: &WireStub, path: &str, key: (&str, &str)) -> String {
    let answered = call(stub)
        .to(path)
        .header(key.0, key.1)
        .streamed()
        .send()
        .await;
    assert_eq!(answered.status, 200, "{path}");
    String::from_utf8(answered.body.to_vec()).unwrap()
}

/// What only this dialect sends.
fn sign(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenRouter => "native_finish_reason",
        Dialect::Azure => "prompt_filter_results",
        Dialect::DeepSeek => "prompt_cache_hit_tokens",
        Dialect::Groq => "x_groq",
        Dialect::Mistral => "\"service_tier\":\"standard\"",
        Dialect::Perplexity => "search_results",
        Dialect::Together => "token_id",
        Dialect::Ollama => "fp_ollama",
        Dialect::Vllm => "stop_reason",
        Dialect::Xai => "\"delta\":{},\"finish_reason\"",
        _ => "\"refusal\":null",
    }
}

#[tokio::test]
async fn the_path_of_a_request_chooses_the_dialect() {
    let bearer = ("authorization", "Bearer k");
    let key = ("api-key", "k");
    for (path, header, dialect) in [
        ("/v1/chat/completions", bearer, Dialect::OpenAi),
        ("/api/v1/chat/completions", bearer, Dialect::OpenRouter),
        (
            "/openai/deployments/gpt-4o/chat/completions?api-version=2024-12-01-preview",
            key,
            Dialect::Azure,
        ),
        ("/openai/v1/chat/completions", key, Dialect::Azure),
        ("/openai/v1/chat/completions", bearer, Dialect::Groq),
        // also Perplexity's, which has to be chosen
        ("/chat/completions", bearer, Dialect::DeepSeek),
    ] {
        let stub = WireStub::builder().turn("x").start();
        let _ = stub.dialect_url(Dialect::Groq);
        let body = answered(&stub, path, header).await;
        assert!(body.contains(sign(dialect)), "{path}: {body}");
        let mut requests = stub.requests();
        let request = requests.pop().unwrap();
        assert_eq!(request.api(), Some(API), "{path}");
        assert_eq!(request.dialect(), Some(dialect), "{path}");
        stub.verify();
    }
}

/// What is said of a call at this path.
async fn refused(stub: &WireStub, path: &str) -> String {
    let asked = call(stub).to(path).header("authorization", "Bearer k");
    let refused = asked.send().await;
    assert_eq!((refused.status, refused.why()), (404, "not-served"));
    refused.message().to_owned()
}

#[tokio::test]
async fn no_path_means_another_dialect_where_none_was_named() {
    let silent = || WireStub::builder().turn("x").without_verify_on_drop();
    let stub = silent().start();
    assert_eq!(stub.dialect_url(Dialect::OpenAi), stub.openai_url());
    for (path, help) in [
        (
            "/chat/completions",
            "the base URL lacks `/v1`: use `openai_url()`; or, for a vendor without it, name the dialect, with \
             `.dialect(..)` on the builder or on a turn, or with `dialect_url(..)`",
        ),
        (
            "/api/v1/chat/completions",
            "name the dialect whose path this is, with `.dialect(..)` on the builder or on a turn, or with \
             `dialect_url(..)`",
        ),
    ] {
        let told = refused(&stub, path).await;
        assert!(told.ends_with(&format!("  help: {help}")), "{told}");
        assert!(
            told.contains("; POST /v1/chat/completions (openai_chat)"),
            "{told}"
        );
    }
    assert!(stub.requests().is_empty());

    // one that was named anywhere opens the paths of all
    let named = Turn::from("x").dialect(Dialect::Xai);
    let in_lane = silent().lane("a", matchers::model("other"), [named]);
    for builder in [in_lane, silent().dialect(Dialect::OpenAi)] {
        let stub = builder.start();
        answered(&stub, "/chat/completions", ("authorization", "Bearer k")).await;
        let told = refused(&stub, "/v3/chat").await;
        assert!(told.contains(crate::routes::DIALECTS), "{told}");
    }
}

#[tokio::test]
async fn the_journal_names_a_dialect_that_is_not_openais_own() {
    let stub = WireStub::builder()
        .turns([Turn::from("x"), Turn::from("x").dialect(Dialect::Xai)])
        .without_verify_on_drop()
        .start();
    for _ in 0..3 {
        let asked = call(&stub).to("/v1/chat/completions").model("m");
        asked.header("authorization", "Bearer k").send().await;
    }
    let dialects: Vec<_> = stub
        .requests()
        .iter()
        .map(RecordedRequest::dialect)
        .collect();
    let own = Some(Dialect::OpenAi);
    assert_eq!(dialects, [own, Some(Dialect::Xai), own]);
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("#1 POST /v1/chat/completions [m]: turn #1"),
        "{report}"
    );
    assert!(
        report.contains("#2 POST /v1/chat/completions [m] as xai: turn #2"),
        "{report}"
    );
}

#[tokio::test]
async fn the_stub_goes_before_the_path_and_the_turn_before_the_stub() {
    for &dialect in Dialect::ALL {
        let stub = WireStub::builder()
            .turns([Turn::from("x"), Turn::from("x").dialect(Dialect::Groq)])
            .dialect(dialect)
            .start();
        let bearer = ("authorization", "Bearer k");
        for expected in [dialect, Dialect::Groq] {
            let body = answered(&stub, "/api/v1/chat/completions", bearer).await;
            assert!(body.contains(sign(expected)), "{dialect:?}: {body}");
        }
    }
}

#[tokio::test]
async fn each_dialect_has_its_base_url() {
    let stub = WireStub::builder().start();
    for (dialect, base) in [
        (Dialect::OpenAi, "/v1"),
        (Dialect::OpenRouter, "/api/v1"),
        (Dialect::Azure, "/openai/v1"),
        (Dialect::DeepSeek, ""),
        (Dialect::Groq, "/openai/v1"),
        (Dialect::Mistral, "/v1"),
        (Dialect::Perplexity, ""),
        (Dialect::Xai, "/v1"),
        (Dialect::Together, "/v1"),
        (Dialect::Ollama, "/v1"),
        (Dialect::Vllm, "/v1"),
    ] {
        assert_eq!(stub.dialect_url(dialect), stub.url() + base, "{dialect:?}");
    }
}

#[tokio::test]
async fn who_has_no_key_is_refused_in_the_words_of_the_dialect_unless_it_asks_for_none() {
    for &dialect in Dialect::ALL {
        let stub = WireStub::builder().turn("x").dialect(dialect).start();
        let refused = call(&stub).to("/v1/chat/completions").send().await;
        let runs_at_home = matches!(dialect, Dialect::Ollama | Dialect::Vllm);
        if runs_at_home {
            assert_eq!(refused.status, 200, "{dialect:?}");
            continue;
        }
        let status = if dialect == Dialect::Xai { 400 } else { 401 };
        assert_eq!(
            (refused.status, refused.why()),
            (status, "credentials"),
            "{dialect:?}"
        );
        // OpenAI tells apart a key that is missing, and the body of Together has an id
        if !matches!(dialect, Dialect::OpenAi | Dialect::Together) {
            let key = ApiError::authentication();
            let expected = dialect.error_body(&match dialect {
                Dialect::OpenRouter => key.message("Missing Authentication header"),
                Dialect::DeepSeek => {
                    key.message("Authentication Fails (auth header format should be Bearer sk-...)")
                }
                _ => key,
            });
            assert_eq!(refused.body, expected, "{dialect:?}");
        }
        assert!(stub.try_verify().is_err());
    }
}

#[tokio::test]
async fn rules_that_are_openais_do_not_refuse_what_others_take() {
    // no official SDK of OpenAI knows this member
    for (dialect, status) in [
        (Dialect::OpenAi, 400),
        (Dialect::Azure, 400),
        (Dialect::OpenRouter, 200),
        (Dialect::Vllm, 200),
    ] {
        let stub = WireStub::builder().turn("x").dialect(dialect).start();
        let asked = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .member("top_k", 3);
        assert_eq!(asked.send().await.status, status, "{dialect:?}");
        let _ = stub.try_verify();
    }
}

#[tokio::test]
async fn a_rule_that_was_asked_for_by_name_holds_on_every_dialect() {
    for &dialect in Dialect::ALL {
        let stub = WireStub::builder()
            .turn("x")
            .dialect(dialect)
            .with_rule("unknown-fields")
            .without_verify_on_drop()
            .start();
        let asked = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .member("top_k", 3);
        let refused = asked.send().await;
        assert_eq!(
            (refused.status, refused.why()),
            (400, "unknown-fields"),
            "{dialect:?}"
        );
    }
}

#[tokio::test]
async fn comments_are_noise_and_are_counted_by_no_place() {
    let stub = WireStub::builder()
        .turns([
            Turn::from("x").dialect(Dialect::OpenRouter),
            Turn::from("x").dialect(Dialect::OpenRouter).plain(),
            Turn::from("x").dialect(Dialect::DeepSeek),
            Turn::from("x")
                .dialect(Dialect::DeepSeek)
                .delay(After::head(), std::time::Duration::from_millis(1)),
            Turn::from("x")
                .dialect(Dialect::Perplexity)
                .delay(After::head(), std::time::Duration::from_millis(1)),
        ])
        .start();
    let bearer = ("authorization", "Bearer k");
    let path = "/v1/chat/completions";
    for start in [
        ": OPENROUTER PROCESSING\n\n",
        "data: ",
        "data: ",
        ": keep-alive\n\ndata: ",
        ": ping - 2026-08-19 14:34:12.737080\r\n\r\ndata: ",
    ] {
        let body = answered(&stub, path, bearer).await;
        assert!(body.starts_with(start), "{start:?}: {body}");
    }
    let noisy = Turn::from("a b c").dialect(Dialect::OpenRouter);
    let cut = sse_body(API, &noisy.end(After::events(2), Ending::CleanEof));
    assert_eq!(String::from_utf8_lossy(&cut).matches("data: ").count(), 2);
}
