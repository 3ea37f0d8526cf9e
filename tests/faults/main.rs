//! Every fault of the catalogue, on every API that can have it: it changes what is written, and our own accumulators
//! judge it as the catalogue asks.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

#[path = "../support/catalogue.rs"]
#[allow(dead_code, reason = "other tests need the rest of it")]
mod catalogue;
#[cfg(feature = "server")]
mod expected;
mod others;
#[cfg(feature = "server")]
#[path = "../support/raw.rs"]
mod raw;
#[path = "../../src/plan/fault/references.rs"]
mod references;
#[cfg(feature = "server")]
mod requests;
#[cfg(feature = "server")]
mod size;
#[cfg(feature = "server")]
mod socket;
mod table;

use std::collections::BTreeSet;

use llm_wire_stub::*;
use references::reference;

const APIS: [Api; 3] = [
    Api::AnthropicMessages,
    Api::OpenAiChat,
    Api::OpenAiResponses,
];

/// Comes with HTTP/2.
const TO_COME: [&str; 1] = ["h2-goaway"];

/// Whether the suite for clients plays this kind: a fault, or several calls.
fn is_played(api: Api, kind: &str) -> bool {
    std::panic::catch_unwind(|| conformance::suite(api).only([kind])).is_ok()
}

#[test]
fn every_kind_of_the_catalogue_is_there_for_each_family_that_it_names() {
    for (family, api) in ["A", "C", "R"].into_iter().zip(APIS) {
        let Some(mut asked) = catalogue::asked(family, |_| true) else {
            return;
        };
        // those of the requests are in `requests.rs`; those of the double are about this crate
        asked.retain(|kind| !kind.starts_with("req-") && !kind.starts_with("double-"));
        asked.retain(|kind| !TO_COME.contains(&kind.as_str()));
        let built = Fault::ALL.iter().filter(|fault| fault.applies_to(api));
        let built: BTreeSet<String> = built.map(|fault| fault.id().to_owned()).collect();
        let missing = asked.difference(&built);
        let missing: Vec<_> = missing.filter(|kind| !is_played(api, kind)).collect();
        assert!(
            missing.is_empty(),
            "{family} lacks {} of {}: {missing:?}",
            missing.len(),
            asked.len()
        );
        let unasked: Vec<_> = built.difference(&asked).collect();
        assert!(
            unasked.is_empty(),
            "{family} has {unasked:?}, which the catalogue does not ask of it"
        );
    }
}

#[test]
fn requirements_are_those_of_the_catalogue() {
    for requirement in [
        Requirement::MustSucceedWithSameResult,
        Requirement::MustIgnore,
        Requirement::MustError,
        Requirement::MustTimeOutWhenIdleLimitSet,
    ] {
        let wanted = format!("`{requirement}`");
        let Some(asked) = catalogue::asked("A", |asks| asks.starts_with(&wanted)) else {
            return;
        };
        for fault in Fault::ALL {
            if fault.applies_to(Api::AnthropicMessages) {
                assert_eq!(
                    asked.contains(fault.id()),
                    fault.requirement() == requirement,
                    "{}",
                    fault.id()
                );
            }
        }
    }
}

#[test]
fn ids_are_parsed_and_unknown_ones_are_refused() {
    let mut ids = BTreeSet::new();
    for fault in Fault::ALL {
        assert_eq!(
            fault.id().parse::<FaultVariant>().unwrap(),
            FaultVariant::from(*fault)
        );
        assert!(fault.variants().count() > 0, "{}", fault.id());
        for variant in fault.variants() {
            assert_eq!(variant.id().parse::<FaultVariant>().unwrap(), variant);
            assert!(ids.insert(variant.id()), "{} stands twice", variant.id());
            assert!(!variant.description().is_empty(), "{}", variant.id());
        }
    }
    let unknown = "empty-body/none".parse::<FaultVariant>().unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no fault is called `empty-body/none`\n  help: one of empty-body/no-byte, empty-body/only-comments"
    );
    let unknown = "empty".parse::<FaultVariant>().unwrap_err().to_string();
    assert!(
        unknown.starts_with("no fault is called `empty`\n  help: one of "),
        "{unknown}"
    );
}

/// Every variant on every API that can have it, as far as this build can make it.
fn cases() -> impl Iterator<Item = (Api, FaultVariant)> {
    APIS.into_iter().flat_map(|api| {
        let variants = Fault::ALL.iter().flat_map(|fault| fault.variants());
        let applying = variants.filter(move |variant| variant.applies_to(api));
        let made = applying
            .filter(|variant| cfg!(feature = "gzip") || variant.fault() != Fault::GzipStream);
        made.map(move |variant| (api, variant))
    })
}

