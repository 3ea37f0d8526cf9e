//! OpenAI's legacy text completions: `POST /v1/completions`.

mod accumulate;
mod asked;
mod offer;
mod render;
mod rules;
mod view;

pub(crate) use accumulate::{CompletionsAccumulator, body_to_reply};
pub(crate) use asked::Asked;
pub(crate) use offer::{calls, text_schema};
pub(crate) use render::{Events, body, normalized};
pub(crate) use rules::{first_broken, rules};
pub(crate) use view::view;
