//! Every kind of fault, in the order of the catalogue.

use super::{
    Kind, chunks::*, errors::*, framing::*, http::*, order::*, protocol::*, size::*, tool_calls::*,
    truncation::*,
};

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
    /// Heartbeats that are events, anywhere.
    PingAnywhere = PING_ANYWHERE,
    /// Events of a type that no documentation names.
    UnknownEventType = UNKNOWN_EVENT_TYPE,
    /// Members that need not be there are missing.
    OptionalFieldAbsent = OPTIONAL_FIELD_ABSENT,
    /// A block, an item or a part of a type that no documentation names, beside a known one.
    UnknownContentBlock = UNKNOWN_CONTENT_BLOCK,
    /// Chunks before the last have an empty reason.
    FinishReasonEmpty = FINISH_REASON_EMPTY,
    /// Chunks before the last have no member for the reason.
    FinishReasonKeyAbsent = FINISH_REASON_KEY_ABSENT,
    /// The usage stands in one of the three places that servers have for it.
    UsageOnlyChunk = USAGE_ONLY_CHUNK,
    /// Counters are null or missing, or stand in one place only.
    UsageNullOrPartial = USAGE_NULL_OR_PARTIAL,
    /// The first chunk has no choice.
    EmptyChoicesFirst = EMPTY_CHOICES_FIRST,
    /// Null stands where there is nothing to say.
    NullDelta = NULL_DELTA,
    /// The reason stands beside the last fragment.
    FinishWithContent = FINISH_WITH_CONTENT,
    /// A fragment comes behind the reason.
    ContentAfterFinish = CONTENT_AFTER_FINISH,
    /// A choice ends twice, for two reasons.
    DuplicateFinish = DUPLICATE_FINISH,
    /// `[DONE]` comes twice, without its space, or where it means nothing.
    DoneSentinel = DONE_SENTINEL,
    /// The body ends properly without `[DONE]`.
    DoneMissing = DONE_MISSING,
    /// A whole answer says nothing.
    EmptyCompletion = EMPTY_COMPLETION,

    // tool calls
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
    /// The arguments of a call are cut into fragments in odd places.
    ToolArgsSplit = TOOL_ARGS_SPLIT,
    /// The fragments of two calls take turns.
    ToolInterleaved = TOOL_INTERLEAVED,
    /// Later fragments of a call say that they have no id, or no name.
    ToolIdOmittedLater = TOOL_ID_OMITTED_LATER,
    /// Each fragment of a call has its id and its name; or the name comes in pieces.
    ToolIdNameRepeated = TOOL_ID_NAME_REPEATED,
    /// Two calls have the same id.
    ToolIdDuplicated = TOOL_ID_DUPLICATED,
    /// The first fragment of a call has all of its arguments.
    ToolArgsInFirstDelta = TOOL_ARGS_IN_FIRST_DELTA,
    /// Calls without arguments.
    ToolArgsEmpty = TOOL_ARGS_EMPTY,
    /// Fragments of calls, or events of blocks, do not say which one they are of.
    ToolIndexMissing = TOOL_INDEX_MISSING,
    /// Calls with different ids have the same index.
    ToolIndexCollision = TOOL_INDEX_COLLISION,
    /// Arguments are a JSON object, not a string.
    ToolArgsObject = TOOL_ARGS_OBJECT,
    /// The fragments of a call add up to its arguments twice.
    ToolArgsDuplicated = TOOL_ARGS_DUPLICATED,
    /// The arguments of a call that is whole are no JSON.
    ToolArgsInvalidJson = TOOL_ARGS_INVALID_JSON,
    /// Arguments of a call are missing, in an answer that ends properly.
    ToolArgsTruncated = TOOL_ARGS_TRUNCATED,
    /// A call is cut by the limit on the answer's tokens.
    LengthCutToolCall = LENGTH_CUT_TOOL_CALL,
    /// A call comes to its end without a name, or without an id.
    ToolNameMissing = TOOL_NAME_MISSING,
    /// The events of a call's arguments say only which item they are of.
    ResponsesIdMapping = RESPONSES_ID_MAPPING,

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
    /// The provider reports an error inside the stream.
    ErrorEventMidStream = ERROR_EVENT_MID_STREAM,
    /// An error of the provider's is all that a stream has, with status 200.
    ErrorEventFirst = ERROR_EVENT_FIRST,
    /// The answer is whole, and a limit or a filter ended it.
    ResponseIncomplete = RESPONSE_INCOMPLETE,
    /// An event in the middle is not the JSON object that it has to be.
    MalformedJsonEvent = MALFORMED_JSON_EVENT,
    /// A keep-alive that is the data of an event.
    KeepaliveAsData = KEEPALIVE_AS_DATA,
    /// A keep-alive within the data of an event.
    KeepaliveInsideEvent = KEEPALIVE_INSIDE_EVENT,

    // order
    /// Events of a block that never starts, or that starts before the answer does.
    DeltaBeforeStart = DELTA_BEFORE_START,
    /// An answer begins a second time before it ends.
    DuplicateMessageStart = DUPLICATE_MESSAGE_START,
    /// The index of a block is not its turn.
    BlockIndexInvalid = BLOCK_INDEX_INVALID,
    /// A delta does not fit its block.
    DeltaTypeMismatch = DELTA_TYPE_MISMATCH,
    /// A fragment behind the end of its block, or of the answer.
    DeltaAfterStop = DELTA_AFTER_STOP,
    /// The answer ends while a block has no end.
    BlockNotClosed = BLOCK_NOT_CLOSED,
    /// Thinking has no signature, or one that comes in pieces.
    ThinkingSignatureMissing = THINKING_SIGNATURE_MISSING,
}
