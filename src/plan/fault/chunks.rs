//! Variations of the chunks of Chat.

use super::{
    Answer, Around, Piece, Says, events::is_delta, json_edit, lines::is_of_tool_call, tool_calls,
};
use crate::{api::Mark, sse::LineEnd};

const FINISH: &str = "finish_reason";
const DONE: &[u8] = b"[DONE]";

/// What is written for no reason yet.
pub(super) fn reword_no_finish(answer: &mut Answer, value: Option<&str>) {
    each_choice(answer, |choice| {
        json_edit::get(choice, FINISH).filter(|reason| *reason == "null")?;
        match value {
            Some(value) => json_edit::replace(choice, FINISH, value),
            None => json_edit::remove(choice, FINISH),
        }
    });
}

/// The usage elsewhere.
pub(super) fn move_usage(answer: &mut Answer, around: &Around<'_>) {
    let has_usage = |n: &usize| {
        json_edit::get(answer.json(*n), "usage").is_some_and(|usage| usage.starts_with('{'))
    };
    let Some(at) = (0..answer.pieces.len()).rfind(has_usage) else {
        return;
    };
    let usage = json_edit::get(answer.json(at), "usage")
        .unwrap_or_default()
        .to_owned();
    let Some(last) =
        (0..answer.pieces.len()).rfind(|n| json_edit::len(answer.json(*n), "choices") > 0)
    else {
        return;
    };
    let is_alone = json_edit::len(answer.json(at), "choices") == 0;
    match around.variant() {
        "every-chunk" => answer.edit_all(|json| {
            json_edit::get(json, "choices")?;
            json_edit::set(json, "usage", &usage)
        }),
        "finish-chunk" if is_alone => {
            answer.edit(last, |json| json_edit::set(json, "usage", &usage));
            answer.drop_pieces(|_, n| n == at);
        }
        "own-chunk" if !is_alone => {
            answer.copy(at, last + 1);
            answer.edit(last + 1, |json| json_edit::replace(json, "choices", "[]"));
            answer.edit_all(|json| {
                json_edit::get(json, "choices").filter(|choices| *choices != "[]")?;
                json_edit::remove(json, "usage")
            });
        }
        _ => {}
    }
}

/// A first chunk as Azure sends it.
pub(super) fn begin_without_choices(answer: &mut Answer) {
    let filters = ["hate", "self_harm", "sexual", "violence"]
        .map(|filter| format!("\"{filter}\":{{\"filtered\":false,\"severity\":\"safe\"}}"));
    let chunk = format!(
        "{{\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\",\"prompt_filter_results\":\
         [{{\"prompt_index\":0,\"content_filter_results\":{{{}}}}}]}}",
        filters.join(",")
    );
    answer.insert(0, Piece::data(chunk));
}

/// Null, or nothing, where a client might look for something.
pub(super) fn say_null(answer: &mut Answer, around: &Around<'_>) {
    let absent = |member: &'static str| {
        move |choice: &str| {
            let path = format!("delta.{member}");
            match json_edit::get(choice, &path) {
                Some(_) => None,
                None => json_edit::set(choice, &path, "null"),
            }
        }
    };
    let empty = |choice: &str| {
        json_edit::get(choice, "delta").is_some_and(|delta| json_edit::len(delta, "") == 0)
    };
    match around.variant() {
        "delta-absent" => each_choice(answer, |choice| {
            empty(choice)
                .then(|| json_edit::remove(choice, "delta"))
                .flatten()
        }),
        "content-null" => each_choice(answer, absent("content")),
        "tool-calls-null" => each_choice(answer, absent("tool_calls")),
        "role-null" => each_choice(answer, absent("role")),
        "arguments-null" => each_choice(answer, |choice| {
            json_edit::edit_items(choice, "delta.tool_calls", |call| {
                let path = "function.arguments";
                json_edit::string(call, path).filter(|arguments| arguments.is_empty())?;
                json_edit::replace(call, path, "null")
            })
        }),
        "payload-null" => {
            if let Some(first) = answer.position(is_delta) {
                answer.insert(first + 1, Piece::data("null"));
            }
        }
        _ => each_choice(answer, |choice| {
            empty(choice)
                .then(|| json_edit::replace(choice, "delta", "null"))
                .flatten()
        }),
    }
}

