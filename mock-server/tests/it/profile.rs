//! `PATCH /me/profile`.

use mock_server::{FieldLimit, MockServer, ProfileField};
use serde_json::{Value, json};

use crate::request::{request, write};

#[tokio::test]
async fn returns_the_public_profile() {
    let server = MockServer::start().await;
    let mut expected = request(&server, "GET /me").data(200);
    let edit = json!({"location": "Paris"});
    let edited = write(&server, "PATCH /me/profile", edit, 200);
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
        let edited = write(&server, "PATCH /me/profile", json!({ field: "" }), 200);
        assert_eq!(edited[field], "");
    }
}

#[tokio::test]
async fn reports_the_violated_rule_and_the_value() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    for field in ProfileField::ALL {
        if let FieldLimit::Text { max_characters, .. } = field.limit() {
            let (name, length) = (field.name(), max_characters + 1);
            let message =
                format!("{name} has {length} characters; at most {max_characters} are allowed");
            let edit =
                request(&server, "PATCH /me/profile").json(json!({ name: "x".repeat(length) }));
            edit.assert_rejected_for(422, name, "too_many_characters", &message);
        }
    }
    assert_eq!(server.world().unwrap(), before);
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
            let edit = request(&server, "PATCH /me/profile").json(json!({ name: value }));
            edit.assert_rejected_for(422, name, "wrong_type", &message);
        }
    }
}
