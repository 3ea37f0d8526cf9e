//! When an answer is from: services add members to their answers, and move them.

/// A month. An answer is written as the service wrote it then; the members that came later are left out.
///
/// Without one, an answer is of today: of the newest form that this crate knows. Each API has a table of its
/// own; for Anthropic Messages:
///
/// | since | the answer |
/// | --- | --- |
/// | 2024-04 | `id`, `type`, `role`, `model`, …; usage has two counters, and `output_tokens` alone at the end of a stream |
/// | 2024-12 | the counters of the cache (the month is not certain) |
/// | 2025-01 | errors have a `request_id` (the month is not certain) |
/// | 2025-06 | `service_tier`; a stream ends with all counters |
/// | 2025-10 | `cache_creation` |
/// | 2025-11 | `model` comes first |
/// | 2026-02 | `inference_geo` |
/// | 2026-03 | `caller` on tool calls |
/// | 2026-04 | `stop_details`, `output_tokens_details`, `web_fetch_requests` |
///
/// ```
/// use llm_wire_stub::{Api, Era, Turn, json_body};
///
/// let turn = Turn::new().text("hi").era(Era::of(2024, 6)).plain();
/// let body = json_body(Api::AnthropicMessages, &turn);
/// let text = std::str::from_utf8(&body).unwrap();
/// assert!(text.ends_with(r#""stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}"#));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Era {
    pub(crate) year: u16,
    pub(crate) month: u8,
}

impl Era {
    /// The form of this month.
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is no such month.
    #[must_use]
    #[track_caller]
    pub const fn of(year: u16, month: u8) -> Self {
        assert!(
            month >= 1 && month <= 12,
            "there is no such month\n  help: months count from 1 to 12, as in `Era::of(2024, 6)`"
        );
        Self { year, month }
    }

    /// The newest form that this crate knows; the default.
    #[must_use]
    pub const fn today() -> Self {
        Self {
            year: u16::MAX,
            month: 12,
        }
    }
}

impl Era {
    /// `2024-06`, or `today`.
    pub(crate) fn to_text(self) -> String {
        if self == Self::today() {
            return "today".to_owned();
        }
        format!("{:04}-{:02}", self.year, self.month)
    }

    /// # Errors
    ///
    /// If this is neither a month nor `today`.
    pub(crate) fn from_text(text: &str) -> Result<Self, String> {
        if text == "today" {
            return Ok(Self::today());
        }
        let month = text.split_once('-').and_then(|(year, month)| {
            let (year, month) = (year.parse().ok()?, month.parse().ok()?);
            (1..=12).contains(&month).then_some(Self { year, month })
        });
        month.ok_or_else(|| {
            format!(
                "this is no month\n  found: `{}`\n  help: write it as `2024-06`, or leave it out, which is `today`",
                text.escape_debug()
            )
        })
    }
}

impl Default for Era {
    fn default() -> Self {
        Self::today()
    }
}
