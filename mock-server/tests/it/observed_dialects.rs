//! The settings of a dialect that hold data of a running service.

use std::collections::BTreeSet;

use mock_server::{Dialect, Endpoint};
use serde_json::json;

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
