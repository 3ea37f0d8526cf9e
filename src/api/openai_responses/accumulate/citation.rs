//! What a text is based on.

use serde_json::Value;

use crate::{
    api::openai::Characters,
    script::{Citation, CitedSource, Json},
};

/// The citation behind an annotation of this text: a page of the web, or a file.
pub(in crate::api::openai_responses) fn read(sent: &Value, text: &Characters<'_>) -> Citation {
    page(sent, text).unwrap_or_else(|| {
        let json = Json::from(sent.clone());
        let mut citation = Citation::raw(json.clone());
        if let Some(words) = cited(sent, text) {
            words.clone_into(&mut citation.cited_text);
        }
        let name = sent.get("filename").and_then(Value::as_str);
        citation.title = citation.title.or_else(|| name.map(str::to_owned));
        citation.source = CitedSource::Other(json);
        citation
    })
}

fn page(sent: &Value, text: &Characters<'_>) -> Option<Citation> {
    if sent.get("type")? != "url_citation" {
        return None;
    }
    let member = |name: &str| sent.get(name).and_then(Value::as_str);
    let citation = Citation::web_search_result(cited(sent, text)?, member("url")?);
    Some(match member("title") {
        None | Some("") => citation,
        Some(title) => citation.title(title),
    })
}

/// The characters of the text from `start_index` up to `end_index`.
fn cited<'a>(sent: &Value, text: &Characters<'a>) -> Option<&'a str> {
    let number = |name: &str| usize::try_from(sent.get(name)?.as_u64()?).ok();
    let (start, end) = (number("start_index")?, number("end_index")?);
    (start <= end).then(|| text.words(start..end))
}
