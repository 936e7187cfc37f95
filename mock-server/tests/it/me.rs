//! `GET /me`.

use mock_server::{MockServer, Profile, ProfileField, Scope};
use serde_json::{Value, json};

use crate::request::request;

/// Checks that a response has all fields of a profile, and returns its other fields.
#[track_caller]
fn without_fields_of(profile: &Profile, mut response: Value) -> Value {
    for field in ProfileField::ALL {
        let found = response.as_object_mut().unwrap().remove(field.name());
        assert_eq!(found, Some(field.get(profile).into()), "{}", field.name());
    }
    response
}

#[tokio::test]
async fn returns_public_and_private_fields() {
    let server = MockServer::start().await;
    let world = server.world().unwrap();
    let profile = &world.account("demo").unwrap().profile;
    assert_eq!(profile.display_name, "Demo Person");
    assert_eq!(
        without_fields_of(profile, request(&server, "GET /me").data(200)),
        json!({
            "handle": "demo",
            "links": [
                {
                    "id": "link_1",
                    "title": "Homepage",
                    "url": "https://example.com/demo",
                    "created_at": "2025-01-15T09:00:00Z",
                },
                {
                    "id": "link_2",
                    "title": "Code",
                    "url": "https://example.com/demo/code",
                    "created_at": "2025-01-15T09:00:00Z",
                },
            ],
            "posts": [{
                "id": "post_3",
                "body": "Hello from the mock server!",
                "created_at": "2025-01-15T09:00:00Z",
            }],
            "badges": [{
                "id": "early",
                "name": "Early bird",
                "description": "Joined in the first year",
                "color": "#f59e0b",
                "kind": "auto",
            }],
            "email": "demo@example.com",
            "api_visible": true,
            "key": {
                "scopes": Scope::ALL,
                "rate_limit": {"limit": 1_000_000, "window_seconds": 60},
            },
        })
    );
}

#[tokio::test]
async fn returns_the_owner_and_the_scopes_of_the_key_without_requiring_one() {
    let server = MockServer::start().await;
    let keys = server.keys();
    let grace = server.create_key("grace", &[Scope::LinksWrite]).unwrap();
    for (key, handle, scopes) in [
        (&keys.none, "demo", json!([])),
        (&grace, "grace", json!(["links:write"])),
    ] {
        let me = request(&server, "GET /me").key(key).data(200);
        assert_eq!(me["key"]["scopes"], scopes);
        assert_eq!(me["handle"], handle);
        assert_eq!(me["email"], format!("{handle}@example.com"));
        let badge = if handle == "grace" { "writer" } else { "early" };
        assert_eq!(me["badges"][0]["id"], badge);
    }
}

#[tokio::test]
async fn a_key_for_a_new_handle_creates_the_account() {
    let server = MockServer::start().await;
    let key = server.create_key("ada", &[]).unwrap();
    let me = request(&server, "GET /me").key(&key).data(200);
    assert_eq!(
        (&me["bio"], &me["text_color"]),
        (&json!(""), &json!("#000000"))
    );
    assert_eq!(
        without_fields_of(&Profile::default(), me),
        json!({
            "handle": "ada",
            "links": [],
            "posts": [],
            "badges": [],
            "email": "ada@example.com",
            "api_visible": true,
            "key": {
                "scopes": [],
                "rate_limit": {"limit": 1_000_000, "window_seconds": 60},
            },
        })
    );
}
