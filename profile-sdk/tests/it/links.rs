//! Creating, editing and deleting links.

use mock_server::MockServer;
use profile_sdk::{Client, ErrorKind, Link, LinkId, LinkUpdate, LinkUrl, NewLink};

use crate::connect;

async fn listed(client: &Client) -> Vec<Link> {
    client.me().await.unwrap().links.unwrap()
}

fn link(title: &str, url: &str) -> NewLink {
    NewLink::new(title, LinkUrl::new(url).unwrap())
}

#[tokio::test]
async fn creates_edits_and_deletes_a_link() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().links);
    // A parsed URL would be in lower case and end with a slash.
    let new = link("My site", "HTTPS://Example.org");
    let created = client.create_link(&new).await.unwrap().unwrap();
    assert_eq!(created.title.as_deref(), Some("My site"));
    assert_eq!(created.url.as_deref(), Some("HTTPS://Example.org"));
    assert!(listed(&client).await.contains(&created));

    let id = created.id.unwrap();
    let update = LinkUpdate::new().title("");
    let edited = client.update_link(&id, &update).await.unwrap().unwrap();
    assert_eq!(edited.title.as_deref(), Some(""));
    assert_eq!(edited.url.as_deref(), Some("HTTPS://Example.org"));
    assert!(listed(&client).await.contains(&edited));

    client.delete_link(&id).await.unwrap();
    assert!(!listed(&client).await.contains(&edited));
}

#[tokio::test]
async fn keeps_fields_that_are_not_in_the_specification() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().links);
    let created = client.create_link(&link("t", "x:y")).await.unwrap();
    assert!(created.unwrap().extra.contains_key("created_at"));
}

#[tokio::test]
async fn rejects_an_empty_update_before_sending() {
    let client = Client::builder()
        .base_url("http://localhost")
        .build()
        .unwrap();
    let call = client.update_link(&LinkId::new("1").unwrap(), &LinkUpdate::new());
    assert!(call.request().is_err());
    let error = call.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "PATCH /api/v1/me/links/1: the link update is empty; set the title, the URL or both"
    );
}

#[tokio::test]
async fn an_unknown_link_is_not_found() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().links);
    let id = LinkId::new("nope/../../me").unwrap();
    for error in [
        client.delete_link(&id).await.unwrap_err(),
        client
            .update_link(&id, &LinkUpdate::new().title("t"))
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.status(), Some(404));
    }
}
