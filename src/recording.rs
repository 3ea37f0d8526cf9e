//! Scripts of what was recorded.

use crate::{
    api::{AccumulateError, Api, Form, accumulate, accumulate_json},
    script::{Built, Json, Recording, Reply, Says, Script, ScriptedPart},
};

impl Script {
    /// One turn, which says recorded bytes again: the body of a stream, of an answer that did not stream, or of an
    /// error.
    ///
    /// It says the same events in the same order, with the members in the order of their era; ids, fragments and the
    /// places of pings are those that were recorded. Padding comes from the seed, and so does the request id of an
    /// error. A stream that ended with the provider's error ends so again. Blocks that have no name here, or that the
    /// names would say otherwise, become [raw blocks](crate::Turn::raw_block); unknown events outside of blocks, and unknown
    /// members of the envelope, are left out; members that the recording lacks are not added. What the provider never writes is brought into
    /// its order: blocks that overlap come one behind the other, an event without a name gets one, and JSON that
    /// stands on several lines, or that a name says, is compact.
    ///
    /// A recorded call of a tool fits only requests that offer the tool, as every scripted one.
    ///
    /// A turn from a stream can be played as a body, and the other way round, unless it has raw blocks with deltas; those
    /// of OpenAI Responses can be.
    ///
    /// On the APIs of OpenAI only what has the form of today is said again: each difference but those in what is drawn
    /// is refused, with its place. White space and comments between what is said are brought into order.
    ///
    /// | API | drawn, and so not kept | refused besides other forms |
    /// | --- | --- | --- |
    /// | Chat | the time, the fingerprint, the obfuscation | choices that differ, log probabilities, audio, a `[DONE]` behind an error |
    /// | Responses | the times, the obfuscation, what is encrypted but for its last form | what was made in the background, items that overlap |
    /// | Completions | the time | choices that differ, log probabilities, an echo |
    ///
    /// On Chat and Completions usage, moderation and the number of choices are said where the request asks for them.
    ///
    /// On Responses items keep their ids. An item that the names would say otherwise (several summaries, a search with
    /// several queries, code that ran) becomes a raw block, as it was added, with its events, as it was done; it is said
    /// whatever the request asks for. One from a body has no events. What the response repeats of its request (`tools`,
    /// `temperature`, `metadata`, …) is kept too: a member that the request of the test has wins, whatever was recorded;
    /// one that it has not is said as it was recorded.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Script, Turn, accumulate, sse_body};
    ///
    /// let recorded = sse_body(Api::AnthropicMessages, &Turn::new().text("Hello there!").seed(7));
    /// let script = Script::from_wire(Api::AnthropicMessages, &recorded).unwrap();
    /// assert_eq!(script.text(), "Hello there!");
    ///
    /// let again = sse_body(Api::AnthropicMessages, &script.turns()[0]);
    /// let reply = |body: &[u8]| accumulate(Api::AnthropicMessages, body).unwrap();
    /// assert_eq!(reply(&again), reply(&recorded));
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with the bytes, as [`accumulate`] and [`accumulate_json`]
    /// say it. That the answer is not said again, and where it differs from what a turn would say. Also an answer
    /// that is whole, of which one cannot be said that lacks what it lacks: a usage without its counters.
    #[track_caller]
    pub fn from_wire(api: Api, body: &[u8]) -> Result<Self, AccumulateError> {
        let mut turn = api.turn_from_wire(body)?;
        turn.built = Built::here();
        Ok(Self::new([turn]))
    }

    /// All text that the turns of the sequence say, joined; a recorded answer that cannot be read says nothing.
    #[must_use]
    pub fn text(&self) -> String {
        let mut all = String::new();
        for turn in &self.turns {
            let message = match &turn.says {
                Says::Message(message) => message,
                Says::Recorded(recording) => {
                    let said = read(recording).map(|reply| reply.text());
                    all.push_str(&said.unwrap_or_default());
                    continue;
                }
                Says::Error(_) | Says::Raw(_) => continue,
            };
            for part in &message.parts {
                match part {
                    ScriptedPart::Text { text, .. } => all.push_str(text),
                    ScriptedPart::Raw { start, deltas, .. } => {
                        all.extend(raw_text(start, "text"));
                        let deltas = deltas.iter();
                        all.extend(deltas.filter_map(|delta| raw_text(delta, "text_delta")));
                        all.extend(message_text(start));
                    }
                    ScriptedPart::Thinking { .. }
                    | ScriptedPart::RedactedThinking { .. }
                    | ScriptedPart::ToolCall { .. }
                    | ScriptedPart::CustomToolCall { .. }
                    | ScriptedPart::ServerTool { .. }
                    | ScriptedPart::Compaction { .. } => {}
                }
            }
        }
        all
    }
}

/// What a client reads from it.
fn read(recording: &Recording) -> Result<Reply, AccumulateError> {
    let body = recording.body();
    match recording.form() {
        Form::Stream => accumulate(recording.api, &body),
        Form::Json => accumulate_json(recording.api, &body),
    }
}

/// The text in a block or a delta of this type.
fn raw_text(json: &Json, kind: &str) -> Option<String> {
    let value = json.to_value();
    let text = value.get("text")?.as_str()?;
    (value.get("type")?.as_str()? == kind).then(|| text.to_owned())
}

/// The text in a message of OpenAI Responses.
fn message_text(json: &Json) -> Option<String> {
    let value = json.to_value();
    let parts = value.get("content")?.as_array()?.iter();
    let texts = parts.filter(|part| part.get("type").is_some_and(|kind| kind == "output_text"));
    Some(
        texts
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
    )
}
