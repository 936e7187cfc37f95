//! Editing links.

use profile_sdk::{Client, ErrorKind, LinkId, LinkUpdate};

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
