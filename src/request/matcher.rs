//! Matchers: what claims a request for a lane, and says why it does not.

use std::{fmt, sync::Arc};

use super::RecordedRequest;

/// What claims a request for a lane: made by [`matchers`], or with the feature `wiremock` from any of its
/// matchers.
#[derive(Clone)]
pub struct Matcher {
    test: Arc<Test>,
    runs_user_code: bool,
}

/// `Err` says what the matcher wants and what it found.
type Test = dyn Fn(&RecordedRequest) -> Result<(), String> + Send + Sync;

impl Matcher {
    fn built_in(
        test: impl Fn(&RecordedRequest) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            test: Arc::new(test),
            runs_user_code: false,
        }
    }

    pub(crate) fn foreign(
        test: impl Fn(&RecordedRequest) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            test: Arc::new(test),
            runs_user_code: true,
        }
    }

    /// Claims a request that both claim.
    #[must_use]
    pub fn and(self, other: impl IntoMatcher) -> Self {
        let other = other.into_matcher();
        Self {
            runs_user_code: self.runs_user_code || other.runs_user_code,
            test: Arc::new(move |request| {
                (self.test)(request)?;
                (other.test)(request)
            }),
        }
    }

    /// Whether it claims the request; if not, what it wants and what it found.
    pub(crate) fn check(&self, request: &RecordedRequest) -> Result<(), String> {
        (self.test)(request)
    }

    pub(crate) const fn runs_user_code(&self) -> bool {
        self.runs_user_code
    }
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
    use super::RecordedRequest;

    /// The request asks for this model.
    #[must_use]
    pub fn model(name: impl Into<String>) -> Matcher {
        let name = name.into();
        Matcher::built_in(move |request| equal("the model", &name, Some(request.model())))
    }

    /// The header has this value; the name's case does not matter.
    #[must_use]
    pub fn header(name: impl Into<String>, value: impl Into<String>) -> Matcher {
        let (name, value) = (name.into(), value.into());
        let what = format!("the header `{name}`");
        Matcher::built_in(move |request| {
            let mut values = request.headers().get_all(name.as_str()).iter();
            if values.any(|found| found.as_bytes() == value.as_bytes()) {
                return Ok(());
            }
            equal(&what, &value, request.header(&name))
        })
    }

    /// The text of the last user message that has any contains this.
    #[must_use]
    pub fn last_user_text_contains(needle: impl Into<String>) -> Matcher {
        let needle = needle.into();
        Matcher::built_in(move |request| {
            contains("the last user text", &needle, &request.last_user_text())
        })
    }

    /// The system prompt contains this.
    #[must_use]
    pub fn system_text_contains(needle: impl Into<String>) -> Matcher {
        let needle = needle.into();
        Matcher::built_in(move |request| {
            contains(
                "the system text",
                &needle,
                request.system().unwrap_or_default(),
            )
        })
    }

    /// The last message carries a tool result.
    #[must_use]
    pub fn has_tool_result() -> Matcher {
        Matcher::built_in(|request| {
            let last = request.messages().last();
            let result = |part: &super::super::MessagePart| {
                matches!(part, super::super::MessagePart::ToolResult(_))
            };
            if last.is_some_and(|message| message.parts.iter().any(result)) {
                Ok(())
            } else {
                Err("wants a tool result in the last message, found none".to_owned())
            }
        })
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
}
