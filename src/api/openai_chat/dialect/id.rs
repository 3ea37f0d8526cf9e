//! The forms of generated ids.

use crate::api::{Ids, openai::CREATED};

/// An id, piece by piece.
pub(in crate::api::openai_chat) type Form = &'static [Id];

/// A piece of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::api::openai_chat) enum Id {
    Text(&'static str),
    Base36(usize),
    Base58(usize),
    Base62(usize),
    Hex(usize),
    Digits(usize),
    /// Version 4.
    Uuid,
    /// When the answer was made.
    Created,
    /// Which of several it is, in two digits.
    Number,
}

/// The next id of this form, the nth of its kind.
pub(in crate::api::openai_chat) fn made(form: Form, ids: &mut Ids, n: usize) -> String {
    let mut id = String::new();
    for piece in form {
        match *piece {
            Id::Text(text) => id.push_str(text),
            Id::Base36(len) => id.push_str(&ids.base36("", len)),
            Id::Base58(len) => id.push_str(&ids.base58("", len)),
            Id::Base62(len) => id.push_str(&ids.base62("", len)),
            Id::Hex(len) => id.push_str(&ids.hex("", len)),
            Id::Digits(len) => id.push_str(&ids.digits("", len)),
            Id::Uuid => id.push_str(&uuid(ids)),
            Id::Created => id.push_str(&CREATED.to_string()),
            Id::Number => id.push_str(&format!("{n:02}")),
        }
    }
    id
}

/// A random UUID.
pub(in crate::api::openai_chat) fn uuid(ids: &mut Ids) -> String {
    let [a, b, c] = [ids.hex("", 8), ids.hex("", 4), ids.hex("", 3)];
    format!("{a}-{b}-4{c}-a{}-{}", ids.hex("", 3), ids.hex("", 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_form_of_their_pieces() {
        let made = |form| made(form, &mut Ids::new(7, 0), 1);
        assert_eq!(
            made(&[Id::Text("a-"), Id::Created, Id::Text("-"), Id::Number]),
            "a-1787150052-01"
        );
        for (form, len) in [
            (&[Id::Base36(9)] as Form, 9),
            (&[Id::Base58(9)], 9),
            (&[Id::Base62(9)], 9),
            (&[Id::Hex(9)], 9),
            (&[Id::Digits(9)], 9),
            (&[Id::Uuid], 36),
        ] {
            assert_eq!(made(form).len(), len, "{form:?}");
        }
        let uuid = made(&[Id::Uuid]);
        let at = |n: usize| uuid.as_bytes()[n];
        assert_eq!([at(8), at(13), at(14), at(18), at(23)], *b"--4--");
    }
}
