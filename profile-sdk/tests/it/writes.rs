//! Writes, whose success depends only on the status code.

use std::time::Duration;

use futures_util::future::join_all;
use mock_server::wiremock::ResponseTemplate;
use mock_server::{Fault, FaultRule, WireFault};
use profile_sdk::plan::DesiredProfile;
use profile_sdk::{
    DisplayName, ErrorKind, FieldKind, LinkId, LinkUpdate, LinkUrl, Method, NewLink, Operation,
    PostId, ProfileField, ProfileUpdate, RetryPolicy,
};

use crate::every_call::every_call;
use crate::mocked_service::MockServer;
use crate::{client_builder_for, connect_as_owner, owner_builder, requests};

#[tokio::test]
async fn a_response_without_the_resource_is_a_success() {
    for (status, body) in [
        (200, "\u{feff}\n<!DOCTYPE html>"),
        (200, r#"{"data":null}"#),
        (200, r#"{"data":{}}"#),
        (200, r#"{"data":{"ok":true}}"#),
        (200, "{}"),
        (200, ""),
        (201, "created"),
        (202, "<html>"),
        (204, ""),
    ] {
        let response = ResponseTemplate::new(status).set_body_string(body);
        let service = MockServer::responding(response).await;
        let client = connect_as_owner(&service);
        let link = NewLink::new("t", LinkUrl::new("https://example.org").unwrap());
        let link_id = LinkId::new("1").unwrap();
        let update = LinkUpdate::new().title("t");
        let profile = client.update_profile(&ProfileUpdate::new()).await;
        assert_eq!(profile.unwrap(), None, "{status} {body}");
        assert_eq!(client.create_link(&link).await.unwrap(), None);
        assert_eq!(client.update_link(&link_id, &update).await.unwrap(), None);
        client.delete_link(&link_id).await.unwrap();
        let created = client.create_post("p").send().await.unwrap();
        assert_eq!(created.is_page(), body.contains('<'), "{body}");
        assert_eq!(created.into_data(), None);
        let post_id = PostId::new("1").unwrap();
        client.delete_post(&post_id).await.unwrap();
    }
}

#[tokio::test]
async fn returns_a_partial_resource() {
    let response = ResponseTemplate::new(200).set_body_string(r#"{"data":{"id":42}}"#);
    let service = MockServer::responding(response).await;
    let create = connect_as_owner(&service).create_post("p");
    let response = create.send().await.unwrap();
    assert_eq!(response.raw_data(), Some(r#"{"id":42}"#));
    let post = response.into_data().unwrap();
    assert_eq!(post.id, Some(PostId::from(42)));
    assert_eq!(post.body, None);
}

/// Faults that damage only the body of a 2xx response.
fn damaged_bodies() -> [Fault; 6] {
    let damaged = Fault::status(200).with_body("not compressed");
    let compressed_with = |coding: &str| damaged.clone().with_header("content-encoding", coding);
    [
        Fault::Wire(WireFault::Cut { after: 5 }),
        Fault::Wire(WireFault::Stall { after: 5 }),
        Fault::Wire(WireFault::BadChunk),
        Fault::HugeBody { bytes: 16 << 20 },
        compressed_with("gzip"),
        compressed_with("br"),
    ]
}

#[tokio::test]
async fn a_response_with_a_damaged_body_is_a_success() {
    for fault in damaged_bodies() {
        let service = mock_server::MockServer::start().await;
        service.add_fault(FaultRule::new(fault.clone())).unwrap();
        let client = owner_builder(&service).attempt_timeout(Duration::from_secs(1));
        let client = client.build().unwrap();
        let created = client.create_post("p").send().await.unwrap();
        assert!((200..300).contains(&created.status()), "{fault:?}");
        assert_eq!((created.data(), created.body()), (&None, &b""[..]));
        let calls = every_call(&client).into_iter();
        let writes = calls.filter(|(operation, _)| operation.method().is_write());
        let is_deletion = |(operation, _): &(Operation, _)| operation.method() == Method::Delete;
        // What is updated must not be deleted before.
        let (deletions, others): (Vec<_>, Vec<_>) = writes.partition(is_deletion);
        let mut results = join_all(others.into_iter().map(|(_, call)| call)).await;
        results.extend(join_all(deletions.into_iter().map(|(_, call)| call)).await);
        let results: Result<Vec<()>, _> = results.into_iter().collect();
        assert_eq!(requests(&service), 1 + results.unwrap().len(), "{fault:?}");
    }
}

#[tokio::test]
async fn a_raw_write_with_a_damaged_body_keeps_its_status() {
    let cut = Fault::Wire(WireFault::Cut { after: 5 });
    let huge = Fault::HugeBody { bytes: 16 << 20 };
    for (fault, kind) in [(cut, ErrorKind::ResponseLost), (huge, ErrorKind::TooLarge)] {
        let service = mock_server::MockServer::start().await;
        service.add_fault(FaultRule::new(fault)).unwrap();
        let client = connect_as_owner(&service);
        let call = client.raw_call(Method::Post, "/api/v1/me/posts");
        let call = call.json(&serde_json::json!({"body": "p"})).read_bytes();
        let error = call.retry(RetryPolicy::none()).await.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(matches!(error.status(), Some(200..300)), "{error}");
        assert!(error.may_have_been_applied());
    }
}

#[test]
fn updates_from_json_have_limits_and_no_other_fields() {
    let update: ProfileUpdate = serde_json::from_str(r#"{"bio":"b"}"#).unwrap();
    assert_eq!(update, ProfileUpdate::new().bio("b".parse().unwrap()));
    for field in ProfileField::ALL {
        let json = format!(r#"{{"{field}":null}}"#);
        let of_update = serde_json::from_str::<ProfileUpdate>(&json).unwrap_err();
        let desired = format!(r#"{{"profile":{json}}}"#);
        let desired = serde_json::from_str::<DesiredProfile>(&desired).unwrap_err();
        let remedy = match field.kind() {
            FieldKind::Color => "; in YAML, quote a color, as in '#ff8800': # starts a comment at",
            _ => ", or use \"\" to clear it at",
        };
        let expected = format!("{field} is null; leave it out{remedy}");
        for error in [of_update, desired] {
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
    let error = serde_json::from_str::<LinkUpdate>(r#"{"title":null}"#).unwrap_err();
    let expected = "title is null; leave it out at line 1 column 14";
    assert_eq!(error.to_string(), expected);
    for json in [r#"{"nickname":"a"}"#, r##"{"accent_color":"#12"}"##] {
        assert!(serde_json::from_str::<ProfileUpdate>(json).is_err());
    }
    let limit = DisplayName::MAX_CHARACTERS;
    let long = format!(r#"{{"display_name":"{}"}}"#, "x".repeat(limit + 1));
    let error = serde_json::from_str::<ProfileUpdate>(&long).unwrap_err();
    let length = limit + 1;
    let expected = format!("display_name has {length} characters; at most {limit} are");
    assert!(error.to_string().starts_with(&expected), "{error}");
    let update: LinkUpdate = serde_json::from_str(r#"{"title":"t"}"#).unwrap();
    assert_eq!(update, LinkUpdate::new().title("t"));
    assert!(serde_json::from_str::<LinkUpdate>(r#"{"titel":"t"}"#).is_err());
    assert!(serde_json::from_str::<NewLink>(r#"{"title":"t"}"#).is_err());
}

#[tokio::test]
async fn rejects_an_empty_update_before_sending() {
    let client = client_builder_for("http://localhost").build().unwrap();
    let call = client.update_link(&LinkId::new("1").unwrap(), &LinkUpdate::new());
    assert!(call.request().is_err());
    let error = call.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let expected =
        "PATCH /api/v1/me/links/1: the link update is empty; set the title, the URL or both";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn edits_every_field() {
    let service = mock_server::MockServer::start().await;
    let client = connect_as_owner(&service);
    let mut update = ProfileUpdate::new();
    for (index, field) in ProfileField::ALL.iter().enumerate() {
        let value = match field.kind() {
            FieldKind::Color => format!("#FF880{index}"),
            FieldKind::MultilineText { .. } => format!("{index}\r\ntwo\rthree \"quoted\""),
            _ => format!("Ada {index} 🦀"),
        };
        update.set(*field, &value).unwrap();
    }
    let returned = client.update_profile(&update).await.unwrap().unwrap();
    let read = client.me().await.unwrap();
    for field in ProfileField::ALL {
        assert_eq!(returned.get(*field), update.get(*field), "{field}");
        assert_eq!(read.get(*field), update.get(*field), "{field}");
    }
}
