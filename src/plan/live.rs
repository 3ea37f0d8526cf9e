//! The steps of a live turn: what the test has said, as far as it was said.
//!
//! What was said so far is a turn of its own, and the events of an answer up to its last fragment do not
//! depend on what follows. So each time something is said the whole is rendered anew, and the events that
//! were written already are passed over: no API knows of live turns, and the bytes cannot differ from those
//! of a scripted turn. That costs a rendering for each call of the test: 0.2 ms behind 1,000 fragments, and ten times
//! that in the dev profile.

use std::{collections::VecDeque, sync::Arc};

use super::{End, InStreamError, Length, Plan, Source, Step, Steps, Unplayable, action_name};
use crate::{
    api::{Api, Context, Events, Form, Mark, WireEvent},
    script::{
        Arguments, Ending, Extent, Fragments, LiveLine, Message, Says, ScriptedPart, StopReason,
        ToolKind, Turn, Words,
    },
};

/// What a live answer does next.
pub(super) enum LiveStep {
    Event(WireEvent),
    Whole(Vec<u8>),
    Step(Step),
}

/// Where the steps of a live answer come from.
pub(crate) struct LiveSource {
    turn: Arc<Turn>,
    line: LiveLine,
    api: Api,
    form: Form,
    context: Context,
    said: Vec<Said>,
    /// How many events were written.
    written: usize,
    /// What the stream began with.
    first: Option<WireEvent>,
    /// Events to be written next, and then these steps.
    events: Option<Events>,
    then: VecDeque<LiveStep>,
    /// Whether everything said so far was made into steps.
    listens: bool,
}

/// A piece of the turn so far.
enum Said {
    Text(String),
    /// The fragments of one block.
    Thinking(Vec<String>),
    Call {
        kind: ToolKind,
        name: String,
        pieces: Vec<String>,
        open: bool,
    },
    Parts(Vec<ScriptedPart>),
}

impl Plan<'_> {
    /// The sequence of a live turn.
    pub(super) fn live(&self, message: &Message, line: &LiveLine) -> Result<Steps, Unplayable> {
        if let Some((after, action)) = self.turn.actions.first() {
            return Err(Unplayable(format!(
                "{} {after} is not possible: a live turn has no places\n  \
                 help: do it between two calls of the `Live`; its `fail(..)` ends the answer",
                action_name(action)
            )));
        }
        if let Some(fault) = self.turn.faults.first() {
            return Err(Unplayable(format!(
                "fault `{fault}` has no target in a live turn\n  \
                 help: script the turn, or let the `Live` end it with `fail(..)`"
            )));
        }
        if !message.parts.is_empty() {
            return Err(Unplayable(
                "a live turn has no parts of its own\n  \
                 help: say them while it is played, with `say(..)` of the `Live`"
                    .to_owned(),
            ));
        }
        let source = LiveSource::new(self, line).map_err(Unplayable)?;
        let source = Source::Live(Box::new(source));
        let steps = Steps::headless(source, "a live answer", &self.cut);
        Ok(self.let_out(steps))
    }
}

impl LiveSource {
    fn new(plan: &Plan<'_>, line: &LiveLine) -> Result<Self, String> {
        let mut source = Self {
            turn: Arc::clone(plan.turn),
            line: line.clone(),
            api: plan.api,
            form: plan.form,
            context: plan.context.clone(),
            said: Vec::new(),
            written: 0,
            first: None,
            events: None,
            then: VecDeque::new(),
            listens: true,
        };
        if plan.form == Form::Stream {
            let first = source.events(&source.so_far())?.next();
            // some services begin with the first that is said
            source.first = first.filter(|event| !event.mark.stops());
            source.head();
            source
                .then
                .extend(source.first.clone().map(LiveStep::Event));
            source.written = usize::from(source.first.is_some());
        }
        Ok(source)
    }

    pub(super) const fn line(&self) -> &LiveLine {
        &self.line
    }

    pub(super) fn next(&mut self) -> LiveStep {
        loop {
            if let Some(event) = self.events.as_mut().and_then(Iterator::next) {
                self.written += 1;
                return LiveStep::Event(event);
            }
            self.events = None;
            if let Some(step) = self.then.pop_front() {
                return step;
            }
            let words = if self.listens { None } else { self.line.take() };
            let Some(words) = words else {
                self.listens = false;
                return LiveStep::Step(Step::Listen(self.line.clone()));
            };
            self.listens = true;
            if let Err(why) = self.play(words) {
                return LiveStep::Step(Step::Break(why));
            }
        }
    }

