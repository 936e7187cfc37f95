//! `POST /me/links`, `PATCH /me/links/{id}` and `DELETE /me/links/{id}`.

use mock_server::{Clock, MockServer, Scope};
use serde_json::{Value, json};

use crate::request::request;

fn links(server: &MockServer) -> Value {
    request(server, "GET /me").data(200)["links"].take()
}

#[track_caller]
fn create(server: &MockServer, title: &str, url: &str) -> Value {
    request(server, "POST /me/links")
        .json(json!({"title": title, "url": url}))
        .data(201)
}

#[tokio::test]
async fn creates_edits_and_deletes_a_link() {
    let clock = Clock::fixed("2026-03-01T12:00:00Z").unwrap();
    let server = MockServer::builder().clock(clock).start().await.unwrap();
    let key = server.keys().links.clone();

    let created = request(&server, "POST /me/links")
        .key(&key)
        .json(json!({"title": "Blog", "url": "https://example.com"}))
        .data(201);
    assert_eq!(
        created,
        json!({
            "id": "link_6",
            "title": "Blog",
            "url": "https://example.com",
            "created_at": "2026-03-01T12:00:00Z",
        })
    );
    assert_eq!(links(&server)[2], created);

    let edited = request(&server, "PATCH /me/links/link_6")
        .key(&key)
        .json(json!({"title": "Diary", "url": "mailto:me@example.com"}))
        .data(200);
    assert_eq!(
        edited,
        json!({
            "id": "link_6",
            "title": "Diary",
            "url": "mailto:me@example.com",
            "created_at": "2026-03-01T12:00:00Z",
        })
    );
    assert_eq!(links(&server)[2], edited);

    let deleted = request(&server, "DELETE /me/links/link_6").key(&key).send();
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    assert_eq!(deleted.header("content-type"), None);
    assert_eq!(links(&server).as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn edits_a_single_field() {
    let server = MockServer::start().await;
    let edited = request(&server, "PATCH /me/links/link_1")
        .json(json!({"title": "Home"}))
        .data(200);
    assert_eq!(
        (&edited["title"], &edited["url"]),
        (&json!("Home"), &json!("https://example.com/demo"))
    );
    let edited = request(&server, "PATCH /me/links/link_1")
        .json(json!({"url": "https://example.org"}))
        .data(200);
    assert_eq!(
        (&edited["title"], &edited["url"]),
        (&json!("Home"), &json!("https://example.org"))
    );
}

#[tokio::test]
async fn stores_urls_unchanged() {
    let server = MockServer::start().await;
    for url in [
        "https://example.com",
        "HTTPS://EXAMPLE.com:443/a/../b",
        "https://exämple.com/ü?q=a b",
        " https://example.com ",
    ] {
        assert_eq!(create(&server, "x", url)["url"], url);
    }
}

#[tokio::test]
async fn accepts_titles_and_urls_of_any_length() {
    let server = MockServer::start().await;
    let url = format!("https://example.com/{}", "x".repeat(100_000));
    let created = create(&server, &"t".repeat(100_000), &url);
    assert_eq!(created["url"], url);
    assert_eq!(create(&server, "", "https://example.com")["title"], "");
}

#[tokio::test]
async fn percent_decodes_ids() {
    let server = MockServer::start().await;
    let deleted = request(&server, "DELETE /me/links/%6Cink%5F1").send();
    assert_eq!(deleted.status, 204);
}

#[tokio::test]
async fn does_not_reuse_the_id_of_a_deleted_link() {
    let server = MockServer::start().await;
    let id = create(&server, "x", "https://example.com")["id"].clone();
    let line = format!("DELETE /me/links/{}", id.as_str().unwrap());
    assert_eq!(request(&server, &line).send().status, 204);
    request(&server, &line).assert_rejected(
        404,
        "unknown_link",
        "the key's owner has no link with the id link_6",
    );
    assert_ne!(create(&server, "x", "https://example.com")["id"], id);
}

#[tokio::test]
async fn changes_the_links_of_the_key_owner() {
    let server = MockServer::start().await;
    let key = server.create_key("grace", &[Scope::LinksWrite]).unwrap();
    let deleted = request(&server, "DELETE /me/links/link_4").key(&key).send();
    assert_eq!(deleted.status, 204);
    assert_eq!(server.world().unwrap().account("grace").unwrap().links, []);
}
