//! Moderations: `POST /v1/moderations`. What each input is flagged for; nothing, unless it is scripted.
//!
//! Members and their types are those of the official SDKs. The order of the categories, the kinds of input that they
//! are for and how scores are printed are known from traffic of a chat that asks for moderation; that of a result's
//! members from the documentation. The printer is not known: here as other bodies are, indented, a newline at the end.

mod script;

use serde_json::Value;

use super::Misfit;
use crate::{
    api::{
        Context, Ids,
        openai::{MODERATION, moderation::CATEGORIES},
        side_roads::{Members, Said},
    },
    json::indented,
    request::RecordedRequest,
};

pub use script::Moderation;
pub(crate) use script::ModerationScript;

/// What the model that is asked for knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    /// Every category, and images.
    Omni,
    /// Text only, without what came later.
    Text,
}

/// The scores of what is harmless, in the order of [`CATEGORIES`]; made up.
const HARMLESS: [f64; 13] = [
    0.000_021,
    0.000_004,
    0.000_012,
    0.000_009,
    0.000_000_7,
    0.000_031,
    0.000_008,
    0.000_002,
    0.000_000_3,
    0.000_005,
    0.000_000_2,
    0.000_47,
    0.000_011,
];

impl Model {
    /// The categories that it knows, and the score of what is harmless in each.
    fn categories(self) -> impl Iterator<Item = (&'static str, f64)> {
        let came_later = |name: &str| name.starts_with("illicit");
        let all = CATEGORIES.into_iter().zip(HARMLESS);
        all.filter(move |(name, _)| self == Self::Omni || !came_later(name))
    }
}

/// Whether images are looked at for this category.
fn sees_images(category: &str) -> bool {
    let is_seen = ["self-harm", "sexual", "violence"]
        .iter()
        .any(|seen| category.starts_with(seen));
    is_seen && category != "sexual/minors"
}

/// One thing to be judged.
struct Input {
    text: String,
    has_text: bool,
    has_image: bool,
}

impl Input {
    fn of_text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            has_text: true,
            has_image: false,
        }
    }

    /// A list of texts and images is judged as one.
    fn of_parts(parts: &[Value]) -> Self {
        let of_kind = |kind: &'static str| {
            let is_kind =
                move |part: &&Value| part.get("type").and_then(Value::as_str) == Some(kind);
            parts.iter().filter(is_kind)
        };
        let texts = of_kind("text").filter_map(|part| part.get("text")?.as_str());
        let texts: Vec<&str> = texts.collect();
        Self {
            text: texts.join("\n"),
            has_text: !texts.is_empty(),
            has_image: of_kind("image_url").next().is_some(),
        }
    }
}

/// The inputs of a request; `None` if its member `input` is none of the three forms.
fn inputs(input: Option<&Value>) -> Option<Vec<Input>> {
    let input = input?;
    if let Some(text) = input.as_str() {
        return Some(vec![Input::of_text(text)]);
    }
    let items = input.as_array()?;
    let is_part = |item: &Value| {
        let kind = item.get("type").and_then(Value::as_str);
        let text = item.get("text").is_some_and(Value::is_string);
        let url = item.pointer("/image_url/url").is_some_and(Value::is_string);
        (kind == Some("text") && text) || (kind == Some("image_url") && url)
    };
    if items.is_empty() {
        None
    } else if items.iter().all(is_part) {
        Some(vec![Input::of_parts(items)])
    } else {
        let texts = items.iter().map(|item| item.as_str().map(Input::of_text));
        texts.collect()
    }
}

/// Whether a request has an input of a known form.
pub(super) fn has_input(body: &Value) -> bool {
    inputs(body.get("input")).is_some()
}

/// What is answered to a request that keeps the rules. Runs user code.
///
/// # Errors
///
/// A text that is flagged for what the model does not know.
pub(crate) fn moderate(
    script: &ModerationScript,
    request: &RecordedRequest,
    context: &Context,
) -> Result<Said, Misfit> {
    let (model, said_model) = match request.model() {
        "" => (Model::Omni, "omni-moderation-latest"),
        "text-moderation-latest" | "text-moderation-stable" => (Model::Text, "text-moderation-007"),
        name if name.starts_with("text-moderation") => (Model::Text, name),
        name => (Model::Omni, name),
    };
    let mut used = Vec::new();
    let mut results = Vec::new();
    for input in inputs(request.json().get("input")).unwrap_or_default() {
        let (moderation, by) = script.find(&input.text, request);
        used.extend(by);
        let moderation = moderation.unwrap_or_default();
        if let Some(error) = moderation.error {
            let mut said = Said::error("the error for a moderation", *error);
            said.used = used;
            return Ok(said);
        }
        let is_known = |category: &str| model.categories().any(|(known, _)| known == category);
        if let Some(category) = moderation.categories().find(|name| !is_known(name)) {
            let text = &input.text;
            return Err(Misfit::Unplayable {
                what: format!(
                    "the moderation of {text:?} has a category that `{said_model}` does not know"
                ),
                found: format!("`{category}`"),
                help: "leave the category out, or let the client ask an `omni-moderation` model",
            });
        }
        results.push(result(&moderation, &input, model));
    }
    let results = [b"[", results.join(&b","[..]).as_slice(), b"]"].concat();
    let id = Ids::new(context.seed, MODERATION).hex("modr-", 32);
    let body = Members::new()
        .text("id", &id)
        .text("model", said_model)
        .raw("results", &results);
    let mut body = indented(&body.end(), 2);
    body.push(b'\n');
    let mut said = Said::json("the moderation", body);
    said.used = used;
    Ok(said)
}

fn result(moderation: &Moderation, input: &Input, model: Model) -> Vec<u8> {
    let is_flagged = |name: &str| moderation.flagged.contains(&name);
    let categories = model
        .categories()
        .fold(Members::new(), |members, (name, _)| {
            members.value(name, &is_flagged(name).into())
        });
    let scores = model
        .categories()
        .fold(Members::new(), |members, (name, harmless)| {
            members.raw(
                name,
                printed(moderation.score_of(name, harmless)).as_bytes(),
            )
        });
    let flagged = model.categories().any(|(name, _)| is_flagged(name));
    let result = Members::new()
        .value("flagged", &flagged.into())
        .raw("categories", &categories.end())
        .raw("category_scores", &scores.end());
    if model == Model::Text {
        return result.end();
    }
    let types = model
        .categories()
        .fold(Members::new(), |members, (name, _)| {
            let text = input.has_text.then_some("text");
            let image = (input.has_image && sees_images(name)).then_some("image");
            let types: Vec<&str> = text.into_iter().chain(image).collect();
            members.value(name, &types.into())
        });
    result
        .raw("category_applied_input_types", &types.end())
        .end()
}

/// As JavaScript prints it: with an exponent below a millionth only.
fn printed(score: f64) -> String {
    if score != 0.0 && score < 1e-6 {
        format!("{score:e}")
    } else {
        format!("{score}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_have_an_exponent_below_a_millionth_only() {
        for (score, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.93, "0.93"),
            (0.000_001, "0.000001"),
            (0.000_015_598_027, "0.000015598027"),
            (0.000_000_98, "9.8e-7"),
        ] {
            assert_eq!(printed(score), expected);
        }
    }
}
