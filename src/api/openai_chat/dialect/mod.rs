//! The dialects: a table with a row for each vendor. A row is data (wire text with slots, and words for what text
//! cannot say), and the renderer reads it; no other file tells vendors apart.
//!
//! | file | holds |
//! | --- | --- |
//! | `rows/` | the rows, a file for each |
//! | `template.rs` | wire text with slots |
//! | `id.rs` | the forms of ids |
//! | `path.rs` | which dialect a request means by its path |
//! | `head.rs`, `error.rs` | response headers and errors of the rows that are not OpenAI's |

mod error;
mod head;
mod id;
mod path;
mod rows;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use {
    error::{error_answer, error_events, without_key},
    head::head,
    path::{base_path, known as known_path, of_request, paths},
};
pub(super) use {
    head::request_id,
    id::{Form, Id, made},
    template::{Filled, Part, Slot, Template},
};

use crate::{api::Context, script::Dialect, sse::LineEnd};

/// What is peculiar to a vendor.
#[derive(Debug)]
pub(in crate::api) struct Row {
    /// In the words of a message: `Groq`.
    pub(super) name: &'static str,
    /// The base path that its clients expect, and what they add to it.
    pub(super) base: &'static str,
    pub(super) path: &'static str,
    /// The model named where neither the turn nor the request names one.
    pub(super) model: &'static str,
    pub(super) id: Form,
    pub(super) call_id: Form,
    /// The member `system_fingerprint`; `None` where there is none, or null.
    pub(super) fingerprint: Option<Form>,
    pub(super) tier: Tier,
    pub(super) no_logprobs: NoLogprobs,
    pub(super) line_end: LineEnd,
    pub(super) escapes: Escapes,
    pub(super) pad: Pad,
    pub(super) comments: Comments,
    pub(super) usage: UsageRow,
    pub(super) finish: FinishAt,
    /// What the model behind says for `stop`, `tool_calls`, `length`; other words are the same.
    pub(super) native: [&'static str; 3],
    pub(super) done: Done,
    pub(super) stream: Stream,
    pub(super) calls: Option<Calls>,
    pub(super) body: Body,
    /// `None`: OpenAI's.
    head: Option<head::HeadRow>,
    /// `None`: OpenAI's.
    errors: Option<error::ErrorTable>,
    pub(super) rules: RulesOf,
}

/// Whether answers say a service tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// As the models of OpenAI do.
    ByModel,
    /// This one, unless the turn names another.
    Always(&'static str),
    /// Where the turn names one.
    IfScripted,
    Never,
}

/// Whether choices have the member `logprobs` where none were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLogprobs {
    /// As the models of OpenAI do.
    ByModel,
    /// Null, if the choices of the row have it at all.
    Null,
}

/// How strings are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// No more than JSON asks for.
    Least,
    /// `<`, `>` and `&` too, as Go's encoder does.
    Html,
}

/// What hides the length of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pad {
    None,
    /// Letters and digits, up to 15, so that the chunk has 1 character more than a multiple of 16.
    ToSixteen,
    /// So many, whatever the chunk's length is in the end.
    UpTo15,
    /// The first 1 to 36 of the alphabet and the digits; none in the first chunk.
    Alphabet,
}

/// Lines that say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comments {
    None,
    /// This text, before the first chunk and now and then.
    Often(&'static str),
    /// This text, where the turn waits before its first event.
    WhileWaiting {
        text: &'static str,
        /// Before a body.
        in_body: &'static str,
    },
}

#[derive(Debug)]
pub(super) struct UsageRow {
    pub(super) at: UsageAt,
    pub(super) asked: UsageAsked,
    pub(super) null: UsageNull,
    pub(super) template: Template,
}

/// Where a stream has its usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsageAt {
    /// In a chunk without choices.
    OwnChunk,
    /// In the chunk with the reason why the answer stops.
    WithFinish,
    /// In a second chunk with that reason.
    AgainWithFinish,
    EveryChunk,
}

/// Whether a stream's usage has to be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsageAsked {
    Needed,
    No,
}

