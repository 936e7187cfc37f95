//! `GET /badges`.

use mock_server::MockServer;
use serde_json::json;

use crate::request::request;

#[tokio::test]
async fn lists_badges_without_a_key_and_with_any_key() {
    let server = MockServer::start().await;
    let badges = request(&server, "GET /badges").without_key().data(200);
    let expected = json!([
        {"id": "early", "name": "Early bird", "description": "Joined in the first year", "color": "#f59e0b", "kind": "auto"},
        {"id": "writer", "name": "Writer", "description": "Wrote a first post", "color": "#2563eb", "kind": "auto"},
    ]);
    assert_eq!(badges, expected);
    let with_key = request(&server, "GET /badges?page=2").key(&server.keys().none);
    assert_eq!(with_key.data(200), badges);
}
