//! Sizes of events, and how many there are: damage to nothing but what a client takes for granted.

use super::{
    Requirement::{MustError, MustSucceedWithSameResult},
    Stage,
    kind::{ACR, Kind, variant},
};

pub(super) const LARGE_EVENT: Kind = Kind {
    id: "large-event",
    stage: Stage::Bytes,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: Some(MustError),
    variants: &[
        variant(
            "64-kib-and-1",
            "the `data:` line of the first fragment has 65 537 bytes, by white space of its JSON",
        ),
        variant("128-kib-and-1", "it has 131 073 bytes"),
        variant("1-mib-and-1", "it has 1 048 577 bytes"),
        variant("16-mib", "it has 16 777 216 bytes"),
    ],
};

pub(super) const TINY_FRAGMENTS: Kind = Kind {
    id: "tiny-fragments",
    stage: Stage::Transport,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: None,
    variants: &[
        variant(
            "1-mib-by-16",
            "the event of the first fragment has at least 1 MiB, and comes in writes of 16 bytes",
        ),
        variant("1-mib-by-1024", "1 MiB, in writes of 1024 bytes"),
        variant("8-mib-by-16", "8 MiB, in writes of 16 bytes"),
        variant("8-mib-by-1024", "8 MiB, in writes of 1024 bytes"),
    ],
};

pub(super) const MANY_TINY_EVENTS: Kind = Kind {
    id: "many-tiny-events",
    stage: Stage::Turn,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: None,
    variants: &[variant(
        "20000-characters",
        "the text has 20 000 characters, each a fragment of its own; 100 events are one write",
    )],
};
