//! `POST /me/posts` and `DELETE /me/posts/{id}`.

use mock_server::{Clock, MockServer};
use serde_json::json;

use crate::request::request;

#[tokio::test]
async fn creates_and_deletes_a_post() {
    let clock = Clock::fixed("2026-03-01T12:00:00Z").unwrap();
    let server = MockServer::builder().clock(clock).start().await.unwrap();
    let key = server.keys().social.clone();

    let created = request(&server, "POST /me/posts")
        .key(&key)
        .json(json!({"body": "Grüße 🙂\n"}))
        .data(201);
    assert_eq!(
        created,
        json!({
            "id": "post_6",
            "body": "Grüße 🙂\n",
            "created_at": "2026-03-01T12:00:00Z",
        })
    );
    assert_eq!(request(&server, "GET /me").data(200)["posts"][1], created);

    let deleted = request(&server, "DELETE /me/posts/post_6").key(&key).send();
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    request(&server, "DELETE /me/posts/post_6").assert_rejected(
        404,
        "unknown_post",
        "the key's owner has no post with the id post_6",
    );
}

#[tokio::test]
async fn requires_a_body_which_can_be_empty() {
    let server = MockServer::start().await;
    let created = request(&server, "POST /me/posts")
        .json(json!({"body": ""}))
        .data(201);
    assert_eq!(created["body"], "");
}
