//! Log probabilities where a request asks for them: well-formed and made up. Each fragment is one token.

use crate::{
    api::{openai::drawn_logprob, openai_chat::purpose},
    json::{write_number, write_str},
    script::Dice,
};

use super::said::ContentKind;

/// Makes them; the same seed gives the same ones in the same order.
#[derive(Clone)]
pub(super) struct Logprobs {
    dice: Dice,
    /// How many tokens stand beside each.
    top: usize,
}

/// What might have stood there instead.
const OTHERS: [&str; 20] = [
    " the", " a", " of", " and", " to", " in", " is", " it", ",", ".", " I", " you", " that",
    " for", " on", " with", "\n", " as", "!", "?",
];

impl Logprobs {
    pub(super) const fn new(seed: u64, top: usize) -> Self {
        Self {
            dice: Dice::branch(seed, purpose::LOGPROBS),
            top,
        }
    }

    /// `{"content":[…],"refusal":null}`, or the other way round.
    pub(super) fn write<'a>(
        &mut self,
        out: &mut Vec<u8>,
        kind: ContentKind,
        tokens: impl Iterator<Item = &'a str>,
    ) {
        out.extend_from_slice(match kind {
            ContentKind::Text => br#"{"content":["#.as_slice(),
            ContentKind::Refusal => br#"{"content":null,"refusal":["#,
        });
        for (n, token) in tokens.enumerate() {
            if n > 0 {
                out.push(b',');
            }
            self.token(out, token);
        }
        out.extend_from_slice(match kind {
            ContentKind::Text => br#"],"refusal":null}"#.as_slice(),
            ContentKind::Refusal => b"]}",
        });
    }

    fn token(&mut self, out: &mut Vec<u8>, token: &str) {
        let logprob = drawn_logprob(&mut self.dice, 0);
        write_token(out, token, &logprob);
        out.extend_from_slice(br#","top_logprobs":["#);
        let first = self.dice.below(OTHERS.len());
        let others = OTHERS.iter().cycle().skip(first);
        let others = others.copied().filter(|other| *other != token);
        // the token itself is the likeliest
        for (n, other) in std::iter::once(token)
            .chain(others)
            .take(self.top)
            .enumerate()
        {
            if n > 0 {
                out.push(b',');
            }
            let less = if n == 0 {
                logprob.clone()
            } else {
                drawn_logprob(&mut self.dice, n)
            };
            write_token(out, other, &less);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
    }
}

/// `{"token":…,"logprob":…,"bytes":[…]`
fn write_token(out: &mut Vec<u8>, token: &str, logprob: &str) {
    out.extend_from_slice(br#"{"token":"#);
    write_str(out, token);
    out.extend_from_slice(br#","logprob":"#);
    out.extend_from_slice(logprob.as_bytes());
    out.extend_from_slice(br#","bytes":["#);
    for (n, byte) in token.bytes().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write_number(out, u64::from(byte));
    }
    out.push(b']');
}
