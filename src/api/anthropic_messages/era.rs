//! How the envelope looked at which time, as a table.
//!
//! Known from recorded traffic of 2024-06, 2025-10, 2025-11, 2026-02, 2026-03, 2026-04 and 2026-08. The months
//! of the cache counters and of `request_id` in errors are not certain.

use crate::script::Era;

/// What the envelope has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope {
    /// The first month of this form.
    pub(super) since: Era,
    pub(super) first: First,
    /// `cache_creation_input_tokens` and `cache_read_input_tokens`.
    pub(super) cache_counters: bool,
    /// `request_id` in errors, and `details` in those inside a stream.
    pub(super) request_id: bool,
    pub(super) service_tier: bool,
    /// Whether `message_delta` has more than `output_tokens`.
    pub(super) delta_counters: bool,
    /// `cache_creation`, by how long it is kept.
    pub(super) cache_creation: bool,
    pub(super) inference_geo: bool,
    /// `caller` on tool calls and some results.
    pub(super) caller: bool,
    pub(super) stop_details: bool,
    /// Whether `output_tokens_details` and `web_fetch_requests` are there unasked.
    pub(super) details: bool,
}

/// Which member a message begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    /// `id`, `type`, `role`, `model`.
    Id,
    /// `model`, `id`, `type`, `role`.
    Model,
}

const OLDEST: Envelope = Envelope {
    since: Era::of(2024, 4),
    first: First::Id,
    cache_counters: false,
    request_id: false,
    service_tier: false,
    delta_counters: false,
    cache_creation: false,
    inference_geo: false,
    caller: false,
    stop_details: false,
    details: false,
};

const SINCE_2024_12: Envelope = Envelope {
    since: Era::of(2024, 12),
    cache_counters: true,
    ..OLDEST
};

const SINCE_2025_01: Envelope = Envelope {
    since: Era::of(2025, 1),
    request_id: true,
    ..SINCE_2024_12
};

const SINCE_2025_06: Envelope = Envelope {
    since: Era::of(2025, 6),
    service_tier: true,
    delta_counters: true,
    ..SINCE_2025_01
};

const SINCE_2025_10: Envelope = Envelope {
    since: Era::of(2025, 10),
    cache_creation: true,
    ..SINCE_2025_06
};

const SINCE_2025_11: Envelope = Envelope {
    since: Era::of(2025, 11),
    first: First::Model,
    ..SINCE_2025_10
};

const SINCE_2026_02: Envelope = Envelope {
    since: Era::of(2026, 2),
    inference_geo: true,
    ..SINCE_2025_11
};

const SINCE_2026_03: Envelope = Envelope {
    since: Era::of(2026, 3),
    caller: true,
    ..SINCE_2026_02
};

const SINCE_2026_04: Envelope = Envelope {
    since: Era::of(2026, 4),
    stop_details: true,
    details: true,
    ..SINCE_2026_03
};

/// The forms, oldest first.
pub(super) static ERAS: [Envelope; 9] = [
    OLDEST,
    SINCE_2024_12,
    SINCE_2025_01,
    SINCE_2025_06,
    SINCE_2025_10,
    SINCE_2025_11,
    SINCE_2026_02,
    SINCE_2026_03,
    SINCE_2026_04,
];

impl Envelope {
    /// The form of that time; what is older than every form is as the oldest.
    pub(super) fn at(era: Era) -> &'static Self {
        let known = ERAS.iter().rev().find(|form| form.since <= era);
        known.unwrap_or(&OLDEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_of_a_month_is_the_last_one_that_began() {
        for (era, since) in [
            (Era::of(2023, 1), Era::of(2024, 4)),
            (Era::of(2024, 11), Era::of(2024, 4)),
            (Era::of(2024, 12), Era::of(2024, 12)),
            (Era::of(2025, 9), Era::of(2025, 6)),
            (Era::of(2026, 3), Era::of(2026, 3)),
            (Era::today(), Era::of(2026, 4)),
        ] {
            assert_eq!(Envelope::at(era).since, since, "{era:?}");
        }
        assert!(ERAS.is_sorted_by_key(|form| form.since));
    }
}
