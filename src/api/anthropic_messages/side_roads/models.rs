//! The models: one by its id, or the list.
//!
//! Members and their types are those of the official SDKs. The order of the first seven is known from public
//! reports; the four that came later stand behind them, where the service has them is not known.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{
    Said, SideRoad,
    members::Members,
    page::{Item, Query, page},
};
use crate::{
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
};

/// The models that are listed; without any said, three that are made when somebody asks.
#[derive(Clone, Default)]
pub(crate) struct Models(pub(crate) Option<Vec<ModelInfo>>);

/// A model as `GET /v1/models` shows it.
///
/// ```
/// use llm_wire_stub::{ModelInfo, WireStub};
///
/// let stub = WireStub::builder()
///     .models([
///         ModelInfo::new("claude-new").member("display_name", "Claude New").member("max_tokens", 64_000),
///         ModelInfo::new("claude-old").member("lifecycle", "deprecated"),
///     ])
///     .start();
/// # drop(stub);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ModelInfo(Vec<(String, Value)>);

impl ModelInfo {
    /// An active model, its id for a name, of which nothing else is known: it was made in 1970, as the service
    /// says it where the date is unknown, and the rest is null.
    pub fn new(id: impl Into<String>) -> Self {
        let id = id.into();
        let members = [
            ("type", json!("model")),
            ("id", json!(id)),
            ("display_name", json!(id)),
            ("created_at", json!("1970-01-01T00:00:00Z")),
            ("max_input_tokens", Value::Null),
            ("max_tokens", Value::Null),
            ("capabilities", Value::Null),
            ("deprecated_at", Value::Null),
            ("lifecycle", json!("active")),
            ("line", Value::Null),
            ("retires_at", Value::Null),
        ];
        Self(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// Sets a member of the JSON: `display_name`, `created_at` (RFC 3339), `max_input_tokens`, `max_tokens`,
    /// `capabilities`, `lifecycle` (`active`, `deprecated`, `retired`), `line` or any other; one that is not
    /// known is written last.
    pub fn member(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((name, value)),
        }
        self
    }

    fn text(&self, name: &str) -> &str {
        let mut members = self.0.iter().filter(|(known, _)| known == name);
        let text = members.next().and_then(|(_, value)| value.as_str());
        text.unwrap_or_default()
    }

    fn write(&self) -> Vec<u8> {
        let members = self
            .0
            .iter()
            .fold(Members::new(), |members, (name, value)| {
                members.value(name, value)
            });
        members.end()
    }

    /// Whether it is asked for by this id: its own, or without the date at its end.
    fn is_called(&self, id: &str) -> bool {
        let own = self.text("id");
        let date = own.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
        let is_date =
            |date: &str| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
        own == id || date.is_some_and(is_date)
    }
}

impl From<&str> for ModelInfo {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<String> for ModelInfo {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}

impl Models {
    fn all(&self) -> Cow<'_, [ModelInfo]> {
        match &self.0 {
            Some(models) => Cow::Borrowed(models),
            None => Cow::Owned(known_models()),
        }
    }

    /// The list, or one of it.
    pub(crate) fn answer(&self, road: SideRoad, request: &RecordedRequest) -> Said {
        if road == SideRoad::GetModel {
            return self.one(&road.id(request));
        }
        match self.list(&Query::new(request.query())) {
            Ok(body) => Said::json("the model list", body),
            Err(error) => Said::error("400: no such page of models", error),
        }
    }

    fn one(&self, id: &str) -> Said {
        let all = self.all();
        let exact = all.iter().find(|model| model.text("id") == id);
        match exact.or_else(|| all.iter().find(|model| model.is_called(id))) {
            Some(model) => Said::json("the model", model.write()),
            None => {
                let error = ApiError::new(ErrorKind::NotFound).message(format!("model: {id}"));
                Said::error("404: no such model", error)
            }
        }
    }

    /// Retired models are listed only if they are asked for.
    fn list(&self, query: &Query) -> Result<Vec<u8>, ApiError> {
        let asked: Vec<&str> = query.all("lifecycle").collect();
        let known = ["active", "deprecated", "retired"];
        if let Some(at) = asked.iter().position(|asked| !known.contains(asked)) {
            return Err(ApiError::invalid_request(format!(
                "lifecycle.{at}: Input should be 'active', 'deprecated' or 'retired'"
            )));
        }
        let is_shown = |model: &&ModelInfo| match model.text("lifecycle") {
            stage if asked.is_empty() => stage != "retired",
            stage => asked.contains(&stage),
        };
        let all = self.all();
        let shown = all.iter().filter(is_shown).map(|model| Item {
            id: model.text("id").to_owned(),
            json: model.write(),
        });
        page(&shown.collect::<Vec<_>>(), query)
    }
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
