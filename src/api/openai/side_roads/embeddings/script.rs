//! What is scripted for inputs: vectors, token counts, errors; and whether a vector can be said.

use std::sync::Arc;

use super::{super::Misfit, EmbeddingInput};
use crate::{request::RecordedRequest, script::ApiError, small_map::SmallMap};

/// What is answered for one input: a vector, or an error for the whole request. A list of numbers and an [`ApiError`]
/// become one by themselves.
///
/// ```
/// use llm_wire_stub::{ApiError, Embedding, WireStub};
///
/// let stub = WireStub::builder()
///     .embedding("cat", [1.0, 0.0, 0.0])
///     .embedding("dog", Embedding::from([0.8, 0.6, 0.0]).tokens(7))
///     .embedding("boom", ApiError::rate_limited())
///     .without_verify_on_drop()
///     .start();
/// # drop(stub);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Embedding {
    /// Without one it is derived.
    pub(super) vector: Option<Vec<f64>>,
    pub(super) tokens: Option<u64>,
    pub(super) error: Option<Box<ApiError>>,
}

impl Embedding {
    /// The vector that the input has without a script: of unit length, the same for the same input in every stub.
    pub fn derived() -> Self {
        Self::default()
    }

    /// Counts so many tokens for this input, instead of an estimate: one for each four characters of a text, and
    /// exactly those of a list. The usage is the sum over all inputs.
    pub const fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// What of it no answer can carry.
    fn flaw(&self) -> Option<String> {
        let vector = self.vector.as_ref()?;
        if vector.is_empty() {
            return Some("no numbers".to_owned());
        }
        let fits = |n: &f64| n.abs() <= f64::from(f32::MAX);
        let wrong = vector.iter().find(|n| !fits(n))?;
        Some(format!("`{wrong:e}`"))
    }

    /// Why no answer can carry it.
    pub(crate) fn problem(&self) -> Option<String> {
        let found = self.flaw()?;
        Some(format!("{WHAT}\n  found: {found}\n  help: {HELP}"))
    }
}

const WHAT: &str = "a vector cannot be an embedding";
const HELP: &str =
    "give it at least one number, all of them finite and within the range of 32 bits";

impl From<Vec<f64>> for Embedding {
    fn from(vector: Vec<f64>) -> Self {
        Self {
            vector: Some(vector),
            ..Self::default()
        }
    }
}

impl<const N: usize> From<[f64; N]> for Embedding {
    fn from(vector: [f64; N]) -> Self {
        Vec::from(vector).into()
    }
}

/// Each number as it is written: `0.1f32` is 0.1.
impl From<Vec<f32>> for Embedding {
    fn from(vector: Vec<f32>) -> Self {
        let written = |n: &f32| n.to_string().parse().unwrap_or_else(|_| f64::from(*n));
        vector.iter().map(written).collect::<Vec<f64>>().into()
    }
}

impl<const N: usize> From<[f32; N]> for Embedding {
    fn from(vector: [f32; N]) -> Self {
        Vec::from(vector).into()
    }
}

impl From<ApiError> for Embedding {
    fn from(error: ApiError) -> Self {
        Self {
            error: Some(Box::new(error)),
            ..Self::default()
        }
    }
}

/// What is scripted for embeddings.
#[derive(Clone, Default)]
pub(crate) struct EmbeddingScript {
    pub(crate) known: SmallMap<EmbeddingInput, Embedding>,
    pub(crate) by: Option<Arc<Embedder>>,
}

pub(crate) type Embedder =
    dyn Fn(&EmbeddingInput, &RecordedRequest) -> Option<Embedding> + Send + Sync;

impl EmbeddingScript {
    /// What is scripted for this input, and by which call if it was by input. Runs user code.
    pub(super) fn find(
        &self,
        input: &EmbeddingInput,
        request: &RecordedRequest,
    ) -> (Option<Embedding>, Option<String>) {
        match self.known.get(input) {
            Some(known) => (Some(known.clone()), Some(call(input))),
            None => (self.by.as_ref().and_then(|by| by(input, request)), None),
        }
    }

    /// How long the scripted vectors are, as far as that is known before a request.
    pub(super) fn dimensions(&self) -> Option<usize> {
        let mut known = self.known.iter();
        known.find_map(|(_, embedding)| embedding.vector.as_ref().map(Vec::len))
    }

    /// The calls by which inputs are scripted.
    pub(crate) fn calls(&self) -> impl Iterator<Item = String> {
        self.known.iter().map(|(input, _)| call(input))
    }
}

fn call(input: &EmbeddingInput) -> String {
    format!("`.embedding({}, ..)`", input.spelled())
}

/// Whether it can be said at all.
pub(super) fn check(embedding: &Embedding, input: &EmbeddingInput) -> Result<(), Misfit> {
    match embedding.flaw() {
        None => Ok(()),
        Some(found) => Err(Misfit::Unplayable {
            what: format!("{WHAT}: the one of {}", input.spelled()),
            found,
            help: HELP,
        }),
    }
}

/// Whether all scripted vectors are as long as the request asks, or else as each other.
pub(super) fn check_dimensions(
    inputs: &[EmbeddingInput],
    scripted: &[Embedding],
    asked: Option<usize>,
) -> Result<(), Misfit> {
    let mut expected = asked.map(|n| (n, "which the request asks for".to_owned()));
    for (input, embedding) in inputs.iter().zip(scripted) {
        let Some(found) = embedding.vector.as_ref().map(Vec::len) else {
            continue;
        };
        match &expected {
            None => expected = Some((found, format!("as the one of {} has", input.spelled()))),
            Some((n, _)) if *n == found => {}
            Some((n, why)) => {
                return Err(Misfit::Drift {
                    of: format!("vector of {}", input.spelled()),
                    expected: format!("{n} dimensions, {why}"),
                    found: found.to_string(),
                });
            }
        }
    }
    Ok(())
}
