//! The counters of an answer. Accounting never breaks content: usage may be null, partial or missing.

use super::Checked;
use crate::{api::accumulate::Members, script::Usage};

/// Reads the members `usage` and `tool_usage` of a response.
pub(super) fn read(response: Members<'_>) -> Checked<Usage> {
    let mut usage = Usage::default();
    let path = format!("{}usage.", response.path());
    if let Some(found) = response.object_or_null("usage")? {
        let found = Members::new(&path, found);
        let input = found.number_or_null("input_tokens")?.unwrap_or(0);
        let details = format!("{path}input_tokens_details.");
        if let Some(said) = found.object_or_null("input_tokens_details")? {
            let said = Members::new(&details, said);
            usage.cache_read_tokens = said.number_or_null("cached_tokens")?.unwrap_or(0);
            usage.cache_creation_tokens = said.number_or_null("cache_write_tokens")?.unwrap_or(0);
        }
        usage.input_tokens = input
            .saturating_sub(usage.cache_read_tokens)
            .saturating_sub(usage.cache_creation_tokens);
        usage.output_tokens = found.number_or_null("output_tokens")?.unwrap_or(0);
        let details = format!("{path}output_tokens_details.");
        if let Some(said) = found.object_or_null("output_tokens_details")? {
            let said = Members::new(&details, said);
            usage.thinking_tokens = said.number_or_null("reasoning_tokens")?;
        }
    }
    // it is written of every answer since 2026-07, searched or not
    let path = format!("{}tool_usage.", response.path());
    if let Some(tools) = response.object_or_null("tool_usage")? {
        let tools = Members::new(&path, tools);
        let path = format!("{path}web_search.");
        if let Some(said) = tools.object_or_null("web_search")? {
            let searches = Members::new(&path, said).number_or_null("num_requests")?;
            usage.web_search_requests = searches.filter(|requests| *requests > 0);
        }
    }
    Ok(usage)
}
