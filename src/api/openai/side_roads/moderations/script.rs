//! What is scripted for moderations.

use std::sync::Arc;

use crate::{
    api::openai::moderation::CATEGORIES, request::RecordedRequest, script::ApiError,
    small_map::SmallMap,
};

/// The score of a category that is flagged.
const HARMFUL: f64 = 0.9;

/// What one input of `POST /v1/moderations` is judged to be: flagged for some categories, with their scores, or an
/// error for the whole request. An [`ApiError`] becomes one by itself.
///
/// ```
/// use llm_wire_stub::{Moderation, WireStub};
///
/// let stub = WireStub::builder()
///     .moderation("I will find you", Moderation::flagged(["harassment/threatening", "violence"]))
///     .moderation("well...", Moderation::harmless().score("harassment", 0.35))
///     .without_verify_on_drop()
///     .start();
/// # drop(stub);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Moderation {
    pub(super) flagged: Vec<&'static str>,
    scores: Vec<(&'static str, f64)>,
    pub(super) error: Option<Box<ApiError>>,
}

impl Moderation {
    /// Flagged for nothing, with low scores.
    pub fn harmless() -> Self {
        Self::default()
    }

    /// Flagged for these categories, with a score of 0.9 each: `harassment`, `harassment/threatening`, `sexual`,
    /// `hate`, `hate/threatening`, `illicit`, `illicit/violent`, `self-harm/intent`, `self-harm/instructions`,
    /// `self-harm`, `sexual/minors`, `violence`, `violence/graphic`. Models named `text-moderation` do not know the
    /// two that are illicit; a moderation that has them cannot be played there.
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is no such category.
    #[track_caller]
    pub fn flagged<'a>(categories: impl IntoIterator<Item = &'a str>) -> Self {
        let mut flagged = Self::default();
        for category in categories {
            flagged.flagged.push(known(category));
        }
        flagged
    }

    /// Gives a category this score, from 0 to 1, whether it is flagged or not.
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is no such category, or if the score is out of its range.
    #[track_caller]
    pub fn score(mut self, category: &str, score: f64) -> Self {
        let category = known(category);
        assert!(
            (0.0..=1.0).contains(&score),
            "a score is a number from 0 to 1\n  found: `{score}`\n  help: give `{category}` another score"
        );
        self.scores.retain(|(known, _)| *known != category);
        self.scores.push((category, score));
        self
    }

    /// The categories that it says something of.
    pub(super) fn categories(&self) -> impl Iterator<Item = &'static str> {
        let scored = self.scores.iter().map(|(category, _)| category);
        self.flagged.iter().chain(scored).copied()
    }

    pub(super) fn score_of(&self, category: &str, harmless: f64) -> f64 {
        let mut scores = self.scores.iter();
        let scripted = scores.find(|(name, _)| *name == category);
        match scripted {
            Some((_, score)) => *score,
            None if self.flagged.contains(&category) => HARMFUL,
            None => harmless,
        }
    }
}

#[track_caller]
fn known(name: &str) -> &'static str {
    match CATEGORIES.into_iter().find(|known| *known == name) {
        Some(known) => known,
        None => {
            let names: Vec<String> = CATEGORIES.iter().map(|name| format!("`{name}`")).collect();
            panic!(
                "there is no category `{name}`\n  expected: one of {}\n  help: write it as the service does",
                names.join(", ")
            )
        }
    }
}

impl From<ApiError> for Moderation {
    fn from(error: ApiError) -> Self {
        Self {
            error: Some(Box::new(error)),
            ..Self::default()
        }
    }
}

/// What is scripted for moderations.
#[derive(Clone, Default)]
pub(crate) struct ModerationScript {
    pub(crate) known: SmallMap<String, Moderation>,
    pub(crate) by: Option<Arc<Moderator>>,
}

pub(crate) type Moderator = dyn Fn(&str, &RecordedRequest) -> Option<Moderation> + Send + Sync;

impl ModerationScript {
    /// What is scripted for this text, and by which call if it was by text. Runs user code.
    pub(super) fn find(
        &self,
        text: &str,
        request: &RecordedRequest,
    ) -> (Option<Moderation>, Option<String>) {
        match self.known.get(text) {
            Some(known) => (Some(known.clone()), Some(call(text))),
            None => (self.by.as_ref().and_then(|by| by(text, request)), None),
        }
    }

    /// The calls by which texts are scripted.
    pub(crate) fn calls(&self) -> impl Iterator<Item = String> {
        self.known.iter().map(|(text, _)| call(text))
    }
}

fn call(text: &str) -> String {
    format!("`.moderation({text:?}, ..)`")
}
