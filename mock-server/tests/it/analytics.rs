//! `GET /me/analytics`.

use mock_server::MockServer;
use serde_json::json;

use crate::request::request;

#[tokio::test]
async fn counts_views_likes_and_social() {
    let server = MockServer::start().await;
    let total = request(&server, "GET /users/demo/stats").data(200)["total_views"].clone();
    let views = total.as_u64().unwrap();
    assert!(views > 0);
    assert_eq!(
        request(&server, "GET /me/analytics")
            .key(&server.keys().analytics)
            .data(200),
        json!({
            "views": views,
            "likes": views / 12,
            "social": {
                "followers": views / 50,
                "following": views / 80,
                "comments": views / 100,
            },
        })
    );
}
