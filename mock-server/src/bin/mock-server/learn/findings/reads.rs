//! Values in responses to reads.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::learn::answer::{Answer, without_texts};
use crate::learn::finding::Observed;
use crate::learn::observations::Observations;
use crate::learn::requests::Step;

/// Observes the scopes of the key. A string with a single one does not show the separator.
pub(crate) fn scopes(all: &Observations) -> Observed {
    let observed = all.at(Step::Me, "/key/scopes")?;
    match all.me("/key/scopes")?.is_string() && all.scopes()?.len() < 2 {
        true => Err("the key has fewer than two scopes".to_owned()),
        false => Ok(observed),
    }
}

pub(crate) fn is_separated(scopes: &Value, by: char, not_by: char) -> bool {
    let scopes = scopes.as_str().unwrap_or_default();
    scopes.contains(by) && !scopes.contains(not_by)
}

/// The mock requires no scope for `GET /me` and view statistics.
pub(crate) fn scope_of_reads(all: &Observations) -> Observed {
    match all.scopes()?.len() {
        0 => all.answer(Step::Me)?.observe(true, json!({ "scopes": [] })),
        _ => Err("needs a key without scopes".to_owned()),
    }
}

/// Returns the links and posts, with the responses that contain them.
pub(crate) fn resources(all: &Observations) -> Result<Vec<(&Answer, &Value)>, String> {
    const PLACES: [(Step, &str); 6] = [
        (Step::Me, "/links"),
        (Step::Me, "/posts"),
        (Step::MeWithLink, "/links"),
        (Step::MeWithLink, "/posts"),
        (Step::CreateLink, ""),
        (Step::CreatePost, ""),
    ];
    let mut found = Vec::new();
    for (step, pointer) in PLACES {
        let Ok(answer) = all.answer(step) else {
            continue;
        };
        match answer.at(pointer) {
            Ok(Value::Array(list)) => found.extend(list.iter().map(|one| (answer, one))),
            Ok(one) if one.get("id").is_some() => found.push((answer, one)),
            _ => {}
        }
    }
    if found.is_empty() {
        all.answer(Step::CreateLink)?;
        return Err("no response contains a link or post".to_owned());
    }
    Ok(found)
}

pub(crate) fn ids(all: &Observations) -> Observed {
    let id = |(answer, one): (&Answer, &Value)| {
        let id = &one["id"];
        (id.clone(), answer.sample(json!({ "id": id })))
    };
    Ok(resources(all)?.into_iter().map(id).collect())
}

pub(crate) fn is_uuid(id: &Value) -> bool {
    let id = id.as_str().unwrap_or_default();
    let is_digit = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
    id.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && id.bytes().all(is_digit)
}

pub(crate) fn resource_fields(all: &Observations) -> Observed {
    let fields =
        |(answer, one): (&Answer, &Value)| (one.clone(), answer.sample(without_texts(one)));
    Ok(resources(all)?.into_iter().map(fields).collect())
}

pub(crate) fn badge_kinds(all: &Observations) -> Observed {
    let answer = all.answer(Step::Badges)?;
    let badges = answer.data()?.as_array().into_iter().flatten();
    let kinds = badges.filter_map(|badge| badge.get("kind")?.as_str());
    let kinds = Vec::from_iter(kinds.collect::<BTreeSet<_>>());
    let name = match kinds[..] {
        [] => return Err("GET /badges lists no badge".to_owned()),
        ["auto"] => "auto",
        _ => "extra",
    };
    answer.observe(name, json!({ "kinds": kinds }))
}

pub(crate) fn other_statistics(all: &Observations) -> Observed {
    let answer = all.answer(Step::Other1)?;
    let mut fields = answer.object()?.clone();
    fields.retain(|name, _| name == "devices" || name == "countries");
    answer.observe(fields.clone(), fields)
}

/// Observes a header of the first compressed response. Short ones may not be compressed.
pub(crate) fn compression(all: &Observations) -> Observed {
    let mut answers = all.answers().map(|(_, answer)| answer);
    let compressed = answers.find(|answer| answer.header("content-encoding").is_some());
    let answer = compressed.map_or_else(|| all.answer(Step::Me), Ok)?;
    let coding = answer.header("content-encoding");
    let name = coding.map_or(Some("none"), |coding| (coding == "gzip").then_some("gzip"));
    answer.observe(name, json!({ "content-encoding": coding }))
}