#[test]
fn every_variant_changes_its_reference() {
    // what only waits, ends or says otherwise in its head is seen on a socket
    for (api, fault) in cases().filter(|(_, fault)| fault.stage() < Stage::Transport) {
        let turn = reference(api, fault);
        let pieces = |turn: &Turn| -> Vec<_> {
            let pieces = try_chunks(api, turn, Cut::PerEvent);
            pieces
                .unwrap_or_else(|error| panic!("{}: {error}", api.name()))
                .collect()
        };
        let damaged = pieces(&turn.clone().fault(fault));
        assert_ne!(pieces(&turn), damaged, "{}: {fault}", api.name());
    }
}

/// What our own accumulator cannot see: it is no part of the body, or it ends nowhere.
fn is_seen_in_the_body(fault: FaultVariant) -> bool {
    fault.requirement() != Requirement::MustTimeOutWhenIdleLimitSet
        && !matches!(fault.fault(), Fault::ChunkedAbort | Fault::ResetMidStream)
}

/// Where our own reader is stricter than the first word of the catalogue, as the second allows, and why.
const STRICTER: &[(&str, &str)] = &[
    (
        "terminal-frame-cut",
        "only the last event proves that an answer is whole",
    ),
    (
        "eof-no-final-blank",
        "an event ends with a blank line, as the specification of event streams says",
    ),
    (
        "delta-after-stop/after-the-end",
        "it is for its caller to stop reading at the end of the answer",
    ),
    (
        "json-instead-of-sse",
        "`accumulate` reads streams; that `accumulate_json` reads the same is tested below",
    ),
];

/// Where our own reader leaves to the caller what the catalogue asks of a client, and why.
const LAXER: &[(&str, &str)] = &[(
    "length-cut-tool-call/valid-json",
    "that the limit was reached is the stop reason, so the caller sees that no call is to be run",
)];

/// What our own reader makes of the answer, if that is not what the catalogue asks.
fn judged_wrongly(api: Api, fault: FaultVariant, damaged: &Turn) -> Option<String> {
    let read = accumulate(api, &decoded(fault, &sse_body(api, damaged)));
    let is_listed = |list: &[(&str, &str)]| {
        let mut ids = list.iter().map(|(id, _)| *id);
        ids.any(|id| id == fault.fault().id() || id == fault.id())
    };
    if is_listed(STRICTER) {
        let also = fault.also_accepted();
        assert_eq!(also, Some(Requirement::MustError), "{fault}");
    }
    let asks_success = matches!(
        fault.requirement(),
        Requirement::MustSucceedWithSameResult | Requirement::MustIgnore
    );
    let is_benign = is_listed(LAXER) || asks_success;
    let expected = damaged.normalized(api);
    let is_right = match &read {
        Ok(reply) => is_benign && Ok(reply) == expected.as_ref(),
        Err(_) => !is_benign || is_listed(STRICTER),
    };
    if is_right {
        return None;
    }
    let shown = |read: String| read.chars().take(700).collect::<String>();
    let (read, expected) = (shown(format!("{read:?}")), shown(format!("{expected:?}")));
    let api = api.name();
    Some(format!(
        "{api}: {fault}: read as {read}\n  expected: {expected}"
    ))
}

