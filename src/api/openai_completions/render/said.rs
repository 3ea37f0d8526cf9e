//! A turn as this API says it, and what is read back from it.

use crate::{
    api::{
        Context, Ids,
        openai::{self, CREATED, DEFAULT_MODEL_OF_COMPLETIONS, Piece},
        openai_completions::{
            NAME,
            asked::{Asked, Echo, Prompt},
            purpose, words,
        },
    },
    json::{write_number, write_str},
    script::{self, CallOrder, Era, Extent, Part, Reply, ScriptedPart, Turn, Usage},
};

/// A turn as this API says it: all text is one, the id is filled in.
pub(super) struct Said {
    id: String,
    model: String,
    /// Pieces of the text, each with its own way to be cut.
    pub(super) pieces: Vec<Piece>,
    /// What stands before the text of each choice.
    pub(super) echoes: Vec<String>,
    /// Where the text of each choice begins, in characters of its prompt.
    pub(super) starts: Vec<usize>,
    pub(super) extent: Extent,
    pub(super) finish: String,
    usage: Usage,
}

impl Said {
    pub(super) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = turn.said()?;
        if context.era != Era::today() {
            return Err(openai::no_era(NAME));
        }
        let extras = message.extras.as_deref().cloned().unwrap_or_default();
        openai::check_extras(&extras, NAME, &[])?;
        if message.call_order == CallOrder::Interleaved {
            return Err(unsayable_call());
        }
        let mut pieces = Vec::new();
        for part in &message.parts {
            pieces.extend(piece(part)?);
        }
        let reason = message.effective_stop_reason();
        let usage = message.effective_usage();
        words::check_usage(&usage)?;
        let made = Ids::new(context.seed, purpose::COMPLETION).base62("cmpl-", 29);
        let model = message.model.as_ref().unwrap_or(&context.model);
        let asked = &context.asked.completions;
        Ok(Self {
            id: extras.id.unwrap_or(made),
            model: match model.as_str() {
                "" => DEFAULT_MODEL_OF_COMPLETIONS.to_owned(),
                model => model.to_owned(),
            },
            pieces,
            echoes: echoes(asked)?,
            starts: starts(asked),
            extent: message.extent,
            finish: words::finish_reason(&reason)?.to_owned(),
            usage,
        })
    }

    /// The whole text.
    pub(super) fn content(&self) -> String {
        self.pieces.iter().map(|piece| &*piece.text).collect()
    }

    /// `{"id":…,"created":…`
    pub(super) fn write_start(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"id":"#);
        write_str(out, &self.id);
        out.extend_from_slice(br#","object":"text_completion","created":"#);
        write_number(out, CREATED);
    }

    /// `,"model":…`
    pub(super) fn write_model(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#","model":"#);
        write_str(out, &self.model);
    }

    /// `,"usage":…`
    pub(super) fn write_usage(&self, out: &mut Vec<u8>) {
        let Usage {
            input_tokens: input,
            output_tokens: output,
            ..
        } = self.usage;
        for (name, tokens) in [
            (&br#","usage":{"prompt_tokens":"#[..], input),
            (br#","completion_tokens":"#, output),
            (br#","total_tokens":"#, input.saturating_add(output)),
        ] {
            out.extend_from_slice(name);
            write_number(out, tokens);
        }
        out.push(b'}');
    }
}

/// The prompt that stands before each choice; nothing unless the request asks for it.
fn echoes(asked: &Asked) -> Result<Vec<String>, String> {
    let echo = |prompt: &Prompt| {
        match (asked.echo, prompt) {
        (Echo::No, _) => Ok(String::new()),
        (Echo::Yes, Prompt::Text(text)) => Ok(text.clone()),
        (Echo::Yes, Prompt::Tokens) => Err("the text of a prompt's tokens is not known here, \
             and the request asks for it with `echo`\n  help: send the prompt as text, or leave out `echo`"
            .to_owned()),
    }
    };
    asked.choices().map(echo).collect()
}

fn starts(asked: &Asked) -> Vec<usize> {
    let start = |prompt: &Prompt| match prompt {
        Prompt::Text(text) => text.chars().count(),
        Prompt::Tokens => 0,
    };
    asked.choices().map(start).collect()
}

/// The text of a part; none if it has none.
fn piece(part: &ScriptedPart) -> Result<Option<Piece>, String> {
    let unsayable = |what: &str, help: &str| Err(unsayable(what, help));
    match part {
        ScriptedPart::Text {
            text,
            citations,
            fragments,
        } => {
            if citations.as_ref().is_some_and(|all| !all.is_empty()) {
                return unsayable("what a text is based on", "leave the citations out");
            }
            let piece = Piece::of_text(text, fragments.as_ref())?;
            Ok((!text.is_empty()).then_some(piece))
        }
        ScriptedPart::ToolCall { .. } | ScriptedPart::CustomToolCall { .. } => {
            Err(unsayable_call())
        }
        ScriptedPart::Thinking { .. } | ScriptedPart::RedactedThinking { .. } => {
            unsayable("what the model thought", "leave the thinking out")
        }
        ScriptedPart::ServerTool { .. } => {
            unsayable("what a tool of the provider's did", "leave it out")
        }
        ScriptedPart::Compaction { .. } => unsayable("a compaction", "leave it out"),
        ScriptedPart::Raw { .. } => unsayable(
            "a raw block: a completion has no list of blocks",
            "give it to the API that has it",
        ),
    }
}

fn unsayable(what: &str, help: &str) -> String {
    openai::unsayable(NAME, what, help)
}

fn unsayable_call() -> String {
    unsayable("a tool call", "give it to an API that has tools")
}

/// What a client that loses nothing reads from `turn`.
pub(crate) fn normalized(turn: &Turn, context: &Context) -> Result<Reply, String> {
    let said = Said::new(turn, context)?;
    let reason = words::read_back(&said.finish)?;
    let content = said.content();
    let mut choices = said
        .echoes
        .iter()
        .map(|echo| match format!("{echo}{content}") {
            nothing if nothing.is_empty() => Vec::new(),
            text => vec![Part::Text(text)],
        });
    let parts = choices.next().unwrap_or_default();
    let others = choices.map(|parts| script::Choice::new(parts, reason.clone()));
    let others = others.collect();
    let usage = Usage::input(said.usage.input_tokens).output(said.usage.output_tokens);
    let mut reply = Reply::new(said.id, said.model, parts, reason, usage);
    reply.other_choices = others;
    Ok(reply)
}
