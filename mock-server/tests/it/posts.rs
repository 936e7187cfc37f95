//! `POST /me/posts` and `DELETE /me/posts/{id}`.

use serde_json::json;

use crate::request::{request, start_at_noon};

#[tokio::test]
async fn creates_and_deletes_a_post() {
    let server = start_at_noon().await;
    let key = server.keys().social.clone();

    let post = json!({"body": "Grüße 🙂\n"});
    let created = request(&server, "POST /me/posts")
        .key(&key)
        .json(post)
        .data(201);
    let created_at = "2026-03-01T12:00:00Z";
    let expected = json!({"id": "post_6", "body": "Grüße 🙂\n", "created_at": created_at});
    assert_eq!(created, expected);
    assert_eq!(request(&server, "GET /me").data(200)["posts"][1], created);

    let deleted = request(&server, "DELETE /me/posts/post_6").key(&key).send();
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    let message = "the key's owner has no post with the id post_6";
    let again = request(&server, "DELETE /me/posts/post_6");
    again.assert_rejected(404, "unknown_post", message);
}
