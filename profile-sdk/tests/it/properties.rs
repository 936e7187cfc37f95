//! Properties that hold for every body, tested with random and damaged responses.

use mock_server::{Request, World, handle};
use profile_sdk::{Metric, Operation, ProfileField};
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use crate::canned_client::CannedClient;
use crate::cases::for_all;

/// Field names in responses, so that random objects often have known fields.
const NAMES: &str = "data error errors message detail code type handle links posts badges email api_visible \
    key scopes rate_limit id title url body views likes social total_views period daily days devices desktop \
    countries users kind";

const TEXTS: [&str; 7] = [
    "",
    ".",
    "..",
    "true",
    "1",
    "links:write social:write",
    "60/minute",
];

fn any_leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        select(&TEXTS[..]).prop_map(Value::from),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    any_leaf().prop_recursive(5, 64, 6, |inner| {
        let fields = ProfileField::ALL.iter().map(|field| field.name());
        let names: Vec<_> = NAMES.split(' ').chain(fields).collect();
        let name = prop_oneof![8 => select(names).prop_map(String::from), 1 => any::<String>()];
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(name, inner, 0..6).prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

/// Returns valid responses in forms that the mock does not use, the first a profile.
fn good_answers() -> Vec<Value> {
    vec![
        json!({
            "handle": "demo", "display_name": "Ada", "bio": "b", "location": null,
            "accent_color": "#ff8800", "links": [{"id": 7, "title": "t", "url": "x:y"}],
            "posts": [{"id": "p", "body": "b"}], "email": "a@b", "api_visible": true,
            "badges": [{"id": "b", "name": "B", "color": "#000000", "kind": "auto"}],
            "key": {"scopes": ["links:write"], "rate_limit": {"limit": 60, "window": "60s"}},
        }),
        json!({"views": 1, "likes": {"total": 2}, "social": {"followers": 3}}),
        json!({
            "total_views": 9, "period": {"days": 30, "views": 2},
            "daily": [{"date": "2026-01-01", "views": 2}],
            "devices": {"desktop": 1, "mobile": 1}, "countries": [{"code": "DE", "views": 2}],
        }),
        json!({"id": 7, "title": "t", "url": "x:y", "body": "b"}),
    ]
}

/// Selects a valid response, also from those of the mock to every read.
fn good_answer() -> impl Strategy<Value = Value> {
    let mut world = World::default();
    let authorization = format!("Bearer {}", world.keys().all);
    let reads = Operation::ALL.iter();
    let reads = reads.filter(|operation| !operation.method().is_write());
    let of_mock = reads.map(|operation| {
        let path = operation.path_template().replace("{handle}", "demo");
        let request = Request::new("GET", &path).header("Authorization", authorization.as_str());
        let response = handle(&mut world, &request).body;
        serde_json::from_slice::<Value>(&response).expect("JSON")["data"].take()
    });
    let all = good_answers().into_iter().chain(of_mock);
    select(all.collect::<Vec<_>>())
}

/// Generates valid responses with one value replaced.
fn answer_with_another_value() -> impl Strategy<Value = Value> {
    (good_answer(), any::<Index>(), any_json()).prop_map(|(mut response, place, other)| {
        let count = scalars(&mut response).len();
        let mut places = scalars(&mut response).into_iter();
        *places.nth(place.index(count)).expect("a place") = other;
        response
    })
}

/// Returns all values that are not arrays or objects.
fn scalars(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(items) => items.iter_mut().flat_map(scalars).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(scalars).collect(),
        leaf => vec![leaf],
    }
}

/// Generates bodies with a few bytes removed, inserted or cut off.
fn damaged_body() -> impl Strategy<Value = Vec<u8>> {
    let damage = (any::<Index>(), vec(any::<u8>(), 0..4), 0..4_usize);
    (good_answer(), vec(damage, 1..4), any::<bool>()).prop_map(|(response, damages, cut)| {
        let mut body = json!({"data": response}).to_string().into_bytes();
        for (place, put_in, taken_out) in damages {
            let start = place.index(body.len());
            let end = (start + taken_out).min(body.len() - 1);
            body.splice(start..end.max(start), put_in);
        }
        if cut {
            body.truncate(body.len() / 2);
        }
        body
    })
}

fn any_body() -> impl Strategy<Value = Vec<u8>> {
    let enveloped = |data: Value| json!({"data": data}).to_string().into_bytes();
    prop_oneof![
        4 => answer_with_another_value().prop_map(enveloped),
        2 => any_json().prop_map(enveloped),
        1 => any_json().prop_map(|body| body.to_string().into_bytes()),
        4 => damaged_body(),
        1 => vec(any::<u8>(), 0..200),
    ]
}

/// Returns difficult bodies that random generation does not find.
fn hard_bodies() -> Vec<String> {
    let number = "9".repeat(400);
    let mut bodies = vec![
        format!(r#"{{"data":{number}}}"#),
        format!(r#"{{"data":{{"users":{number},"views":1e999,"links":-0}}}}"#),
        format!(r#"{{"data":{{"id":{number},"title":1e-999}}}}"#),
        r#"{"data":{"bio":"\ud83d","handle":"\udc00"}}"#.to_owned(),
        "\u{feff}\u{feff}{\"data\":{}}".to_owned(),
        r#"{"data":{"id":18446744073709551616}}"#.to_owned(),
        format!(r#"{{"data":{{"bio":"{}"}}}}"#, "🦀".repeat(100_000)),
    ];
    for depth in [100, 127, 128, 129, 10_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        bodies.push(open.clone());
        bodies.push(format!(r#"{{"data":{open}{close}}}"#));
        bodies.push(format!(
            r#"{{"data":{{"key":{open}{close},"x":{open}{close}}}}}"#
        ));
        bodies.push(r#"{"data":"#.repeat(depth));
        bodies.push(r#"{"error":"#.repeat(depth) + "1" + &"}".repeat(depth));
    }
    bodies
}

#[test]
fn no_body_causes_a_panic() {
    let canned = CannedClient::new();
    for_all(1500, &any_body(), |body| {
        canned.check_every_call(&body);
    });
    for body in hard_bodies() {
        canned.check_every_call(body.as_bytes());
    }
}

#[test]
fn decodes_and_keeps_analytics_of_any_shape() {
    let canned = CannedClient::new();
    for_all(500, &any_json(), |data| {
        let body = json!({"data": data}).to_string();
        let analytics = canned.read(canned.client.analytics(), body.as_bytes());
        let analytics = analytics.expect("any shape is accepted");
        let metrics = [&analytics.views, &analytics.likes, &analytics.social];
        for metric in metrics.into_iter().flatten() {
            let _ = (metric.total(), metric.parts().count(), Metric::raw(metric));
        }
        let kept = serde_json::to_value(&analytics).expect("JSON");
        match &data {
            Value::Object(_) => assert_eq!(without_nulls(kept), without_nulls(data)),
            _ => assert_eq!(kept, json!({"data": data})),
        }
    });
}

#[test]
fn keeps_unknown_fields_of_profiles() {
    let fields = btree_map("x_[a-z]{1,9}", any_json(), 0..8);
    let canned = CannedClient::new();
    for_all(500, &fields, |fields| {
        let mut data = good_answers().swap_remove(0);
        let added: Map<String, Value> = fields.into_iter().collect();
        for part in ["key", "links"] {
            let part = match &mut data[part] {
                Value::Array(items) => &mut items[0],
                object => object,
            };
            let part = part.as_object_mut().expect("an object");
            part.extend(added.clone());
        }
        data.as_object_mut().expect("an object").extend(added);
        let body = json!({"data": data}).to_string();
        let profile = canned.read(canned.client.me(), body.as_bytes());
        let profile = profile.expect("a profile");
        let kept = serde_json::to_value(&profile).expect("JSON");
        assert_eq!(without_nulls(kept), without_nulls(data));
    });
}

#[test]
fn keeps_unexpected_fields_of_elements() {
    let place = select(&[("links", "title"), ("links", "url"), ("posts", "body")][..]);
    let odd = (place, any_json(), any::<bool>());
    let canned = CannedClient::new();
    for_all(500, &odd, |((list, field), odd, last)| {
        let mut data = good_answers().swap_remove(0);
        let elements = data[list].as_array_mut().expect("a list");
        elements.insert(usize::from(last), json!({"id": 1, field: odd}));
        let body = json!({"data": data}).to_string();
        let profile = canned.read(canned.client.me(), body.as_bytes());
        let profile = profile.expect("a profile");
        let count = match list {
            "links" => profile.links.as_ref().map(Vec::len),
            _ => profile.posts.as_ref().map(Vec::len),
        };
        assert_eq!(count, Some(2));
        let kept = serde_json::to_value(&profile).expect("JSON");
        assert_eq!(without_nulls(kept), without_nulls(data));
    });
}

/// Removes fields that are null, which are decoded like absent fields.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
