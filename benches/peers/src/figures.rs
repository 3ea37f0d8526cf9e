//! In: samples. Out: medians, ratios and their text. Times are seconds throughout.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// The median of every round of one measurement, by column.
///
/// All columns take part in every round, so a ratio is taken within each round and its median is
/// the result: a machine that gets slower half-way moves both sides of it.
#[derive(Debug, Default)]
pub struct Rounds(BTreeMap<&'static str, Vec<f64>>);

impl Rounds {
    pub fn add(&mut self, column: &'static str, figure: f64) {
        self.0.entry(column).or_default().push(figure);
    }

    /// Those of the columns `names` that a child has said as JSON.
    pub fn said(said: &Value, names: &[&'static str]) -> Self {
        let column = |name: &&'static str| {
            let rounds = said[*name].as_array().expect("the child measured everyone");
            let figures = rounds.iter().filter_map(Value::as_f64).collect();
            (*name, figures)
        };
        Self(names.iter().map(column).collect())
    }

    /// As a child says them.
    pub fn to_json(&self) -> Value {
        json!(self.0)
    }

    pub fn figure(&self, column: &str) -> Option<f64> {
        self.0.get(column).map(|rounds| median(rounds.clone()))
    }

    pub fn ratio(&self, ours: &str, to: &str) -> f64 {
        let pairs = self.0[ours].iter().zip(&self.0[to]);
        median(pairs.map(|(ours, to)| ours / to).collect())
    }
}

pub fn median(mut samples: Vec<f64>) -> f64 {
    assert!(!samples.is_empty(), "nothing was measured");
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// The samples of one round, as its median.
pub fn median_of(samples: &[Duration]) -> f64 {
    median(samples.iter().map(Duration::as_secs_f64).collect())
}

#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// In seconds, shown as what reads best.
    Time,
    EventsPerSecond,
    KiB,
    Crates,
    /// A factor.
    Times,
}

impl Unit {
    pub fn text(self, figure: f64) -> String {
        match self {
            Self::Time if figure < 1e-3 => format!("{} µs", short(figure * 1e6)),
            Self::Time if figure < 1.0 => format!("{} ms", short(figure * 1e3)),
            Self::Time => format!("{} s", short(figure)),
            Self::EventsPerSecond if figure < 1e6 => format!("{} k/s", short(figure / 1e3)),
            Self::EventsPerSecond => format!("{} M/s", short(figure / 1e6)),
            Self::KiB => format!("{} KiB", short(figure)),
            Self::Crates => format!("{figure:.0}"),
            Self::Times => format!("{} ×", short(figure)),
        }
    }
}

/// Three digits are all that a benchmark is good for.
pub fn short(figure: f64) -> String {
    let magnitude = figure.abs();
    let decimals = if magnitude >= 100.0 {
        0
    } else if magnitude >= 10.0 {
        1
    } else {
        2
    };
    format!("{figure:.decimals$}")
}