/// The reason beside the last fragment.
pub(super) fn finish_with_content(answer: &mut Answer, around: &Around<'_>) {
    let of_call = around.variant() != "last-text";
    if around.variant() == "only-tool-call" {
        let before = answer.clone();
        tool_calls::join_arguments(answer, around.api);
        if last_fragment(answer, of_call).is_none() {
            *answer = before;
        }
    }
    let Some((last, finish)) = last_fragment(answer, of_call) else {
        return;
    };
    for member in ["choices.0.finish_reason", "usage"] {
        let said = json_edit::get(answer.json(finish), member).map(str::to_owned);
        if let Some(said) = said.filter(|said| said != "null") {
            answer.edit(last, |json| json_edit::set(json, member, &said));
        }
    }
    if let Some(piece) = answer.pieces.get_mut(last) {
        let parts = usize::from(piece.marks.contains(&Mark::LastDelta));
        piece.marks = vec![Mark::Several {
            deltas: 1,
            parts,
            stops: true,
        }];
    }
    answer.drop_pieces(|_, n| n == finish);
}

/// The last fragment behind the reason.
pub(super) fn go_on(answer: &mut Answer, around: &Around<'_>) {
    if let Some((last, finish)) = last_fragment(answer, around.variant() == "tool-call") {
        answer.displace(last, finish + 1);
    }
}

/// The last fragment of a choice, if it is one of this kind, and the chunk that says nothing but why the choice ends.
fn last_fragment(answer: &Answer, of_call: bool) -> Option<(usize, usize)> {
    let finish = answer.position(Mark::stops)?;
    let choice = |n: usize| json_edit::get(answer.json(n), "choices.0.index");
    let fragment = |n: &usize| {
        let marks = answer.pieces.get(*n).map_or(&[][..], |piece| &piece.marks);
        marks
            .iter()
            .any(|mark| is_delta(*mark) || *mark == Mark::PartLast)
            && choice(*n) == choice(finish)
    };
    let last = (0..finish).rfind(fragment)?;
    let is_alone = json_edit::len(answer.json(finish), "choices.0.delta") == 0;
    let is_of_call = is_of_tool_call(answer.json(last).as_bytes());
    (is_alone && is_of_call == of_call).then_some((last, finish))
}

/// A second reason, of a turn that calls tools; what may be said beside the first is not said again.
pub(super) fn finish_twice(answer: &mut Answer) {
    let path = "choices.0.finish_reason";
    let calls = |n: &usize| json_edit::string(answer.json(*n), path) == Some("tool_calls");
    let Some(finish) = (0..answer.pieces.len()).find(calls) else {
        return;
    };
    answer.copy(finish, finish + 1);
    for (path, value) in [(path, "\"stop\""), ("choices.0.delta", "{}")] {
        answer.edit(finish + 1, |json| json_edit::replace(json, path, value));
    }
}

/// The sentinel again, or where it means nothing.
pub(super) fn say_done(answer: &mut Answer, around: &Around<'_>) {
    let end = match around.api.line_end(around.context) {
        LineEnd::Lf => "\n",
        LineEnd::CrLf => "\r\n",
    };
    let spaceless = format!("data:[DONE]{end}{end}");
    let sentinel = answer.pieces.iter().position(is_done);
    match (around.variant(), sentinel) {
        ("repeated", Some(at)) => answer.copy(at, at + 1),
        ("without-space", Some(at)) => {
            if let Some(piece) = answer.pieces.get_mut(at) {
                piece.says = Says::Bytes(spaceless.into());
            }
        }
        ("appended", _) => answer.pieces.push(Piece::data("[DONE]")),
        ("appended-without-space", _) => answer.pieces.push(Piece::bytes(spaceless)),
        _ => {}
    }
}

/// No sentinel.
pub(super) fn drop_done(answer: &mut Answer) {
    answer.pieces.retain(|piece| !is_done(piece));
}

fn is_done(piece: &Piece) -> bool {
    matches!(&piece.says, Says::Event { data, .. } if data == DONE)
}

/// Each choice of each chunk as `edit` has it.
fn each_choice(answer: &mut Answer, edit: impl Fn(&str) -> Option<String>) {
    answer.edit_all(|json| json_edit::edit_items(json, "choices", &edit));
}
