//! Text and JSON that are likely to break something, and ways to cut them.

use llm_wire_stub::*;
use proptest::{collection::vec, prelude::*};
use serde_json::Value;

/// Text that is likely to break something: escapes, 2 to 4 byte characters, separators, white space.
pub(super) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("é".to_owned()),
        Just("漢字".to_owned()),
        Just("😀".to_owned()),
        Just("\"\\/\n\r\t\u{8}\u{1f}".to_owned()),
        Just("\u{2028}\u{2029}\u{85}\u{feff}\u{0}".to_owned()),
        Just("\\u00e9 data: x\n\nevent: error\n".to_owned()),
        Just("  ".to_owned()),
        "[a-z ]{0,8}",
        any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

pub(super) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9_f64..1e9).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

pub(super) fn arguments() -> impl Strategy<Value = Arguments> {
    let object = || {
        vec((text(), value()), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    };
    prop_oneof![
        object().prop_map(Arguments::from),
        object().prop_map(|value| Arguments::raw(serde_json::to_string_pretty(&value).unwrap())),
        // the same character written as escapes, that of a surrogate pair too
        Just(Arguments::raw(r#"{"a": "\u00e9 \ud83d\ude00 \/"}"#)),
        Just(Arguments::raw("")),
    ]
}

pub(super) fn fragments() -> impl Strategy<Value = Fragments> {
    prop_oneof![
        Just(Fragments::whole()),
        Just(Fragments::words()),
        Just(Fragments::characters()),
        (1_usize..9).prop_map(Fragments::size),
        Just(Fragments::by(|whole| whole
            .chars()
            .map(String::from)
            .collect())),
    ]
}
