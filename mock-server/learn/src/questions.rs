//! The answers to the questions that the specification leaves open, the table of the questions in its order, and
//! the settings that consist of observed values, as far as they differ from what the mock does.

use Way::{Compare, Derive, Never};

use serde_json::{Map, Value, json};

use crate::learner::{Finding, Found, Learner, Row};
use crate::observations::{Delivery, Observations, decode};
use crate::rejections;
use crate::requests::Step::{self, *};
use crate::response::{Answer, Sample, map_members, without_texts};
use crate::views::{self, View};

/// Answers all questions. Returns the learner with the learned settings, and the findings.
pub(crate) fn conclude(all: &Observations) -> (Learner<'_>, Vec<Row>) {
    let mut learner = Learner::new(all);
    let mut rows = Vec::new();
    for (setting, question, way) in QUESTIONS {
        let found = match way {
            Way::Compare(steps, view, needs) => learner.compare(setting, steps, *view, needs),
            Way::Derive(find) => find(&learner),
            Way::Never(reason) => Err((*reason).to_owned()),
        };
        let mut finding = found.unwrap_or_else(|reason| Finding::NotObservable { reason });
        if let Finding::Learned { value, sample } = &finding
            && let Err(reason) = learner.set(setting, value)
        {
            let sample = sample.with(reason);
            finding = Finding::Outside { sample };
        }
        rows.push(Row::new(setting, *question, finding));
    }
    for (row, (_, _, way)) in rows.iter_mut().zip(QUESTIONS) {
        if let Way::Compare(steps, view, _) = way {
            learner.review(row, steps, *view);
        }
    }
    (learner, rows)
}

/// A question that the specification leaves open: the setting of the dialect, which is empty if the mock
/// has none, the text, and the way to the answer.
type Question = (&'static str, &'static str, Way);

