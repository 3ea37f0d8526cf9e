//! What moderation says of a text: in a fixed order, and made up where the script does not say it.

use crate::{
    json::{write_number, write_str},
    script::Dice,
};

/// What a text can be flagged for, in the order in which the service writes it.
pub(crate) const CATEGORIES: [&str; 13] = [
    "harassment",
    "harassment/threatening",
    "sexual",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm/intent",
    "self-harm/instructions",
    "self-harm",
    "sexual/minors",
    "violence",
    "violence/graphic",
];

/// `{"input":…,"output":…}` beside an answer: one result for what was asked and one for each choice, nothing flagged.
/// That there is one for each choice is a guess; only answers of one choice were recorded.
pub(crate) fn beside_an_answer(model: &str, choices: usize, mut dice: Dice) -> String {
    let mut out = Vec::with_capacity(4096);
    for (name, texts) in [(&br#"{"input":"#[..], 1), (br#","output":"#, choices)] {
        out.extend_from_slice(name);
        out.extend_from_slice(br#"{"type":"moderation_results","model":"#);
        write_str(&mut out, model);
        out.extend_from_slice(br#","results":["#);
        for n in 0..texts {
            if n > 0 {
                out.push(b',');
            }
            write_result(&mut out, model, &mut dice);
        }
        out.extend_from_slice(b"]}");
    }
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}

fn write_result(out: &mut Vec<u8>, model: &str, dice: &mut Dice) {
    out.extend_from_slice(br#"{"type":"moderation_result","model":"#);
    write_str(out, model);
    out.extend_from_slice(br#","flagged":false,"categories":"#);
    write_of_each(out, |out| out.extend_from_slice(b"false"));
    out.extend_from_slice(br#","category_scores":"#);
    write_of_each(out, |out| write_score(out, dice));
    out.extend_from_slice(br#","category_applied_input_types":"#);
    write_of_each(out, |out| out.extend_from_slice(br#"["text"]"#));
    out.push(b'}');
}

fn write_of_each(out: &mut Vec<u8>, mut value: impl FnMut(&mut Vec<u8>)) {
    let mut before = b'{';
    for category in CATEGORIES {
        out.push(before);
        write_str(out, category);
        out.push(b':');
        value(out);
        before = b',';
    }
    out.push(b'}');
}

/// Less than a thousandth, as a harmless text has it.
fn write_score(out: &mut Vec<u8>, dice: &mut Dice) {
    out.extend_from_slice(b"0.000");
    let digits = 1_000_000 + dice.below(9_000_000);
    write_number(out, u64::try_from(digits).unwrap_or_default());
}
