//! Plans drawn from an input: what a turn says, how it is cut, where and how it ends.

use std::time::Duration;

use libfuzzer_sys::arbitrary::Unstructured;
use llm_wire_stub::{
    After, Api, ApiError, Arguments, Citation, Cut, Ending, Fault, FaultVariant, Fragments, Gate,
    Pace, StopReason, Turn, Usage,
};
use serde_json::json;

/// An input that decisions are drawn from; once it is used up, each is the first.
pub struct Draw<'a>(Unstructured<'a>);

/// How an answer ends, or does not.
#[derive(Debug)]
pub enum How {
    /// By itself.
    Whole,
    Scripted(After, Ending),
    Stall(After),
    Fault(FaultVariant),
}

impl<'a> Draw<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        Self(Unstructured::new(input))
    }

    pub fn below(&mut self, sides: usize) -> usize {
        usize::from(self.0.arbitrary::<u16>().unwrap_or(0)) % sides.max(1)
    }

    fn number(&mut self) -> u64 {
        match self.below(3) {
            0 => self.0.arbitrary().unwrap_or(0),
            _ => self.below(1000) as u64,
        }
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    fn text(&mut self) -> String {
        const ODD: &[&str] = &[
            "",
            " ",
            "é",
            "漢字",
            "😀",
            "\"\\/\n\r\t\u{8}\u{1f}",
            "\u{2028}\u{85}\u{feff}\u{0}",
            "a b  c",
            "\\u00e9 data: x\n\nevent: error\n",
            "{}",
            "[DONE]",
            "<html>",
        ];
        let mut text = String::new();
        for _ in 0..self.below(4) {
            match self.below(2) {
                0 => text.push_str(self.pick::<&str>(ODD)),
                _ => text.extend(self.0.arbitrary::<&str>().unwrap_or("x").chars().take(12)),
            }
        }
        text
    }

    pub fn api(&mut self) -> Api {
        *self.pick(&[
            Api::AnthropicMessages,
            Api::OpenAiChat,
            Api::OpenAiResponses,
            Api::OpenAiCompletions,
        ])
    }

    /// What a turn says, of what most APIs can say.
    pub fn turn(&mut self) -> Turn {
        let mut turn = Turn::new();
        for _ in 0..self.below(4) {
            turn = self.part(turn);
        }
        for _ in 0..self.below(3) {
            turn = self.member(turn);
        }
        turn
    }

    fn part(&mut self, turn: Turn) -> Turn {
        let turn = match self.below(8) {
            0..3 => turn.text(self.text()),
            3 => turn.thinking(self.text()),
            4 => turn.tool_call(self.text(), json!({ "a": self.text(), "n": self.number() })),
            5 => turn.tool_call_with_id(self.text(), "f", Arguments::raw(self.text())),
            6 => turn.custom_tool_call("f", self.text()),
            _ => {
                return turn.cited_text(
                    self.text(),
                    [Citation::web_search_result(self.text(), self.text())],
                );
            }
        };
        match self.below(8) {
            0 => turn.fragments(Fragments::whole()),
            1 => turn.fragments(Fragments::characters()),
            2 => turn.fragments(Fragments::size(1 + self.below(4))),
            _ => turn,
        }
    }

    fn member(&mut self, turn: Turn) -> Turn {
        match self.below(6) {
            0 => turn.plain(),
            1 => turn.usage(
                Usage::input(self.number())
                    .output(self.number())
                    .cache_read(self.number()),
            ),
            2 => turn.stop_reason(StopReason::MaxTokens),
            3 => turn.stop_reason(StopReason::from(self.text().as_str())),
            4 => turn.pace(Pace::every(Duration::ZERO)),
            _ => turn.delay(self.place(), Duration::ZERO),
        }
    }

    /// A gate that is open stands in nobody's way.
    pub fn gated(&mut self, turn: Turn) -> Turn {
        if self.below(4) > 0 {
            return turn;
        }
        let gate = Gate::new();
        gate.open();
        turn.gate(self.place(), &gate)
    }

    pub fn cut(&mut self) -> Cut {
        match self.below(8) {
            0 => Cut::PerEvent,
            1 => Cut::Whole,
            2 => Cut::EveryByte,
            3 => Cut::PerLine,
            4 => Cut::InsideCharacters,
            5 => Cut::InsideLineEnds,
            6 => Cut::Random {
                seed: self.number(),
            },
            _ => Cut::at([self.below(900), self.below(900)]),
        }
    }

    fn place(&mut self) -> After {
        let n = self.below(6);
        match self.below(6) {
            0 => After::request(),
            1 => After::head(),
            2 => After::deltas(n),
            3 => After::parts(n),
            4 => After::events(n),
            _ => After::stop_reason(),
        }
    }

    pub fn how(&mut self, api: Api) -> How {
        match self.below(4) {
            0 => How::Whole,
            1 => How::Scripted(self.place(), self.ending()),
            2 if self.below(4) == 0 => How::Stall(self.place()),
            _ => self.fault(api),
        }
    }

    fn ending(&mut self) -> Ending {
        match self.below(8) {
            0 => ApiError::overloaded().into(),
            1 => Ending::CleanEof,
            2 => Ending::Fin,
            3 => Ending::Reset,
            4 => Ending::WrongLength(self.below(64) as i64 - 32),
            5 => Ending::CloseDelimited,
            6 => Ending::MidEvent,
            _ => Ending::MidCharacter,
        }
    }

    /// Not one that needs megabytes.
    fn fault(&mut self, api: Api) -> How {
        const LARGE: [Fault; 3] = [
            Fault::LargeEvent,
            Fault::TinyFragments,
            Fault::ManyTinyEvents,
        ];
        let fault = *self.pick(Fault::ALL);
        let variants: Vec<FaultVariant> = fault
            .variants()
            .filter(|variant| variant.applies_to(api))
            .collect();
        if variants.is_empty() || LARGE.contains(&fault) {
            return How::Whole;
        }
        How::Fault(self.pick(&variants).every(Duration::from_millis(1)))
    }
}
