//! The rows of `src/api/mapping.md` that a turn is about.

use llm_wire_stub::*;

use crate::turns::{Member, Said, Scripted};

/// Their names.
pub(crate) type Rows = Vec<&'static str>;

impl Scripted {
    /// Everything that it says, each by the name of its row.
    pub(crate) fn says(&self) -> Rows {
        let mut rows = Vec::new();
        let mut before = Before::default();
        for (said, fragments) in &self.parts {
            let cut = fragments.is_some() && said.is_call();
            rows.extend(cut.then_some("`fragments` of a tool call"));
            said.says(&before, &mut rows);
            before.add(said);
        }
        for member in &self.members {
            rows.extend(member.says());
        }
        if let Some(usage) = self.last(Member::as_usage) {
            says_usage(usage, &mut rows);
        }
        rows.extend(self.stops(&before));
        rows
    }

    /// Of several members of a kind the last one counts.
    fn last<T>(&self, of: fn(&Member) -> Option<&T>) -> Option<&T> {
        self.members.iter().rev().find_map(of)
    }

    /// Why it stops, and beside what.
    fn stops(&self, said: &Before) -> Rows {
        let Some(reason) = self.last(Member::as_stop_reason) else {
            return vec![if said.calls { "`ToolUse`" } else { "`EndTurn`" }];
        };
        let beside = |is: bool, row| is.then_some(row);
        match reason {
            StopReason::ToolUse if !said.calls => vec!["`ToolUse` without a tool call"],
            StopReason::EndTurn => [
                Some("`EndTurn`"),
                beside(said.calls, "`EndTurn` beside a tool call"),
            ]
            .into_iter()
            .flatten()
            .collect(),
            StopReason::Refusal => [
                Some("`Refusal`"),
                beside(!said.words, "`Refusal` without words"),
                beside(said.calls, "`Refusal` beside a tool call"),
                beside(said.cites, "`Refusal` beside a citation"),
            ]
            .into_iter()
            .flatten()
            .collect(),
            StopReason::MaxTokens => vec!["`MaxTokens`"],
            StopReason::StopSequence(_) => vec!["`StopSequence(\"END\")`"],
            StopReason::ToolUse => vec!["`ToolUse`"],
            StopReason::PauseTurn => vec!["`PauseTurn`"],
            StopReason::ContentFilter => vec!["`ContentFilter`"],
            StopReason::ContextWindowExceeded => vec!["`ContextWindowExceeded`"],
            StopReason::Compaction => vec!["`Compaction`"],
            _ => vec!["`Other(\"a_word\")`"],
        }
    }
}

/// What stands before a part.
#[derive(Default)]
struct Before {
    words: bool,
    thinks: bool,
    calls: bool,
    cites: bool,
}

impl Before {
    fn add(&mut self, said: &Said) {
        self.calls |= said.is_call();
        match said {
            Said::Text(text) => self.words |= !text.is_empty(),
            Said::CitedText(text, citations) => {
                self.words |= !text.is_empty();
                self.cites |= !citations.is_empty();
            }
            Said::Thinking(..) | Said::SignedThinking(..) => self.thinks = true,
            _ => {}
        }
    }
}

impl Said {
    fn says(&self, before: &Before, rows: &mut Rows) {
        match self {
            Self::Text(text) => says_text(text, before, rows),
            Self::CitedText(text, citations) => {
                says_text(text, before, rows);
                citations.iter().for_each(|one| says_citation(one, rows));
            }
            Self::Thinking(text, signature) | Self::SignedThinking(text, signature) => {
                let empty_last = matches!(self, Self::Thinking(_, Some(_)));
                rows.extend(empty_last.then_some("`empty_last_delta`"));
                says_thinking(text, signature.as_deref(), before, rows);
            }
            Self::Redacted(_) => rows.push("`redacted_thinking`"),
            Self::Call(_, _, _, caller) => {
                rows.push("`tool_call`");
                rows.extend(caller.as_ref().map(|_| "`caller`"));
            }
            Self::CustomCall(..) => rows.push("`custom_tool_call`"),
            Self::ServerTool(tool) => says_tool(tool, rows),
            Self::ServerToolCall(tool) => {
                rows.push("its call alone");
                says_tool(tool, rows);
            }
            Self::ServerToolResult(tool) => {
                rows.push("its result alone");
                says_tool(tool, rows);
            }
            Self::Compaction(content, encrypted) => {
                rows.push(if content.is_empty() {
                    "a compaction without words"
                } else {
                    "`compaction`"
                });
                rows.extend(encrypted.as_ref().map(|_| "its encrypted content"));
            }
            Self::Raw(_, deltas) => {
                rows.push("`raw_block`");
                rows.extend(deltas.first().map(|_| "`raw_delta`"));
            }
        }
    }
}

