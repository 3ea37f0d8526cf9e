//! One choice: deltas in, or a whole message; parts out.

use serde_json::{Map, Value, json};

use super::{
    Checked,
    call::{Calls, Ended},
    thought::Thought,
};
use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Members, Problem},
        openai::Characters,
        openai_chat::words,
    },
    script::{Citation, CitedSource, Json, Part, StopReason},
};

/// What was read of a choice.
#[derive(Debug, Default)]
pub(super) struct Choice {
    thought: Thought,
    content: String,
    refusal: String,
    annotations: Vec<Value>,
    calls: Calls,
    /// The one call of the API's older form.
    function_call: Option<(String, String)>,
    audio: Vec<Value>,
    pub(super) finish: Option<String>,
}

impl Choice {
    /// Reads a delta, whose members have this path.
    pub(super) fn delta(&mut self, delta: &Map<String, Value>, path: &str) -> Checked<()> {
        let members = Members::new(path, delta);
        self.message(members)?;
        for (n, call) in array(members, "tool_calls")?.iter().enumerate() {
            let path = format!("{path}tool_calls[{n}].");
            self.calls
                .fragment(object(members, "tool_calls", call, &path)?)?;
        }
        Ok(())
    }

    /// Reads the message of a body.
    pub(super) fn whole(&mut self, message: &Map<String, Value>, path: &str) -> Checked<()> {
        let members = Members::new(path, message);
        self.message(members)?;
        for (n, call) in array(members, "tool_calls")?.iter().enumerate() {
            let path = format!("{path}tool_calls[{n}].");
            self.calls
                .whole(object(members, "tool_calls", call, &path)?)?;
        }
        Ok(())
    }

    /// What a delta and a message have in common.
    fn message(&mut self, members: Members<'_>) -> Checked<()> {
        match members.string_or_null("role")? {
            None | Some("" | "assistant") => {}
            Some(_) => return Err(members.wrong("role", "`assistant`")),
        }
        self.thought.read(members)?;
        if let Some(Value::Array(items)) = members.get("content") {
            for (n, item) in items.iter().enumerate() {
                let path = format!("{}content[{n}].", members.path());
                let item = object(members, "content", item, &path)?;
                self.content.push_str(self.thought.item(item)?);
            }
        } else {
            self.content
                .push_str(members.string_or_null("content")?.unwrap_or_default());
        }
        self.refusal
            .push_str(members.string_or_null("refusal")?.unwrap_or_default());
        let annotations = array(members, "annotations")?;
        if !annotations.iter().all(Value::is_object) {
            return Err(members.wrong("annotations", "an array of objects"));
        }
        self.annotations.extend_from_slice(annotations);
        self.audio.extend(members.get("audio").cloned());
        if let Some(call) = members.object_or_null("function_call")? {
            let path = format!("{}function_call.", members.path());
            let call = Members::new(&path, call);
            let (name, arguments) = self.function_call.get_or_insert_default();
            name.push_str(call.string_or_null("name")?.unwrap_or_default());
            arguments.push_str(call.string_or_null("arguments")?.unwrap_or_default());
        }
        Ok(())
    }

