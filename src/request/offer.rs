//! What a request leaves to the model. Each API reads it from its own JSON.

/// Which tools of the client's the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Calls<'a> {
    /// Those of these names: called with arguments, or with any text.
    Of {
        functions: Vec<&'a str>,
        custom: Vec<&'a str>,
    },
    /// None, although the request may offer tools.
    Forbidden,
    /// The request does not show it.
    Unknown,
}

impl<'a> Calls<'a> {
    /// Tools that all are called with arguments.
    pub(crate) const fn functions(functions: Vec<&'a str>) -> Self {
        Self::Of {
            functions,
            custom: Vec::new(),
        }
    }
}

/// Whether the provider may run tools of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerTools {
    /// The request offers none.
    NotOffered,
    /// It offers one, which may run others, or does not show it.
    Possible,
}
