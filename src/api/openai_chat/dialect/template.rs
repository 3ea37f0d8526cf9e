//! Templates: wire text with slots, so that a row of the table reads as what is sent.
//!
//! `$name` is a slot. What stands between `$<` and `$>` is left out if a slot in it is absent; groups do not nest.
//! A slot that is absent outside a group is nothing.

use std::sync::OnceLock;

/// Wire text with slots; parsed once, when it is first needed.
#[derive(Debug)]
pub(in crate::api) struct Template {
    text: &'static str,
    parsed: OnceLock<Parsed>,
}

#[derive(Debug)]
struct Parsed {
    start: &'static str,
    pieces: Vec<Piece>,
}

/// A template, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(in crate::api) struct Part<'a> {
    start: &'static str,
    pieces: &'a [Piece],
}

/// What a `$` begins, and the text behind it.
#[derive(Clone, Copy, Debug)]
struct Piece {
    what: What,
    text: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Open,
    Close,
    Slot(Slot),
}

/// Whether a slot has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::api) enum Filled {
    Yes,
    No,
}

impl Filled {
    pub(in crate::api) const fn when(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

macro_rules! slots {
    ($($slot:ident $name:literal,)*) => {
        /// A place in a template.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::api) enum Slot { $($slot,)* }

        /// Every slot with its name, by which they are sorted.
        const SLOTS: &[(&str, Slot)] = &[$(($name, Slot::$slot),)*];
    };
}

slots! {
    Accepted "accepted",
    Annotations "annotations",
    AnnotationsOrAbsent "annotations_or_absent", // Absent if there are none.
    Arguments "arguments",
    AudioIn "audio_in",
    AudioOut "audio_out",
    IfBill "bill", // In the chunk with the usage.
    Cached "cached",
    CachedIfAny "cached_if_any", // Absent if there are none.
    CallId "call_id",
    Calls "calls", // The items of `tool_calls`; absent without calls.
    CallsOrNothing "calls_or_nothing", // Without calls no text, but present.
    CallsOrNull "calls_or_null", // The list, or null.
    Choice "choice", // The choices, without brackets.
    Code "code", // Or null.
    CodeIfAny "code_if_any", // Absent if there is none.
    Completion "completion", // Of the whole answer.
    CompletionSoFar "completion_so_far", // One for each chunk.
    Cost "cost", // Made up.
    CostIn "cost_in", // Made up.
    CostOut "cost_out", // Made up.
    Created "created",
    Delta "delta",
    Fingerprint "fingerprint",
    Finish "finish", // Or null.
    FinishOrAbsent "finish_or_absent",
    FinishOrEmpty "finish_or_empty", // Or an empty string.
    IfFirst "first", // In the first chunk; in a delta, the first that says something.
    IfGoesOn "goes_on", // In the chunks before it.
    Hex32 "hex32",
    Id "id",
    Index "index",
    IfLater "later", // The other ones.
    Logprobs "logprobs", // Absent where the member is.
    Message "message",
    Missed "missed", // Those of the prompt that no cache had.
    Model "model",
    Moderation "moderation", // Absent where the member is.
    CallIndex "n",
    Name "name",
    Native "native", // What the model behind says, or null.
    Pad "pad", // Absent without noise.
    Param "param", // Or null.
    Prompt "prompt", // All tokens of the prompt.
    Reasoning "reasoning", // Absent if it is not said.
    ReasoningOrZero "reasoning_or_0",
    Refusal "refusal", // Or null.
    Rejected "rejected",
    RequestId "request_id", // Groq's.
    Said "said", // The text of this chunk.
    IfSays "says", // In a chunk with text.
    Seed "seed", // A number of the service's.
    Signature "signature", // Absent if there is none.
    Signed "signed", // The member, with its comma; nothing if there is none.
    SoFar "so_far", // The text up to this chunk.
    Status "status",
    IfStops "stops", // In the last chunk of a choice.
    Text "text", // A fragment, or the whole.
    TextOrNull "text_or_null", // Null if there is none beside tool calls.
    IfTexts "texts", // In an answer with text.
    Thinking "thinking", // Absent if there is none.
    ThinkingOrNull "thinking_or_null",
    IfThinks "thinks", // In an answer that thinks.
    Tier "tier", // Absent if there is none.
    TierOrNull "tier_or_null",
    Token "token", // The number of a token.
    Total "total",
    TotalSoFar "total_so_far",
    Type "type",
    IfUnbilled "unbilled", // In a chunk without the usage of the whole.
    IfUnthinking "unthinking", // In one that does not.
    Usage "usage", // Absent where the member is.
    Uuid "uuid",
    Written "written", // Absent if there are none.
    WrittenOrZero "written_or_0",
}

impl Template {
    pub(in crate::api) const fn new(text: &'static str) -> Self {
        let parsed = OnceLock::new();
        Self { text, parsed }
    }

    /// Appends the text with its slots filled.
    pub(in crate::api) fn write(
        &self,
        out: &mut Vec<u8>,
        fill: &mut dyn FnMut(Slot, &mut Vec<u8>) -> Filled,
    ) {
        self.whole().write(out, fill);
    }

    /// The text up to this slot, and the text behind it.
    pub(in crate::api) fn split(&self, at: Slot) -> (Part<'_>, Part<'_>) {
        let Part { start, pieces } = self.whole();
        let mut parts = pieces.splitn(2, |piece| piece.is(at));
        let before = parts.next().unwrap_or_default();
        let behind = Part {
            start: pieces.get(before.len()).map_or("", |slot| slot.text),
            pieces: parts.next().unwrap_or_default(),
        };
        let before = Part {
            start,
            pieces: before,
        };
        (before, behind)
    }

    /// Whether it has this slot.
    pub(in crate::api) fn has(&self, slot: Slot) -> bool {
        self.whole().pieces.iter().any(|piece| piece.is(slot))
    }

    fn whole(&self) -> Part<'_> {
        let Parsed { start, pieces } = self.parsed.get_or_init(|| Parsed::new(self.text));
        Part { start, pieces }
    }

    #[cfg(test)]
    pub(super) const fn text(&self) -> &'static str {
        self.text
    }
}

