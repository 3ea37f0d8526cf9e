//! `POST /v1/moderations`: what is flagged, for which input, by which model.

use llm_wire_stub::{
    ApiError, Moderation, Outcome, StubHandle, WireStubBuilder,
    serde_json::{Value, json},
};

use crate::{ask, builder, caught::panic_of, error, place_of_script, post::Answered, text};

async fn moderate(stub: &StubHandle, body: Value) -> Answered {
    ask(stub, "POST", "/moderations", Some(body)).await
}

/// The categories for which each result is flagged.
#[track_caller]
fn flagged(answered: &Answered) -> Vec<Vec<String>> {
    let json = answered.json();
    let results = json["results"].as_array().unwrap().iter().map(|result| {
        let categories = result["categories"].as_object().unwrap().iter();
        let flagged = categories.filter(|(_, flagged)| **flagged == true);
        let flagged: Vec<String> = flagged.map(|(name, _)| name.clone()).collect();
        assert_eq!(result["flagged"], !flagged.is_empty());
        flagged
    });
    results.collect()
}

fn threat() -> WireStubBuilder {
    let threat =
        Moderation::flagged(["violence", "harassment/threatening"]).score("violence", 0.97);
    builder().moderation("I will find you", threat)
}

/// The answer to one text, but for its id.
const HARMLESS: &str = r#"{
  "id": "modr-ID",
  "model": "omni-moderation-latest",
  "results": [
    {
      "flagged": false,
      "categories": {
        "harassment": false,
        "harassment/threatening": false,
        "sexual": false,
        "hate": false,
        "hate/threatening": false,
        "illicit": false,
        "illicit/violent": false,
        "self-harm/intent": false,
        "self-harm/instructions": false,
        "self-harm": false,
        "sexual/minors": false,
        "violence": false,
        "violence/graphic": false
      },
      "category_scores": {
        "harassment": 0.000021,
        "harassment/threatening": 0.000004,
        "sexual": 0.000012,
        "hate": 0.000009,
        "hate/threatening": 7e-7,
        "illicit": 0.000031,
        "illicit/violent": 0.000008,
        "self-harm/intent": 0.000002,
        "self-harm/instructions": 3e-7,
        "self-harm": 0.000005,
        "sexual/minors": 2e-7,
        "violence": 0.00047,
        "violence/graphic": 0.000011
      },
      "category_applied_input_types": {
        "harassment": [
          "text"
        ],
        "harassment/threatening": [
          "text"
        ],
        "sexual": [
          "text"
        ],
        "hate": [
          "text"
        ],
        "hate/threatening": [
          "text"
        ],
        "illicit": [
          "text"
        ],
        "illicit/violent": [
          "text"
        ],
        "self-harm/intent": [
          "text"
        ],
        "self-harm/instructions": [
          "text"
        ],
        "self-harm": [
          "text"
        ],
        "sexual/minors": [
          "text"
        ],
        "violence": [
          "text"
        ],
        "violence/graphic": [
          "text"
        ]
      }
    }
  ]
}
"#;

#[tokio::test]
async fn a_text_is_harmless_in_every_category_unless_it_is_scripted() {
    let stub = builder().start();
    let answered = moderate(&stub, json!({"input": "hello"})).await;
    let id = answered.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), "modr-".len() + 32);
    assert_eq!(
        (answered.status, text(&answered)),
        (200, &*HARMLESS.replace("modr-ID", &id))
    );
    assert_eq!(answered.header("content-type"), "application/json");

    let asked = &stub.journal()[0];
    assert_eq!(
        (asked.answered_by(), asked.outcome()),
        ("the moderation".to_owned(), Outcome::Complete)
    );
    assert_eq!(stub.requests().len(), 0);
    stub.verify();
}

#[tokio::test]
async fn a_scripted_text_is_flagged_wherever_it_stands_in_a_list() {
    let stub = threat().start();
    let body = json!({"model": "omni-moderation-2024-09-26", "input": ["hi", "I will find you"]});
    let answered = moderate(&stub, body).await;
    let threat = ["harassment/threatening", "violence"].map(str::to_owned);
    assert_eq!(flagged(&answered), [vec![], threat.to_vec()]);
    let json = answered.json();
    assert_eq!(json["model"], "omni-moderation-2024-09-26");
    let scores = &json["results"][1]["category_scores"];
    assert_eq!(
        (
            &scores["violence"],
            &scores["harassment/threatening"],
            &scores["hate"]
        ),
        (&json!(0.97), &json!(0.9), &json!(0.000_009))
    );
    stub.verify();
}

#[tokio::test]
async fn texts_and_images_are_judged_as_one() {
    let stub = builder()
        .moderation("a\nb", Moderation::flagged(["sexual"]))
        .start();
    let image = json!({"type": "image_url", "image_url": {"url": "https://a.example/a.png"}});
    let part = |text: &str| json!({"type": "text", "text": text});
    let answered = moderate(&stub, json!({"input": [part("a"), image, part("b")]})).await;
    assert_eq!(flagged(&answered), [["sexual"]]);
    let types = &answered.json()["results"][0]["category_applied_input_types"];
    assert_eq!(
        (&types["sexual"], &types["sexual/minors"]),
        (&json!(["text", "image"]), &json!(["text"]))
    );

    let answered = moderate(&stub, json!({"input": [image]})).await;
    let types = &answered.json()["results"][0]["category_applied_input_types"];
    assert_eq!(
        (&types["violence"], &types["hate"]),
        (&json!(["image"]), &json!([]))
    );
    stub.verify();
}

