//! The cases: every variant of the catalogue that an API can have, under several cuts.

use std::time::Duration;

use serde_json::json;

use crate::{
    api::Api,
    pure::try_sse_body,
    script::{Cut, Fault, FaultVariant, Needs, Requirement, Stage, Turn, Usage},
};

/// One call of the client.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// None for the undamaged answer, by which the client's words are learned.
    pub(super) fault: Option<FaultVariant>,
    pub(super) reference: Needs,
    pub(super) cut: Cut,
}

impl Case {
    /// `kind/variant`, or the name of the reference.
    pub(super) fn id(&self) -> String {
        match &self.fault {
            Some(fault) => fault.id(),
            None => format!("reference/{}", name(self.reference)),
        }
    }

    /// What is played. `pause` goes between what a fault writes slowly, or again and again.
    pub(super) fn turn(&self, pause: Duration) -> Turn {
        let turn = reference(self.reference);
        match self.fault {
            Some(fault) => turn.fault(fault.every(pause)),
            None => turn,
        }
    }

    /// Whether it is about size.
    pub(super) const fn is_large(&self) -> bool {
        match self.fault {
            Some(fault) => matches!(
                fault.fault(),
                Fault::LargeEvent | Fault::TinyFragments | Fault::ManyTinyEvents
            ),
            None => false,
        }
    }

    /// What is asked of the client, and what else is accepted.
    pub(super) fn asks(&self) -> (Requirement, Option<Requirement>) {
        match &self.fault {
            Some(fault) => (fault.requirement(), fault.also_accepted()),
            None => (Requirement::MustSucceedWithSameResult, None),
        }
    }
}

/// The answers that are damaged.
const REFERENCES: [Needs; 5] = [
    Needs::Text,
    Needs::ToolCall,
    Needs::TwoToolCalls,
    Needs::Thinking,
    Needs::TwoBlocks,
];

const fn name(reference: Needs) -> &'static str {
    match reference {
        Needs::Text => "text",
        Needs::ToolCall => "tool-call",
        Needs::TwoToolCalls => "two-tool-calls",
        Needs::Thinking => "thinking",
        Needs::TwoBlocks => "text-and-tool-call",
    }
}

/// Characters of one to four bytes; numbers and escapes in the arguments.
fn reference(of: Needs) -> Turn {
    let call = |turn: Turn| turn.tool_call_with_id("call_1", "f", json!({"a": "é\n", "n": 997}));
    let turn = match of {
        Needs::Text => Turn::new().text("Hé, wörld: 日本 and 🦀, all of it."),
        Needs::ToolCall => call(Turn::new()),
        Needs::TwoBlocks => call(Turn::new().text("Lét me.")),
        Needs::TwoToolCalls => {
            call(Turn::new()).tool_call_with_id("call_2", "g", json!({"b": "日本"}))
        }
        Needs::Thinking => Turn::new().thinking("Hm, whý?").text("Hé."),
    };
    turn.usage(Usage::input(3).output(17)).allow_script_drift()
}

/// The undamaged answers that the API can give, without a cut.
pub(super) fn references(api: Api) -> Vec<Case> {
    let cases = REFERENCES.into_iter().map(|reference| Case {
        fault: None,
        reference,
        cut: Cut::PerEvent,
    });
    cases.filter(|case| can_be_played(api, case)).collect()
}

/// Every variant under every cut. A fault that says itself what leaves when, or that is about size, is played under one.
pub(super) fn cases(api: Api, cuts: &[Cut]) -> Vec<Case> {
    let variants = Fault::ALL.iter().flat_map(|fault| fault.variants());
    let applying = variants.filter(|variant| variant.applies_to(api));
    let cases = applying.flat_map(|fault| {
        let case = Case {
            fault: Some(fault),
            reference: fault.needs(),
            cut: Cut::PerEvent,
        };
        let has_cuts = fault.stage() < Stage::Transport && !case.is_large();
        let cuts = if has_cuts { cuts } else { &[Cut::PerEvent] };
        cuts.iter().map(move |cut| Case {
            cut: cut.clone(),
            ..case.clone()
        })
    });
    cases.filter(|case| can_be_played(api, case)).collect()
}

/// Whether the API has the words for what is damaged.
fn can_be_played(api: Api, case: &Case) -> bool {
    try_sse_body(api, &reference(case.reference)).is_ok()
}
