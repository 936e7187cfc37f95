//! Findings in `GET /me`, the links and posts in it, `GET /me/analytics` and `GET /badges`.

use serde_json::{Map, Value, json};

use crate::learn::answer::Answer;
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::{Observations, Step};

pub(in crate::learn) fn api_visible(observations: &Observations) -> Found {
    let (me, value) = observations.me("api_visible")?;
    let learned = match value {
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.as_u64().is_some_and(|number| number < 2) => {
            Some("integer")
        }
        Value::String(text) if text == "true" || text == "false" => Some("string"),
        _ => None,
    };
    Ok(me.learned(learned, json!({ "api_visible": value })))
}

pub(in crate::learn) fn key_object(observations: &Observations) -> Found {
    let (me, key) = observations.key()?;
    let learned = if has_owner(key) {
        "extra_fields"
    } else {
        "plain"
    };
    // The values may be secret.
    let names: Vec<_> = key.keys().collect();
    Ok(me.learned(learned, json!({ "fields of key": names })))
}

/// Returns `true` if a key object has the extra fields of the mock.
pub(super) fn has_owner(key: &Map<String, Value>) -> bool {
    key.get("name").is_some_and(Value::is_string)
        && key
            .get("owner")
            .is_some_and(|owner| owner["handle"].is_string())
}

pub(in crate::learn) fn key_scopes(observations: &Observations) -> Found {
    let (me, key) = observations.key()?;
    let scopes = key
        .get("scopes")
        .ok_or("the key in GET /me has no scopes")?;
    let learned = match scopes {
        Value::Array(all) if all.iter().all(Value::is_string) => Some("array"),
        Value::String(_) if observations.scopes()?.len() < 2 => {
            return Err("the key has fewer than two scopes".to_owned());
        }
        Value::String(text) => match (text.contains(' '), text.contains(',')) {
            (true, false) => Some("space_separated"),
            (false, true) => Some("comma_separated"),
            _ => None,
        },
        _ => None,
    };
    Ok(me.learned(learned, json!({ "scopes": scopes })))
}

pub(in crate::learn) fn key_rate_limit(observations: &Observations) -> Found {
    let (me, key) = observations.key()?;
    let limit = key
        .get("rate_limit")
        .ok_or("the key in GET /me has no rate_limit")?;
    let learned = match limit {
        Value::Number(_) => Some("number"),
        Value::Object(fields)
            if fields.len() == 2
                && fields.get("limit").is_some_and(Value::is_u64)
                && fields.get("window_seconds").is_some_and(Value::is_u64) =>
        {
            Some("object")
        }
        _ => None,
    };
    Ok(me.learned(learned, json!({ "rate_limit": limit })))
}

pub(in crate::learn) fn me_fields(observations: &Observations) -> Found {
    let me = observations.answer(Step::Me)?;
    let object = me.object()?;
    let mut present = vec!["handle", "links", "posts", "badges"];
    present.retain(|name| object.contains_key(*name));
    let learned = match present.len() {
        4 => Some("full"),
        0 => Some("minimal"),
        _ => None,
    };
    let names: Vec<_> = object.keys().collect();
    Ok(me.learned(learned, json!({ "fields": names })))
}

/// A link or post, and the response that contains it.
pub(super) type Resource<'a> = (&'a Answer, &'a Map<String, Value>);

pub(super) fn resources(observations: &Observations) -> Result<Vec<Resource<'_>>, String> {
    let listed = [Step::Me, Step::MeWithLink].into_iter().flat_map(|step| {
        let me = observations
            .answer(step)
            .and_then(|me| Ok((me, me.object()?)));
        let lists = me.into_iter().flat_map(|(me, object)| {
            let lists = ["links", "posts"].map(|name| object.get(name).and_then(Value::as_array));
            lists.into_iter().flatten().map(move |list| (me, list))
        });
        lists.flat_map(|(me, list)| {
            list.iter()
                .filter_map(move |one| Some((me, one.as_object()?)))
        })
    });
    let created = [Step::CreateLink, Step::CreatePost]
        .into_iter()
        .filter_map(|step| {
            let answer = observations.answer(step).ok()?;
            Some((
                answer,
                answer.object().ok().filter(|one| one.contains_key("id"))?,
            ))
        });
    let all: Vec<_> = listed.chain(created).collect();
    if all.is_empty() {
        observations.answer(Step::CreateLink)?;
        return Err("no response contains a link or post".to_owned());
    }
    Ok(all)
}

