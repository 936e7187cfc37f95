//! `POST /me/links`, `PATCH /me/links/{id}` and `DELETE /me/links/{id}`.

use mock_server::{MockServer, Scope};
use serde_json::{Value, json};

use crate::request::{request, start_at_noon, write};

fn links(server: &MockServer) -> Value {
    request(server, "GET /me").data(200)["links"].take()
}

#[track_caller]
fn create(server: &MockServer, title: &str, url: &str) -> Value {
    let link = json!({"title": title, "url": url});
    write(server, "POST /me/links", link, 201)
}

#[tokio::test]
async fn creates_edits_and_deletes_a_link() {
    let server = start_at_noon().await;
    let key = server.keys().links.clone();
    let write = |line, link, status| request(&server, line).key(&key).json(link).data(status);
    let created_at = "2026-03-01T12:00:00Z";
    for (line, status, title, url) in [
        ("POST /me/links", 201, "Blog", "https://example.com"),
        (
            "PATCH /me/links/link_6",
            200,
            "Diary",
            "mailto:me@example.com",
        ),
    ] {
        let written = write(line, json!({"title": title, "url": url}), status);
        let expected =
            json!({"id": "link_6", "title": title, "url": url, "created_at": created_at});
        assert_eq!(written, expected);
        assert_eq!(links(&server)[2], written);
    }

    let deleted = request(&server, "DELETE /me/links/link_6").key(&key).send();
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    assert_eq!(deleted.header("content-type"), None);
    assert_eq!(links(&server).as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn edits_a_single_field() {
    let server = MockServer::start().await;
    let mut expected = json!(["Homepage", "https://example.com/demo"]);
    for (place, name, value) in [(0, "title", "Home"), (1, "url", "https://example.org")] {
        expected[place] = json!(value);
        let edited = write(
            &server,
            "PATCH /me/links/link_1",
            json!({ name: value }),
            200,
        );
        assert_eq!(json!([edited["title"], edited["url"]]), expected);
    }
}

#[tokio::test]
async fn does_not_reuse_the_id_of_a_deleted_link() {
    let server = MockServer::start().await;
    let id = create(&server, "x", "https://example.com")["id"].clone();
    let line = format!("DELETE /me/links/{}", id.as_str().unwrap());
    assert_eq!(request(&server, &line).send().status, 204);
    let message = "the key's owner has no link with the id link_6";
    request(&server, &line).assert_rejected(404, "unknown_link", message);
    assert_ne!(create(&server, "x", "https://example.com")["id"], id);
}

#[tokio::test]
async fn changes_the_links_of_the_key_owner() {
    let server = MockServer::start().await;
    let key = server.create_key("grace", &[Scope::LinksWrite]).unwrap();
    let deleted = request(&server, "DELETE /me/links/%6Cink%5F4")
        .key(&key)
        .send();
    assert_eq!(deleted.status, 204);
    assert_eq!(server.world().unwrap().account("grace").unwrap().links, []);
}