/// Where the other chunks say `"usage":null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsageNull {
    Never,
    IfAsked,
    Always,
}

/// Where a stream says why it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinishAt {
    OwnChunk,
    /// In the chunk with the last that is said.
    WithLast,
}

/// Whether a stream ends in `[DONE]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Yes,
    No,
}

/// Whose rules refuse requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RulesOf {
    OpenAi,
    /// OpenAI's; but the model may be named by the path.
    OpenAiDeployment,
    /// Only that there is a key, and a body.
    KeyAndBody,
    /// These, and that what was thought comes back.
    KeyBodyAndReasoning,
    /// Only that there is a body: it runs where its users are.
    Body,
}

/// The chunks of a stream, and what stands in them.
#[derive(Debug)]
pub(super) struct Stream {
    /// A chunk before all others.
    pub(super) prelude: Option<&'static str>,
    pub(super) chunk: Template,
    pub(super) choice: Template,
    /// The first deltas of an answer with text (or without anything), with thinking, with tool calls only.
    pub(super) begin: [&'static [&'static str]; 3],
    pub(super) text: Template,
    /// `None` where nothing is said of it.
    pub(super) thinking: Option<Template>,
    pub(super) signature: Option<Template>,
    /// The first delta of a refusal, and the others.
    pub(super) refusal: Option<(&'static str, Template)>,
    pub(super) annotations: Option<Template>,
    pub(super) finish: Template,
}

/// Tool calls.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) delta: Template,
    /// The delta of exactly one call and nothing else.
    pub(super) only: Option<Template>,
    pub(super) function: CallForm,
    pub(super) custom: Option<CallForm>,
    pub(super) chunks: CallChunks,
}

#[derive(Debug)]
pub(super) struct CallForm {
    /// In a stream: a call that opens, or that is whole.
    pub(super) item: Template,
    /// More of its arguments.
    pub(super) more: Template,
    /// In a body.
    pub(super) whole: Template,
}

/// How calls are streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallChunks {
    /// Opened, and then their arguments in fragments.
    Fragments,
    /// Each whole, in a chunk of its own.
    Each,
    /// All in one chunk.
    All,
}

/// The non-streaming body.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) whole: Template,
    pub(super) choice: Template,
    pub(super) printed: Printed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printed {
    Compact,
    /// With a newline at the end.
    CompactLine,
    /// Two spaces for each level.
    Indented,
    /// With a newline at the end, too.
    IndentedLine,
}

/// The row of a dialect.
pub(in crate::api) const fn row(dialect: Dialect) -> &'static Row {
    match dialect {
        Dialect::OpenAi => &rows::OPENAI,
        Dialect::OpenRouter => &rows::OPENROUTER,
        Dialect::Azure => &rows::AZURE,
        Dialect::DeepSeek => &rows::DEEPSEEK,
        Dialect::Groq => &rows::GROQ,
        Dialect::Mistral => &rows::MISTRAL,
        Dialect::Perplexity => &rows::PERPLEXITY,
        Dialect::Xai => &rows::XAI,
        Dialect::Together => &rows::TOGETHER,
        Dialect::Ollama => &rows::OLLAMA,
        Dialect::Vllm => &rows::VLLM,
    }
}

/// How the lines of a stream end.
pub(crate) const fn line_end(context: &Context) -> LineEnd {
    row(context.dialect).line_end
}

/// Whose rules refuse the requests of a dialect.
pub(crate) const fn rules_of(dialect: Dialect) -> RulesOf {
    row(dialect).rules
}

impl Escapes {
    /// The JSON of a whole event or body with its strings so escaped. Outside strings JSON has none of these.
    pub(super) fn apply(self, json: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Least => json,
            Self::Html => {
                let mut out = Vec::with_capacity(json.len() + 16);
                for byte in json {
                    match byte {
                        b'<' => out.extend_from_slice(b"\\u003c"),
                        b'>' => out.extend_from_slice(b"\\u003e"),
                        b'&' => out.extend_from_slice(b"\\u0026"),
                        byte => out.push(byte),
                    }
                }
                out
            }
        }
    }
}
