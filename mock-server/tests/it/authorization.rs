//! Authentication and scopes (section Authentication of the specification).

use mock_server::{MockServer, Scope};
use serde_json::json;

use crate::endpoints::{Access, ENDPOINTS, Listed, endpoints_with_scope};
use crate::request::request;

fn scopes_except(scope: Scope) -> Vec<Scope> {
    let all = Scope::ALL.iter().copied();
    all.filter(|one| *one != scope).collect()
}

#[tokio::test]
async fn rejects_a_missing_key() {
    let server = MockServer::start().await;
    let message = "no API key; send the header `Authorization: Bearer <API_KEY>`";
    let is_required = |endpoint: &&Listed| endpoint.access != Access::Everybody;
    for endpoint in ENDPOINTS.iter().filter(is_required) {
        let request = request(&server, &endpoint.known()).without_key();
        let answer = request.assert_rejected(401, "key_missing", message);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
}

#[tokio::test]
async fn rejects_an_unknown_key_even_if_no_key_is_required() {
    let server = MockServer::start().await;
    let upper = server.key().to_uppercase();
    for endpoint in ENDPOINTS.iter() {
        for key in ["wrong", upper.as_str()] {
            let request = request(&server, &endpoint.known()).key(key);
            let answer = request.assert_rejected(401, "unknown_key", "unknown API key");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test]
async fn rejects_a_malformed_header_even_if_no_key_is_required() {
    let server = MockServer::start().await;
    let form = "the Authorization header does not have the form `Bearer <API_KEY>`";
    let repeated = "found more than one Authorization header; send only one";
    let own = format!("Bearer {}", server.key());
    for line in ["GET /me", "GET /badges"] {
        let without_key = || request(&server, line).without_key();
        for (request, value, message) in [
            (without_key(), "", form),
            (without_key(), "Bearer", form),
            (without_key(), "Basic eDp5", form),
            (without_key(), server.key(), form),
            (request(&server, line), &own, repeated),
        ] {
            let request = request.header("Authorization", value);
            request.assert_rejected(401, "malformed_authorization", message);
        }
    }
}

#[tokio::test]
async fn scheme_is_case_insensitive() {
    let server = MockServer::start().await;
    for scheme in ["bearer", "BEARER", "Bearer "] {
        let header = format!("{scheme} {}", server.key());
        let request = request(&server, "GET /me").without_key();
        request.header("authorization", &header).data(200);
    }
}

#[tokio::test]
async fn rejects_a_key_with_all_scopes_except_the_required_one() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    for (endpoint, scope) in endpoints_with_scope() {
        let key = server.create_key("demo", &scopes_except(scope)).unwrap();
        for key in [&key, &server.keys().none] {
            let message = format!("the key lacks the scope {scope}");
            let request = request(&server, &endpoint.known()).key(key).json(json!({}));
            request.assert_rejected(403, "scope_missing", &message);
        }
    }
    let after = server.world().unwrap();
    assert_eq!(after.account("demo"), before.account("demo"));
}

#[tokio::test]
async fn the_required_scope_is_enough() {
    let server = MockServer::start().await;
    for (endpoint, scope) in endpoints_with_scope() {
        let key = server.create_key("demo", &[scope]).unwrap();
        let mut request = request(&server, &endpoint.known()).key(&key);
        if let Some(body) = endpoint.body() {
            request = request.json(body);
        }
        let answer = request.send();
        assert!((200..300).contains(&answer.status), "{}", endpoint.line);
    }
}

#[tokio::test]
async fn keys_are_never_printed() {
    let server = MockServer::start().await;
    let created = server.create_key("demo", Scope::ALL).unwrap();
    let printed = format!(
        "{server:?} {:?} {:?} {:?}",
        server.keys(),
        server.world().unwrap(),
        MockServer::builder().world(server.world().unwrap()),
    );
    let keys = server.keys().clone();
    let keys = [
        keys.all,
        keys.none,
        keys.profile,
        keys.analytics,
        keys.links,
        keys.social,
    ];
    for key in keys.iter().chain([&created]) {
        assert!(!printed.contains(key.as_str()));
    }
}
