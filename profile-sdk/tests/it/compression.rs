//! Compressed responses.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{Error, ErrorKind, RetryPolicy, SiteStats};

use crate::mocked_service::MockServer;
use crate::{client_builder, connect_as_owner};

const BODY: &str = r#"{"data":{"users":1,"views":2,"links":3}}"#;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Reads a response with this content coding and body, once.
async fn read(coding: &str, body: Vec<u8>) -> Result<SiteStats, Error> {
    let response = ResponseTemplate::new(200)
        .insert_header("content-encoding", coding)
        .set_body_bytes(body);
    let service = MockServer::responding(response).await;
    let call = connect_as_owner(&service).site_stats();
    call.retry(RetryPolicy::none()).await
}

#[tokio::test]
async fn decompresses_gzip() {
    for coding in "gzip|GZIP|x-gzip|X-GZip|identity, gzip|gzip,".split('|') {
        let site = read(coding, gzip(BODY)).await;
        assert_eq!(site.unwrap().users, 1, "{coding}");
    }
    let [start, end] = [gzip(&BODY[..10]), gzip(&BODY[10..])];
    let padded = [&start[..], &[0; 3], &end, &[0; 100]].concat();
    for members in [[start, end].concat(), padded] {
        assert_eq!(read("gzip", members).await.unwrap().users, 1);
    }
    for end in ["\n", "\r\n", " \t\n\0"] {
        let body = [gzip(BODY), end.into()].concat();
        assert_eq!(read("gzip", body).await.unwrap().users, 1, "{end:?}");
    }
    for coding in ["", "identity"] {
        assert_eq!(read(coding, BODY.into()).await.unwrap().users, 1);
    }
}

#[tokio::test]
async fn names_any_other_coding() {
    for (coding, named) in [
        ("br", "br"),
        ("gzip, Deflate", "deflate"),
        ("gzip, gzip", "gzip"),
    ] {
        let error = read(coding, gzip(BODY)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        assert_eq!(error.status(), Some(200));
        let expected =
            format!("the response has the content coding \"{named}\"; expected gzip once, or none");
        assert_eq!(error.to_string(), format!("GET /api/v1/stats: {expected}"));
    }
}

#[tokio::test]
async fn rejects_incomplete_and_corrupt_gzip() {
    let complete = gzip(BODY);
    let mut corrupt = complete.clone();
    let checksum = corrupt.len() - 8;
    corrupt[checksum] ^= 1;
    let cut = |length: usize| complete[..length].to_vec();
    let damaged = [&complete[..10], &[0xff; 20]].concat();
    let followed = [&complete[..], b"more"].concat();
    let lost = ErrorKind::ResponseLost;
    for (body, kind, problem) in [
        (cut(complete.len() - 1), lost, "was cut off"),
        (cut(20), lost, "was cut off"),
        (corrupt, lost, "is corrupt"),
        (BODY.into(), ErrorKind::Unreadable, "is not valid"),
        (damaged, lost, "is corrupt"),
        (followed, lost, "was cut off"),
    ] {
        let error = read("gzip", body).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        let expected = format!("the gzip response {problem}: ");
        let text = error.to_string();
        assert!(
            text.contains(&expected) && !text.contains("redacted"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn limits_the_decompressed_size() {
    let response = ResponseTemplate::new(200).insert_header("content-encoding", "gzip");
    let service = MockServer::responding(response.set_body_bytes(gzip(BODY))).await;
    let with_limit = |bytes| client_builder(&service).max_response_bytes(bytes).build();
    let exact = with_limit(BODY.len()).unwrap();
    let response = exact.site_stats().send().await.unwrap();
    assert_eq!(response.body(), BODY.as_bytes());
    // These headers describe the compressed body.
    assert_eq!(response.header("content-encoding"), None);
    assert_eq!(response.header("content-length"), None);
    let short = with_limit(BODY.len() - 1).unwrap();
    let error = short.site_stats().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

#[tokio::test]
async fn limits_the_compressed_size() {
    let header = &gzip("")[..10];
    let empty_blocks = [0, 0, 0, 0xff, 0xff].repeat(1000);
    let response = ResponseTemplate::new(200).insert_header("content-encoding", "gzip");
    let response = response.set_body_bytes([header, &empty_blocks].concat());
    let service = MockServer::responding(response).await;
    let client = client_builder(&service).max_response_bytes(1000);
    let error = client.build().unwrap().site_stats().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
}

#[tokio::test]
async fn an_error_keeps_its_status_whatever_its_coding_is() {
    let message = gzip(r#"{"message":"no such page"}"#);
    for (coding, body, expected) in [
        ("gzip", message.clone(), Some("no such page")),
        ("gzip", message[..5].to_vec(), None),
        ("br", message, None),
    ] {
        let response = ResponseTemplate::new(404).insert_header("content-encoding", coding);
        let service = MockServer::responding(response.set_body_bytes(body)).await;
        let error = connect_as_owner(&service).site_stats().await.unwrap_err();
        assert_eq!(error.status(), Some(404));
        assert_eq!(error.message(), expected, "{coding}");
    }
}

#[tokio::test]
async fn accepts_gzip_alone() {
    let service = MockServer::start().await;
    connect_as_owner(&service).site_stats().await.unwrap();
    let request = service.journal().requests().remove(0);
    let headers = request.headers.iter();
    let accepted = headers.filter(|(name, _)| name.eq_ignore_ascii_case("accept-encoding"));
    let accepted: Vec<_> = accepted.map(|(_, value)| value).collect();
    assert_eq!(accepted, ["gzip"]);
}

#[tokio::test]
async fn a_refusal_that_cannot_be_decompressed_keeps_its_body() {
    let json = r#"{"error":{"code":"bad_title","message":"the title is too long"}}"#;
    for (coding, body, named) in [
        ("br", json.into(), r#"the content coding "br""#),
        ("gzip", json.into(), "the gzip response is not valid"),
        ("gzip", gzip(json), ""),
    ] {
        let response = ResponseTemplate::new(422).insert_header("content-encoding", coding);
        let service = MockServer::responding(response.set_body_bytes::<Vec<u8>>(body)).await;
        let error = connect_as_owner(&service).site_stats().await.unwrap_err();
        assert_eq!(error.code(), Some("bad_title"), "{coding}");
        assert_eq!(error.message(), Some("the title is too long"), "{coding}");
        assert_eq!(error.body(), json.as_bytes());
        assert!(error.to_string().contains(named), "{error}");
    }
}

/// Each of many empty members would take time, and add nothing to the size.
#[tokio::test]
async fn limits_the_members_of_a_body() {
    for (empty, is_read) in [(999, true), (1000, false)] {
        let body = [gzip("").repeat(empty), gzip(r#"{"data":[]}"#)].concat();
        let response = ResponseTemplate::new(200).insert_header("content-encoding", "gzip");
        let service = MockServer::responding(response.set_body_bytes(body)).await;
        match connect_as_owner(&service).badges().await {
            Ok(_) => assert!(is_read),
            Err(error) => assert!(!is_read && error.kind() == ErrorKind::TooLarge, "{error}"),
        }
    }
}
