//! Settings of the client.

use std::time::Duration;

use mock_server::MockServer;
use mock_server::journal::RequestPattern;
use profile_sdk::Client;

use crate::owner_builder;

#[tokio::test]
async fn sends_default_headers() {
    let service = MockServer::start().await;
    let client = owner_builder(&service)
        .user_agent("my-program/1.0")
        .default_header("X-Tenant", "blue")
        .default_header("x-tenant", "red");
    let client = client.build().unwrap();
    client.me().await.unwrap();
    client.create_post("p").await.unwrap();
    for (method, path) in [("GET", "/me"), ("POST", "/me/posts")] {
        for (name, value) in [
            ("user-agent", "my-program/1.0"),
            ("x-tenant", "red"),
            ("accept", "application/json"),
        ] {
            let request = RequestPattern::new(method, path).header(name, value);
            service.expect_matching(request).once();
        }
    }
}

#[test]
fn rejects_an_authorization_header() {
    let builder = Client::builder().base_url("http://localhost");
    let rejected = builder
        .default_header("authorization", "Bearer canary")
        .build();
    let expected = "header \"authorization\" is reserved for the key; use ClientBuilder::api_key";
    assert_eq!(rejected.unwrap_err().to_string(), expected);
}

#[test]
fn debug_hides_header_values() {
    let builder = Client::builder()
        .base_url("http://localhost")
        .default_header("x-secret", "canary");
    let client = builder.clone().build().unwrap();
    let shown = format!("{builder:?} {client:?}");
    assert!(!shown.contains("canary"), "{shown}");
    assert!(shown.contains("x-secret"), "{shown}");
}

#[test]
fn rejects_limits_out_of_range() {
    let builder = || Client::builder().base_url("http://localhost");
    let (zero, max) = (Duration::ZERO, Duration::MAX);
    let positive = "is zero; expected a positive duration";
    let byte = "is zero; expected at least 1 byte";
    let year = "is longer than a year; expected at most 365 days";
    let shared = builder().shared_request_interval(max);
    for (rejected, setting, problem) in [
        (builder().connect_timeout(zero), "connect_timeout", positive),
        (builder().attempt_timeout(zero), "attempt_timeout", positive),
        (builder().total_timeout(zero), "total_timeout", positive),
        (builder().max_response_bytes(0), "max_response_bytes", byte),
        (builder().request_interval(max), "request_interval", year),
        (shared, "shared_request_interval", year),
    ] {
        let message = format!("{setting} {problem}");
        assert_eq!(rejected.build().unwrap_err().to_string(), message);
    }
}

#[cfg(not(any(feature = "__rustls", feature = "native-tls")))]
#[test]
fn https_requires_a_feature() {
    let rejected = Client::builder()
        .base_url("https://profiles.example")
        .build();
    assert_eq!(
        rejected.unwrap_err().to_string(),
        "HTTPS is not available, because this program was built without TLS; \
         enable the feature rustls, rustls-ring or native-tls of profile-sdk"
    );
}

#[cfg(all(feature = "webpki-roots", feature = "native-tls"))]
#[test]
fn every_tls_implementation_can_be_set_up() {
    use profile_sdk::Tls;

    for tls in [Tls::Rustls, Tls::WebpkiRoots, Tls::NativeTls] {
        for base_url in ["https://profiles.example", "http://localhost"] {
            let builder = Client::builder().base_url(base_url).tls(tls);
            assert!(builder.build().is_ok(), "{tls:?} {base_url}");
        }
    }
}