/// A way to the answer.
enum Way {
    /// The value of the setting with which a part of these responses of the mock is the same, and the
    /// reason if several values lead to the same responses.
    Compare(&'static [Step], View, &'static str),
    /// The setting consists of observed values, or a comparison cannot find it.
    Derive(fn(&Learner<'_>) -> Found),
    /// No request shows it, for this reason.
    Never(&'static str),
}

#[rustfmt::skip]
const QUESTIONS: &[Question] = &[
    ("api_visible", "type of api_visible", Compare(&[Me], views::api_visible, "")),
    ("key_object", "fields of key", Compare(&[Me], views::key_object, "")),
    ("key_scopes", "type of key.scopes",
        Compare(&[Me], views::key_scopes, "the key has fewer than two scopes")),
    ("key_rate_limit", "type of key.rate_limit", Compare(&[Me], views::key_rate_limit, "")),
    ("me_fields", "fields of GET /me", Compare(&[Me], views::me_fields, "")),
    ("", "case of handles", Never("a handle in another case may belong to someone else")),
    ("ids", "type of IDs", Compare(RESOURCES, views::ids, NO_RESOURCE)),
    ("resource_fields", "other fields of links and posts",
        Compare(RESOURCES, views::resource_fields, NO_RESOURCE)),
    ("write_responses", "response to a write", Compare(WRITES, views::write_response, "")),
    ("write_statuses", "statuses of writes", Derive(write_statuses)),
    ("", "required fields of links and posts",
        Compare(&[CreateLinkWithoutUrl, EditLinkEmpty], views::accepted, "")),
    ("unknown_fields", "unknown fields of links and posts",
        Compare(&[EditLinkUnknownField], views::accepted, "")),
    ("", "null in an edit", Compare(&[EditLinkNull], views::accepted, "")),
    ("", "other types than strings", Compare(&[EditLinkNumber], views::accepted, "")),
    ("", "repeated fields", Compare(&[RepeatedField], views::accepted, "")),
    ("", "characters that count against a limit", Never(CHANGED)),
    ("", "line breaks that count against a limit", Never(CHANGED)),
    ("", "case of colors", Never(CHANGED)),
    ("", "limits of titles, URLs and posts", Never("only long texts would show them")),
    ("link_urls", "form of stored URLs",
        Compare(&[CreateLink, EditLink, MeWithLink], views::link_urls, NO_RESOURCE)),
    ("", "relative URLs", Compare(&[EditLinkRelativeUrl], views::accepted, "")),
    ("analytics", "fields of analytics", Compare(&[Analytics], views::analytics, "")),
    ("badge_kinds", "kinds of badges",
        Compare(&[Badges], views::badge_kinds, "GET /badges lists no badge")),
    ("other_statistics", "devices and countries of others",
        Compare(&[Other1], views::other_statistics, "")),
    ("", "scope of GET /me and view statistics",
        Compare(&[Me], views::without_scopes, "needs a key without scopes")),
    ("reference_data", "key for GET /badges and GET /stats",
        Compare(&[BadgesWithoutKey, SiteWithoutKey], views::open, "")),
    ("content_rejection", "status for invalid content",
        Compare(&[UnknownField], views::status, "")),
    ("days_out_of_range", "days out of range",
        Compare(&[Own366, Other31, Other366], views::days, SAME_STATUS)),
    ("scope_rejection", "status for a missing scope",
        Compare(&[Analytics, UnknownField], views::refusal, ALL_SCOPES)),
    ("error_body", "body of a rejection", Derive(rejections::error_body)),
    ("error_template", "other bodies of rejections", Derive(rejections::template)),
    ("rejections", "other statuses, codes and messages of rejections",
        Derive(rejections::overrides)),
    ("rate_limit_rejection", "rate limit", Compare(&[Me, RateLimited], views::rate_limit, "")),
    ("rate_limit_headers", "names of rate limit headers",
        Compare(&[Me], views::rate_limit_headers, NO_HEADERS)),
    ("rate_limit_header_names", "other names of rate limit headers",
        Derive(rate_limit_header_names)),
    ("rate_limit_reset", "reset of the rate limit",
        Compare(&[Me], views::rate_limit_reset, NO_HEADERS)),
    ("retry_after", "form of Retry-After",
        Compare(&[RateLimited], views::retry_after, "the 429 has no Retry-After")),
    ("webhook_signature_encoding", "encoding of a signature", Derive(encoding)),
    ("webhook_payload", "payload of an event", Derive(payload)),
    ("", "triggers of events", Never(NOT_IN_DELIVERY)),
    ("webhook_timeout", "timeout of a delivery", Never(NOT_IN_DELIVERY)),
    ("", "retries of deliveries", Never(NOT_IN_DELIVERY)),
    ("", "a success between failed deliveries", Never(NOT_IN_DELIVERY)),
    ("", "re-enabling of webhooks", Never(NO_ENDPOINT)),
    ("", "provisioning of webhooks", Never(NO_ENDPOINT)),
    ("extra_fields", "further fields", Derive(extra_fields)),
    ("", "redirects", Never("no request causes one")),
    ("compression", "compression of responses", Derive(compression)),
    ("", "HTTP version", Never("the command uses a single version")),
];

const RESOURCES: &[Step] = &[Me, MeWithLink, MeWithPost, CreateLink, CreatePost];

#[rustfmt::skip]
const WRITES: &[Step] = &[EditProfile, EditLink, CreateLink, CreatePost, DeleteLink, DeletePost];

const NO_RESOURCE: &str = "no response contains a link or post";
const NO_HEADERS: &str = "GET /me has no separate headers about the rate limit";
const SAME_STATUS: &str = "the status is that of invalid content";
const ALL_SCOPES: &str = "needs a key without analytics:read or profile:write";
const CHANGED: &str = "only an edit that changes the profile would show it";
const NOT_IN_DELIVERY: &str = "a recorded delivery does not show it";
const NO_ENDPOINT: &str = "no specified endpoint manages webhooks";

/// Returns the statuses of successful writes.
fn write_statuses(learner: &Learner<'_>) -> Found {
    let answers = learner.answers(WRITES);
    let (mut found, mut different, mut sample) = (json!({}), json!({}), None);
    for step in WRITES {
        let kind = match step {
            EditProfile | EditLink => "edited",
            CreateLink | CreatePost => "created",
            DeleteLink | DeletePost => "deleted",
            _ => continue,
        };
        if let (Ok(written), Some(mock)) = (learner.all.answer(*step), answers.get(step))
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
        None => Err(learner.reason(&[EditProfile], "")),
    }
}

/// Returns the names of headers that have no setting of their own.
fn rate_limit_header_names(learner: &Learner<'_>) -> Found {
    let me = learner.all.me();
    let names = me.rate_limit_headers();
    if names.is_empty() {
        return Err("GET /me has no separate headers about the rate limit".to_owned());
    }
    let same = learner.answers(&[Me])[&Me].rate_limit_headers();
    let sample = me.sample(json!(names));
    let names = names.iter().filter(|_| names != same);
    let names = names.map(|(part, name)| ((*part).to_owned(), json!(name)));
    Ok(Finding::values(names.collect(), sample))
}

/// Observes a header of the first compressed response. Short ones may not be compressed.
fn compression(learner: &Learner<'_>) -> Found {
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
    ("profile", &[(EditProfile, "")]),
    ("me", &[(Me, "")]),
    ("key", &[(Me, "/key")]),
    ("badge", &[(Badges, ""), (Me, "/badges")]),
    ("statistics", &[(Own1, ""), (Other1, "")]),
    ("analytics", &[(Analytics, "")]),
    ("site", &[(Site, "")]),
    ("link", &[(CreateLink, ""), (EditLink, ""), (MeWithLink, "/links"), (Me, "/links")]),
    ("post", &[(CreatePost, ""), (MeWithPost, "/posts"), (Me, "/posts")]),
];

/// Returns the fields of responses that the mock does not have, with shortened values.
fn extra_fields(learner: &Learner<'_>) -> Found {
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

fn encoding(learner: &Learner<'_>) -> Found {
    find(learner, |delivery| {
        let signature = delivery.header("x-service-signature");
        let encoding = signature.and_then(decode).map(|(encoding, _)| encoding);
        // No dialect has upper-case hex digits.
        let encoding = encoding.filter(|encoding| *encoding != "upper_hex");
        let sample = delivery.sample(json!({ "x-service-signature": signature }));
        (encoding.map(Value::from), sample)
    })
}

fn payload(learner: &Learner<'_>) -> Found {
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
