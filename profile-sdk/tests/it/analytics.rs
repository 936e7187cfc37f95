//! `GET /me/analytics`.

use mock_server::MockServer;

use crate::connect;

#[tokio::test]
async fn decodes_analytics() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().analytics);
    let analytics = client.analytics().await.unwrap();
    assert!(analytics.views.unwrap().total().is_some());
    assert!(analytics.likes.unwrap().total().is_some());
    let social = analytics.social.unwrap();
    assert_eq!(social.total(), None);
    let mut parts: Vec<_> = social.parts().map(|(name, _)| name).collect();
    parts.sort_unstable();
    assert_eq!(parts, ["comments", "followers", "following"]);
    assert!(social.part("followers").unwrap().total().is_some());
}