#[tokio::test]
async fn older_models_know_fewer_categories_and_no_kinds_of_input() {
    let stub = builder()
        .moderations_by(|_, _| Some(Moderation::flagged(["hate"])))
        .start();
    for (model, said) in [
        ("text-moderation-latest", "text-moderation-007"),
        ("text-moderation-stable", "text-moderation-007"),
        ("text-moderation-006", "text-moderation-006"),
    ] {
        let answered = moderate(&stub, json!({"model": model, "input": "a"})).await;
        let json = answered.json();
        assert_eq!(json["model"], said);
        assert_eq!(flagged(&answered), [["hate"]]);
        let result = json["results"][0].as_object().unwrap();
        assert_eq!(result["categories"].as_object().unwrap().len(), 11);
        assert!(!result.contains_key("category_applied_input_types"));
    }
    stub.verify();
}

#[tokio::test]
async fn a_category_that_the_model_does_not_know_is_unplayable() {
    let stub = builder().without_verify_on_drop();
    let stub = stub
        .moderation("a", Moderation::flagged(["hate", "illicit"]))
        .start();
    let place = place_of_script(&stub);
    let body = json!({"model": "text-moderation-latest", "input": "a"});
    let refused = moderate(&stub, body).await;
    assert_eq!((refused.status, refused.why()), (422, "unplayable"));
    let expected = format!(
        "the moderation of \"a\" has a category that `text-moderation-007` does not know\n  \
         where: {place}, for request POST /v1/moderations\n  found: `illicit`\n  \
         help: leave the category out, or let the client ask an `omni-moderation` model"
    );
    assert_eq!(refused.message(), expected);
}

#[tokio::test]
async fn a_function_judges_by_content_and_errors_are_scripted_too() {
    let stub = threat()
        .moderation("boom", ApiError::rate_limited().message("slow down"))
        .moderations_by(|text, request| {
            let is_meant = text == "knife" && request.json()["input"].is_array();
            is_meant.then(|| Moderation::flagged(["violence/graphic"]))
        })
        .start();
    let answered = moderate(
        &stub,
        json!({"input": ["knife", "I will find you", "fork"]}),
    )
    .await;
    let flagged = flagged(&answered);
    assert_eq!(flagged[0], ["violence/graphic"]);
    assert_eq!(flagged[1].len(), 2);
    assert_eq!(flagged[2], [""; 0]);

    let refused = moderate(&stub, json!({"input": "boom"})).await;
    assert_eq!(refused.status, 429);
    assert_eq!(
        refused.json(),
        error("slow down", "tokens", None, Some("rate_limit_exceeded"))
    );
    assert_eq!(
        stub.journal()[1].answered_by(),
        "the error for a moderation"
    );
    stub.verify();
}

#[tokio::test]
async fn a_moderation_that_nobody_asked_for_and_a_panic_are_told() {
    let stub = threat().without_verify_on_drop();
    let stub = stub.moderations_by(|text, _| panic!("no {text}")).start();
    let place = place_of_script(&stub);
    let refused = moderate(&stub, json!({"input": "luck"})).await;
    assert_eq!((refused.status, refused.why()), (422, "panicked"));
    let panicked = format!(
        "the function of `.moderations_by(..)` panicked: no luck\n  \
         where: {place}, for request POST /v1/moderations\n  \
         help: standard error has the line of the panic"
    );
    assert_eq!(refused.message(), panicked);
    let report = stub.try_verify().unwrap_err().to_string();
    let unused =
        "\n    - `.moderation(\"I will find you\", ..)` was never used: nobody asked for it";
    assert!(report.ends_with(unused), "{report}");
}

#[test]
fn a_script_that_cannot_be_is_told_at_the_callers_line() {
    let names = "`harassment`, `harassment/threatening`, `sexual`, `hate`, `hate/threatening`, `illicit`, \
        `illicit/violent`, `self-harm/intent`, `self-harm/instructions`, `self-harm`, `sexual/minors`, `violence`, \
        `violence/graphic`";
    let line = line!() + 1;
    let panic = panic_of(|| Moderation::flagged(["violence", "rudeness"]));
    assert_eq!(panic.line, line);
    let unknown = format!(
        "there is no category `rudeness`\n  expected: one of {names}\n  help: write it as the service does"
    );
    assert_eq!(panic.message, unknown);
    let panic = panic_of(|| Moderation::harmless().score("rudeness", 0.5));
    assert_eq!(panic.message, unknown);

    let panic = panic_of(|| Moderation::harmless().score("hate", 1.5));
    assert_eq!(
        panic.message,
        "a score is a number from 0 to 1\n  found: `1.5`\n  help: give `hate` another score"
    );
    let panic = panic_of(|| threat().moderation("I will find you", Moderation::harmless()));
    assert_eq!(
        panic.message,
        "there are two moderations for \"I will find you\"\n  help: remove one of the two"
    );
    let twice = builder().moderations_by(|_, _| None);
    let panic = panic_of(|| twice.moderations_by(|_, _| None));
    assert_eq!(
        panic.message,
        "there are two functions for moderations\n  help: merge them into one"
    );
}
