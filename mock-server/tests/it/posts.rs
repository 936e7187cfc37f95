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
async fn deletes_only_own_posts() {
    let server = MockServer::start().await;
    // post_5 belongs to grace, and link_1 is a link.
    for id in ["post_5", "link_1"] {
        let message = format!("the key's owner has no post with the id {id}");
        request(&server, &format!("DELETE /me/posts/{id}")).assert_rejected(
            404,
            "unknown_post",
            &message,
        );
    }
}

#[tokio::test]
async fn requires_a_body_which_can_be_empty() {
    let server = MockServer::start().await;
    request(&server, "POST /me/posts")
        .json(json!({}))
        .assert_rejected_for(422, "body", "missing_field", "missing field body");
    let created = request(&server, "POST /me/posts")
        .json(json!({"body": ""}))
        .data(201);
    assert_eq!(created["body"], "");
}

#[tokio::test]
async fn rejects_unknown_fields_and_wrong_types_without_changes() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    request(&server, "POST /me/posts")
        .json(json!({"body": "x", "title": "y"}))
        .assert_rejected_for(
            422,
            "title",
            "unknown_field",
            "unknown field title; expected body",
        );
    request(&server, "POST /me/posts")
        .json(json!({"body": ["x"]}))
        .assert_rejected_for(
            422,
            "body",
            "wrong_type",
            "body is an array; expected a string",
        );
    assert_eq!(server.world().unwrap(), before);
}
