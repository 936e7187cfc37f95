//! The program never prints the key.

use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::program::Fixture;
use crate::walk::{Setting, rows};

const CANARY: &str = "canary-93d1b7";

#[tokio::test]
async fn no_output_contains_the_key() {
    let fixture = Fixture::new().await;
    let echoing = echoing(400).await;
    let failing = echoing_with_key_in_headers().await;
    for base_url in [
        fixture.service.uri(),
        &echoing.uri(),
        &failing.uri(),
        "http://127.0.0.1:1",
        "not a URL",
    ] {
        check_all(base_url, CANARY);
    }
    for key in [format!("{CANARY} two"), format!("{CANARY}é")] {
        check_all(fixture.service.uri(), &key);
    }
}

#[track_caller]
fn check_all(base_url: &str, key: &str) {
    // `auth token` is the one command that prints the key.
    for row in rows().filter(|row| row.command != "auth token") {
        for further in [
            &["-vvv", "--retries", "0"][..],
            &["-vvv", "--json"],
            &["--curl"],
        ] {
            let home = tempfile::tempdir().unwrap();
            let setting = Setting {
                home: home.path(),
                base_url,
                key,
            };
            let program = row.program(&setting, further);
            let printed = row.run(program.env("PROFILE_LOG", "trace")).to_string();
            assert!(!printed.contains(CANARY), "{printed}");
        }
    }
}

/// Starts a service whose error responses echo the request headers.
async fn echoing(status: u16) -> MockServer {
    let service = MockServer::start().await;
    let echo = move |request: &Request| {
        ResponseTemplate::new(status).set_body_string(format!("{:?}", request.headers))
    };
    let echo = Mock::given(any()).respond_with(echo);
    echo.mount(&service).await;
    service
}

/// Starts a service that redirects to a URL with the key.
async fn echoing_with_key_in_headers() -> MockServer {
    let service = MockServer::start().await;
    let location = format!("https://evil.example/?{CANARY}");
    let redirect = ResponseTemplate::new(302)
        .insert_header("location", location.as_str())
        .insert_header("x-request-id", CANARY);
    let redirect = Mock::given(any()).respond_with(redirect);
    redirect.mount(&service).await;
    service
}
