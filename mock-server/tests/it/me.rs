//! `GET /me`.

use mock_server::{MockServer, Scope};
use serde_json::json;

use crate::request::request;

/// The account `demo`, and one that was created for a key.
#[tokio::test]
async fn returns_public_and_private_fields() {
    let server = MockServer::start().await;
    let new = server.create_key("ada", &[]).unwrap();
    let found = [server.key(), &new].map(|key| {
        let me = request(&server, "GET /me").key(key).data(200);
        format!("{me:#}\n")
    });
    expect_test::expect_file!["me.json"].assert_eq(&found.concat());
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
