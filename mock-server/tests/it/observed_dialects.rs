//! The settings of a dialect that hold data of a running service.

use std::collections::BTreeSet;

use mock_server::{Dialect, Endpoint, World};
use serde_json::{Value, json};

use crate::dialects::{read, send};

fn world(settings: Value) -> World {
    let mut world = World::default();
    world.set_dialect(Dialect::from_json(&settings.to_string()).unwrap());
    world
}

#[test]
fn rejections_have_the_observed_status_code_and_message() {
    let mut world = world(json!({
        "content_rejection": "bad_request",
        "rejections": {
            "unknown_field": {"status": 409, "code": "E17", "message": "no"},
            "method_not_allowed": {"status": 404},
            "scope_missing": {"code": "E18"},
        },
    }));
    let nickname = json!({"nickname": "x"});
    let answer = send(&mut world, "PATCH /me/profile", nickname);
    assert_eq!(answer.status, 409);
    let expected = json!({"error": {"code": "E17", "message": "no", "field": "nickname"}});
    assert_eq!(
        serde_json::from_str::<Value>(&answer.body).unwrap(),
        expected
    );
    let answer = send(&mut world, "PUT /stats", None);
    assert_eq!((answer.status, answer.header("allow")), (404, None));
    // Other rejections of content have the status of the setting.
    let answer = send(&mut world, "PATCH /me/profile", json!({"bio": 1}));
    assert_eq!(answer.status, 400);
}

#[test]
fn every_rejection_of_an_endpoint_can_be_observed() {
    let endpoints = Endpoint::ALL
        .iter()
        .flat_map(|endpoint| endpoint.rejections());
    let codes: BTreeSet<_> = endpoints
        .chain(["path_outside_api", "unknown_path", "method_not_allowed"])
        .collect();
    for code in &codes {
        let observed = json!({"rejections": {*code: {"status": 400}}});
        Dialect::from_json(&observed.to_string()).unwrap();
    }
    let unknown = r#"{"rejections": {"?": {}}}"#;
    let error = Dialect::from_json(unknown).unwrap_err().to_string();
    assert_eq!(error.matches(", ").count() + 1, codes.len(), "{error}");
}

#[test]
fn an_older_file_has_one_code_for_unknown_and_malformed_keys() {
    let old =
        json!({"rejections": {"key_invalid": {"status": 403}, "unknown_key": {"code": "E1"}}});
    let new = json!({"rejections": {
        "malformed_authorization": {"status": 403}, "unknown_key": {"code": "E1"},
    }});
    let [old, new] = [old, new].map(|text| Dialect::from_json(&text.to_string()).unwrap());
    assert_eq!(old, new);
}

#[test]
fn a_template_is_filled_in() {
    let mut world = world(json!({"error_template": {
        "content_type": "application/vnd.api+json",
        "body": {
            "errors": [{"id": "{code}", "status": "{status}", "text": "{status}: {message} {x}"}],
            "fields": {"{field}": ["invalid", 7, null]},
            "path": ["{field}"],
        },
    }}));
    let answer = send(&mut world, "POST /me/posts", json!({"{code}": "x"}));
    assert_eq!(answer.status, 422);
    let content_type = answer.header("content-type");
    assert_eq!(content_type, Some("application/vnd.api+json"));
    let message = "unknown field {code}; expected body";
    assert_eq!(
        serde_json::from_str::<Value>(&answer.body).unwrap(),
        json!({
            "errors": [
                {"id": "unknown_field", "status": 422, "text": format!("422: {message} {{x}}")}
            ],
            "fields": {"{code}": ["invalid", 7, null]},
            "path": ["{code}"],
        })
    );
    let answer = send(&mut world, "DELETE /me/links/none", None);
    let body = serde_json::from_str::<Value>(&answer.body).unwrap();
    assert_eq!(body["errors"][0]["id"], "unknown_link");
    assert_eq!((&body["fields"], &body["path"]), (&json!({}), &json!([])));
}

#[test]
fn a_template_can_be_a_text() {
    let body = json!({"error_template": {"body": "{status} {code} {field}"}});
    let answer = send(&mut world(body), "GET /nothing", None);
    assert_eq!(answer.body, "404 unknown_path ");
    let content_type = answer.header("content-type");
    assert_eq!(content_type, Some("text/plain; charset=utf-8"));
}

#[test]
fn writes_have_the_observed_status_codes() {
    let mut world = world(json!({
        "write_responses": "empty_data",
        "write_statuses": {"created": 202, "deleted": 204},
    }));
    let empty = r#"{"data":{}}"#;
    let link = json!({"title": "x", "url": "https://example.com"});
    for (line, body, status, expected) in [
        ("POST /me/links", link, 202, empty),
        ("POST /me/posts", json!({"body": "x"}), 202, empty),
        ("PATCH /me/profile", json!({"bio": "x"}), 200, empty),
        ("DELETE /me/links/link_1", Value::Null, 204, ""),
    ] {
        let answer = send(&mut world, line, body);
        assert_eq!((answer.status, &*answer.body), (status, expected), "{line}");
    }
    assert_eq!(world.account("demo").unwrap().profile.bio, "x");
}

