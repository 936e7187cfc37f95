//! `GET /me`.

use mock_server::MockServer;
use profile_sdk::{ProfileField, Scope};

use crate::{connect, connect_as_owner};

#[tokio::test]
async fn returns_the_whole_profile() {
    let service = MockServer::start().await;
    let me = connect_as_owner(&service).me().await.unwrap();
    for field in ProfileField::ALL {
        assert!(me.get(*field).is_some(), "{field}");
    }
    assert_eq!(me.handle.unwrap().as_str(), "demo");
    assert!(me.email.unwrap().contains('@'));
    assert_eq!(me.api_visible.unwrap().as_bool(), Some(true));
    assert!(!me.links.unwrap().is_empty());
    assert!(!me.posts.unwrap().is_empty());
    assert!(!me.badges.unwrap().is_empty());
    let key = me.key.unwrap();
    assert!(key.scopes.unwrap().iter().eq(Scope::KNOWN));
    let rate_limit = key.rate_limit.unwrap();
    assert_eq!(rate_limit.limit(), Some(1_000_000));
    assert_eq!(rate_limit.window_seconds(), Some(60));
}

#[tokio::test]
async fn requires_no_scope() {
    let service = MockServer::start().await;
    let me = connect(&service, &service.keys().none).me().await.unwrap();
    assert_eq!(me.key.unwrap().scopes.unwrap().iter().count(), 0);
}

#[tokio::test]
async fn returns_status_headers_and_body() {
    let service = MockServer::start().await;
    let response = connect_as_owner(&service).me().send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.header("Content-Type"), Some("application/json"));
    let body = std::str::from_utf8(response.body()).unwrap();
    assert_eq!(
        body,
        format!("{{\"data\":{}}}", response.raw_data().unwrap())
    );
}
