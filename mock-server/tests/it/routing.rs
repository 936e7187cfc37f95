//! Paths and methods that are no endpoint.

use mock_server::MockServer;

use crate::ask::ask;

#[tokio::test]
async fn an_unknown_path_is_not_found_with_and_without_a_key() {
    let server = MockServer::start().await;
    for path in [
        "",
        "/",
        "/me/",
        "/me/links/",
        "/ME",
        "/users/demo",
        "/users//stats",
        "/webhooks",
    ] {
        let line = format!("GET {path}");
        let message = format!("there is nothing at /api/v1{path}; no endpoint has this path");
        ask(&server, &line).refused(404, "unknown_path", &message);
        ask(&server, &line)
            .without_key()
            .refused(404, "unknown_path", &message);
    }
}

#[tokio::test]
async fn a_known_path_with_another_method_tells_what_is_allowed() {
    let server = MockServer::start().await;
    for (path, allowed) in [("/me", "GET"), ("/me/links/link_1", "PATCH, DELETE")] {
        for method in ["PUT", "OPTIONS", "patch"] {
            let message = format!("{method} is not allowed here; allowed: {allowed}");
            let answer = ask(&server, &format!("{method} {path}"))
                .without_key()
                .refused(405, "method_not_allowed", &message);
            assert_eq!(answer.header("allow"), Some(allowed));
        }
    }
}
