//! Paths of side roads: a shape such as `/v1/models/{id}`, and the id that a path has there.

use super::query::percent_decoded;

/// What stands in a shape for an id.
const ID: &str = "{id}";

/// Whether a path has this shape; an id is not empty.
pub(crate) fn is_shaped(path: &str, shape: &str) -> bool {
    let mut found = path.split('/');
    let mut expected = shape.split('/');
    let same = expected.all(|part| match found.next() {
        Some(found) if part == ID => !found.is_empty(),
        found => found == Some(part),
    });
    same && found.next().is_none()
}

/// The id in a path of this shape, decoded; empty if the shape has none.
pub(crate) fn id_in(path: &str, shape: &str) -> String {
    let parts = shape.split('/').zip(path.split('/'));
    let mut ids = parts.filter(|(expected, _)| *expected == ID);
    let id = ids.next().map(|(_, found)| percent_decoded(found));
    id.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stands_at_its_place_and_nowhere_else() {
        let shape = "/v1/things/{id}/parts";
        for (path, id) in [
            ("/v1/things/a/parts", Some("a")),
            ("/v1/things/a%2Fb/parts", Some("a/b")),
            ("/v1/things//parts", None),
            ("/v1/things/a", None),
            ("/v1/things/a/parts/", None),
            ("/v1/thing/a/parts", None),
        ] {
            let found = is_shaped(path, shape).then(|| id_in(path, shape));
            assert_eq!(found.as_deref(), id, "{path}");
        }
        assert_eq!(id_in("/v1/models", "/v1/models"), "");
    }
}
