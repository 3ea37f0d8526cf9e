//! The response headers: those of every API of OpenAI, but for the type of a stream, which names no character set.

use crate::api::{Context, Form, Head, openai};

/// Status and headers of an answer that succeeds.
pub(crate) fn head(form: Form, context: &Context) -> Head {
    let mut head = openai::head(form, context);
    if form == Form::Stream {
        for (name, value) in &mut head.headers {
            if name.eq_ignore_ascii_case("content-type") {
                *value = "text/event-stream".into();
            }
        }
    }
    head
}
