//! `PATCH /me/profile`.

use mock_server::MockServer;
use serde_json::{Value, json};

use crate::ask::ask;

const TEN_LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10";

#[track_caller]
fn accept(server: &MockServer, field: &str, text: &str) {
    let edited = ask(server, "PATCH /me/profile")
        .json(json!({ field: text }))
        .data(200);
    assert_eq!(edited[field], text);
}

#[track_caller]
fn refuse(server: &MockServer, field: &str, text: &str, code: &str, message: &str) {
    let before = server.world().unwrap();
    ask(server, "PATCH /me/profile")
        .json(json!({ field: text }))
        .refused_for(422, field, code, message);
    assert_eq!(server.world().unwrap(), before);
}

#[tokio::test]
async fn edits_every_field_and_reads_it_back() {
    let server = MockServer::start().await;
    let edit = json!({
        "display_name": "Ada",
        "bio": "First\nsecond",
        "location": "London",
        "accent_color": "#ff8800",
        "text_color": "#000000",
        "background_color": "#FFFFFF",
    });
    ask(&server, "PATCH /me/profile")
        .json(edit.clone())
        .data(200);
    let me = ask(&server, "GET /me").data(200);
    for (field, text) in edit.as_object().unwrap() {
        assert_eq!(&me[field], text);
    }
}

#[tokio::test]
async fn answers_with_the_public_profile() {
    let server = MockServer::start().await;
    let mut expected = ask(&server, "GET /me").data(200);
    let edited = ask(&server, "PATCH /me/profile")
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
async fn what_is_not_given_stays() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    ask(&server, "PATCH /me/profile").json(json!({})).data(200);
    assert_eq!(server.world().unwrap(), before);
}

#[tokio::test]
async fn an_empty_text_clears() {
    let server = MockServer::start().await;
    for field in ["display_name", "bio", "location"] {
        accept(&server, field, "");
    }
}

#[tokio::test]
async fn display_name_has_up_to_32_characters() {
    let server = MockServer::start().await;
    for character in ["x", "é", "🙂", "\n"] {
        accept(&server, "display_name", &character.repeat(32));
        refuse(
            &server,
            "display_name",
            &character.repeat(33),
            "too_many_characters",
            "display_name has 33 characters; at most 32 are allowed",
        );
    }
}

#[tokio::test]
async fn a_combining_mark_is_a_character() {
    let server = MockServer::start().await;
    accept(&server, "display_name", &"e\u{301}".repeat(16));
    refuse(
        &server,
        "display_name",
        &"e\u{301}".repeat(17),
        "too_many_characters",
        "display_name has 34 characters; at most 32 are allowed",
    );
}

#[tokio::test]
async fn bio_has_up_to_300_characters() {
    let server = MockServer::start().await;
    accept(&server, "bio", &"🙂".repeat(300));
    refuse(
        &server,
        "bio",
        &"🙂".repeat(301),
        "too_many_characters",
        "bio has 301 characters; at most 300 are allowed",
    );
}

#[tokio::test]
async fn bio_has_up_to_10_lines() {
    let server = MockServer::start().await;
    for line_break in ["\n", "\r\n", "\r"] {
        let ten = TEN_LINES.replace('\n', line_break);
        accept(&server, "bio", &ten);
        refuse(
            &server,
            "bio",
            &(ten + line_break),
            "too_many_lines",
            "bio has 11 lines; at most 10 are allowed",
        );
    }
}

#[tokio::test]
async fn other_control_characters_end_no_line() {
    let server = MockServer::start().await;
    accept(
        &server,
        "bio",
        &"a\u{b}\u{c}\u{85}\u{2028}\u{2029}".repeat(10),
    );
}

#[tokio::test]
async fn location_has_up_to_40_characters() {
    let server = MockServer::start().await;
    accept(&server, "location", &"ß".repeat(40));
    refuse(
        &server,
        "location",
        &"ß".repeat(41),
        "too_many_characters",
        "location has 41 characters; at most 40 are allowed",
    );
}

#[tokio::test]
async fn colours_are_rrggbb_in_either_case_and_stored_as_given() {
    let server = MockServer::start().await;
    for field in ["accent_color", "text_color", "background_color"] {
        accept(&server, field, "#0fA9bC");
        for text in [
            "", "#", "red", "#12345", "#1234567", "123456", "#12345g", "#12345é", " #123456",
            "#123456 ", "##12345", "#+12345",
        ] {
            let message = format!("{field} is not a colour of the form #rrggbb, such as #ff8800");
            refuse(&server, field, text, "not_a_color", &message);
        }
    }
}

#[tokio::test]
async fn an_unknown_field_rejects_the_whole_edit() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    for field in ["nickname", "handle", "email", "Bio", ""] {
        let message = format!(
            "the field {field} is unknown; known: display_name, bio, location, accent_color, \
             text_color, background_color"
        );
        ask(&server, "PATCH /me/profile")
            .json(json!({"bio": "taken?", field: "x"}))
            .refused_for(422, field, "unknown_field", &message);
    }
    assert_eq!(server.world().unwrap(), before);
}

#[tokio::test]
async fn one_bad_field_rejects_the_whole_edit() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    for body in [
        r#"{"bio": "taken?", "accent_color": "red"}"#,
        r#"{"accent_color": "red", "bio": "taken?"}"#,
    ] {
        ask(&server, "PATCH /me/profile").text(body).refused_for(
            422,
            "accent_color",
            "not_a_color",
            "accent_color is not a colour of the form #rrggbb, such as #ff8800",
        );
    }
    assert_eq!(server.world().unwrap(), before);
}

#[tokio::test]
async fn every_field_is_a_string() {
    let server = MockServer::start().await;
    for (value, found) in [
        (Value::Null, "null"),
        (json!(true), "a boolean"),
        (json!(5), "a number"),
        (json!(["x"]), "an array"),
        (json!({"x": 1}), "an object"),
    ] {
        let message = format!("bio is {found}; a string is expected");
        ask(&server, "PATCH /me/profile")
            .json(json!({ "bio": value }))
            .refused_for(422, "bio", "wrong_type", &message);
    }
}
