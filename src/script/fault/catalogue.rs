//! Every kind of fault, in the order of the catalogue.

use super::{Kind, framing::*, protocol::*, truncation::*};

/// Makes the enumeration and its list of one table, so that neither can lack a kind.
macro_rules! catalogue {
    ($($(#[doc = $doc:literal])+ $name:ident = $kind:ident,)+) => {
        /// A named damage of the fault catalogue: what public reports say that providers, gateways and networks do to
        /// an answer. See [`Turn::fault`](crate::Turn::fault).
        ///
        #[doc = include_str!("faults.md")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Fault {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Fault {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// What the catalogue says of it.
            pub(crate) const fn kind(self) -> &'static Kind {
                match self {
                    $(Self::$name => &$kind,)+
                }
            }

            /// What it is, in a sentence.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

catalogue! {
    // bytes and framing
    /// A character of several bytes, in text or arguments, is split between two writes.
    SplitUtf8Scalar = SPLIT_UTF8_SCALAR,
    /// Every line ends in CR LF.
    EolCrlf = EOL_CRLF,

    // the protocol
    /// Objects have members that no documentation names.
    UnknownField = UNKNOWN_FIELD,
    /// The answer ends for a reason that the client has never heard of.
    UnknownStopReason = UNKNOWN_STOP_REASON,

    // truncation
    /// The body ends properly between two events, before the event that proves it whole.
    EofBeforeTerminal = EOF_BEFORE_TERMINAL,
    /// The connection ends without the last chunk of the body, or before its length is reached.
    ChunkedAbort = CHUNKED_ABORT,

    // stalls
    /// Silence on an open connection, behind the head or some events.
    StallMidStream = STALL_MID_STREAM,
    /// After some events nothing but keep-alives, for ever.
    StallHeartbeatOnly = STALL_HEARTBEAT_ONLY,
    /// Events come steadily, with gaps below any limit on silence; the whole takes longer than any limit on the total.
    SlowButAlive = SLOW_BUT_ALIVE,

    // errors
    /// Status 200 and no byte of a body.
    EmptyBody = EMPTY_BODY,
}
