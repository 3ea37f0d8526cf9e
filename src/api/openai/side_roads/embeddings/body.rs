//! The answer: one printer since 2026-06, another one before, and the two spellings of a vector.
//!
//! Known from traffic: indented bodies of 2023 to 2025 with both spellings, compact ones with numbers of 2026, whose
//! members stand in another order. How a vector in base64 is printed since then is not known: here as the numbers are.

use crate::{
    api::side_roads::Members,
    base64::base64,
    json::{indented, write_str},
    script::Era,
};

/// How a vector is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A list of numbers.
    Float,
    /// The bytes of numbers of 32 bits, the lowest byte first.
    Base64,
}

pub(super) struct Answer<'a> {
    pub(super) vectors: Vec<Vec<f64>>,
    pub(super) format: Format,
    pub(super) model: &'a str,
    pub(super) tokens: u64,
}

impl Answer<'_> {
    pub(super) fn write(&self, era: Era) -> Vec<u8> {
        let is_compact = era >= Era::of(2026, 6);
        let mut data = vec![b'['];
        for (index, vector) in self.vectors.iter().enumerate() {
            if index > 0 {
                data.push(b',');
            }
            let item = Members::new().text("object", "embedding");
            let vector = self.spelled(vector);
            let item = if is_compact {
                item.raw("embedding", &vector).number("index", index)
            } else {
                item.number("index", index).raw("embedding", &vector)
            };
            data.extend_from_slice(&item.end());
        }
        data.push(b']');
        let usage = Members::new()
            .value("prompt_tokens", &self.tokens.into())
            .value("total_tokens", &self.tokens.into());
        let body = Members::new()
            .text("object", "list")
            .raw("data", &data)
            .text("model", self.model)
            .raw("usage", &usage.end())
            .end();
        if is_compact {
            return body;
        }
        let mut body = indented(&body, 2);
        body.push(b'\n');
        body
    }

    fn spelled(&self, vector: &[f64]) -> Vec<u8> {
        let mut out = Vec::new();
        match self.format {
            Format::Float => {
                out.push(b'[');
                for (n, number) in vector.iter().enumerate() {
                    if n > 0 {
                        out.push(b',');
                    }
                    // the shortest text that is exactly this number; it never fails on a finite one
                    let _ = serde_json::to_writer(&mut out, number);
                }
                out.push(b']');
            }
            Format::Base64 => {
                let bytes = vector
                    .iter()
                    .flat_map(|number| single(*number).to_le_bytes());
                write_str(&mut out, &base64(&bytes.collect::<Vec<u8>>()));
            }
        }
        out
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "base64 carries numbers of 32 bits, and larger ones are refused before"
)]
const fn single(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_printer_and_each_spelling_is_exact() {
        let answer = |format| Answer {
            vectors: vec![
                vec![0.099_975_585_937_5, -8.761_882_781_982_422e-6],
                vec![1.0, 0.1],
            ],
            format,
            model: "m",
            tokens: 3,
        };
        let text = |format, era| String::from_utf8(answer(format).write(era)).unwrap();
        assert_eq!(
            text(Format::Float, Era::today()),
            r#"{"object":"list","data":[{"object":"embedding","embedding":[0.0999755859375,-8.761882781982422e-6],"index":0},{"object":"embedding","embedding":[1.0,0.1],"index":1}],"model":"m","usage":{"prompt_tokens":3,"total_tokens":3}}"#
        );
        assert_eq!(
            text(Format::Base64, Era::of(2026, 6)),
            r#"{"object":"list","data":[{"object":"embedding","embedding":"AMDMPQAAE7c=","index":0},{"object":"embedding","embedding":"AACAP83MzD0=","index":1}],"model":"m","usage":{"prompt_tokens":3,"total_tokens":3}}"#
        );
        assert_eq!(
            text(Format::Base64, Era::of(2026, 5)),
            r#"{
  "object": "list",
  "data": [
    {
      "object": "embedding",
      "index": 0,
      "embedding": "AMDMPQAAE7c="
    },
    {
      "object": "embedding",
      "index": 1,
      "embedding": "AACAP83MzD0="
    }
  ],
  "model": "m",
  "usage": {
    "prompt_tokens": 3,
    "total_tokens": 3
  }
}
"#
        );
    }
}
