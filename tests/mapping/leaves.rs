//! The leaves of an answer's JSON: where each value stands.

use std::collections::BTreeSet;

use llm_wire_stub::{
    SseDecoder,
    serde_json::{self, Value},
};

/// A value, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaf {
    /// `content[].text`
    path: String,
    /// The type of the object that it is in.
    kind: Option<String>,
    /// The event that it is in, if it has a type.
    event: Option<String>,
    value: Value,
}

#[derive(Debug, Default)]
pub(crate) struct Leaves(Vec<Leaf>);

impl Leaves {
    pub(crate) fn of_body(body: &[u8]) -> Self {
        let mut leaves = Self::default();
        leaves.add(&serde_json::from_slice(body).unwrap(), "", None, None);
        leaves
    }

    pub(crate) fn of_stream(body: &[u8]) -> Self {
        let mut decoder = SseDecoder::new();
        decoder.push(body).unwrap();
        let mut leaves = Self::default();
        while let Some(event) = decoder.next_event() {
            let json: Value = serde_json::from_str(event.data()).unwrap_or_default();
            let named = json["type"].as_str().map(str::to_owned);
            leaves.add(&json, "", None, Some(named.as_deref().unwrap_or("chunk")));
        }
        leaves
    }

    fn add(&mut self, value: &Value, path: &str, kind: Option<&str>, event: Option<&str>) {
        match value {
            Value::Object(members) => {
                let own = members.get("type").and_then(Value::as_str);
                let own = own.filter(|_| !path.is_empty());
                let names: BTreeSet<&String> = members.keys().collect();
                for name in names {
                    let below = match path {
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    self.add(&members[name], &below, own.or(kind), event);
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for item in items {
                    self.add(item, &format!("{path}[]"), kind, event);
                }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => {
                self.0.push(Leaf {
                    path: path.to_owned(),
                    kind: kind.map(str::to_owned),
                    event: event.map(str::to_owned),
                    value: value.clone(),
                });
            }
        }
    }

    /// Those that have this text in them, each place once.
    pub(crate) fn marked(&self, mark: &str) -> Vec<&Leaf> {
        let leaves = self.0.iter();
        once(leaves.filter(|leaf| leaf.value.to_string().contains(mark)))
    }

    /// Those that others have not, each place once.
    pub(crate) fn less(&self, others: &Self) -> Vec<&Leaf> {
        once(self.0.iter().filter(|leaf| !others.0.contains(leaf)))
    }
}

fn once<'a>(leaves: impl Iterator<Item = &'a Leaf>) -> Vec<&'a Leaf> {
    let mut known = BTreeSet::new();
    leaves.filter(|leaf| known.insert(leaf.place())).collect()
}

impl Leaf {
    fn place(&self) -> (Option<&str>, Option<&str>, &str) {
        (self.event.as_deref(), self.kind.as_deref(), &self.path)
    }

    /// Where it stands, and what it is.
    pub(crate) fn member(&self) -> String {
        format!("`{}: {}`", self.path, self.value)
    }
}

/// Where they stand, behind the type of what they are in.
pub(crate) fn places(leaves: &[&Leaf]) -> String {
    let alike = leaves.chunk_by(|a, b| (&a.kind, &a.event) == (&b.kind, &b.event));
    let alike = alike.map(|leaves| {
        let paths: Vec<_> = leaves
            .iter()
            .map(|leaf| format!("`{}`", leaf.path))
            .collect();
        let event = leaves[0]
            .event
            .iter()
            .map(|event| format!("in a stream's `{event}`, "));
        let kind = leaves[0].kind.iter().map(|kind| format!("`{kind}`: "));
        event.chain(kind).collect::<String>() + &paths.join(", ")
    });
    alike.collect::<Vec<_>>().join("; ")
}
