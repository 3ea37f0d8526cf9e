//! Whether a value fits a JSON schema, as far as `required`, `type` and `enum` say, at every depth that
//! `properties`, `items`, `allOf`, `anyOf` and references into the schema itself lead to. Every other
//! keyword is taken as kept: a check in full needs some sixty crates.

use std::cell::Cell;

use serde_json::Value;

use crate::json::{self, Spacing};

/// References may lead in circles, and alternatives multiply: after so many steps what is left is taken
/// as fitting.
const STEPS: usize = 100_000;
const DEPTH: usize = 256;

/// The first place at which a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// As a JSON pointer; empty for the whole value.
    pub(crate) path: String,
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// Where `value` does not fit `schema`.
pub(crate) fn misfit(value: &Value, schema: &Value) -> Option<Misfit> {
    let check = Check {
        root: schema,
        steps: Cell::new(STEPS),
    };
    check.misfit(value, schema, "", DEPTH)
}

struct Check<'a> {
    root: &'a Value,
    steps: Cell<usize>,
}

impl Check<'_> {
    fn misfit(&self, value: &Value, schema: &Value, path: &str, depth: usize) -> Option<Misfit> {
        let depth = depth.checked_sub(1)?;
        self.steps.set(self.steps.get().checked_sub(1)?);
        let here = |expected: String| {
            Some(Misfit {
                path: path.to_owned(),
                expected,
                found: shown(value),
            })
        };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target
                .strip_prefix('#')
                .and_then(|at| self.root.pointer(at));
            if let Some(misfit) = target.and_then(|to| self.misfit(value, to, path, depth)) {
                return Some(misfit);
            }
        }
        if let Some(types) = schema.get("type") {
            let types = one_or_more(types);
            if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
                return here(format!("type {}", listed(&types)));
            }
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            if !allowed.iter().any(|allowed| is_equal(allowed, value)) {
                let allowed: Vec<String> = allowed.iter().map(shown).collect();
                return here(format!("one of {}", allowed.join(", ")));
            }
        }
        let mut all = list(schema, "allOf");
        if let Some(misfit) = all.find_map(|schema| self.misfit(value, schema, path, depth)) {
            return Some(misfit);
        }
        let any: Vec<&Value> = list(schema, "anyOf").collect();
        let fits = |schema: &&Value| self.misfit(value, schema, path, depth).is_none();
        if !any.is_empty() && !any.iter().any(fits) {
            return here(format!("one of the {} forms of `anyOf`", any.len()));
        }
        self.misfit_inside(value, schema, path, depth)
    }

    /// In a member or an item.
    fn misfit_inside(
        &self,
        value: &Value,
        schema: &Value,
        path: &str,
        depth: usize,
    ) -> Option<Misfit> {
        match value {
            Value::Object(members) => {
                let mut required = list(schema, "required").filter_map(Value::as_str);
                if let Some(missing) = required.find(|name| !members.contains_key(*name)) {
                    return Some(Misfit {
                        path: path.to_owned(),
                        expected: format!("a member `{missing}`"),
                        found: shown(value),
                    });
                }
                let properties = schema.get("properties").and_then(Value::as_object)?;
                json::sorted(properties)
                    .into_iter()
                    .find_map(|(name, schema)| {
                        let path = format!("{path}/{name}");
                        self.misfit(members.get(name)?, schema, &path, depth)
                    })
            }
            Value::Array(items) => {
                let schema = schema.get("items")?;
                let mut items = items.iter().enumerate();
                items.find_map(|(at, item)| {
                    self.misfit(item, schema, &format!("{path}/{at}"), depth)
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }
}

/// Whether two values are the same to a schema: `1` and `1.0` are (JSON Schema 2020-12, section 4.2.2).
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            // two integers that are not the same may still be one float
            let floats = one.is_f64() || other.is_f64();
            one == other || (floats && one.as_f64() == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same =
                |(name, a): (&String, &Value)| other.get(name).is_some_and(|b| is_equal(a, b));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

fn list<'a>(schema: &'a Value, keyword: &str) -> std::slice::Iter<'a, Value> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.map_or(&[][..], Vec::as_slice).iter()
}

fn one_or_more(names: &Value) -> Vec<&str> {
    let names = match names.as_array() {
        Some(names) => names.as_slice(),
        None => std::slice::from_ref(names),
    };
    names.iter().filter_map(Value::as_str).collect()
}

fn listed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" or ")
}

