//! Thinking and prompt caching: what the rest of the request has to fit.

use serde_json::Value;

use super::{
    Place, Violation,
    asked::{Asked, Role, items, word},
};

const GUIDE: &str = "Please consult our documentation at \
                     https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/// The budget of thinking that is switched on.
fn budget(asked: &Asked<'_>) -> Option<u64> {
    let thinking = asked.body.get("thinking")?;
    let budget = thinking.get("budget_tokens")?.as_u64();
    budget.filter(|_| word(thinking, "type") == "enabled")
}

/// Reported in themaximalist/llm.js#30 (the minimum) and liuw1535/antigravity2api-nodejs#150.
pub(super) fn thinking_budget(asked: &Asked<'_>) -> Option<Violation> {
    let budget = budget(asked)?;
    if budget < 1024 {
        let text = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
        return Some(Place::Thinking.refused(text));
    }
    // documented: interleaved thinking may spend more than one answer has; a call that only warms the cache, with
    // `max_tokens` 0, takes no thinking with a budget
    let limit = asked.body.get("max_tokens")?.as_u64()?;
    let refused = budget >= limit && !asked.has_beta("interleaved-thinking");
    refused.then(|| {
        Place::Thinking.refused(format!(
            "`max_tokens` must be greater than `thinking.budget_tokens`. \
             {GUIDE}#max-tokens-and-context-window-size"
        ))
    })
}

/// With thinking on, the tool calls that the last message answers begin with a thinking block. Reported in
/// mastra-ai/mastra#7799 and, last, in anthropics/claude-code#20727 (2026-01).
pub(super) fn thinking_first(asked: &Asked<'_>) -> Option<Violation> {
    budget(asked)?;
    let last = asked.blocks.last()?;
    if asked.continues || !answers_tools(asked, last.turn) {
        return None;
    }
    // back over call and result, call and result, to where the model began
    let mut turn = last.turn.checked_sub(1)?;
    while let Some(before) = turn.checked_sub(2) {
        if !answers_tools(asked, turn - 1) {
            break;
        }
        turn = before;
    }
    let found = asked.turn(turn).first()?;
    let begins = |kind: &str| kind == "thinking" || kind == "redacted_thinking";
    let mut spoken = asked.blocks.iter().filter(|block| block.turn >= turn);
    if found.message < asked.read_from()
        || found.role != Role::Assistant
        || spoken.any(|block| begins(block.kind))
        || !asked
            .turn(turn)
            .iter()
            .any(|block| block.kind == "tool_use")
    {
        return None;
    }
    let (path, kind) = (found.path(), found.kind);
    Some(found.place().refused(format!(
        "{path}.type: Expected `thinking` or `redacted_thinking`, but found `{kind}`. When `thinking` is \
         enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost \
         set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from \
         previous turns. To avoid this requirement, disable `thinking`. {GUIDE}"
    )))
}

/// That a signature is the service's own cannot be told here; that there is none, can. Reported in
/// anthropics/claude-code#10627 and anthropics/anthropic-sdk-csharp#126 (an empty one), and in
/// JohnnyZ93/oai-compatible-copilot#217 and justlovemaki/AIClient2API#437 (none).
pub(super) fn thinking_signature(asked: &Asked<'_>) -> Option<Violation> {
    let from = asked.read_from();
    let mut thoughts = asked.blocks.iter().filter(|block| {
        block.kind == "thinking" && block.role == Role::Assistant && block.message >= from
    });
    thoughts.find_map(|thought| {
        let path = thought.path();
        let text = match thought.json.get("signature") {
            None => format!("{path}.thinking.signature: Field required"),
            Some(signature) if signature == "" => {
                format!("{path}: Invalid `signature` in `thinking` block")
            }
            Some(_) => return None,
        };
        Some(thought.place().refused(text))
    })
}

/// Whether the turn brings results of tools.
fn answers_tools(asked: &Asked<'_>, turn: usize) -> bool {
    let mut blocks = asked.turn(turn).iter();
    blocks.any(|block| block.kind == "tool_result" && block.role == Role::User)
}

pub(super) fn cache_points(asked: &Asked<'_>) -> Option<Violation> {
    let marked = |block: &Value| block.get("cache_control").is_some_and(|c| !c.is_null());
    let count = |blocks: Option<&Value>| items(blocks).filter(|block| marked(block)).count();
    let in_messages = asked.blocks.iter().map(|block| {
        let nested = match block.kind {
            "tool_result" => count(block.json.get("content")),
            _ => 0,
        };
        usize::from(marked(block.json)) + nested
    });
    let fields = count(asked.body.get("tools")) + count(asked.body.get("system"));
    let found = fields + in_messages.sum::<usize>();
    (found > 4).then(|| {
        Place::Whole.refused(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {found}."
        ))
    })
}
