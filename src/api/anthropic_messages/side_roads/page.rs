//! Lists in pages: items and a query in, the page out.
//!
//! The shape is that of the official SDKs' pages; the order of its members is known from public reports. A
//! query out of range is refused in pydantic's words, an unknown cursor in this crate's own.

use crate::{
    api::side_roads::{Members, Query},
    script::ApiError,
};

/// An item of a list, written.
pub(super) struct Item {
    pub(super) id: String,
    pub(super) json: Vec<u8>,
}

/// The page that is asked for: `limit` items (20, from 1 to 1000) right after `after_id` or right before
/// `before_id`.
pub(super) fn page(items: &[Item], query: &Query) -> Result<Vec<u8>, ApiError> {
    let limit = limit(query)?;
    let place = |name: &str| match query.get(name) {
        None => Ok(None),
        Some(id) => match items.iter().position(|item| item.id == id) {
            Some(at) => Ok(Some(at)),
            None => Err(ApiError::invalid_request(format!(
                "{name}: there is no object with the id `{id}`"
            ))),
        },
    };
    let (after, before) = (place("after_id")?, place("before_id")?);
    let rest = items.get(after.map_or(0, |at| at + 1)..before.unwrap_or(items.len()));
    let rest = rest.unwrap_or_default();
    let surplus = rest.len().saturating_sub(limit);
    let shown = if before.is_some() {
        rest.get(surplus..)
    } else {
        rest.get(..rest.len() - surplus)
    };
    let shown = shown.unwrap_or_default();
    let data: Vec<&[u8]> = shown.iter().map(|item| item.json.as_slice()).collect();
    let id = |item: Option<&Item>| item.map(|item| item.id.clone());
    let data = [b"[", data.join(&b","[..]).as_slice(), b"]"].concat();
    Ok(Members::new()
        .raw("data", &data)
        .raw("has_more", if surplus > 0 { b"true" } else { b"false" })
        .text_or_null("first_id", id(shown.first()).as_deref())
        .text_or_null("last_id", id(shown.last()).as_deref())
        .end())
}

fn limit(query: &Query) -> Result<usize, ApiError> {
    let Some(asked) = query.get("limit") else {
        return Ok(20);
    };
    let why = match asked.parse::<i64>() {
        Err(_) => "be a valid integer, unable to parse string as an integer",
        Ok(..1) => "be greater than or equal to 1",
        Ok(1001..) => "be less than or equal to 1000",
        Ok(limit) => return Ok(usize::try_from(limit).unwrap_or(1)),
    };
    Err(ApiError::invalid_request(format!(
        "limit: Input should {why}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_at_its_cursors() {
        let ids = ["e", "d", "c", "b", "a"];
        let items = ids.map(|id| Item {
            id: id.to_owned(),
            json: format!("\"{id}\"").into_bytes(),
        });
        for (query, expected) in [
            (
                "",
                r#"{"data":["e","d","c","b","a"],"has_more":false,"first_id":"e","last_id":"a"}"#,
            ),
            (
                "limit=2",
                r#"{"data":["e","d"],"has_more":true,"first_id":"e","last_id":"d"}"#,
            ),
            (
                "limit=2&after_id=d",
                r#"{"data":["c","b"],"has_more":true,"first_id":"c","last_id":"b"}"#,
            ),
            (
                "limit=2&after_id=b",
                r#"{"data":["a"],"has_more":false,"first_id":"a","last_id":"a"}"#,
            ),
            (
                "limit=2&before_id=b",
                r#"{"data":["d","c"],"has_more":true,"first_id":"d","last_id":"c"}"#,
            ),
            (
                "before_id=d",
                r#"{"data":["e"],"has_more":false,"first_id":"e","last_id":"e"}"#,
            ),
            (
                "after_id=a",
                r#"{"data":[],"has_more":false,"first_id":null,"last_id":null}"#,
            ),
            (
                "after_id=b&before_id=d",
                r#"{"data":[],"has_more":false,"first_id":null,"last_id":null}"#,
            ),
        ] {
            let found = page(&items, &Query::new(Some(query))).unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn a_query_out_of_range_is_refused() {
        for (query, expected) in [
            (
                "limit=0",
                "limit: Input should be greater than or equal to 1",
            ),
            (
                "limit=1001",
                "limit: Input should be less than or equal to 1000",
            ),
            (
                "limit=x",
                "limit: Input should be a valid integer, unable to parse string as an integer",
            ),
            ("after_id=x", "after_id: there is no object with the id `x`"),
            ("before_id=", "before_id: there is no object with the id ``"),
        ] {
            let refused = page(&[], &Query::new(Some(query))).unwrap_err();
            assert_eq!(refused.message.as_deref(), Some(expected), "{query}");
        }
    }
}
