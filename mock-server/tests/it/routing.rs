//! Unknown paths and methods.

use mock_server::MockServer;
use serde_json::Value;

use crate::endpoints::{ENDPOINTS, Listed};
use crate::request::{request, request_exactly};
use crate::schema::SERVICE;

#[tokio::test]
async fn returns_404_for_unknown_paths() {
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
        let message = format!("no endpoint has the path /api/v1{path}");
        request(&server, &line).assert_rejected(404, "unknown_path", &message);
        let without_key = request(&server, &line).without_key();
        let answer = without_key.assert_rejected(404, "unknown_path", &message);
        let line = format!("GET /api/v1{path}");
        SERVICE.check(&line, &Value::Null, &answer, &[]);
    }
}

#[tokio::test]
async fn what_browsers_look_for_is_no_violation() {
    let server = MockServer::start().await;
    for path in [
        "/favicon.ico",
        "/robots.txt",
        "/apple-touch-icon.png",
        "/apple-touch-icon-120x120-precomposed.png",
        "/.well-known/appspecific/com.chrome.devtools.json",
        "/.well-known/change-password",
    ] {
        for method in ["GET", "HEAD"] {
            let line = format!("{method} {path}");
            assert_eq!(request_exactly(server.address(), &line).send().status, 404);
        }
    }
    server.assert_no_violations();
    assert_eq!(server.journal().requests().len(), 12);
    for line in "POST /favicon.ico|GET /favicon.ico/|GET /a/robots.txt|GET /icon.png".split('|') {
        request_exactly(server.address(), line).send();
        let requests = server.journal().requests();
        assert_eq!(requests.last().unwrap().violations.len(), 1, "{line}");
    }
}

#[tokio::test]
async fn returns_405_with_the_allowed_methods() {
    let server = MockServer::start().await;
    for endpoint in ENDPOINTS.iter() {
        let of_path = ENDPOINTS
            .iter()
            .filter(|other| other.path() == endpoint.path());
        let allowed: Vec<_> = of_path.map(Listed::method).collect();
        let allowed = allowed.join(", ");
        for method in ["PUT", "OPTIONS", "patch"] {
            let message = format!("method {method} is not allowed; expected {allowed}");
            let line = endpoint.known().replacen(endpoint.method(), method, 1);
            let request = request(&server, &line).without_key();
            let answer = request.assert_rejected(405, "method_not_allowed", &message);
            assert_eq!(answer.header("allow"), Some(&*allowed));
            let line = line.replacen(' ', " /api/v1", 1);
            SERVICE.check(&line, &Value::Null, &answer, &[]);
        }
    }
}
