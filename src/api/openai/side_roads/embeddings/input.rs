//! What is to be embedded: a text or tokens, alone or in a list.

use serde_json::Value;

/// One input of a request for embeddings: a text, or the tokens of one.
///
/// Strings and lists of numbers become one by themselves.
///
/// ```
/// use llm_wire_stub::{EmbeddingInput, WireStub};
///
/// let stub = WireStub::builder()
///     .embedding("a text", [1.0, 0.0])
///     .embedding([15339, 1917], [0.0, 1.0])
///     .without_verify_on_drop()
///     .start();
/// # drop(stub);
/// assert_eq!(EmbeddingInput::from("a text").text(), "a text");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EmbeddingInput {
    /// A text.
    Text(String),
    /// The ids of tokens.
    Tokens(Vec<u32>),
}

impl EmbeddingInput {
    /// The text; empty, if it is tokens.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Tokens(_) => "",
        }
    }

    /// One for each four characters; those of a list are counted.
    pub(super) fn estimated_tokens(&self) -> u64 {
        let tokens = match self {
            Self::Text(text) => text.chars().count().div_ceil(4),
            Self::Tokens(tokens) => tokens.len(),
        };
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Tokens(tokens) => tokens.is_empty(),
        }
    }

    /// As it is spelled where it is scripted.
    pub(crate) fn spelled(&self) -> String {
        match self {
            Self::Text(text) => format!("{text:?}"),
            Self::Tokens(tokens) => format!("{tokens:?}"),
        }
    }
}

impl From<&str> for EmbeddingInput {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for EmbeddingInput {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u32>> for EmbeddingInput {
    fn from(tokens: Vec<u32>) -> Self {
        Self::Tokens(tokens)
    }
}

impl<const N: usize> From<[u32; N]> for EmbeddingInput {
    fn from(tokens: [u32; N]) -> Self {
        Self::Tokens(tokens.into())
    }
}

/// The inputs of a request; `None` if its member `input` is none of the four forms.
pub(super) fn read(input: Option<&Value>) -> Option<Vec<EmbeddingInput>> {
    let input = input?;
    if let Some(text) = input.as_str() {
        return Some(vec![text.into()]);
    }
    let items = input.as_array()?;
    if items.iter().any(Value::is_number) {
        return Some(vec![EmbeddingInput::Tokens(tokens(items)?)]);
    }
    let mut is_text = items.iter().map(Value::is_string);
    let of_texts = is_text.next()?;
    if is_text.any(|is_text| is_text != of_texts) {
        return None;
    }
    let inputs = items.iter().map(|item| match item.as_str() {
        Some(text) => Some(text.into()),
        None => Some(EmbeddingInput::Tokens(tokens(item.as_array()?)?)),
    });
    inputs.collect()
}

fn tokens(items: &[Value]) -> Option<Vec<u32>> {
    let token = |item: &Value| u32::try_from(item.as_u64()?).ok();
    items.iter().map(token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_input_is_read_in_each_of_its_four_forms_and_in_no_other() {
        for (input, expected) in [
            (json!("a"), Some(vec!["a".into()])),
            (json!(""), Some(vec!["".into()])),
            (json!(["a", "b"]), Some(vec!["a".into(), "b".into()])),
            (json!([1, 2]), Some(vec![[1, 2].into()])),
            (json!([[1], [2, 3]]), Some(vec![[1].into(), [2, 3].into()])),
            (json!([[]]), Some(vec![[].into()])),
            (json!([]), None),
            (json!(null), None),
            (json!(1), None),
            (json!({}), None),
            (json!(["a", 1]), None),
            (json!(["a", [1]]), None),
            (json!([[1], ["a"]]), None),
            (json!([-1]), None),
            (json!([1.5]), None),
            (json!([4_294_967_296_u64]), None),
        ] {
            assert_eq!(read(Some(&input)), expected, "{input}");
        }
        assert_eq!(read(None), None);
    }
}
