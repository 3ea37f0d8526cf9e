//! What follows the `?` of a target, and escapes in URLs.

/// What follows the `?`.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn new(query: Option<&str>) -> Self {
        let members = query.unwrap_or_default().split('&');
        let members = members.filter(|member| !member.is_empty()).map(|member| {
            let (name, value) = member.split_once('=').unwrap_or((member, ""));
            let decoded = |text: &str| percent_decoded(&text.replace('+', " "));
            (decoded(name), decoded(value))
        });
        Self(members.collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Every value of this name, also of its form with brackets.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = move |found: &str| found == name || found.strip_suffix("[]") == Some(name);
        let members = self.0.iter().filter(move |(found, _)| named(found));
        members.map(|(_, value)| value.as_str())
    }
}

/// The text behind `%2F` and the like; what is no such sequence stays as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = match (byte, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                decoded.push(high << 4 | low);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                decoded.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    let digit = char::from(digit).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_decoded_and_what_is_no_escape_stays() {
        for (text, decoded) in [
            ("claude%2Dx", "claude-x"),
            ("a%2fb%C3%A9", "a/bé"),
            ("100%", "100%"),
            ("%zz%4", "%zz%4"),
            ("%ff", "\u{fffd}"),
        ] {
            assert_eq!(percent_decoded(text), decoded);
        }
    }

    #[test]
    fn a_list_in_a_query_has_brackets_or_none() {
        let query = Query::new(Some("a=1&b%5B%5D=2&b[]=3&b=4+5&c"));
        assert_eq!(query.all("b").collect::<Vec<_>>(), ["2", "3", "4 5"]);
        assert_eq!((query.get("a"), query.get("c")), (Some("1"), Some("")));
        assert_eq!(query.get("d"), None);
    }
}
