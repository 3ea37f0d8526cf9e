//! Matchers: what claims a request for a lane, and says why it does not.

use std::{fmt, sync::Arc};

use super::{MessagePart, RecordedRequest};

/// What claims a request for a lane: made by [`matchers`], or with the feature `wiremock` from any of its
/// matchers.
#[derive(Clone)]
pub struct Matcher {
    pub(crate) wants: Wants,
}

/// What a request has to have.
#[derive(Clone)]
pub(crate) enum Wants {
    Model(String),
    Header {
        name: String,
        value: String,
    },
    InLastUserText(String),
    InSystemText(String),
    ToolResult,
    All(Vec<Matcher>),
    /// What code of the user's says.
    By(Arc<Test>),
}

/// `Err` says what the matcher wants and what it found.
type Test = dyn Fn(&RecordedRequest) -> Result<(), String> + Send + Sync;

impl Matcher {
    pub(crate) const fn new(wants: Wants) -> Self {
        Self { wants }
    }

    pub(crate) fn foreign(
        test: impl Fn(&RecordedRequest) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self::new(Wants::By(Arc::new(test)))
    }

    /// Claims a request that both claim.
    #[must_use]
    pub fn and(self, other: impl IntoMatcher) -> Self {
        Self::new(Wants::All(vec![self, other.into_matcher()]))
    }

    /// Whether it claims the request; if not, what it wants and what it found.
    pub(crate) fn check(&self, request: &RecordedRequest) -> Result<(), String> {
        match &self.wants {
            Wants::Model(name) => equal("the model", name, Some(request.model())),
            Wants::Header { name, value } => has_header(request, name, value),
            Wants::InLastUserText(needle) => {
                contains("the last user text", needle, &request.last_user_text())
            }
            Wants::InSystemText(needle) => {
                let system = request.system().unwrap_or_default();
                contains("the system text", needle, system)
            }
            Wants::ToolResult => has_tool_result(request),
            Wants::All(all) => all.iter().try_for_each(|one| one.check(request)),
            Wants::By(test) => test(request),
        }
    }

    pub(crate) fn runs_user_code(&self) -> bool {
        match &self.wants {
            Wants::By(_) => true,
            Wants::All(all) => all.iter().any(Self::runs_user_code),
            Wants::Model(_)
            | Wants::Header { .. }
            | Wants::InLastUserText(_)
            | Wants::InSystemText(_)
            | Wants::ToolResult => false,
        }
    }
}

fn has_header(request: &RecordedRequest, name: &str, value: &str) -> Result<(), String> {
    let mut values = request.headers().get_all(name).iter();
    if values.any(|found| found.as_bytes() == value.as_bytes()) {
        return Ok(());
    }
    equal(&format!("the header `{name}`"), value, request.header(name))
}

fn has_tool_result(request: &RecordedRequest) -> Result<(), String> {
    let last = request.messages().last();
    let result = |part: &MessagePart| matches!(part, MessagePart::ToolResult(_));
    if last.is_some_and(|message| message.parts.iter().any(result)) {
        Ok(())
    } else {
        Err("wants a tool result in the last message, found none".to_owned())
    }
}

fn equal(what: &str, wanted: &str, found: Option<&str>) -> Result<(), String> {
    match found {
        Some(found) if found == wanted => Ok(()),
        Some(found) => Err(format!(
            "wants {what} to be `{wanted}`, found {}",
            shown(found)
        )),
        None => Err(format!("wants {what} to be `{wanted}`, found none")),
    }
}

fn contains(what: &str, needle: &str, found: &str) -> Result<(), String> {
    if found.contains(needle) {
        Ok(())
    } else {
        Err(format!(
            "wants `{needle}` in {what}, found {}",
            shown(found)
        ))
    }
}

/// The first 200 characters, escaped, and how many bytes were cut.
fn shown(text: &str) -> String {
    let Some((at, _)) = text.char_indices().nth(200) else {
        return format!("`{}`", text.escape_debug());
    };
    let (head, tail) = text.split_at(at);
    format!("`{}`… ({} more bytes)", head.escape_debug(), tail.len())
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Matcher(..)")
    }
}

/// What can be used as a matcher: those of [`matchers`], and with the feature `wiremock` any of wiremock's.
/// A closure on a [`RecordedRequest`] goes into [`matchers::by`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a matcher",
    note = "use `matchers::model(..)` or another of `matchers`, or `matchers::by(|request| ..)` for a closure"
)]
pub trait IntoMatcher {
    /// The matcher.
    fn into_matcher(self) -> Matcher;
}

impl IntoMatcher for Matcher {
    fn into_matcher(self) -> Matcher {
        self
    }
}

/// Ready-made matchers for [`lane`](crate::WireStubBuilder::lane).
///
/// ```
/// use llm_wire_stub::{WireStub, matchers};
///
/// let builder = WireStub::builder()
///     .lane("judge", matchers::model("judge-1"), ["first is better"])
///     .lane("rest", matchers::by(|request| request.messages().len() > 3), ["long talk"]);
/// # let _ = builder;
/// ```
pub mod matchers {
    pub use super::Matcher;
    use super::{RecordedRequest, Wants};

    /// The request asks for this model.
    #[must_use]
    pub fn model(name: impl Into<String>) -> Matcher {
        Matcher::new(Wants::Model(name.into()))
    }

    /// The header has this value; the name's case does not matter.
    #[must_use]
    pub fn header(name: impl Into<String>, value: impl Into<String>) -> Matcher {
        let (name, value) = (name.into(), value.into());
        Matcher::new(Wants::Header { name, value })
    }

    /// The text of the last user message that has any contains this.
    #[must_use]
    pub fn last_user_text_contains(needle: impl Into<String>) -> Matcher {
        Matcher::new(Wants::InLastUserText(needle.into()))
    }

    /// The system prompt contains this.
    #[must_use]
    pub fn system_text_contains(needle: impl Into<String>) -> Matcher {
        Matcher::new(Wants::InSystemText(needle.into()))
    }

    /// The last message carries a tool result.
    #[must_use]
    pub const fn has_tool_result() -> Matcher {
        Matcher::new(Wants::ToolResult)
    }

    /// An own closure. It runs off the stub's own threads and outside its locks; a panic in it fails the
    /// call and the test with its own message.
    #[must_use]
    pub fn by(test: impl Fn(&RecordedRequest) -> bool + Send + Sync + 'static) -> Matcher {
        Matcher::foreign(move |request| {
            if test(request) {
                Ok(())
            } else {
                Err("has a closure that said no".to_owned())
            }
        })
    }
}
