//! A report as JSON.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{CaseReport, Report};
use crate::{base64::base64, conformance::Verdict};

/// Raised when a member changes its meaning or goes away; new members do not raise it.
pub(super) const FORMAT: u64 = 1;
/// The suite, with its version.
pub(super) const SUITE: &str = concat!("llm-wire-stub ", env!("CARGO_PKG_VERSION"));

impl Report {
    /// As JSON, indented, its members always in this order:
    ///
    /// | member | what it is |
    /// | --- | --- |
    /// | `format` | 1; another number once a member means something else |
    /// | `suite` | this crate and its version |
    /// | `api` | the API's name |
    /// | `strict` | whether only the strict reading was clean |
    /// | `idle_limit_ms` | the client's limit on silence, or null |
    /// | `stopped` | whether the client reads undamaged answers wrong, so that nothing else was tried |
    /// | `clean` | what [`is_clean`](Self::is_clean) says |
    /// | `unseen` | what the client says nothing of |
    /// | `counts` | how many cases have each verdict |
    /// | `cases` | the cases, in the order of the catalogue |
    ///
    /// and of each case:
    ///
    /// | member | what it is |
    /// | --- | --- |
    /// | `id` | `kind/variant` |
    /// | `what` | what is done to the answer |
    /// | `cut` | how the answer was cut, or null |
    /// | `requirement`, `also` | what a correct client does, and what is accepted besides, or null |
    /// | `pinned` | the verdict that was pinned, or null |
    /// | `verdict` | as [`Verdict`] is printed |
    /// | `clean` | whether this verdict is fine |
    /// | `detail` | the client's error, or what it read otherwise, or why it was not judged |
    /// | `wanted`, `got` | what should have been read and what was, each in a line, or null |
    /// | `sent` | the body that was sent: its `length`; then `encoding`, which is `text`, or `base64` where the body is no UTF-8, and `data`, of which a long body has only the start |
    /// | `requests` | how many the client sent |
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{Api, conformance::{self, Transcript}};
    ///
    /// let suite = conformance::suite(Api::OpenAiChat);
    /// let report = suite.run(|_base_url| async { Ok::<_, String>(Transcript::text("made up")) }).await;
    /// let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    /// assert_eq!(json["cases"][0]["verdict"], "bad-request"); // it asked nobody
    /// # });
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        // nothing in it can fail: keys are strings, and so it is written to memory
        serde_json::to_string_pretty(&Whole(self)).unwrap_or_default()
    }
}

struct Whole<'a>(&'a Report);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", &FORMAT)?;
        map.serialize_entry("suite", SUITE)?;
        map.serialize_entry("api", report.api.name())?;
        map.serialize_entry("strict", &report.strict)?;
        let limit = report.idle_limit.map(|limit| limit.as_secs_f64() * 1e3);
        map.serialize_entry("idle_limit_ms", &limit)?;
        map.serialize_entry("stopped", &report.stopped)?;
        map.serialize_entry("clean", &report.is_clean())?;
        map.serialize_entry("unseen", &report.unseen)?;
        map.serialize_entry("counts", &Counts(report))?;
        map.serialize_entry("cases", &Cases(report))?;
        map.end()
    }
}

struct Counts<'a>(&'a Report);

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            Verdict::ALL
                .iter()
                .map(|verdict| (verdict.to_string(), self.0.count(*verdict))),
        )
    }
}

struct Cases<'a>(&'a Report);

impl Serialize for Cases<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.cases.len()))?;
        for case in &self.0.cases {
            seq.serialize_element(&Case(self.0, case))?;
        }
        seq.end()
    }
}

struct Case<'a>(&'a Report, &'a CaseReport);

impl Serialize for Case<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(report, case) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &case.id)?;
        map.serialize_entry("what", case.what)?;
        map.serialize_entry("cut", &case.cut)?;
        map.serialize_entry("requirement", &case.asks.to_string())?;
        map.serialize_entry("also", &case.also.map(|also| also.to_string()))?;
        let pinned = report.pinned(case).map(|pinned| pinned.to_string());
        map.serialize_entry("pinned", &pinned)?;
        map.serialize_entry("verdict", &case.verdict.to_string())?;
        map.serialize_entry("clean", &report.accepts(case))?;
        map.serialize_entry("detail", &case.detail)?;
        map.serialize_entry("wanted", &case.wanted)?;
        map.serialize_entry("got", &case.got)?;
        map.serialize_entry("sent", &Sent(case))?;
        map.serialize_entry("requests", &case.calls)?;
        map.end()
    }
}

struct Sent<'a>(&'a CaseReport);

impl Serialize for Sent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("length", &self.0.sent_length)?;
        match std::str::from_utf8(&self.0.sent) {
            Ok(text) => {
                map.serialize_entry("encoding", "text")?;
                map.serialize_entry("data", text)?;
            }
            Err(_) => {
                map.serialize_entry("encoding", "base64")?;
                map.serialize_entry("data", &base64(&self.0.sent))?;
            }
        }
        map.end()
    }
}