#[test]
fn headers_about_the_rate_limit_have_the_observed_names() {
    let mut world = world(json!({
        "rate_limit_header_names": {"limit": "X-Quota", "reset": "x-quota-end"},
    }));
    let answer = send(&mut world, "GET /badges", None);
    assert_eq!(answer.header("x-quota"), Some("1000000"));
    assert_eq!(answer.header("x-quota-end"), Some("60"));
    for name in ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"] {
        assert_eq!(answer.header(name), None);
    }
}

#[test]
fn responses_have_the_extra_fields() {
    let mut world = world(json!({"extra_fields": {
        "me": {"phone": null},
        "profile": {"pronouns": "they", "handle": "other"},
        "key": {"plan": "free"},
        "link": {"clicks": 7, "created_at": "other"},
        "post": {"likes": [1]},
        "badge": {"rank": 1},
        "statistics": {"unique": true},
        "analytics": {"shares": 0},
        "site": {"posts": 9},
    }}));
    let me = read(&mut world, "GET /me");
    assert_eq!(me.get("phone"), Some(&Value::Null));
    assert_eq!(me["pronouns"], "they");
    assert_eq!(me["handle"], "demo");
    assert_eq!(me["key"]["plan"], "free");
    assert_eq!(me["links"][0]["clicks"], 7);
    assert_ne!(me["links"][0]["created_at"], "other");
    assert_eq!(me["posts"][0]["likes"], json!([1]));
    assert_eq!(me["badges"][0]["rank"], 1);
    assert_eq!(read(&mut world, "GET /users/demo/stats")["unique"], true);
    assert_eq!(read(&mut world, "GET /me/analytics")["shares"], 0);
    assert_eq!(read(&mut world, "GET /badges")[0]["rank"], 1);
    assert_eq!(read(&mut world, "GET /stats")["posts"], 9);
    let edited = send(&mut world, "PATCH /me/profile", json!({"bio": "x"}));
    let edited: Value = serde_json::from_str(&edited.body).unwrap();
    assert_eq!(edited["data"]["pronouns"], "they");
    assert_eq!(edited["data"].get("phone"), None);
    let link = json!({"title": "x", "url": "https://example.com"});
    let created = send(&mut world, "POST /me/links", link);
    assert!(created.body.contains(r#""clicks":7"#), "{}", created.body);
    let created = send(&mut world, "POST /me/posts", json!({"body": "x"}));
    assert!(created.body.contains(r#""likes":[1]"#), "{}", created.body);
}

#[test]
fn extra_fields_do_not_change_an_empty_response() {
    for responses in ["empty_data", "null_data", "no_content"] {
        let mut plain = world(json!({"write_responses": responses}));
        let mut extra = world(json!({
            "write_responses": responses,
            "extra_fields": {"post": {"likes": 1}},
        }));
        let send = |world| send(world, "POST /me/posts", json!({"body": "x"})).body;
        assert_eq!(send(&mut extra), send(&mut plain));
    }
}

#[test]
fn observed_data_round_trips_and_is_checked() {
    let settings = json!({
        "rejections": {"key_missing": {"status": 403, "code": "auth"}},
        "error_template": {"body": {"fault": "{message}"}},
        "rate_limit_header_names": {"limit": "x-quota"},
        "write_statuses": {"edited": 202},
        "extra_fields": {"link": {"clicks": 7}},
    });
    let dialect = Dialect::from_json(&settings.to_string()).unwrap();
    let saved = serde_json::to_value(&dialect).unwrap();
    for (name, value) in settings.as_object().unwrap() {
        assert_eq!(&saved[name], value);
    }
    assert_eq!(serde_json::from_value::<Dialect>(saved).unwrap(), dialect);
    for row in INVALID.trim().lines() {
        let (text, message) = row.split_once(" => ").unwrap();
        let error = Dialect::from_json(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

/// Invalid settings, and the beginnings of their errors.
const INVALID: &str = r#"
{"rejections": {"key_missing": {"status": 200}}} => rejections.key_missing.status: found 200; expected a status code from 400 to 599
{"rejections": {"key_lost": {}}} => rejections: unknown rejection `key_lost`; expected one of path_outside_api, unknown_path
{"write_statuses": {"created": 302}} => write_statuses.created: found 302; expected a status code from 200 to 299
{"write_statuses": {"updated": 200}} => write_statuses.updated: unknown field `updated`, expected one of `created`, `edited`
{"rate_limit_header_names": {"limit": "x quota"}} => rate_limit_header_names.limit: found "x quota"; expected the name of a header, such as X-RateLimit-Limit
{"rate_limit_header_names": {"reset": "Host"}} => rate_limit_header_names.reset: found "host", which HTTP itself uses
{"error_template": {"content_type": "text\n", "body": ""}} => error_template.content_type: found "text\n"; expected a content type such as application/json
{"extra_fields": {"post": {"id": 1}}} => extra_fields: `id` of `post` is in the specification; expected other fields
{"extra_fields": {"comment": {}}} => extra_fields.?: unknown variant `comment`, expected one of `me`, `profile`
"#;
