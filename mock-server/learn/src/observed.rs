//! The settings that consist of observed values, as far as they differ from what the mock does, and those
//! that recorded webhook deliveries show.

use serde_json::{Map, Value, json};

use crate::learner::{Finding, Found, Learner};
use crate::observations::{Delivery, decode};
use crate::requests::Step;
use crate::response::{Answer, Sample, map_members, without_texts};

/// Returns the statuses of successful writes.
pub(crate) fn write_statuses(learner: &Learner<'_>) -> Found {
    const WRITES: [(&str, Step); 6] = [
        ("edited", Step::EditProfile),
        ("edited", Step::EditLink),
        ("created", Step::CreateLink),
        ("created", Step::CreatePost),
        ("deleted", Step::DeleteLink),
        ("deleted", Step::DeletePost),
    ];
    let answers = learner.answers(&WRITES.map(|(_, step)| step));
    let (mut found, mut different, mut sample) = (json!({}), json!({}), None);
    for (kind, step) in WRITES {
        if let (Ok(written), Some(mock)) = (learner.all.answer(step), answers.get(&step))
            && written.is_success()
            && found.get(kind).is_none()
        {
            found[kind] = written.status.into();
            if written.status != mock.status {
                different[kind] = written.status.into();
            }
            if kind != "deleted" {
                sample.get_or_insert(written);
            }
        }
    }
    match sample {
        Some(written) => Ok(Finding::values(different, written.sample(found))),
        // A deletion does not show the responses to other writes.
        None => Err(learner.reason(&[Step::EditProfile], "")),
    }
}

/// Returns the names of headers that have no setting of their own.
pub(crate) fn rate_limit_header_names(learner: &Learner<'_>) -> Found {
    let me = learner.all.me();
    let names = me.rate_limit_headers();
    if names.is_empty() {
        return Err("GET /me has no separate headers about the rate limit".to_owned());
    }
    let same = learner.answers(&[Step::Me])[&Step::Me].rate_limit_headers();
    let sample = me.sample(json!(names));
    let names = names.iter().filter(|_| names != same);
    let names = names.map(|(part, name)| ((*part).to_owned(), json!(name)));
    Ok(Finding::values(names.collect(), sample))
}

/// Observes a header of the first compressed response. Short ones may not be compressed.
pub(crate) fn compression(learner: &Learner<'_>) -> Found {
    let coding = |answer: &Answer| answer.header("content-encoding").map(str::to_owned);
    let mut received = learner.all.received().map(|(_, answer)| answer);
    let compressed = received.find(|answer| coding(answer).is_some());
    let answer = compressed.unwrap_or(learner.all.me());
    let coding = coding(answer);
    let sample = answer.sample(json!({ "content-encoding": coding }));
    let value = match coding.as_deref() {
        None => json!("none"),
        Some("gzip") => json!("gzip"),
        Some(_) => return Ok(Finding::Outside { sample }),
    };
    Ok(Finding::Learned { value, sample })
}

/// The objects in responses: the name in `extra_fields`, the requests and the pointers in `data`. The
/// place `me` has the fields that no edit shows.
#[rustfmt::skip]
const PLACES: &[(&str, &[(Step, &str)])] = &[
    ("profile", &[(Step::EditProfile, "")]),
    ("me", &[(Step::Me, "")]),
    ("key", &[(Step::Me, "/key")]),
    ("badge", &[(Step::Badges, ""), (Step::Me, "/badges")]),
    ("statistics", &[(Step::Own1, ""), (Step::Other1, "")]),
    ("analytics", &[(Step::Analytics, "")]),
    ("site", &[(Step::Site, "")]),
    ("link", &[(Step::CreateLink, ""), (Step::EditLink, ""), (Step::MeWithLink, "/links"), (Step::Me, "/links")]),
    ("post", &[(Step::CreatePost, ""), (Step::MeWithPost, "/posts"), (Step::Me, "/posts")]),
];

/// Returns the fields of responses that the mock does not have, with shortened values.
pub(crate) fn extra_fields(learner: &Learner<'_>) -> Found {
    let me = learner.all.me();
    let answers = learner.answers(Step::ALL);
    let mut found = json!({});
    for &(place, pointers) in PLACES {
        for (step, pointer) in pointers {
            let (Ok(service), Some(mock)) = (learner.all.answer(*step), answers.get(step)) else {
                continue;
            };
            let known = objects(mock, pointer);
            for (name, value) in objects(service, pointer).into_iter().flatten() {
                let is_known = known.iter().any(|object| object.contains_key(name))
                    || place == "me" && found["profile"].get(name).is_some()
                    || found[place].get(name).is_some();
                if !is_known && !known.is_empty() {
                    found[place][name] = shortened(value);
                }
            }
        }
    }
    // The texts may be secret. An edit may return everything that `GET /me` returns.
    for pointer in ["/key", "/profile/key", "/profile/email"] {
        if let Some(value) = found.pointer_mut(pointer) {
            *value = without_texts(value);
        }
    }
    let names = map_members(&found, |fields| {
        let fields = fields.as_object().into_iter();
        fields.flat_map(Map::keys).cloned().collect()
    });
    Ok(Finding::values(found, me.sample(names)))
}

/// Returns an object, or the objects in an array. An empty object is the response to a write.
fn objects<'a>(answer: &'a Answer, pointer: &str) -> Vec<&'a Map<String, Value>> {
    match answer.at(pointer) {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_object).collect(),
        Some(Value::Object(object)) if !object.is_empty() => vec![object],
        _ => Vec::new(),
    }
}

/// Shortens texts and arrays, without changing the shape.
fn shortened(value: &Value) -> Value {
    const MAX_CHARACTERS: usize = 200;
    match value {
        Value::String(text) => text.chars().take(MAX_CHARACTERS).collect::<String>().into(),
        Value::Array(all) => all.iter().take(1).map(shortened).collect(),
        _ => map_members(value, shortened),
    }
}

/// Returns the value that all deliveries show, or the first that shows another one.
fn find(learner: &Learner<'_>, observe: fn(&Delivery) -> (Option<Value>, Sample)) -> Found {
    let mut observed = learner.all.deliveries.iter().map(observe);
    let (value, sample) = observed.next().ok_or("needs --delivery")?;
    let other = observed.find(|(other, _)| *other != value);
    Ok(match (value, other) {
        (Some(value), None) => Finding::Learned { value, sample },
        (None, None) => Finding::Outside { sample },
        (_, Some((_, sample))) => Finding::Outside { sample },
    })
}

pub(crate) fn encoding(learner: &Learner<'_>) -> Found {
    find(learner, |delivery| {
        let signature = delivery.header("x-service-signature");
        let encoding = signature.and_then(decode).map(|(encoding, _)| encoding);
        // No dialect has upper-case hex digits.
        let encoding = encoding.filter(|encoding| *encoding != "upper_hex");
        let sample = delivery.sample(json!({ "x-service-signature": signature }));
        (encoding.map(Value::from), sample)
    })
}

pub(crate) fn payload(learner: &Learner<'_>) -> Found {
    find(learner, |delivery| {
        let Ok(body) = serde_json::from_slice::<Value>(&delivery.body) else {
            return (Some("not_json".into()), delivery.sample("not JSON"));
        };
        let is_envelope = body["type"].as_str() == delivery.header("x-service-event")
            && body["created_at"].is_string()
            && body.get("data").is_some();
        let kind = if is_envelope { "envelope" } else { "bare" };
        (Some(kind.into()), delivery.sample(without_texts(&body)))
    })
}