    /// Makes what was said into events and steps.
    fn play(&mut self, words: Words) -> Result<(), String> {
        match words {
            Words::Parts(parts) if parts.is_empty() => return Ok(()),
            Words::Text(text) => self.said.push(Said::Text(text)),
            Words::Thinking(piece) => self.thinking(piece),
            Words::Parts(parts) => self.said.push(Said::Parts(parts)),
            Words::CallFragment { kind, name, piece } => self.call_fragment(kind, name, piece),
            Words::CallEnd => {
                if let Some(Said::Call { open, .. }) = self.said.last_mut() {
                    *open = false;
                }
            }
            Words::Pause(time) => {
                self.then.push_back(LiveStep::Step(Step::Wait(time)));
                return Ok(());
            }
            Words::Fail(ending) => {
                return self.fail(&ending);
            }
            Words::Finish(reason) => {
                let mut turn = self.so_far();
                if let (Says::Message(message), Says::Message(scripted)) =
                    (&mut turn.says, &self.turn.says)
                {
                    message.stop_reason = scripted.stop_reason.clone().or(reason);
                }
                return self.finish(turn);
            }
        }
        if self.form == Form::Stream {
            let events = self.new_events()?;
            self.events = Some(Box::new(events.into_iter()));
        }
        Ok(())
    }

    fn thinking(&mut self, piece: String) {
        match self.said.last_mut() {
            Some(Said::Thinking(pieces)) => pieces.push(piece),
            Some(Said::Text(_) | Said::Call { .. } | Said::Parts(_)) | None => {
                self.said.push(Said::Thinking(vec![piece]));
            }
        }
    }

    fn call_fragment(&mut self, called_as: ToolKind, called: String, piece: String) {
        let piece = Some(piece).filter(|piece| !piece.is_empty());
        match self.said.last_mut() {
            Some(Said::Call {
                kind,
                name,
                pieces,
                open,
            }) if *open && (*kind, &*name) == (called_as, &called) => {
                pieces.extend(piece);
            }
            Some(Said::Call { .. } | Said::Text(_) | Said::Thinking(_) | Said::Parts(_)) | None => {
                self.said.push(Said::Call {
                    kind: called_as,
                    name: called,
                    pieces: piece.into_iter().collect(),
                    open: true,
                });
            }
        }
    }

    fn finish(&mut self, mut turn: Turn) -> Result<(), String> {
        self.settle_usage(&mut turn)?;
        match self.form {
            Form::Json => {
                let body = self.api.body(&turn, &self.context)?;
                self.head();
                self.then.push_back(LiveStep::Whole(body));
            }
            Form::Stream => {
                let events = self.events(&turn)?.skip(self.written);
                self.events = Some(Box::new(events));
            }
        }
        self.end(End::Complete);
        Ok(())
    }

    /// Without a usage of its own it has that of a scripted turn. But a stream began before it was known how long it would be: the whole has no fewer tokens than were
    /// out at its start.
    fn settle_usage(&self, turn: &mut Turn) -> Result<(), String> {
        /// More than any stream begins with.
        const TOKENS: u64 = 16;
        if has_usage(&self.turn) {
            return Ok(());
        }
        let tokens = |turn: &mut Turn, more: u64| {
            if let Says::Message(message) = &mut turn.says {
                message.usage = None;
                let mut usage = message.effective_usage();
                // an estimate that is made anew; nobody says it
                usage.thinking_tokens = None;
                let tokens = usage.output_tokens.saturating_add(more);
                message.usage = Some(usage.output(tokens));
            }
        };
        for more in 0..TOKENS {
            tokens(turn, more);
            let any = self.form == Form::Json || self.first.is_none();
            if any || self.events(turn)?.next() == self.first {
                return Ok(());
            }
        }
        // something else than these tokens is not as it began
        tokens(turn, 0);
        Ok(())
    }

    fn fail(&mut self, ending: &Ending) -> Result<(), String> {
        match (ending, self.form) {
            (Ending::InStreamError(error), Form::Json) => {
                let (head, body) = self.api.error(error, &self.context);
                self.then
                    .push_back(LiveStep::Step(Step::Head(head, Length::Chunked)));
                self.then.push_back(LiveStep::Whole(body));
                self.end(End::Complete);
            }
            (Ending::InStreamError(error), Form::Stream) => {
                let (turn, context) = (Arc::new(self.so_far()), self.context.clone());
                let error = InStreamError::new(error, self.api, turn, context);
                let events = error.map_err(|why| why.0)?.events(self.written);
                self.then.extend(events.into_iter().map(LiveStep::Event));
                self.end(End::Early);
            }
            (Ending::CleanEof, form) => {
                if form == Form::Json {
                    self.head();
                }
                self.end(End::Early);
            }
            (Ending::Fin, _) => self.end(End::Fin),
            (Ending::WrongLength(_) | Ending::CloseDelimited, _) => {
                return Err(
                    "a live answer's head is written before it is known how it ends\n  \
                     help: script the turn, or end it with `Ending::Fin`"
                        .to_owned(),
                );
            }
            (Ending::MidEvent | Ending::MidCharacter, _) => {
                return Err(
                    "a live answer ends behind what was said: there is no next event\n  \
                     help: script the turn, or end it with `Ending::CleanEof`"
                        .to_owned(),
                );
            }
            (Ending::Reset, _) => self.end(End::Reset),
        }
        Ok(())
    }