/// Whether a value is of this type; every value is of a type that JSON schema does not know.
fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

/// The value in backticks, cut if it is long.
fn shown(value: &Value) -> String {
    const SHOWN: usize = 60;
    let text = json::to_string(value, Spacing::Compact);
    match text.char_indices().nth(SHOWN) {
        None => format!("`{text}`"),
        Some((end, _)) => {
            let (start, rest) = text.split_at(end);
            format!("`{start}`… ({} more bytes)", rest.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn required_type_and_enum_are_checked_at_every_depth() {
        let schema = json!({
            "type": "object",
            "required": ["best", "who"],
            "properties": {
                "best": {"type": "integer"},
                "who": {"$ref": "#/$defs/who"},
                "why": {"type": "array", "items": {"type": ["string", "null"]}},
                "mood": {"enum": ["good", 3, null]},
                "next": {"anyOf": [{"type": "null"}, {"$ref": "#"}]},
                "both": {"allOf": [{"type": "object"}, {"required": ["a"]}]},
                "odd": {"type": "stone", "pattern": "^x$"},
            },
            "$defs": {"who": {"type": "object", "required": ["name"]}, "loop": {"$ref": "#/$defs/loop"}},
        });
        let good =
            json!({"best": 1.0, "who": {"name": 1}, "why": ["x", null], "mood": null, "odd": 1});
        let with = |name: &str, value: Value| {
            let mut changed = good.clone();
            changed[name] = value;
            changed
        };
        assert_eq!(misfit(&with("next", good.clone()), &schema), None);
        assert_eq!(misfit(&json!(1), &json!({"$ref": "#"})), None);
        for number in [json!(3), json!(3.0), json!(3e0)] {
            assert_eq!(misfit(&with("mood", number), &schema), None);
        }
        let nested = json!({"enum": [[{"a": 1.0}], 18_446_744_073_709_551_615_u64]});
        assert_eq!(misfit(&json!([{"a": 1}]), &nested), None);
        assert_ne!(misfit(&json!([{"a": 1, "b": 1}]), &nested), None);
        assert_ne!(misfit(&json!([{"b": 1}]), &nested), None);
        assert_ne!(misfit(&json!([]), &nested), None);
        assert_ne!(
            misfit(&json!(18_446_744_073_709_551_614_u64), &nested),
            None
        );
        let circles = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"allOf": [{"$ref": "#"}]}]});
        assert_eq!(misfit(&json!(1), &circles), None);
        assert_eq!(misfit(&json!(1), &json!(true)), None);
        for (value, path, expected, found) in [
            (json!([]), "", "type `object`", "`[]`"),
            (json!({"best": 1}), "", "a member `who`", "`{\"best\":1}`"),
            (with("best", json!(1.5)), "/best", "type `integer`", "`1.5`"),
            (with("who", json!({})), "/who", "a member `name`", "`{}`"),
            (
                with("why", json!(["x", 1])),
                "/why/1",
                "type `string` or `null`",
                "`1`",
            ),
            (
                with("mood", json!("bad")),
                "/mood",
                "one of `\"good\"`, `3`, `null`",
                "`\"bad\"`",
            ),
            (
                with("next", json!({})),
                "/next",
                "one of the 2 forms of `anyOf`",
                "`{}`",
            ),
            (with("both", json!({})), "/both", "a member `a`", "`{}`"),
        ] {
            let misfit = misfit(&value, &schema).unwrap();
            let row = (
                misfit.path.as_str(),
                misfit.expected.as_str(),
                misfit.found.as_str(),
            );
            assert_eq!(row, (path, expected, found));
        }
    }

    #[test]
    fn a_long_value_is_cut() {
        let value = json!("é".repeat(100));
        let misfit = misfit(&value, &json!({"type": "null"})).unwrap();
        let expected = format!("`\"{}`… (83 more bytes)", "é".repeat(59));
        assert_eq!(misfit.found, expected);
    }
}
