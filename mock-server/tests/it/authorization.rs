//! Authentication and scopes (section Authentication of the specification).

use mock_server::{Keys, MockServer, Scope};
use serde_json::json;

use crate::endpoints::{Access, ENDPOINTS, endpoints_with_scope};
use crate::request::request;

fn scopes_except(scope: Scope) -> Vec<Scope> {
    Scope::ALL
        .iter()
        .copied()
        .filter(|one| *one != scope)
        .collect()
}

#[tokio::test]
async fn rejects_a_missing_key() {
    let server = MockServer::start().await;
    for endpoint in ENDPOINTS.iter() {
        if endpoint.access == Access::Everybody {
            continue;
        }
        let answer = request(&server, &endpoint.known())
            .without_key()
            .assert_rejected(
                401,
                "key_missing",
                "no API key; send the header `Authorization: Bearer <API_KEY>`",
            );
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
}

#[tokio::test]
async fn rejects_an_unknown_key_even_if_no_key_is_required() {
    let server = MockServer::start().await;
    let upper = server.key().to_uppercase();
    for endpoint in ENDPOINTS.iter() {
        for key in ["wrong", upper.as_str()] {
            let answer = request(&server, &endpoint.known())
                .key(key)
                .assert_rejected(401, "unknown_key", "unknown API key");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test]
async fn rejects_a_malformed_header_even_if_no_key_is_required() {
    let server = MockServer::start().await;
    let forms = ["", "Bearer", "Basic eDp5", server.key()];
    for line in ["GET /me", "GET /badges"] {
        for form in forms {
            request(&server, line)
                .without_key()
                .header("Authorization", form)
                .assert_rejected(
                    401,
                    "malformed_authorization",
                    "the Authorization header does not have the form `Bearer <API_KEY>`",
                );
        }
        request(&server, line)
            .header("Authorization", &format!("Bearer {}", server.key()))
            .assert_rejected(
                401,
                "malformed_authorization",
                "found more than one Authorization header; send only one",
            );
    }
}

#[tokio::test]
async fn scheme_is_case_insensitive() {
    let server = MockServer::start().await;
    for scheme in ["bearer", "BEARER", "Bearer "] {
        request(&server, "GET /me")
            .without_key()
            .header("authorization", &format!("{scheme} {}", server.key()))
            .data(200);
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
            request(&server, &endpoint.known())
                .key(key)
                .json(json!({}))
                .assert_rejected(403, "scope_missing", &message);
        }
    }
    assert_eq!(
        server.world().unwrap().account("demo"),
        before.account("demo")
    );
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
    let Keys {
        all,
        none,
        profile,
        analytics,
        links,
        social,
        ..
    } = server.keys();
    for key in [all, none, profile, analytics, links, social, &created] {
        assert!(!printed.contains(key.as_str()));
    }
}
