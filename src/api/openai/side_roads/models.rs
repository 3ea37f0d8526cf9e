//! The models: one by its id, or the list, which has no pages.
//!
//! Members and their types are those of the official SDKs; their order and the printer are known from public reports.
//! The 404 has the words that public reports show of this path, which are others than those of a call of the model.

use std::borrow::Cow;

use serde_json::json;

use super::OpenAiRoad;
use crate::{
    api::side_roads::{Members, ModelInfo, Said},
    json::indented,
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
};

/// The list of models, or one of it.
pub(crate) fn models(
    scripted: Option<&[ModelInfo]>,
    road: OpenAiRoad,
    request: &RecordedRequest,
) -> Said {
    let all = scripted.map_or_else(|| Cow::Owned(known_models()), Cow::Borrowed);
    if road == OpenAiRoad::ListModels {
        let models: Vec<Vec<u8>> = all.iter().map(write).collect();
        let data = [b"[", models.join(&b","[..]).as_slice(), b"]"].concat();
        let list = Members::new().text("object", "list").raw("data", &data);
        return Said::json("the model list", printed(&list.end()));
    }
    let id = road.id(request);
    match all.iter().find(|model| model.id() == id) {
        Some(model) => Said::json("the model", printed(&write(model))),
        None => {
            let error = ApiError::new(ErrorKind::NotFound)
                .message(format!("The model '{id}' does not exist"))
                .param("model");
            Said::error("404: no such model", error)
        }
    }
}

fn write(model: &ModelInfo) -> Vec<u8> {
    model.write(&[
        ("id", json!(model.id())),
        ("object", json!("model")),
        ("created", json!(0)),
        ("owned_by", json!("system")),
    ])
}

/// As the service prints what it does not stream: two spaces, a newline at the end.
fn printed(compact: &[u8]) -> Vec<u8> {
    let mut printed = indented(compact, 2);
    printed.push(b'\n');
    printed
}

/// A model for each API and side road. Names, times and owners are those of public reports.
fn known_models() -> Vec<ModelInfo> {
    let models = [
        ("gpt-5", 1_754_425_777, "system"),
        ("gpt-4.1", 1_744_316_542, "system"),
        ("gpt-4o", 1_715_367_049, "system"),
        ("gpt-4o-mini", 1_721_172_741, "system"),
        ("gpt-3.5-turbo-instruct", 1_692_901_427, "system"),
        ("text-embedding-3-small", 1_705_948_997, "system"),
        ("text-embedding-3-large", 1_705_953_180, "system"),
        ("text-embedding-ada-002", 1_671_217_299, "openai-internal"),
        ("omni-moderation-latest", 1_731_689_265, "system"),
    ];
    let model = |(id, created, owner): (&str, u64, &str)| {
        ModelInfo::new(id)
            .member("created", created)
            .member("owned_by", owner)
    };
    models.map(model).into()
}
