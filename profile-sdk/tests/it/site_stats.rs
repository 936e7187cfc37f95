//! `GET /stats`.

use mock_server::MockServer;

use crate::{client_builder, connect_as_owner};

#[tokio::test]
async fn returns_the_counters_with_and_without_a_key() {
    let service = MockServer::start().await;
    let open = client_builder(&service).build().unwrap();
    let site = open.site_stats().await.unwrap();
    assert!(site.users >= 1 && site.views >= 1 && site.links >= 1);
    assert_eq!(connect_as_owner(&service).site_stats().await.unwrap(), site);
}
