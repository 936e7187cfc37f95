//! Creating and deleting posts.

use mock_server::MockServer;
use profile_sdk::{ErrorKind, PostId};

use crate::connect;

#[tokio::test]
async fn creates_and_deletes_a_post() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().social);
    let body = "Hello,\n\u{1f30d}\u{0}".repeat(1000);
    let created = client.create_post(&body).await.unwrap().unwrap();
    assert_eq!(created.body.as_deref(), Some(body.as_str()));
    let posts = client.me().await.unwrap().posts.unwrap();
    assert!(posts.contains(&created));

    let id = created.id.clone().unwrap();
    client.delete_post(&id).await.unwrap();
    let posts = client.me().await.unwrap().posts.unwrap();
    assert!(!posts.contains(&created));
    let again = client.delete_post(&id).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn an_unknown_post_is_not_found() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().social);
    let error = client.delete_post(&PostId::from(7)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
