use super::{template::unknown, *};
use crate::script::{ApiError, ErrorKind};

/// Every template of a row, by its name.
fn templates(row: &'static Row) -> Vec<(&'static str, &'static str)> {
    let stream = &row.stream;
    let mut all: Vec<(_, &Template)> = vec![
        ("usage", &row.usage.template),
        ("chunk", &stream.chunk),
        ("choice", &stream.choice),
        ("text", &stream.text),
        ("finish", &stream.finish),
        ("body", &row.body.whole),
        ("body choice", &row.body.choice),
    ];
    let more = [&stream.thinking, &stream.signature, &stream.annotations];
    all.extend(more.into_iter().flatten().map(|delta| ("delta", delta)));
    all.extend(stream.refusal.iter().map(|(_, more)| ("refusal", more)));
    if let Some(calls) = &row.calls {
        all.push(("calls", &calls.delta));
        all.extend(calls.only.iter().map(|only| ("only", only)));
        for form in std::iter::once(&calls.function).chain(&calls.custom) {
            all.extend([&form.item, &form.more, &form.whole].map(|call| ("call", call)));
        }
    }
    let texts = all
        .into_iter()
        .map(|(what, template)| (what, template.text()));
    let mut all: Vec<_> = texts.collect();
    all.extend(stream.refusal.iter().map(|(first, _)| ("refusal", *first)));
    if let Some(errors) = &row.errors {
        all.extend([errors.shape, errors.stream.shape].map(|text| ("error", text)));
        let shapes = errors.rows.iter().filter_map(|row| row.shape);
        all.extend(shapes.map(|text| ("error", text)));
    }
    if let Some(head) = &row.head {
        all.extend(head.always.iter().map(|(_, value)| ("header", *value)));
    }
    all
}

#[test]
fn templates_name_slots_only() {
    for dialect in Dialect::ALL {
        for (what, template) in templates(row(*dialect)) {
            assert_eq!(
                unknown(template),
                Vec::<&str>::new(),
                "{dialect:?} {what}: {template}"
            );
            let count = |text: &str| template.matches(text).count();
            assert_eq!(count("$<"), count("$>"), "{dialect:?} {what}: {template}");
        }
    }
}

#[test]
fn deltas_that_begin_an_answer_have_no_slots() {
    for dialect in Dialect::ALL {
        let stream = &row(*dialect).stream;
        let texts = stream.begin.into_iter().flatten().chain(&stream.prelude);
        for text in texts {
            assert!(!text.contains('$'), "{dialect:?}: {text}");
        }
    }
}

/// A row as the documentation has it.
fn documented(dialect: Dialect) -> String {
    let row = row(dialect);
    let by_path =
        match paths().any(|path| path == row.path && of_request(path, None) == Some(dialect)) {
            true => format!("`{}`", row.path),
            false if dialect == Dialect::Azure => format!("`{}`", row.path),
            false => "by turn or stub".to_owned(),
        };
    let thinking = row.stream.thinking.as_ref().map_or("", Template::text);
    let thinking = match thinking {
        "" => "no",
        text if text.contains("reasoning_details") => "`reasoning`, `reasoning_details`, signed",
        text if text.contains("reasoning_content") => "`reasoning_content`",
        text if text.contains("\"reasoning\"") => "`reasoning`",
        _ => "items of `content`",
    };
    let calls = match row.calls.as_ref().map(|calls| calls.chunks) {
        None => "no",
        Some(CallChunks::Fragments) => "in fragments",
        Some(CallChunks::Each) => "whole",
        Some(CallChunks::All) => "all in one chunk",
    };
    let usage = match (row.usage.at, row.usage.asked) {
        (UsageAt::OwnChunk, UsageAsked::Needed) => "if asked for, in a chunk of its own",
        (UsageAt::OwnChunk, UsageAsked::No) => "in a chunk of its own",
        (UsageAt::WithFinish, _) => "with `finish_reason`",
        (UsageAt::AgainWithFinish, _) => "with a second `finish_reason`",
        (UsageAt::EveryChunk, _) => "in every chunk",
    };
    let end = match row.done {
        Done::Yes => "`[DONE]`",
        Done::No => "`finish_reason`",
    };
    let base = match row.base {
        "" => "the root".to_owned(),
        base => format!("`{base}`"),
    };
    let name = format!("{dialect:?}");
    format!("| `{name}` | {base} | {by_path} | {thinking} | {calls} | {usage} | {end} |")
}

#[test]
fn the_documentation_has_the_rows() {
    let text = include_str!("dialects.md");
    let found: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let expected: Vec<String> = Dialect::ALL
        .iter()
        .map(|dialect| documented(*dialect))
        .collect();
    assert_eq!(found.join("\n"), expected.join("\n"));
}

#[test]
fn errors_name_the_model_and_the_key_that_were_sent() {
    for (dialect, error, expected) in [
        (
            Dialect::OpenAi,
            ErrorKind::Authentication,
            "provided: key-of-a******text.",
        ),
        (
            Dialect::DeepSeek,
            ErrorKind::Authentication,
            "api key: ****text is invalid",
        ),
        (Dialect::Azure, ErrorKind::RateLimited, "to m-1 for m-1 in"),
        (Dialect::Groq, ErrorKind::RateLimited, "model `m-1` in"),
        (Dialect::Mistral, ErrorKind::NotFound, "model: m-1"),
        (Dialect::Xai, ErrorKind::NotFound, "The model m-1 does not"),
        (
            Dialect::Vllm,
            ErrorKind::NotFound,
            "The model `m-1` does not",
        ),
    ] {
        let (_, body) = error_answer(&ApiError::new(error), &asked(dialect));
        let body = String::from_utf8(body).unwrap();
        assert!(body.contains(expected), "{body}");
    }
    let short = Context {
        key: "invalid-key".to_owned(),
        ..asked(Dialect::OpenAi)
    };
    let (_, body) = error_answer(&ApiError::authentication(), &short);
    assert!(
        String::from_utf8(body)
            .unwrap()
            .contains("provided: invalid-key.")
    );
}

fn asked(dialect: Dialect) -> Context {
    Context {
        model: "m-1".to_owned(),
        key: "key-of-a-long-text".to_owned(),
        dialect,
        ..Context::unasked(0, true)
    }
}

/// The errors of which a row has its own words, by the names of their functions.
fn known_errors(dialect: Dialect) -> String {
    let Some(table) = &row(dialect).errors else {
        let own = "`invalid_request`, `conflict`, `request_too_large`, `timeout`";
        return format!("- `{dialect:?}`: all but {own}");
    };
    let errors = table.rows.iter().map(|error| {
        let mut name = String::new();
        for c in format!("{:?}", error.kind).chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.extend(c.to_lowercase());
        }
        let code = match error.by_code {
            true => format!(" with the code `{}`", error.code),
            false => String::new(),
        };
        format!("`{name}`{code}")
    });
    let errors: Vec<String> = errors.collect();
    format!("- `{dialect:?}`: {}", errors.join(", "))
}

#[test]
fn the_documentation_says_which_errors_have_the_services_own_words() {
    let text = include_str!("dialects.md");
    let found: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("- `"))
        .collect();
    let expected: Vec<String> = Dialect::ALL
        .iter()
        .map(|dialect| known_errors(*dialect))
        .collect();
    assert_eq!(found.join("\n"), expected.join("\n"));
}
