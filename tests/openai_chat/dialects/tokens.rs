//! JSON as the list of its members, in order, each with its path: what serde_json's map forgets.

/// Paths and scalars of a document, in order. An empty object or list is a scalar here.
pub(super) fn tokens(json: &str) -> Vec<(String, String)> {
    let mut reader = Reader {
        bytes: json.as_bytes(),
        at: 0,
        found: Vec::new(),
    };
    reader.value("");
    reader.space();
    assert_eq!(reader.at, json.len(), "more behind the document: {json}");
    reader.found
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Vec<(String, String)>,
}

impl Reader<'_> {
    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Whether this byte is next; it is passed over.
    fn takes(&mut self, byte: u8) -> bool {
        self.space();
        let is_next = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.bytes[self.at] != b'"' {
            self.at += 1 + usize::from(self.bytes[self.at] == b'\\');
        }
        self.at += 1;
        let spelled = &self.bytes[start..self.at];
        serde_json::from_slice(spelled).unwrap()
    }

    fn value(&mut self, path: &str) {
        self.space();
        let start = self.at;
        match self.bytes[self.at] {
            b'{' => {
                self.at += 1;
                if self.takes(b'}') {
                    return self.scalar(path, "{}".to_owned());
                }
                loop {
                    self.space();
                    let name = self.string();
                    assert!(self.takes(b':'));
                    self.value(&format!("{path}.{name}"));
                    if !self.takes(b',') {
                        assert!(self.takes(b'}'));
                        return;
                    }
                }
            }
            b'[' => {
                self.at += 1;
                if self.takes(b']') {
                    return self.scalar(path, "[]".to_owned());
                }
                for n in 0.. {
                    self.value(&format!("{path}[{n}]"));
                    if !self.takes(b',') {
                        assert!(self.takes(b']'));
                        return;
                    }
                }
            }
            b'"' => {
                let text = self.string();
                self.scalar(path, format!("\"{text}\""));
            }
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n');
                let rest = &self.bytes[start..];
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
                let spelled = std::str::from_utf8(&self.bytes[start..self.at]);
                self.scalar(path, spelled.unwrap().to_owned());
            }
        }
    }

    fn scalar(&mut self, path: &str, value: String) {
        self.found
            .push((path.trim_start_matches('.').to_owned(), value));
    }
}

#[test]
fn members_come_in_their_order() {
    let found = tokens(r#"{"b": [1, {"a": "x\"é", "c": {}}], "a": null}"#);
    let found: Vec<String> = found
        .iter()
        .map(|(path, value)| format!("{path}={value}"))
        .collect();
    assert_eq!(found, ["b[0]=1", "b[1].a=\"x\"é\"", "b[1].c={}", "a=null"]);
}