#[test]
fn our_own_accumulators_judge_as_the_catalogue_asks() {
    let mut wrong = Vec::new();
    // to read as much again, whatever the API and the writes, takes its time in a dev build
    let is_large = |id: &str| ["/8-mib", "/16-mib"].iter().any(|size| id.contains(size));
    for (api, fault) in cases().filter(|(_, fault)| is_seen_in_the_body(*fault)) {
        let is_read_once = api == Api::AnthropicMessages && fault.fault() == Fault::LargeEvent;
        if is_large(&fault.id()) && !is_read_once {
            continue;
        }
        let damaged = reference(api, fault).fault(fault);
        wrong.extend(judged_wrongly(api, fault, &damaged));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a client must bear one by one it must bear together, whichever is done first.
#[test]
fn two_benign_faults_of_bytes_are_benign() {
    let is_benign = |fault: &FaultVariant| {
        let asks = fault.requirement();
        [
            Requirement::MustSucceedWithSameResult,
            Requirement::MustIgnore,
        ]
        .contains(&asks)
            && [Stage::Bytes, Stage::Transport].contains(&fault.stage())
            && !STRICTER.iter().any(|(id, _)| *id == fault.fault().id())
    };
    let large = [Fault::LargeEvent, Fault::TinyFragments];
    let small = Fault::ALL.iter().filter(|fault| !large.contains(fault));
    let variants = small.flat_map(|fault| fault.variants());
    let variants = variants.filter(|fault| fault.applies_to(Api::AnthropicMessages));
    let benign: Vec<_> = variants.filter(is_benign).collect();
    let text = || Turn::new().text("Hé, 日本 and 🦀.").seed(7);
    let said = text().normalized(Api::AnthropicMessages).unwrap();
    let mut both = 0;
    for one in &benign {
        for other in benign.iter().filter(|other| *other != one) {
            let turn = text().fault(*one).fault(*other);
            let body = match try_sse_body(Api::AnthropicMessages, &turn) {
                Ok(body) => body,
                // the first did what the second would do
                Err(error) if error.to_string().contains(" has no target in ") => continue,
                Err(error) => panic!("{one} and {other}: {error}"),
            };
            both += 1;
            let read = accumulate(Api::AnthropicMessages, &body);
            assert_eq!(read.as_ref(), Ok(&said), "{one} and {other}");
        }
    }
    assert!(both > 1_000, "{both} of {} variants", benign.len());
}

#[test]
fn bytes_that_are_no_text_are_said_as_what_replaces_them() {
    // on Responses the whole text stands in later events too, where nothing is replaced
    for api in [Api::AnthropicMessages, Api::OpenAiChat] {
        for variant in ["lone-continuation", "truncated-sequence"] {
            let turn = Turn::new().text("Hé.").usage(Usage::input(1).output(2));
            let turn = turn.fault(Fault::InvalidUtf8.variant(variant));
            let body = sse_body(api, &turn);
            let read = accumulate(api, String::from_utf8_lossy(&body).as_bytes()).unwrap();
            assert_eq!(read, turn.normalized(api).unwrap(), "{variant}");
            assert!(read.text().starts_with('\u{fffd}'), "{variant}");
        }
    }
}

#[test]
fn a_fault_about_writes_has_its_own_whatever_the_cut() {
    let api = Api::AnthropicMessages;
    for fault in [
        Fault::SplitAnyByte.variant("several-events"),
        Fault::SplitUtf8Scalar.into(),
        Fault::SplitCrlf.into(),
        Fault::BomLeading.variant("cut"),
        Fault::TinyFragments.variant("1-mib-by-1024"),
        Fault::BufferedBurst.into(),
    ] {
        let turn = Turn::new().text("Hé, 日本 and 🦀.").fault(fault);
        let pieces = |cut| chunks(api, &turn, cut).collect::<Vec<_>>();
        assert_eq!(pieces(Cut::Whole), pieces(Cut::PerEvent), "{fault}");
        assert_eq!(pieces(Cut::EveryByte), pieces(Cut::PerEvent), "{fault}");
    }
    let turn = Turn::new().text("hi").fault(Fault::EolCrlf);
    assert_eq!(chunks(api, &turn, Cut::Whole).count(), 1);
}

#[test]
fn legacy_completions_have_the_faults_of_bytes_and_later_stages() {
    let api = Api::OpenAiCompletions;
    let turn = || Turn::new().text("Hé, 日本 and 🦀.");
    let mut had = 0;
    for fault in Fault::ALL.iter().flat_map(|fault| fault.variants()) {
        if !fault.applies_to(api) || (fault.fault() == Fault::GzipStream && !cfg!(feature = "gzip"))
        {
            continue;
        }
        had += 1;
        let pieces = try_chunks(api, &turn().fault(fault), Cut::PerEvent);
        assert!(pieces.is_ok(), "{fault}: {:?}", pieces.err());
    }
    assert!(had > 80, "{had}");
    let fault = Fault::UnknownField;
    assert!(!fault.applies_to(api));
}

#[test]
fn a_whole_answer_instead_of_a_stream_says_the_same() {
    for api in APIS {
        let turn = Turn::new().text("Hé.").fault(Fault::JsonInsteadOfSse);
        let read = accumulate_json(api, &sse_body(api, &turn)).unwrap();
        let said = turn.normalized(api).unwrap();
        assert_eq!(
            (read.parts, read.stop_reason),
            (said.parts, said.stop_reason),
            "{}",
            api.name()
        );
    }
}

/// The body behind its content encoding.
fn decoded(fault: FaultVariant, body: &[u8]) -> Vec<u8> {
    if fault.fault() != Fault::GzipStream {
        return body.to_vec();
    }
    gunzip(body)
}

#[cfg(feature = "gzip")]
fn gunzip(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(body), &mut out).unwrap();
    out
}

#[cfg(not(feature = "gzip"))]
fn gunzip(_: &[u8]) -> Vec<u8> {
    unreachable!("no case has it")
}

#[cfg(not(feature = "gzip"))]
#[test]
fn a_compressed_body_needs_its_feature() {
    let turn = Turn::new().text("hi").fault(Fault::GzipStream);
    let line = line!() - 1;
    let error = try_sse_body(Api::OpenAiChat, &turn).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "fault `gzip-stream` is not possible: llm-wire-stub was built without its feature `gzip`\n  \
             where: openai_chat, turn built at {}:{line}\n  help: turn the feature on in `Cargo.toml`",
            file!()
        )
    );
}
