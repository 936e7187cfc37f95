//! `GET /badges`.

use mock_server::MockServer;
use profile_sdk::{BadgeKind, Color};

use crate::{client_builder, connect_as_owner};

#[tokio::test]
async fn returns_badges_with_and_without_a_key() {
    let service = MockServer::start().await;
    let open = client_builder(&service).build().unwrap();
    for client in [open, connect_as_owner(&service)] {
        let badges = client.badges().await.unwrap();
        assert!(!badges.is_empty());
        for badge in badges {
            assert!(!badge.id.is_empty() && !badge.name.is_empty());
            assert!(badge.description.is_some());
            assert_eq!(badge.kind, Some(BadgeKind::Auto));
            assert!(Color::new(badge.color.unwrap()).is_ok());
        }
    }
}