impl Parsed {
    /// Unknown names are left as they are, and a test finds them.
    fn new(text: &'static str) -> Self {
        let mut parts = text.split('$');
        let start = parts.next().unwrap_or_default();
        let pieces = parts.map(|part| {
            let (what, text) = match part.as_bytes().first() {
                Some(b'<') => (What::Open, part.get(1..)),
                Some(b'>') => (What::Close, part.get(1..)),
                _ => {
                    let (name, text) = part.split_at(name_len(part));
                    (What::Slot(named(name).unwrap_or(Slot::IfFirst)), Some(text))
                }
            };
            Piece {
                what,
                text: text.unwrap_or_default(),
            }
        });
        Self {
            start,
            pieces: pieces.collect(),
        }
    }
}

impl Part<'_> {
    /// Appends the text with its slots filled.
    pub(in crate::api) fn write(
        &self,
        out: &mut Vec<u8>,
        fill: &mut dyn FnMut(Slot, &mut Vec<u8>) -> Filled,
    ) {
        out.extend_from_slice(self.start.as_bytes());
        let (mut group, mut absent) = (None, false);
        for piece in self.pieces {
            match piece.what {
                What::Open => (group, absent) = (Some(out.len()), false),
                What::Close => {
                    if let (Some(start), true) = (group, absent) {
                        out.truncate(start);
                    }
                    (group, absent) = (None, false);
                }
                What::Slot(_) if absent => {}
                What::Slot(slot) => {
                    absent = fill(slot, out) == Filled::No && group.is_some();
                }
            }
            out.extend_from_slice(piece.text.as_bytes());
        }
    }
}

impl Piece {
    fn is(&self, slot: Slot) -> bool {
        matches!(self.what, What::Slot(found) if found == slot)
    }
}

fn named(name: &str) -> Option<Slot> {
    let at = SLOTS.binary_search_by_key(&name, |(known, _)| known).ok()?;
    SLOTS.get(at).map(|(_, slot)| *slot)
}

/// How long the name is that the text begins with.
fn name_len(text: &str) -> usize {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.bytes().take_while(word).count()
}

/// The names in a template that are none of a slot.
#[cfg(test)]
pub(super) fn unknown(template: &'static str) -> Vec<&'static str> {
    let names = template.split('$').skip(1);
    let names = names.map(|part| part.split_at(name_len(part)).0);
    let known = |name: &&str| name.is_empty() || named(name).is_some();
    names.filter(|name| !known(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(template: &'static str) -> String {
        let mut out = Vec::new();
        let mut fill = |slot: Slot, out: &mut Vec<u8>| {
            if slot == Slot::Id {
                out.extend_from_slice(b"\"x\"");
            }
            Filled::when(matches!(slot, Slot::Id | Slot::IfFirst))
        };
        Template::new(template).write(&mut out, &mut fill);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_group_is_left_out_if_a_slot_in_it_is_absent() {
        for (template, expected) in [
            (r#"{"id":$id}"#, r#"{"id":"x"}"#),
            (r#"{"id":$id$<,"tier":$tier$>}"#, r#"{"id":"x"}"#),
            (
                r#"{$<$first"id":$id$>$<,"a":$tier,"b":$id$>,"c":1}"#,
                r#"{"id":"x","c":1}"#,
            ),
            (r#"{"id":$id$tier}"#, r#"{"id":"x"}"#),
            ("{}", "{}"),
        ] {
            assert_eq!(written(template), expected, "{template}");
        }
    }

    #[test]
    fn slots_are_found_by_their_names() {
        assert!(SLOTS.is_sorted_by_key(|(name, _)| *name));
        for (name, slot) in SLOTS {
            assert_eq!(named(name), Some(*slot), "{name}");
        }
    }

    #[test]
    fn a_template_splits_at_a_slot() {
        let template = Template::new(r#"{"id":$id,"choices":[$choice],"model":$id}"#);
        let (head, tail) = template.split(Slot::Choice);
        let mut out = Vec::new();
        let mut fill = |_: Slot, out: &mut Vec<u8>| {
            out.push(b'1');
            Filled::Yes
        };
        head.write(&mut out, &mut fill);
        assert_eq!(out, br#"{"id":1,"choices":["#);
        out.clear();
        tail.write(&mut out, &mut fill);
        assert_eq!(out, br#"],"model":1}"#);
        out.clear();
        let (head, tail) = template.split(Slot::Usage);
        head.write(&mut out, &mut fill);
        tail.write(&mut out, &mut fill);
        assert_eq!(out, br#"{"id":1,"choices":[1],"model":1}"#);
    }
}
