//! Where the body is split into writes.

/// Where the body of an answer is split into writes.
///
/// A client that decodes chunk by chunk (hyper, so reqwest) sees each piece as a read of its own; a raw
/// reader may see several at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// One piece for each event, as the services send them.
    #[default]
    PerEvent,
    /// As few pieces as gates, delays and stalls allow.
    Whole,
    /// One piece for each byte.
    EveryByte,
}
