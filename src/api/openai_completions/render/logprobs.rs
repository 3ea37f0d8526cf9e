//! Log probabilities where a request asks for them: well-formed and made up. Each fragment is one token, and so is a
//! prompt that is echoed, of which none is said.

use crate::{
    api::{openai::drawn_logprob, openai_completions::purpose},
    json::{write_number, write_str},
    script::Dice,
};

/// Makes them; the same seed gives the same ones in the same order.
#[derive(Clone)]
pub(super) struct Logprobs {
    dice: Dice,
    /// How many tokens stand beside each.
    top: usize,
}

/// What might have stood there instead.
const OTHERS: [&str; 6] = [" the", " a", " of", ".", ",", "\n"];

impl Logprobs {
    pub(super) const fn new(seed: u64, top: usize) -> Self {
        Self {
            dice: Dice::branch(seed, purpose::LOGPROBS),
            top,
        }
    }

    /// `{"tokens":[…],"token_logprobs":[…],"top_logprobs":[…],"text_offset":[…]}` of a prompt, if one is echoed, and
    /// of the tokens behind it; the text begins at this character.
    pub(super) fn write(&mut self, echo: &str, tokens: &[&str], start: usize) -> Vec<u8> {
        let echo = Some(echo).filter(|echo| !echo.is_empty());
        let (mut names, mut chosen, mut top, mut offsets) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if let Some(echo) = echo {
            names.push(string(echo));
            chosen.push("null".to_owned());
            top.push("null".to_owned());
            offsets.push("0".to_owned());
        }
        let mut at = start;
        for token in tokens {
            let logprob = drawn_logprob(&mut self.dice, 0);
            names.push(string(token));
            top.push(self.beside(token, &logprob));
            chosen.push(logprob);
            offsets.push(number(at));
            at += token.chars().count();
        }
        let top = if self.top == 0 {
            "null".to_owned()
        } else {
            list(&top)
        };
        let (names, chosen, offsets) = (list(&names), list(&chosen), list(&offsets));
        format!(
            r#"{{"tokens":{names},"token_logprobs":{chosen},"top_logprobs":{top},"text_offset":{offsets}}}"#
        )
        .into_bytes()
    }

    /// The tokens that are likeliest, by name.
    fn beside(&mut self, token: &str, logprob: &str) -> String {
        let others = OTHERS.iter().filter(|other| **other != token);
        let mut members = vec![format!("{}:{logprob}", string(token))];
        for (n, other) in others.take(self.top.saturating_sub(1)).enumerate() {
            let logprob = drawn_logprob(&mut self.dice, n + 1);
            members.push(format!("{}:{logprob}", string(other)));
        }
        format!("{{{}}}", members.join(","))
    }
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

fn string(text: &str) -> String {
    let mut out = Vec::new();
    write_str(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}

fn number(number: usize) -> String {
    let mut out = Vec::new();
    write_number(&mut out, u64::try_from(number).unwrap_or(u64::MAX));
    String::from_utf8(out).unwrap_or_default()
}
