//! Text from the service that could control a terminal or look like other text.

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;
use serde_json::json;

use crate::program::Fixture;

/// Starts a service that returns this response to every request.
async fn fixture(status: u16, body: serde_json::Value) -> Fixture {
    let answer = ResponseTemplate::new(status).set_body_string(body.to_string());
    Fixture::responding(answer).await
}

const ODD: &str = "a\u{9b}31mb\u{202e}c\u{2028}d\u{200b}\u{feff}\u{e0041}e\tf";

/// The characters of it that could control a terminal or reorder text.
const STEERING: [char; 3] = ['\u{9b}', '\u{202e}', '\u{2028}'];

#[tokio::test]
async fn json_escapes_control_characters() {
    let fixture = fixture(
        200,
        json!({"data": {"handle": ODD, "key": {"scopes": [ODD]}}}),
    )
    .await;
    let escaped = r#""a\u009b31mb\u202ec\u2028d"#;
    for arguments in [
        &["show", "--json"][..],
        &["auth", "status", "--json"],
        &["api", "me", "--json"],
    ] {
        let run = fixture.run(arguments);
        assert!(run.stdout().contains(escaped), "{run}");
        assert!(!run.stdout().contains(STEERING), "{run}");
    }
}

#[tokio::test]
async fn other_formats_remove_invisible_characters() {
    let link = json!({"id": 1, "title": ODD, "url": "https://x"});
    let fixture = fixture(200, json!({"data": {"links": [link]}})).await;
    fixture.run(&["link", "list"]).check(&expect![[r#"
        exit 0
        --- stdout
        1	abc\nde\tf	https://x
        --- stderr
    "#]]);
    fixture
        .run(&["link", "list", "-o", "table"])
        .check(&expect![[r#"
            exit 0
            --- stdout
            ┌────────────────────────┐
            │ id   title   url       │
            ╞════════════════════════╡
            │ 1    abc     https://x │
            │      de f              │
            └────────────────────────┘
            --- stderr
        "#]]);
}

#[tokio::test]
async fn failures_escape_control_characters() {
    let fixture = fixture(404, json!({"message": ODD})).await;
    let run = fixture.run(&["api", "me", "--json"]);
    assert!(!run.stderr().contains(STEERING), "{run}");
}
