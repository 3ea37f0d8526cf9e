//! Any turn on every API, and in every vendor's form of Chat: read back as it was said, and as the same on all of
//! them. What `src/api/mapping.md` says can be carried is; what it says cannot is refused in its words.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, and an enum that can grow has no other last arm"
)]

mod says;
mod table;
#[path = "../support/turns/mod.rs"]
mod turns;

use std::sync::LazyLock;

use llm_wire_stub::*;
use proptest::prelude::*;
use serde_json::Value;
use table::{Refusal, Surface, Table, surfaces};
use turns::{
    Scripted, of_anything, of_every_api, scripted_of_openai_chat, scripted_of_openai_responses,
};

static TABLE: LazyLock<Table> = LazyLock::new(Table::read);

/// What a turn says, whatever the API.
#[derive(Debug, PartialEq)]
struct Neutral {
    text: String,
    thinking: String,
    calls: Vec<(String, Value)>,
    custom_calls: Vec<(String, String)>,
    reason: Option<StopReason>,
    /// Input, output, read from a cache, written to one.
    usage: [u64; 4],
    thinking_tokens: Option<u64>,
}

impl Neutral {
    fn of(reply: &Reply) -> Self {
        let calls = reply.tool_calls();
        let custom = reply.custom_tool_calls();
        let usage = &reply.usage;
        Self {
            text: reply.text(),
            thinking: reply.thinking(),
            calls: calls
                .map(|call| (call.name.clone(), call.arguments.clone()))
                .collect(),
            custom_calls: custom
                .map(|call| (call.name.clone(), call.input.clone()))
                .collect(),
            reason: common(&reply.stop_reason),
            usage: [
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_creation_tokens,
            ],
            thinking_tokens: usage.thinking_tokens.filter(|tokens| *tokens > 0),
        }
    }

    /// With what it leaves open as the other has it, and that way round.
    fn agree(&mut self, other: &mut Self) {
        if self.reason.is_none() || other.reason.is_none() {
            (self.reason, other.reason) = (None, None);
        }
        if self.thinking_tokens.is_none() || other.thinking_tokens.is_none() {
            (self.thinking_tokens, other.thinking_tokens) = (None, None);
        }
    }
}

/// The reason as every API has a word for it; none for a word that is one API's own.
fn common(reason: &StopReason) -> Option<StopReason> {
    Some(match reason {
        StopReason::StopSequence(_) => StopReason::EndTurn,
        StopReason::ContextWindowExceeded => StopReason::MaxTokens,
        StopReason::ContentFilter => StopReason::Refusal,
        StopReason::Other(_) => return None,
        reason => reason.clone(),
    })
}

/// What is read of the turn in both forms; `None` if the surface cannot carry it, which it says in both.
fn read(surface: Surface, scripted: &Scripted) -> Result<Option<Reply>, TestCaseError> {
    let (api, name) = (surface.api, surface.name());
    let turn = surface.form(scripted.turn());
    let rows = scripted.says();
    let refusals = rows.iter();
    let refusals = refusals.filter_map(|row| Some((row, TABLE.refusal(surface, row)?)));
    let refusals: Vec<_> = refusals.collect();
    let expected = match turn.normalized(api) {
        Ok(expected) => expected,
        // what is broken on purpose is played
        Err(error) if error.to_string().contains("no strict client reads it") => {
            let played = try_sse_body(api, &turn);
            prop_assert!(played.is_ok(), "{}: {:?}", name, played);
            return Ok(None);
        }
        // tests/versions.rs has what each era cannot say
        Err(error) if error.to_string().contains("this era") => return Ok(None),
        Err(error) => {
            refused(&error, api, &refusals)?;
            prop_assert_eq!(try_sse_body(api, &turn), Err(error.clone()), "{}", name);
            prop_assert_eq!(try_json_body(api, &turn), Err(error), "{}", name);
            return Ok(None);
        }
    };
    prop_assert!(refusals.is_empty(), "{} carries {:?}", name, refusals);
    let streamed = accumulate(api, &sse_body(api, &turn));
    prop_assert_eq!(streamed.as_ref(), Ok(&expected), "{}", name);
    // a body has no deltas of raw blocks, and it says so
    match try_json_body(api, &turn) {
        Ok(body) => {
            let whole = accumulate_json(api, &body);
            prop_assert_eq!(whole.as_ref(), Ok(&expected), "{}", name);
        }
        Err(error) => prop_assert!(rows.contains(&"`raw_delta`"), "{}: {}", name, error),
    }
    Ok(Some(expected))
}

/// The words are those of something that the turn says; behind them come the turn, and a way out.
fn refused(
    error: &UnplayableError,
    api: Api,
    refusals: &[(&&str, Refusal)],
) -> Result<(), TestCaseError> {
    let text = error.to_string();
    let mut lines = text.lines();
    let what = lines.next().unwrap();
    let known = refusals.iter().any(|(_, refusal)| match refusal {
        Refusal::Words(words) => unquoted(words) == unquoted(what),
        Refusal::Some => true,
    });
    prop_assert!(known, "not in the table: {}\nbut {:?}", text, refusals);
    let built = format!("  where: {}, turn built at {}:", api.name(), Scripted::FILE);
    prop_assert!(lines.next().unwrap().starts_with(&built), "{}", text);
    prop_assert!(lines.any(|line| line.starts_with("  help: ")), "{}", text);
    Ok(())
}

/// Without what is quoted from the turn.
fn unquoted(words: &str) -> Vec<&str> {
    words.split('`').step_by(2).collect()
}

/// On how many surfaces the turn is carried.
fn carried(scripted: &Scripted) -> Result<usize, TestCaseError> {
    let mut known: Option<(Surface, Reply)> = None;
    let mut carried = 0;
    // what a raw block says is one API's own affair
    let is_raw = scripted.says().contains(&"`raw_block`");
    for surface in surfaces() {
        let Some(reply) = read(surface, scripted)? else {
            continue;
        };
        carried += 1;
        if is_raw {
            continue;
        }
        if let Some((first, expected)) = &known {
            let (mut neutral, mut expected) = (Neutral::of(&reply), Neutral::of(expected));
            neutral.agree(&mut expected);
            prop_assert_eq!(neutral, expected, "{} and {}", surface.name(), first.name());
        } else {
            known = Some((surface, reply));
        }
    }
    Ok(carried)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_every_api_can_say_is_the_same_on_all(scripted in of_every_api()) {
        for api in [Api::AnthropicMessages, Api::OpenAiChat, Api::OpenAiResponses] {
            prop_assert!(scripted.turn().normalized(api).is_ok(), "{}", api.name());
        }
        carried(&scripted)?;
    }

    #[test]
    fn anything_is_read_back_wherever_it_can_be_said_and_refused_elsewhere(
        scripted in prop_oneof![
            3 => of_anything(),
            1 => scripted_of_openai_chat().boxed(),
            1 => scripted_of_openai_responses().boxed(),
        ]
    ) {
        carried(&scripted)?;
    }
}
