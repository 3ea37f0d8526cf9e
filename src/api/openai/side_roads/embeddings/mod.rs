//! Embeddings: `POST /v1/embeddings`. A vector for each input, scripted or derived from it.
//!
//! | file | holds |
//! | --- | --- |
//! | `input.rs` | what is to be embedded, as the request spells it |
//! | `script.rs` | what is scripted for it |
//! | `derive.rs` | the vector that an input has of itself |
//! | `body.rs` | the two printers of the answer, and the two spellings of a vector |
//! | `rules.rs` | requests that the service refuses |

mod body;
mod derive;
mod input;
pub(super) mod rules;
mod script;

use serde_json::Value;

use super::Misfit;
use crate::{
    api::{Context, side_roads::Said},
    request::RecordedRequest,
    script::ApiError,
};

use body::{Answer, Format};
pub use input::EmbeddingInput;
pub use script::Embedding;
pub(crate) use script::EmbeddingScript;

/// A derived vector has at most so many dimensions, whatever a request asks for.
const MOST_DERIVED: usize = 65_536;

/// The members of a request that an answer depends on.
struct Asked {
    inputs: Vec<EmbeddingInput>,
    dimensions: Option<usize>,
    format: Format,
}

impl Asked {
    fn read(body: &Value) -> Self {
        let dimensions = body.get("dimensions").and_then(Value::as_u64);
        let format = body.get("encoding_format").and_then(Value::as_str);
        Self {
            inputs: input::read(body.get("input")).unwrap_or_default(),
            dimensions: dimensions.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
            format: match format {
                Some("base64") => Format::Base64,
                _ => Format::Float,
            },
        }
    }
}

/// What is answered to a request that keeps the rules. Runs user code.
///
/// # Errors
///
/// A scripted vector that cannot be said.
pub(crate) fn embed(
    script: &EmbeddingScript,
    request: &RecordedRequest,
    may_drift: bool,
    context: &Context,
) -> Result<Said, Misfit> {
    let asked = Asked::read(request.json());
    let mut used = Vec::new();
    let mut scripted = Vec::with_capacity(asked.inputs.len());
    for input in &asked.inputs {
        let (embedding, by) = script.find(input, request);
        used.extend(by);
        let embedding = embedding.unwrap_or_default();
        if let Some(error) = embedding.error {
            return Ok(refused(*error, used));
        }
        script::check(&embedding, input)?;
        scripted.push(embedding);
    }
    let dimensions = asked.dimensions.or_else(|| {
        let here = scripted
            .iter()
            .find_map(|embedding| embedding.vector.as_ref());
        here.map(Vec::len).or_else(|| script.dimensions())
    });
    if !may_drift {
        script::check_dimensions(&asked.inputs, &scripted, asked.dimensions)?;
    }
    let dimensions = match dimensions {
        Some(dimensions) => dimensions,
        None => usize::try_from(most_dimensions(request.model()).unwrap_or(1536)).unwrap_or(0),
    };
    if dimensions > MOST_DERIVED && scripted.iter().any(|embedding| embedding.vector.is_none()) {
        return Err(Misfit::Unplayable {
            what: format!("a derived vector has at most {MOST_DERIVED} dimensions"),
            found: dimensions.to_string(),
            help: "ask for fewer dimensions, or script the vector",
        });
    }
    let tokens = asked.inputs.iter().zip(&scripted);
    let tokens = tokens.map(|(input, embedding)| {
        let estimate = || input.estimated_tokens();
        embedding.tokens.unwrap_or_else(estimate)
    });
    let tokens = tokens.sum();
    let vectors = asked.inputs.iter().zip(scripted);
    let vectors = vectors.map(|(input, embedding)| {
        let derived = || derive::vector(input, dimensions);
        embedding.vector.unwrap_or_else(derived)
    });
    let answer = Answer {
        vectors: vectors.collect(),
        format: asked.format,
        model: model_of(request.model()),
        tokens,
    };
    let mut said = Said::json("the embeddings", answer.write(context.era));
    // a name that no header can have is no model's
    if !context.plain && !answer.model.contains(|c: char| c.is_ascii_control()) {
        said.headers
            .push(("openai-model".into(), answer.model.to_owned().into()));
    }
    said.used = used;
    Ok(said)
}

fn refused(error: ApiError, used: Vec<String>) -> Said {
    let mut said = Said::error("the error for an embedding", error);
    said.used = used;
    said
}

/// The name that the answer has for the model.
fn model_of(asked: &str) -> &str {
    match asked {
        "text-embedding-ada-002" => "text-embedding-ada-002-v2",
        other => other,
    }
}

/// The most dimensions that a model has, which are also those that it has unless a request says otherwise; `None` for
/// models that are not known.
fn most_dimensions(model: &str) -> Option<u64> {
    match model {
        "text-embedding-3-small" | "text-embedding-ada-002" => Some(1536),
        "text-embedding-3-large" => Some(3072),
        _ => None,
    }
}
