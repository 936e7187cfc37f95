//! `GET /stats`.

use mock_server::{Clock, MockServer};
use serde_json::json;

use crate::request::request;

#[tokio::test]
async fn counts_the_resources_of_the_world() {
    let clock = Clock::fixed("2026-03-01T12:00:00Z").unwrap();
    let server = MockServer::builder().clock(clock).start().await.unwrap();
    let views = |handle: &str| {
        let statistics = request(&server, &format!("GET /users/{handle}/stats")).data(200);
        statistics["total_views"].as_u64().unwrap()
    };
    assert_eq!(
        request(&server, "GET /stats").without_key().data(200),
        json!({"users": 2, "views": views("demo") + views("grace"), "links": 3})
    );

    server.create_key("ada", &[]).unwrap();
    request(&server, "POST /me/links")
        .json(json!({"title": "x", "url": "https://example.com"}))
        .data(201);
    assert_eq!(
        request(&server, "GET /stats").data(200),
        json!({"users": 3, "views": views("demo") + views("grace") + views("ada"), "links": 4})
    );
}
