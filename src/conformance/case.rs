//! The cases: every variant of the catalogue that an API can have, under several cuts, and every scenario.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;

use super::scenario::{self, Form};
use crate::{
    api::Api,
    pure::try_sse_body,
    script::{Cut, Dialect, Fault, FaultVariant, Needs, Requirement, Stage, Turn, Usage},
};

/// One call of the client, or a few.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) what: What,
    pub(super) reference: Needs,
    pub(super) cut: Cut,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// The undamaged answer, by which the client's words are learned.
    Reference,
    Fault(FaultVariant),
    Scenario(Form),
}

impl Case {
    /// `kind/variant`, or the name of the reference.
    pub(super) fn id(&self) -> String {
        match &self.what {
            What::Reference => self.reference_id(),
            What::Fault(fault) => fault.id(),
            What::Scenario(form) => form.id(),
        }
    }

    /// The name of the answer that is damaged.
    pub(super) fn reference_id(&self) -> String {
        format!("reference/{}", name(self.reference))
    }

    /// What is done to the answer, in a sentence.
    pub(super) const fn description(&self) -> &'static str {
        match &self.what {
            What::Reference => "nothing is damaged",
            What::Fault(fault) => fault.description(),
            What::Scenario(form) => form.variant.what,
        }
    }

    /// How the answer is cut; a scenario is played as it comes.
    pub(super) fn cut(&self) -> Option<String> {
        match &self.what {
            What::Scenario(_) => None,
            What::Reference | What::Fault(_) => Some(format!("{:?}", self.cut)),
        }
    }

    /// The answer, with its fault. `pause` goes between what a fault writes slowly, or again and again.
    pub(super) fn turn(&self, pause: Duration) -> Turn {
        let turn = reference(self.reference);
        match self.what {
            What::Fault(fault) => turn.fault(fault.every(pause)),
            What::Reference | What::Scenario(_) => turn,
        }
    }

    /// The body of that, as far as it is one.
    pub(super) fn body(&self, api: Api, pause: Duration) -> Bytes {
        try_sse_body(api, &self.turn(pause)).unwrap_or_default()
    }

    /// How many events its answer has when it is undamaged.
    pub(super) fn events(&self, api: Api) -> usize {
        let body = try_sse_body(api, &reference(self.reference)).unwrap_or_default();
        body.windows(2).filter(|two| two == b"\n\n").count()
    }

    /// What is asked of the client, and what else is accepted.
    pub(super) fn asks(&self) -> (Requirement, Option<Requirement>) {
        match &self.what {
            What::Reference => (Requirement::MustSucceedWithSameResult, None),
            What::Fault(fault) => (fault.requirement(), fault.also_accepted()),
            What::Scenario(form) => form.asks(),
        }
    }

    /// Whether it is about size.
    pub(super) const fn is_large(&self) -> bool {
        match self.what {
            What::Fault(fault) => matches!(
                fault.fault(),
                Fault::LargeEvent | Fault::TinyFragments | Fault::ManyTinyEvents
            ),
            What::Reference | What::Scenario(_) => false,
        }
    }

    pub(super) fn is_silent(&self) -> bool {
        self.asks().0 == Requirement::MustTimeOutWhenIdleLimitSet
    }
}

/// The answers that are damaged.
const REFERENCES: [Needs; 6] = [
    Needs::Text,
    Needs::ToolCall,
    Needs::TwoToolCalls,
    Needs::Thinking,
    Needs::TwoBlocks,
    Needs::UsageElsewhere,
];

const fn name(reference: Needs) -> &'static str {
    match reference {
        Needs::Text => "text",
        Needs::ToolCall => "tool-call",
        Needs::TwoToolCalls => "two-tool-calls",
        Needs::Thinking => "thinking",
        Needs::TwoBlocks => "text-and-tool-call",
        Needs::UsageElsewhere => "usage-beside-the-reason",
    }
}

/// Whether an undamaged answer is called so.
pub(super) fn is_reference(id: &str) -> bool {
    let known = id.strip_prefix("reference/");
    known.is_some_and(|known| REFERENCES.iter().any(|of| name(*of) == known))
}

/// Characters of one to four bytes; numbers and escapes in the arguments.
pub(super) fn reference(of: Needs) -> Turn {
    let call =
        |turn: Turn| turn.tool_call_with_id("call_1", "get_weather", json!({"a": "é\n", "n": 997}));
    let turn = match of {
        Needs::Text => Turn::new().text("Hé, wörld: 日本 and 🦀, all of it."),
        Needs::ToolCall => call(Turn::new()),
        Needs::TwoBlocks => call(Turn::new().text("Lét me.")),
        Needs::UsageElsewhere => Turn::new().text("Hé.").dialect(Dialect::Mistral),
        Needs::TwoToolCalls => {
            call(Turn::new()).tool_call_with_id("call_2", "g", json!({"b": "日本"}))
        }
        Needs::Thinking => Turn::new().thinking("Hm, whý?").text("Hé."),
    };
    turn.usage(Usage::input(3).output(17)).allow_script_drift()
}

/// An answer that calls another tool than the [`reference()`] does, by the same id.
pub(super) fn same_id() -> Turn {
    let turn = Turn::new().tool_call_with_id("call_1", "g", json!({"b": "日本"}));
    turn.usage(Usage::input(3).output(17)).allow_script_drift()
}

/// The undamaged answers that the API can give, without a cut.
pub(super) fn references(api: Api) -> Vec<Case> {
    let cases = REFERENCES.into_iter().map(|reference| Case {
        what: What::Reference,
        reference,
        cut: Cut::PerEvent,
    });
    cases.filter(|case| can_be_played(api, case)).collect()
}

/// Every variant under every cut, and every scenario. A fault that says itself what leaves when, or that is about size,
/// is played under one.
pub(super) fn cases(api: Api, cuts: &[Cut]) -> Vec<Case> {
    let variants = Fault::ALL.iter().flat_map(|fault| fault.variants());
    let applying = variants.filter(|variant| variant.applies_to(api));
    let faults = applying.flat_map(|fault| {
        let case = Case {
            what: What::Fault(fault),
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
    let forms = scenario::ALL.iter().flat_map(scenario::Scenario::forms);
    let forms = forms.filter(|form| form.applies_to(api));
    let scenarios = forms.map(|form| Case {
        what: What::Scenario(form),
        reference: form.reference(),
        cut: Cut::PerEvent,
    });
    let cases = faults.chain(scenarios);
    cases.filter(|case| can_be_played(api, case)).collect()
}

/// Whether the API has the words for what is damaged.
fn can_be_played(api: Api, case: &Case) -> bool {
    try_sse_body(api, &reference(case.reference)).is_ok()
}
