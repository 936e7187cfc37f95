//! `GET /stats`.

use serde_json::json;

use crate::request::{request, start_at_noon, write};

#[tokio::test]
async fn counts_the_resources_of_the_world() {
    let server = start_at_noon().await;
    let views = |handle: &str| {
        let statistics = request(&server, &format!("GET /users/{handle}/stats")).data(200);
        statistics["total_views"].as_u64().unwrap()
    };
    assert_eq!(
        request(&server, "GET /stats").without_key().data(200),
        json!({"users": 2, "views": views("demo") + views("grace"), "links": 3})
    );

    server.create_key("ada", &[]).unwrap();
    let link = json!({"title": "x", "url": "https://example.com"});
    write(&server, "POST /me/links", link, 201);
    assert_eq!(
        request(&server, "GET /stats").data(200),
        json!({"users": 3, "views": views("demo") + views("grace") + views("ada"), "links": 4})
    );
}