    /// Some services say in each chunk the whole text so far, too: it has to be what the deltas came to.
    pub(super) fn so_far(&self, choice: Members<'_>, path: &str) -> Checked<()> {
        let Some(message) = choice.object_or_null("message")? else {
            return Ok(());
        };
        let message = Members::new(path, message);
        match message.string_or_null("content")? {
            Some(text) if text != self.content => Err(message.wrong(
                "content",
                format!("`{}`, as the deltas come to", self.content.escape_debug()),
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Reads the reason why it stops. It may come again, and some services send a `stop` behind it, which takes nothing
    /// back.
    pub(super) fn finish(&mut self, choice: Members<'_>) -> Checked<()> {
        let word = match choice.string_or_null("finish_reason")? {
            // some servers write an empty one where there is none
            None | Some("") => return Ok(()),
            Some(word) => word,
        };
        if word == "error" {
            return Err(Problem::new(
                AccumulateErrorKind::Provider {
                    error_type: "error".to_owned(),
                    message: String::new(),
                },
                "the provider reported an error",
                "the end of a choice",
                Found::quoted(choice.to_json()),
            ));
        }
        match &self.finish {
            Some(before) if before != word && word != "stop" => Err(choice.wrong(
                "finish_reason",
                format!("`{}`, as before", before.escape_debug()),
            )),
            Some(_) => Ok(()),
            None => {
                self.finish = Some(word.to_owned());
                Ok(())
            }
        }
    }

    /// Whether what it says is whole, once nothing more comes.
    pub(super) fn check(&self, path: &str) -> Checked<()> {
        self.calls.check(path)
    }

    /// What it says, and why it stopped.
    pub(super) fn read(self, ended: Ended) -> (Vec<Part>, StopReason) {
        let word = self.finish.as_deref().unwrap_or_default();
        // a message that is nothing but a refusal, and that came to its end
        let refuses = word == "stop"
            && !self.refusal.is_empty()
            && self.content.is_empty()
            && self.calls.is_empty()
            && self.annotations.is_empty();
        let reason = words::stop_reason(word, refuses);
        let mut parts: Vec<Part> = self.thought.into_parts().collect();
        if !self.annotations.is_empty() {
            let content = Characters::of(&self.content);
            let citations = self.annotations.iter();
            let citations = citations.map(|sent| citation(sent, &content));
            parts.push(Part::CitedText {
                citations: citations.collect(),
                text: self.content,
            });
        } else if !self.content.is_empty() {
            parts.push(Part::Text(self.content));
        }
        if refuses {
            parts.push(Part::Text(self.refusal));
        } else if !self.refusal.is_empty() {
            parts.push(unknown("refusal", self.refusal, Vec::new()));
        }
        if !self.audio.is_empty() {
            parts.push(unknown("audio", Value::Null, self.audio));
        }
        parts.extend(self.calls.into_parts(ended));
        if let Some((name, arguments)) = self.function_call {
            let call = json!({"name": name, "arguments": arguments});
            parts.push(unknown("function_call", call, Vec::new()));
        }
        (parts, reason)
    }
}

/// A member of the message that there is no part for.
fn unknown(name: &str, value: impl Into<Value>, deltas: Vec<Value>) -> Part {
    Part::Unknown {
        block: json!({ name: value.into() }),
        deltas,
    }
}

/// The array; none where the member is null or missing.
pub(super) fn array<'a>(members: Members<'a>, name: &str) -> Checked<&'a [Value]> {
    match members.get(name) {
        None => Ok(&[]),
        Some(_) => members.array(name),
    }
}

pub(super) fn object<'a>(
    members: Members<'_>,
    name: &str,
    item: &'a Value,
    path: &'a str,
) -> Checked<Members<'a>> {
    match item.as_object() {
        Some(item) => Ok(Members::new(path, item)),
        None => Err(members.wrong(name, "an array of objects")),
    }
}

/// A page of the web, or whatever it is.
fn citation(sent: &Value, content: &Characters<'_>) -> Citation {
    page(sent, content).unwrap_or_else(|| {
        let json = Json::from(sent.clone());
        let mut citation = Citation::raw(json.clone());
        citation.source = CitedSource::Other(json);
        citation
    })
}

fn page(sent: &Value, content: &Characters<'_>) -> Option<Citation> {
    let page = sent.get("url_citation")?;
    let number = |name: &str| usize::try_from(page.get(name)?.as_u64()?).ok();
    let text = |name: &str| page.get(name).and_then(Value::as_str);
    let (start, end) = (number("start_index")?, number("end_index")?);
    let words = (start <= end).then(|| content.words(start..end))?;
    let citation = Citation::web_search_result(words, text("url")?);
    Some(match text("title") {
        None | Some("") => citation,
        Some(title) => citation.title(title),
    })
}
