//! The models: one by its id, or the list.
//!
//! Members and their types are those of the official SDKs. The order of the first seven is known from public
//! reports; the four that came later stand behind them, where the service has them is not known.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{
    AnthropicRoad,
    page::{Item, page},
};
use crate::{
    api::side_roads::{ModelInfo, Query, Said},
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
};

/// The list of models, or one of it.
pub(crate) fn models(
    scripted: Option<&[ModelInfo]>,
    road: AnthropicRoad,
    request: &RecordedRequest,
) -> Said {
    let all = scripted.map_or_else(|| Cow::Owned(known_models()), Cow::Borrowed);
    if road == AnthropicRoad::GetModel {
        return one(&all, &road.id(request));
    }
    match list(&all, &Query::new(request.query())) {
        Ok(body) => Said::json("the model list", body),
        Err(error) => Said::error("400: no such page of models", error),
    }
}

fn one(all: &[ModelInfo], id: &str) -> Said {
    let exact = all.iter().find(|model| model.id() == id);
    match exact.or_else(|| all.iter().find(|model| is_called(model, id))) {
        Some(model) => Said::json("the model", write(model)),
        None => {
            let error = ApiError::new(ErrorKind::NotFound).message(format!("model: {id}"));
            Said::error("404: no such model", error)
        }
    }
}

/// Whether it is asked for by this id: its own, or without the date at its end.
fn is_called(model: &ModelInfo, id: &str) -> bool {
    let own = model.id();
    let date = own.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
    let is_date = |date: &str| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    own == id || date.is_some_and(is_date)
}

/// Retired models are listed only if they are asked for.
fn list(all: &[ModelInfo], query: &Query) -> Result<Vec<u8>, ApiError> {
    let asked: Vec<&str> = query.all("lifecycle").collect();
    let known = ["active", "deprecated", "retired"];
    if let Some(at) = asked.iter().position(|asked| !known.contains(asked)) {
        return Err(ApiError::invalid_request(format!(
            "lifecycle.{at}: Input should be 'active', 'deprecated' or 'retired'"
        )));
    }
    let is_shown = |model: &&ModelInfo| {
        let stage = model.said("lifecycle").and_then(Value::as_str);
        match stage.unwrap_or("active") {
            stage if asked.is_empty() => stage != "retired",
            stage => asked.contains(&stage),
        }
    };
    let shown = all.iter().filter(is_shown).map(|model| Item {
        id: model.id().to_owned(),
        json: write(model),
    });
    page(&shown.collect::<Vec<_>>(), query)
}

/// A model of which nothing else is known is active, has its id for a name, was made in 1970, as the service says it
/// where the date is unknown, and the rest is null.
fn write(model: &ModelInfo) -> Vec<u8> {
    model.write(&[
        ("type", json!("model")),
        ("id", json!(model.id())),
        ("display_name", json!(model.id())),
        ("created_at", json!("1970-01-01T00:00:00Z")),
        ("max_input_tokens", Value::Null),
        ("max_tokens", Value::Null),
        ("capabilities", Value::Null),
        ("deprecated_at", Value::Null),
        ("lifecycle", json!("active")),
        ("line", Value::Null),
        ("retires_at", Value::Null),
    ])
}

/// Three models of 2025 and 2026, the most recent one first. Names, dates and limits are those of public
/// reports, capabilities those of the documentation.
fn known_models() -> Vec<ModelInfo> {
    let model = |id: &str, name: &str, date: &str, [input, output]: [u32; 2]| {
        ModelInfo::new(id)
            .member("display_name", name)
            .member("created_at", format!("{date}T00:00:00Z"))
            .member("max_input_tokens", input)
            .member("max_tokens", output)
    };
    let newer = capabilities(&json!({
        "supported": true, "low": yes(), "medium": yes(), "high": yes(), "max": yes(), "xhigh": no()
    }));
    let older = capabilities(&json!({
        "supported": false, "low": no(), "medium": no(), "high": no(), "max": no(), "xhigh": no()
    }));
    vec![
        model(
            "claude-sonnet-4-6",
            "Claude Sonnet 4.6",
            "2026-02-17",
            [1_000_000, 128_000],
        )
        .member("capabilities", newer.clone())
        .member("line", "sonnet"),
        model(
            "claude-opus-4-6",
            "Claude Opus 4.6",
            "2026-02-04",
            [1_000_000, 128_000],
        )
        .member("capabilities", newer)
        .member("line", "opus"),
        model(
            "claude-haiku-4-5-20251001",
            "Claude Haiku 4.5",
            "2025-10-15",
            [200_000, 64_000],
        )
        .member("capabilities", older)
        .member("line", "haiku"),
    ]
}

fn yes() -> Value {
    json!({"supported": true})
}

fn no() -> Value {
    json!({"supported": false})
}

/// All that a model can do; one without effort levels does not think adaptively either.
fn capabilities(effort: &Value) -> Value {
    let adaptive = json!({"supported": effort.get("supported")});
    json!({
        "batch": yes(),
        "citations": yes(),
        "code_execution": yes(),
        "context_management": {
            "supported": true, "clear_thinking_20251015": yes(),
            "clear_tool_uses_20250919": yes(), "compact_20260112": adaptive
        },
        "effort": effort,
        "image_input": yes(),
        "pdf_input": yes(),
        "server_tools": {"supported": true, "code_execution": yes(), "web_search": yes()},
        "structured_outputs": yes(),
        "thinking": {
            "supported": true,
            "types": {
                "adaptive": adaptive, "between_tools": no(), "disabled": yes(), "enabled": yes()
            }
        }
    })
}