fn says_text(text: &str, before: &Before, rows: &mut Rows) {
    if !text.is_empty() {
        rows.push("`text`");
        rows.extend(before.calls.then_some("text behind a tool call"));
    }
}

fn says_thinking(text: &str, signature: Option<&str>, before: &Before, rows: &mut Rows) {
    rows.push(match (text, signature) {
        ("", Some("")) => "thinking without text or signature",
        ("", _) => "thinking without text",
        _ => "`thinking`",
    });
    let is_signed = signature.is_some_and(|signature| !signature.is_empty());
    rows.extend(is_signed.then_some("the signature of thinking"));
    rows.extend(before.thinks.then_some("several thoughts"));
    let behind = before.words || before.calls;
    rows.extend(behind.then_some("thinking behind text or a tool call"));
}

fn says_citation(citation: &Citation, rows: &mut Rows) {
    // that of a raw one is among its members
    let named = citation.file_id.is_some() && !matches!(citation.source, CitedSource::Other(_));
    rows.extend(named.then_some("`file_id`"));
    let row = match &citation.source {
        CitedSource::Characters { .. } => "`characters`",
        CitedSource::Pages { .. } => "`pages`",
        CitedSource::Blocks { .. } => "`blocks`",
        CitedSource::SearchResult { .. } => "`search_result`",
        CitedSource::WebSearchResult {
            encrypted_index, ..
        } => {
            rows.extend(encrypted_index.as_ref().map(|_| "its `encrypted_index`"));
            "`web_search_result`"
        }
        _ => "`raw`",
    };
    rows.push(row);
}

/// What a tool is made of is told from how it is shown: it has no members to read.
fn says_tool(tool: &ServerTool, rows: &mut Rows) {
    let shown = format!("{tool:?}");
    let has = |mark: &str| shown.contains(mark);
    let kinds = [
        ("WebSearch", "`web_search`"),
        ("WebFetch", "`web_fetch`"),
        ("FileSearch", "`file_search`"),
        ("Bash", "`bash`"),
        ("TextEditor", "`create_file`"),
        ("ToolSearch", "`tool_search`"),
        ("Mcp", "`mcp`"),
        ("Other", "any other"),
    ];
    let kind = kinds
        .iter()
        .find(|(kind, _)| shown.starts_with(&format!("ServerTool {{ kind: {kind}")));
    rows.push(kind.unwrap().1);
    rows.extend(has(", result: Error(").then_some("an `error` of one"));
    rows.extend(has(", result: Content(").then_some("the `content` of one"));
    rows.extend((!shown.ends_with(", caller: None }")).then_some("the `caller` of one"));
}

impl Member {
    const fn as_usage(&self) -> Option<&Usage> {
        match self {
            Self::Usage(usage) => Some(usage),
            _ => None,
        }
    }

    const fn as_stop_reason(&self) -> Option<&StopReason> {
        match self {
            Self::StopReason(reason) => Some(reason),
            _ => None,
        }
    }

    const fn says(&self) -> Option<&'static str> {
        Some(match self {
            Self::Id(_) => "`id`",
            Self::Model(_) => "`model`",
            Self::UsageAtStart(_) => "`usage_at_start`",
            Self::StopDetails(_) => "`stop_details`",
            Self::Container(_) => "`container`",
            Self::ContextManagement(_) => "`context_management`",
            Self::Moderation(_) => "`moderation`",
            Self::ServiceTier(_) => "`service_tier`",
            Self::InferenceGeo(_) => "`inference_geo`",
            Self::Era(_) => "`era`",
            Self::Interleaved => "`interleaved_tool_calls`",
            Self::StopReason(_) | Self::Usage(_) => return None,
        })
    }
}

fn says_usage(usage: &Usage, rows: &mut Rows) {
    let some = |count: Option<u64>| count.unwrap_or(0);
    let passes = usage.iterations.len() as u64;
    let counts = [
        (usage.input_tokens, "`input_tokens`"),
        (usage.output_tokens, "`output_tokens`"),
        (usage.cache_read_tokens, "`cache_read_tokens`"),
        (usage.cache_creation_tokens, "`cache_creation_tokens`"),
        (usage.cache_creation_1h_tokens, "`cache_creation_1h_tokens`"),
        (some(usage.thinking_tokens), "`thinking_tokens`"),
        (usage.input_audio_tokens, "`input_audio_tokens`"),
        (usage.output_audio_tokens, "`output_audio_tokens`"),
        (
            usage.accepted_prediction_tokens,
            "`accepted_prediction_tokens`",
        ),
        (
            usage.rejected_prediction_tokens,
            "`rejected_prediction_tokens`",
        ),
        (some(usage.web_search_requests), "`web_search_requests`"),
        (some(usage.web_fetch_requests), "`web_fetch_requests`"),
        (passes, "`iterations`"),
    ];
    let said = counts.into_iter().filter(|(count, _)| *count > 0);
    rows.extend(said.map(|(_, row)| row));
}