    fn head(&mut self) {
        let head = self.api.head(self.form, &self.context);
        self.then
            .push_back(LiveStep::Step(Step::Head(head, Length::Chunked)));
    }

    fn end(&mut self, end: End) {
        self.then.push_back(LiveStep::Step(Step::End(end)));
    }

    /// What was said so far, as a turn that was scripted so.
    fn so_far(&self) -> Turn {
        let mut turn = (*self.turn).clone();
        if let Says::Message(message) = &mut turn.says {
            message.live = None;
            message.extent = Extent::SoFar;
            // whether these fit the parts shows at the end
            let fits =
                |reason: &StopReason| !matches!(reason, StopReason::EndTurn | StopReason::ToolUse);
            message.stop_reason = message.stop_reason.take().filter(fits);
            // how much it will be is not known yet
            let usage = message.effective_usage();
            message.usage.get_or_insert(usage.output(u64::MAX));
        }
        for said in &self.said {
            turn = match said {
                Said::Text(text) => turn.text(text.as_str()).fragments(Fragments::whole()),
                Said::Thinking(pieces) => turn
                    .thinking(pieces.concat())
                    .fragments(Fragments::pieces(pieces.iter().map(String::as_str))),
                Said::Call {
                    kind, name, pieces, ..
                } => match kind {
                    ToolKind::Function => {
                        turn.tool_call(name.as_str(), Arguments::raw(pieces.concat()))
                    }
                    ToolKind::Custom => turn.custom_tool_call(name.as_str(), pieces.concat()),
                }
                .fragments(Fragments::pieces(pieces.iter().map(String::as_str))),
                Said::Parts(parts) => {
                    if let Says::Message(message) = &mut turn.says {
                        message.parts.extend(parts.iter().cloned());
                    }
                    turn
                }
            };
        }
        turn
    }

    /// The events that were not written yet, up to those that end the turn.
    fn new_events(&self) -> Result<Vec<WireEvent>, String> {
        let mut events: Vec<_> = self.events(&self.so_far())?.skip(self.written).collect();
        let ends = |event: &WireEvent| match event.mark {
            Mark::PartEnd | Mark::PartLast | Mark::LastDelta => true,
            Mark::Several { parts, stops, .. } => parts > 0 && !stops,
            Mark::Delta
            | Mark::Closing
            | Mark::StopReason
            | Mark::Terminal
            | Mark::Last
            | Mark::Comment
            | Mark::Other => false,
        };
        let last = events.iter().rposition(ends);
        events.truncate(last.map_or(0, |at| at + 1));
        if self.is_open() {
            // what comes with the end of a part waits until the part is over
            let others = events.get(..events.len().saturating_sub(1));
            let before = others.and_then(|others| others.iter().rposition(ends));
            let start = before.map_or(0, |at| at + 1);
            let waits = |event: &WireEvent| matches!(event.mark, Mark::Closing | Mark::PartEnd);
            let said = events.iter().skip(start).position(waits);
            events.truncate(said.map_or(events.len(), |n| start + n));
        }
        Ok(events)
    }

    /// Whether the last part can go on: adjacent text is one block, and so is adjacent thinking.
    fn is_open(&self) -> bool {
        match self.said.last() {
            Some(Said::Text(_) | Said::Thinking(_)) => true,
            Some(Said::Call { open, .. }) => *open,
            Some(Said::Parts(parts)) => parts.last().is_some_and(|part| goes_on(part, self.api)),
            None => false,
        }
    }

    fn events(&self, turn: &Turn) -> Result<Events, String> {
        self.api.events(&Arc::new(turn.clone()), &self.context)
    }
}

/// Whether more text goes into the block of this part.
const fn goes_on(part: &ScriptedPart, api: Api) -> bool {
    match part {
        ScriptedPart::Text {
            text: _,
            fragments: _,
            citations,
        } => citations.is_none() || api.joins_cited_text(),
        ScriptedPart::ToolCall { .. }
        | ScriptedPart::CustomToolCall { .. }
        | ScriptedPart::Thinking { .. }
        | ScriptedPart::RedactedThinking { .. }
        | ScriptedPart::ServerTool { .. }
        | ScriptedPart::Compaction { .. }
        | ScriptedPart::Raw { .. } => false,
    }
}

fn has_usage(turn: &Turn) -> bool {
    match &turn.says {
        Says::Message(message) => message.usage.is_some(),
        Says::Error(_) | Says::Raw(_) | Says::Recorded(_) => false,
    }
}
