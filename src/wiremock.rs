//! The bridge to wiremock: any of its matchers selects turns.

use wiremock::{Match, Request};

use crate::request::{IntoMatcher, Matcher, RecordedRequest};

/// Evaluated on a [`wiremock::Request`] made from ours, off the stub's own threads.
impl<M: Match + Send + Sync + 'static> IntoMatcher for M {
    fn into_matcher(self) -> Matcher {
        Matcher::foreign(move |request| match as_wiremock(request) {
            Some(theirs) if self.matches(&theirs) => Ok(()),
            Some(_) => Err("has a wiremock matcher that did not match".to_owned()),
            None => {
                Err("has a wiremock matcher that cannot be asked: the target is no URL".to_owned())
            }
        })
    }
}

fn as_wiremock(request: &RecordedRequest) -> Option<Request> {
    let url = format!("http://localhost{}", request.target());
    Some(Request {
        url: url::Url::parse(&url).ok()?,
        method: request.method().parse().ok()?,
        headers: request.headers().clone(),
        body: request.body().to_vec(),
    })
}
