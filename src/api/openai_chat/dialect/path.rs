//! Which dialect a request means by its path.
//!
//! | path | dialect |
//! | --- | --- |
//! | `/v1/chat/completions` | OpenAI; also that of Mistral, xAI, Together, Ollama and vLLM, which a turn or the builder chooses |
//! | `/chat/completions` | DeepSeek; also Perplexity's, which a turn or the builder chooses |
//! | `/openai/v1/chat/completions` | Groq; with a header `api-key` Azure |
//! | `/openai/deployments/{name}/chat/completions` | Azure |
//! | `/api/v1/chat/completions` | OpenRouter |
//!
//! Of rows with one path the one that stands first in [`BY_PATH`] has it.

use super::row;
use crate::script::Dialect;

/// Who has a path of its own, in order of precedence.
const BY_PATH: [Dialect; 5] = [
    Dialect::OpenAi,
    Dialect::OpenRouter,
    Dialect::Azure,
    Dialect::DeepSeek,
    Dialect::Groq,
];

/// The paths of the model call; `{name}` stands for one segment.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> + Clone {
    BY_PATH.into_iter().map(|dialect| row(dialect).path)
}

/// The dialect that a request means, which has this header `api-key`; `None` if it is not at a path of the model call.
pub(crate) fn of_request(path: &str, api_key: Option<&str>) -> Option<Dialect> {
    let found = BY_PATH
        .into_iter()
        .find(|dialect| is_at(row(*dialect).path, path))?;
    // its newer paths, without a deployment
    if found == Dialect::Groq && api_key.is_some() {
        return Some(Dialect::Azure);
    }
    Some(found)
}

/// Whether anything is served at this path.
pub(crate) fn known(path: &str) -> bool {
    paths().any(|pattern| is_at(pattern, path))
}

/// The base path that the clients of a dialect expect.
pub(crate) const fn base_path(dialect: Dialect) -> &'static str {
    row(dialect).base
}

fn is_at(pattern: &str, path: &str) -> bool {
    match pattern.split_once("{name}") {
        None => pattern == path,
        Some((start, end)) => path
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|name| !name.is_empty() && !name.contains('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_its_dialect_and_a_shared_one_the_first() {
        for (path, expected) in [
            ("/v1/chat/completions", Some(Dialect::OpenAi)),
            ("/api/v1/chat/completions", Some(Dialect::OpenRouter)),
            ("/chat/completions", Some(Dialect::DeepSeek)),
            ("/openai/v1/chat/completions", Some(Dialect::Groq)),
            (
                "/openai/deployments/gpt-4o/chat/completions",
                Some(Dialect::Azure),
            ),
            ("/openai/deployments//chat/completions", None),
            ("/openai/deployments/a/b/chat/completions", None),
            ("/v2/chat/completions", None),
        ] {
            assert_eq!(of_request(path, None), expected, "{path}");
        }
        let newer = of_request("/openai/v1/chat/completions", Some("k"));
        assert_eq!(newer, Some(Dialect::Azure));
    }
}
