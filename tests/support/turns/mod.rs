//! Turns for property tests: of everything that an API can say, and of what every API can.
//!
//! `said.rs` has the parts, `member.rs` what stands around them, `values.rs` texts and JSON.
#![allow(dead_code, reason = "each test crate uses a part of it")]

mod member;
mod said;
mod values;

use std::ops::Range;

use llm_wire_stub::*;
pub(crate) use member::Member;
use proptest::{collection::vec, option, prelude::*};
pub(crate) use said::{Form, Said};
use serde_json::json;
use values::{fragments, text};

/// What a turn is made of.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    /// What it says, and how each part of it is cut.
    pub(crate) parts: Vec<(Said, Option<Fragments>)>,
    pub(crate) members: Vec<Member>,
    seed: u64,
    padding: Padding,
}

#[derive(Clone, Copy, Debug)]
enum Padding {
    AsTheService,
    Plain,
}

impl Scripted {
    /// Where its turns are built.
    pub(crate) const FILE: &str = file!();

    pub(crate) fn turn(&self) -> Turn {
        let mut turn = Turn::new().seed(self.seed);
        for (said, fragments) in self.parts.clone() {
            let is_cut = said.is_cut();
            turn = said.add_to(turn);
            if let (Some(fragments), true) = (fragments, is_cut) {
                turn = turn.fragments(fragments);
            }
        }
        let members = self.members.iter().cloned();
        let turn = members.fold(turn, |turn, member| member.add_to(turn));
        match self.padding {
            Padding::AsTheService => turn,
            Padding::Plain => turn.plain(),
        }
    }
}

/// Anything that a turn can say, whether an API carries it or not. Its strategies are boxed: together they are too
/// large for the stack of a test.
pub(crate) fn of_anything() -> BoxedStrategy<Scripted> {
    let said = prop_oneof![
        4 => text().prop_map(Said::Text),
        2 => call(),
        1 => custom_call(),
        1 => (text(), vec(page(), 0..3)).prop_map(|(text, pages)| Said::CitedText(text, pages)),
        3 => text().prop_map(|text| Said::SignedThinking(text, None)),
        1 => (text(), text()).prop_map(|(text, by)| Said::SignedThinking(text, Some(by))),
        1 => said::server_tool_of_openai().prop_map(Said::ServerTool),
        3 => said::said(Form::Stream).boxed(),
    ];
    let member = prop_oneof![
        3 => member::common(),
        1 => member::stop_reason().prop_map(Member::StopReason),
        1 => member::details().prop_map(Member::Usage),
        2 => member::any_member().boxed(),
        1 => Just(Member::Interleaved),
    ];
    let parts = vec((said.boxed(), option::of(fragments())), 0..4);
    let members = vec(member.boxed(), 0..3);
    (parts, members, made()).prop_map(scripted).boxed()
}

/// A turn of everything that Anthropic Messages can say.
pub(crate) fn of_anthropic(parts: Range<usize>, form: Form) -> impl Strategy<Value = Turn> {
    let parts = vec((said::said(form), option::of(fragments())), parts);
    (parts, member::envelope(), made()).prop_map(|of| scripted(of).turn())
}

/// A turn of everything that OpenAI Chat can say.
pub(crate) fn of_openai_chat() -> impl Strategy<Value = Turn> {
    scripted_of_openai_chat().prop_map(|scripted| scripted.turn())
}

pub(crate) fn scripted_of_openai_chat() -> impl Strategy<Value = Scripted> {
    let said = prop_oneof![
        2 => text().prop_map(Said::Text),
        1 => (text(), vec(page(), 0..3)).prop_map(|(text, pages)| Said::CitedText(text, pages)),
        3 => call(),
        1 => custom_call(),
    ];
    let reason = prop_oneof![
        Just(StopReason::EndTurn),
        Just(StopReason::ToolUse),
        Just(StopReason::ContextWindowExceeded),
        text().prop_map(StopReason::StopSequence),
        Just("a_word_of_tomorrow".into()),
    ];
    let member = prop_oneof![
        3 => member::common(),
        1 => member::details().prop_map(Member::Usage),
        1 => reason.prop_map(Member::StopReason),
        1 => Just(Member::Interleaved),
        1 => "gpt-5|gpt-4o|gpt-4|gpt-4o-search-preview".prop_map(Member::Model),
        1 => "flex|priority".prop_map(Member::ServiceTier),
    ];
    let parts = vec((said, option::of(fragments())), 0..6);
    (parts, vec(member, 0..4), made()).prop_map(message)
}

