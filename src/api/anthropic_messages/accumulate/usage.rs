//! The counters of an answer. Accounting never breaks content: usage may be null, partial or missing, and the
//! last value of each counter holds.

use serde_json::{Map, Value};

use super::Checked;
use crate::{
    api::accumulate::Members,
    script::{Iteration, Usage},
};

/// Reads the member `usage`, whose own members have this path, over what is known so far.
pub(super) fn read(members: Members<'_>, path: &str, usage: &mut Usage) -> Checked<()> {
    let Some(found) = members.object_or_null("usage")? else {
        return Ok(());
    };
    let found = Members::new(path, found);
    counters(found, usage)?;
    if let Some(details) = found.object_or_null("output_tokens_details")? {
        let path = format!("{path}output_tokens_details.");
        let details = Members::new(&path, details);
        keep(&mut usage.thinking_tokens, details, "thinking_tokens")?;
    }
    if let Some(tools) = found.object_or_null("server_tool_use")? {
        let path = format!("{path}server_tool_use.");
        let tools = Members::new(&path, tools);
        keep(&mut usage.web_search_requests, tools, "web_search_requests")?;
        keep(&mut usage.web_fetch_requests, tools, "web_fetch_requests")?;
    }
    if found.get("iterations").is_some() {
        let passes = found.array("iterations")?.iter().enumerate();
        usage.iterations = passes
            .map(|(n, pass)| match pass.as_object() {
                Some(pass) => iteration(pass, &format!("{path}iterations[{n}].")),
                None => Err(found.wrong("iterations", "an array of objects")),
            })
            .collect::<Checked<_>>()?;
    }
    Ok(())
}

fn counters(found: Members<'_>, usage: &mut Usage) -> Checked<()> {
    for (name, counter) in [
        ("input_tokens", &mut usage.input_tokens),
        ("output_tokens", &mut usage.output_tokens),
        ("cache_read_input_tokens", &mut usage.cache_read_tokens),
        (
            "cache_creation_input_tokens",
            &mut usage.cache_creation_tokens,
        ),
    ] {
        if let Some(tokens) = found.number_or_null(name)? {
            *counter = tokens;
        }
    }
    if let Some(kept) = found.object_or_null("cache_creation")? {
        let path = format!("{}cache_creation.", found.path());
        let kept = Members::new(&path, kept);
        if let Some(tokens) = kept.number_or_null("ephemeral_1h_input_tokens")? {
            usage.cache_creation_1h_tokens = tokens;
        }
    }
    Ok(())
}

fn keep(counter: &mut Option<u64>, members: Members<'_>, name: &str) -> Checked<()> {
    if let Some(number) = members.number_or_null(name)? {
        *counter = Some(number);
    }
    Ok(())
}

fn iteration(pass: &Map<String, Value>, path: &str) -> Checked<Iteration> {
    let pass = Members::new(path, pass);
    let mut usage = Usage::default();
    counters(pass, &mut usage)?;
    let mut iteration = Iteration::new(pass.string("type")?, usage);
    iteration.model = pass.string_or_null("model")?.map(str::to_owned);
    Ok(iteration)
}
