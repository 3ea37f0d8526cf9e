//! Every kind of fault, in the order of the catalogue.

use super::{Kind, framing::*, http::*, protocol::*, size::*, truncation::*};

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
    /// Writes end anywhere: within a line, between the lines of an event, behind several events.
    SplitAnyByte = SPLIT_ANY_BYTE,
    /// A character of several bytes, in text or arguments, is split between two writes.
    SplitUtf8Scalar = SPLIT_UTF8_SCALAR,
    /// A data line has bytes that are no UTF-8.
    InvalidUtf8 = INVALID_UTF8,
    /// Every line ends in CR LF.
    EolCrlf = EOL_CRLF,
    /// Every line ends in CR LF, and a write between the two.
    SplitCrlf = SPLIT_CRLF,
    /// Every line ends in CR.
    EolCr = EOL_CR,
    /// Lines end in LF, CR LF and CR.
    EolMixed = EOL_MIXED,
    /// A byte order mark.
    BomLeading = BOM_LEADING,
    /// No space behind the colon of a field, or two.
    FieldSpaceVariants = FIELD_SPACE_VARIANTS,
    /// The JSON of one event is spread over several `data:` lines.
    DataMultiLine = DATA_MULTI_LINE,
    /// Comments between events and in them.
    CommentLines = COMMENT_LINES,
    /// Further blank lines between events.
    BlankLineKeepalive = BLANK_LINE_KEEPALIVE,
    /// Blocks of lines that are no event, since they have no data.
    EmptyDataEvent = EMPTY_DATA_EVENT,
    /// Fields of SSE that the provider does not send.
    SseExtraFields = SSE_EXTRA_FIELDS,
    /// No event has a name; its JSON has the type.
    EventNameAbsent = EVENT_NAME_ABSENT,
    /// Characters that end a line elsewhere, but not in an event stream.
    UnicodeSeparatorsInData = UNICODE_SEPARATORS_IN_DATA,
    /// An event of up to 16 MiB.
    LargeEvent = LARGE_EVENT,
    /// A large event that comes in tiny writes.
    TinyFragments = TINY_FRAGMENTS,
    /// 20 000 events of one character each.
    ManyTinyEvents = MANY_TINY_EVENTS,
    /// The body is compressed. Needs the feature `gzip`.
    GzipStream = GZIP_STREAM,
    /// The whole body comes late and at once.
    BufferedBurst = BUFFERED_BURST,
    /// An event stream whose content type says it in another way, or something else, or nothing.
    ContentTypeVariants = CONTENT_TYPE_VARIANTS,

    // the protocol
    /// Objects have members that no documentation names.
    UnknownField = UNKNOWN_FIELD,
    /// The answer ends for a reason that the client has never heard of.
    UnknownStopReason = UNKNOWN_STOP_REASON,

    // truncation
    /// The body ends properly between two events, before the event that proves it whole.
    EofBeforeTerminal = EOF_BEFORE_TERMINAL,
    /// The event behind the stop reason is cut or missing.
    TerminalFrameCut = TERMINAL_FRAME_CUT,
    /// The body ends properly behind its last event, but without the blank line that ends it.
    EofNoFinalBlank = EOF_NO_FINAL_BLANK,
    /// The body ends properly inside an event.
    EofMidEvent = EOF_MID_EVENT,
    /// The connection ends without the last chunk of the body, or before its length is reached.
    ChunkedAbort = CHUNKED_ABORT,
    /// The connection is reset.
    ResetMidStream = RESET_MID_STREAM,

    // stalls
    /// Silence on an open connection, before the head.
    StallBeforeHeaders = STALL_BEFORE_HEADERS,
    /// Silence on an open connection, behind the head or some events.
    StallMidStream = STALL_MID_STREAM,
    /// After some events nothing but keep-alives, for ever.
    StallHeartbeatOnly = STALL_HEARTBEAT_ONLY,
    /// Events come steadily, with gaps below any limit on silence; the whole takes longer than any limit on the total.
    SlowButAlive = SLOW_BUT_ALIVE,
    /// Everything was said, and the connection stays open.
    OpenAfterTerminal = OPEN_AFTER_TERMINAL,

    // errors
    /// Status 200 and the provider's error as a JSON body.
    ErrorJson200 = ERROR_JSON_200,
    /// A whole JSON answer where a stream was asked for.
    JsonInsteadOfSse = JSON_INSTEAD_OF_SSE,
    /// A page of HTML, as a proxy sends it.
    HtmlBody = HTML_BODY,
    /// The provider's error with its status, whole, empty or cut.
    HttpErrorOnStream = HTTP_ERROR_ON_STREAM,
    /// Status 200 and no byte of a body.
    EmptyBody = EMPTY_BODY,
}
