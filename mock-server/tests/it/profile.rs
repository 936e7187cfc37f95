//! `PATCH /me/profile`.

use mock_server::{FieldLimit, MockServer, ProfileField};
use serde_json::{Value, json};

use crate::request::request;

#[track_caller]
fn accept(server: &MockServer, field: &str, text: &str) {
    let edited = request(server, "PATCH /me/profile")
        .json(json!({ field: text }))
        .data(200);
    assert_eq!(edited[field], text);
}

#[track_caller]
fn refuse(server: &MockServer, field: &str, text: &str, code: &str, message: &str) {
    let before = server.world().unwrap();
    request(server, "PATCH /me/profile")
        .json(json!({ field: text }))
        .assert_rejected_for(422, field, code, message);
    assert_eq!(server.world().unwrap(), before);
}

#[tokio::test]
async fn returns_the_public_profile() {
    let server = MockServer::start().await;
    let mut expected = request(&server, "GET /me").data(200);
    let edited = request(&server, "PATCH /me/profile")
        .json(json!({"location": "Paris"}))
        .data(200);
    let fields = expected.as_object_mut().unwrap();
    for private in ["email", "api_visible", "key"] {
        fields.remove(private).unwrap();
    }
    expected["location"] = "Paris".into();
    assert_eq!(edited, expected);
}

#[tokio::test]
async fn an_empty_string_clears_a_field() {
    let server = MockServer::start().await;
    for field in ["display_name", "bio", "location"] {
        accept(&server, field, "");
    }
}

#[tokio::test]
async fn reports_the_violated_rule_and_the_value() {
    let server = MockServer::start().await;
    for field in ProfileField::ALL {
        if let FieldLimit::Text { max_characters, .. } = field.limit() {
            let (name, length) = (field.name(), max_characters + 1);
            let message =
                format!("{name} has {length} characters; at most {max_characters} are allowed");
            let text = "x".repeat(length);
            refuse(&server, name, &text, "too_many_characters", &message);
        }
    }
}

#[tokio::test]
async fn requires_strings() {
    let server = MockServer::start().await;
    for field in ProfileField::ALL {
        for (value, found) in [
            (Value::Null, "null"),
            (json!(true), "a boolean"),
            (json!(5), "a number"),
            (json!(["x"]), "an array"),
            (json!({"x": 1}), "an object"),
        ] {
            let name = field.name();
            let message = format!("{name} is {found}; expected a string");
            request(&server, "PATCH /me/profile")
                .json(json!({ name: value }))
                .assert_rejected_for(422, name, "wrong_type", &message);
        }
    }
}
