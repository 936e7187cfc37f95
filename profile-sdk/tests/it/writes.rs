//! The success of a write depends only on its status code.

use mock_server::MockServer;
use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{LinkId, LinkUpdate, LinkUrl, NewLink, PostId, ProfileUpdate};

use crate::{connect_as_owner, respond_to_all};

#[tokio::test]
pub(crate) async fn a_response_without_the_resource_is_a_success() {
    for (status, body) in [
        (200, r#"{"data":null}"#),
        (200, r#"{"data":{}}"#),
        (200, r#"{"data":{"ok":true}}"#),
        (200, "{}"),
        (200, ""),
        (201, "created"),
        (202, "<html>"),
        (204, ""),
    ] {
        let service = MockServer::start().await;
        respond_to_all(
            &service,
            ResponseTemplate::new(status).set_body_string(body),
        )
        .await;
        let client = connect_as_owner(&service);
        let link = NewLink::new("t", LinkUrl::new("https://example.org").unwrap());
        let link_id = LinkId::new("1").unwrap();
        let update = LinkUpdate::new().title("t");
        let profile = client.update_profile(&ProfileUpdate::new()).await;
        assert_eq!(profile.unwrap(), None, "{status} {body}");
        assert_eq!(client.create_link(&link).await.unwrap(), None);
        assert_eq!(client.update_link(&link_id, &update).await.unwrap(), None);
        client.delete_link(&link_id).await.unwrap();
        assert_eq!(client.create_post("p").await.unwrap(), None);
        client
            .delete_post(&PostId::new("1").unwrap())
            .await
            .unwrap();
    }
}

#[tokio::test]
pub(crate) async fn returns_a_partial_resource() {
    let service = MockServer::start().await;
    let body = r#"{"data":{"id":42}}"#;
    respond_to_all(&service, ResponseTemplate::new(200).set_body_string(body)).await;
    let response = connect_as_owner(&service)
        .create_post("p")
        .send()
        .await
        .unwrap();
    assert_eq!(response.raw_data(), Some(r#"{"id":42}"#));
    let post = response.into_data().unwrap();
    assert_eq!(post.id, Some(PostId::from(42)));
    assert_eq!(post.body, None);
}