/// A turn of everything that OpenAI Responses can say.
pub(crate) fn of_openai_responses() -> impl Strategy<Value = Turn> {
    scripted_of_openai_responses().prop_map(|scripted| scripted.turn())
}

pub(crate) fn scripted_of_openai_responses() -> impl Strategy<Value = Scripted> {
    let file = text().prop_map(|name| {
        let file = json!({"type": "file_citation", "file_id": "f", "filename": name, "index": 3});
        Citation::raw(file)
    });
    let citation = prop_oneof![page(), file];
    let given = || option::of(text());
    let said = prop_oneof![
        2 => text().prop_map(Said::Text),
        2 => (text(), vec(citation, 0..3)).prop_map(|(text, all)| Said::CitedText(text, all)),
        2 => (text(), given()).prop_map(|(text, data)| Said::SignedThinking(text, data)),
        2 => call(),
        1 => custom_call(),
        2 => said::server_tool_of_openai().prop_map(Said::ServerTool),
        1 => given().prop_map(Said::Redacted),
        1 => given().prop_map(|data| Said::Compaction(String::new(), data)),
        1 => text().prop_map(|text| {
            Said::Raw(json!({"id": "x_1", "type": "x", "a": text}).into(), Vec::new())
        }),
    ];
    let searches = (member::common_usage(), 0..9_u64);
    let searches = searches.prop_map(|(usage, searches)| usage.web_searches(searches));
    let member = prop_oneof![
        3 => member::common(),
        1 => searches.prop_map(Member::Usage),
        1 => "gpt-5|gpt-4o|gpt-5\\.5".prop_map(Member::Model),
        1 => "flex|priority".prop_map(Member::ServiceTier),
    ];
    let parts = vec((said, option::of(fragments())), 0..5);
    (parts, vec(member, 0..4), made()).prop_map(|(parts, members, made)| {
        let parts = only_words(parts, &members);
        scripted((parts, members, made))
    })
}

/// A turn of what every API can say.
pub(crate) fn of_every_api() -> impl Strategy<Value = Scripted> {
    let said = prop_oneof![text().prop_map(Said::Text), call()];
    let parts = vec((said, option::of(fragments())), 0..5);
    (parts, vec(member::common(), 0..4), made()).prop_map(message)
}

type Parts = Vec<(Said, Option<Fragments>)>;

type Made = (u64, Padding);

fn made() -> impl Strategy<Value = Made> {
    let padding = prop_oneof![Just(Padding::AsTheService), Just(Padding::Plain)];
    (any::<u64>(), padding)
}

fn scripted((parts, members, (seed, padding)): (Parts, Vec<Member>, Made)) -> Scripted {
    Scripted {
        parts,
        members,
        seed,
        padding,
    }
}

/// With the text before the calls.
fn message((parts, members, made): (Parts, Vec<Member>, Made)) -> Scripted {
    let mut parts = only_words(parts, &members);
    parts.sort_by_key(|(said, _)| said.is_call());
    scripted((parts, members, made))
}

/// What refuses says nothing but words.
fn only_words(mut parts: Parts, members: &[Member]) -> Parts {
    let mut reasons = members.iter().rev().filter_map(|member| {
        let Member::StopReason(reason) = member else {
            return None;
        };
        Some(reason)
    });
    if reasons.next() == Some(&StopReason::Refusal) {
        parts.retain(|(said, _)| matches!(said, Said::Text(_)));
        parts.insert(0, (Said::Text("No: ".to_owned()), None));
    }
    parts
}

fn page() -> impl Strategy<Value = Citation> {
    (text(), option::of("[a-z]{1,5}")).prop_map(|(url, title)| {
        let citation = Citation::web_search_result("its own words", url);
        title.map_or(citation.clone(), |title| citation.title(title))
    })
}

fn call() -> impl Strategy<Value = Said> {
    (
        option::of("[a-z0-9]{1,8}"),
        "[a-z_é]{1,8}",
        values::arguments(),
    )
        .prop_map(|(id, name, arguments)| Said::Call(id, name, arguments, None))
}

fn custom_call() -> impl Strategy<Value = Said> {
    (option::of("[a-z0-9]{1,8}"), "[a-z_é]{1,8}", text())
        .prop_map(|(id, name, input)| Said::CustomCall(id, name, input))
}