/// Returns the kind that all links and posts have.
fn common(
    resources: &[Resource<'_>],
    kind: fn(&Map<String, Value>) -> Option<&'static str>,
) -> Option<&'static str> {
    let first = kind(resources.first()?.1);
    first.filter(|_| resources.iter().all(|(_, one)| kind(one) == first))
}

pub(in crate::learn) fn ids(observations: &Observations) -> Found {
    let all = resources(observations)?;
    let (answer, first) = all[0];
    Ok(answer.learned(common(&all, kind_of_id), json!({ "id": first.get("id") })))
}

fn kind_of_id(resource: &Map<String, Value>) -> Option<&'static str> {
    match resource.get("id")? {
        Value::Number(number) if number.is_u64() => Some("integer"),
        Value::String(id) if is_uuid(id) => Some("uuid"),
        Value::String(_) => Some("string"),
        _ => None,
    }
}

fn is_uuid(id: &str) -> bool {
    let groups = id.split('-').map(str::len);
    groups.eq([8, 4, 4, 4, 12])
        && id
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

pub(in crate::learn) fn resource_fields(observations: &Observations) -> Found {
    let all = resources(observations)?;
    let (answer, first) = all[0];
    let names: Vec<_> = first.keys().collect();
    Ok(answer.learned(common(&all, kind_of_resource), json!({ "fields": names })))
}

pub(super) fn kind_of_resource(resource: &Map<String, Value>) -> Option<&'static str> {
    let has_time = resource.get("created_at").is_some_and(Value::is_string);
    let metadata = resource.get("metadata").and_then(Value::as_object);
    let is_ours = |metadata: &Map<String, Value>| metadata.keys().eq(["source", "tags"]);
    Some(match (has_time, metadata.is_some_and(is_ours)) {
        (true, true) => "nested",
        (true, false) => "created_at",
        (false, _) => "bare",
    })
}

pub(in crate::learn) fn analytics(observations: &Observations) -> Found {
    const SOCIAL: [&str; 3] = ["followers", "following", "comments"];
    observations.require_scope("analytics:read")?;
    let answer = observations.answer(Step::Analytics)?;
    let data = answer.object()?;
    let counts = |object: Option<&Map<String, Value>>, names: &[&str]| {
        object.is_some_and(|object| {
            names
                .iter()
                .all(|name| object.get(*name).is_some_and(Value::is_u64))
        })
    };
    let totals = |object: Option<&Map<String, Value>>, names: &[&str]| {
        let total = |name: &&str| {
            counts(
                object.and_then(|all| all.get(*name)?.as_object()),
                &["total"],
            )
        };
        names.iter().all(total)
    };
    let social = data.get("social").and_then(Value::as_object);
    let learned = match () {
        () if counts(Some(data), &["views", "likes"]) && counts(social, &SOCIAL) => Some("social"),
        () if counts(Some(data), &["views", "likes"]) && counts(Some(data), &SOCIAL) => {
            Some("flat")
        }
        () if totals(Some(data), &["views", "likes"]) && totals(social, &SOCIAL) => Some("totals"),
        () => None,
    };
    Ok(answer.learned(learned, Value::Object(data.clone())))
}

pub(in crate::learn) fn badge_kinds(observations: &Observations) -> Found {
    let answer = observations.answer(Step::Badges)?;
    let badges = answer.data()?.as_array();
    let badges = badges.ok_or("the data of GET /badges is not an array")?;
    let mut kinds: Vec<_> = badges
        .iter()
        .filter_map(|badge| badge.get("kind")?.as_str())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let learned = match kinds[..] {
        [] => return Err("GET /badges lists no badge".to_owned()),
        ["auto"] => "auto",
        _ => "extra",
    };
    Ok(answer.learned(learned, json!({ "kinds": kinds })))
}

/// The mock requires no scope for `GET /me` and view statistics.
pub(in crate::learn) fn scope_of_reads(observations: &Observations) -> Found {
    let scopes = observations.scopes()?;
    if !scopes.is_empty() {
        return Err("needs a key without scopes".to_owned());
    }
    let me = observations.answer(Step::Me)?;
    Ok(Finding::AsTheMock {
        sample: me.sample(json!({ "scopes": scopes })),
    })
}
