//! The OpenAPI document matches the responses of the service.

use std::collections::BTreeMap;
use std::env;

use expect_test::expect_file;
use mock_server::{FieldLimit, MockServer, ProfileField, Scope};
use serde_json::{Map, Value, json};

use crate::bodies::rejected_requests;
use crate::edits::edits_at_the_limit;
use crate::endpoints::{Access, ENDPOINTS, Listed};
use crate::request::{TestRequest, limit_requests, request};
use crate::schema::{CONTROL, SERVICE, text};

/// One byte more than the maximum length of a body.
const TOO_LARGE: usize = 1024 * 1024 + 1;

/// An operation of the document.
struct Operation {
    method: String,
    path: String,
    /// `null` if any key has access.
    security: Value,
    responses: Map<String, Value>,
}

fn operations() -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, item) in SERVICE.value["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().iter();
        for (method, operation) in methods.filter(|(name, _)| *name != "parameters") {
            operations.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                security: operation["security"].clone(),
                responses: operation["responses"].as_object().unwrap().clone(),
            });
        }
    }
    operations
}

impl Operation {
    /// Returns the method and the path below `/api/v1`, as in the specification.
    fn line(&self) -> String {
        let path = self.path.strip_prefix("/api/v1").unwrap();
        format!("{} {path}", self.method)
    }

    /// Returns the access that the document states.
    fn access(&self) -> Access {
        match &self.security {
            Value::Null => Access::AnyKey,
            Value::Array(ways) if ways.contains(&json!({})) => Access::Everybody,
            ways => {
                let scope = ways[0]["key"][0].clone();
                Access::KeyWith(serde_json::from_value(scope).unwrap())
            }
        }
    }

    /// Creates a request that succeeds.
    fn good(&self, server: &MockServer) -> TestRequest {
        let listed = self.listed();
        let good = request(server, &listed.known());
        match listed.body() {
            Some(body) => good.json(body),
            None => good,
        }
    }

    /// Creates a request that is rejected with a status code.
    fn bad(&self, server: &MockServer, status: &str) -> TestRequest {
        let known = self.listed().known();
        match status {
            "401" => request(server, &known).key("wrong"),
            "403" => request(server, &known).key(&server.keys().none),
            "413" => request(server, &known).body(vec![b' '; TOO_LARGE]),
            "415" => request(server, &known).body("{}"),
            "429" => {
                limit_requests(server, 0);
                self.good(server)
            }
            _ => {
                let mut requests = rejected_requests().into_iter();
                let found = requests.find(|(line, _, response)| {
                    self.listed().matches(line)
                        && (response.is_empty() || response.starts_with(status))
                });
                let (line, body, _) = found.unwrap_or_else(|| {
                    let line = self.line();
                    panic!("{line} documents {status}; add a request for it to rejections.txt")
                });
                match body {
                    "" => request(server, line),
                    body => request(server, line).text(body),
                }
            }
        }
    }

    /// Returns the endpoint of the specification.
    fn listed(&self) -> &'static Listed {
        let line = self.line();
        let listed = ENDPOINTS.iter().find(|listed| listed.line == line);
        listed.unwrap_or_else(|| panic!("the specification has no {line}"))
    }
}

#[test]
fn json_and_yaml_are_equal() {
    for (name, json) in [
        ("openapi.yaml", expect_file!["../../openapi.json"]),
        (
            "control-openapi.yaml",
            expect_file!["../../control-openapi.json"],
        ),
    ] {
        let document: serde_yaml_ng::Value = serde_yaml_ng::from_str(&text(name)).unwrap();
        let expected = serde_json::to_string_pretty(&document).unwrap() + "\n";
        if env::var_os("UPDATE_EXPECT").is_none() {
            // The whole documents would be printed otherwise.
            let found = json.data();
            let mut lines = found.lines().zip(expected.lines());
            let first = lines.find(|(found, expected)| found != expected);
            let is_equal = found == expected;
            assert!(
                is_equal,
                "{name}: run this test with UPDATE_EXPECT=1: {first:?}"
            );
        }
        json.assert_eq(&expected);
    }
}

#[test]
fn document_has_all_endpoints_of_the_specification() {
    assert_eq!(SERVICE.value["security"], json!([{"key": []}]));
    let documented: BTreeMap<_, _> = operations()
        .iter()
        .map(|operation| (operation.line(), operation.access()))
        .collect();
    let listed = ENDPOINTS
        .iter()
        .map(|listed| (listed.line.clone(), listed.access));
    assert_eq!(documented, listed.collect());
}

#[tokio::test]
async fn all_documented_responses_match_the_document() {
    for operation in operations() {
        for status in operation.responses.keys() {
            let server = MockServer::start().await;
            let answer = match status.starts_with('2') {
                true => operation.good(&server),
                false => operation.bad(&server, status),
            }
            .send();
            let (line, body) = (operation.line(), &answer.body);
            assert_eq!(answer.status.to_string(), *status, "{line}: {body}");
            let line = format!("{} {}", operation.method, operation.path);
            SERVICE.check(&line, &Value::Null, &answer, &[]);
        }
    }
}

#[tokio::test]
async fn statistics_of_another_profile_match_the_document() {
    let server = MockServer::start().await;
    let answer = request(&server, "GET /users/grace/stats?days=7").send();
    assert_eq!(answer.status, 200);
    SERVICE.check("GET /api/v1/users/grace/stats", &Value::Null, &answer, &[]);
}

/// Returns the places, documents and properties of the schemas that list the editable fields.
fn lists_of_fields() -> impl Iterator<Item = (&'static str, &'static Value, &'static Value)> {
    let lists = [
        (&SERVICE.value, "/components/schemas/ProfileEdit"),
        (&SERVICE.value, "/components/schemas/PublicProfile"),
        (
            &CONTROL.value,
            "/components/schemas/Account/properties/profile",
        ),
    ];
    lists.into_iter().map(|(document, place)| {
        let list = document.pointer(place).unwrap();
        (place, document, &list["properties"])
    })
}

#[test]
fn all_schemas_of_profiles_have_all_fields_with_their_limits() {
    for (place, document, properties) in lists_of_fields() {
        for field in ProfileField::ALL {
            let name = field.name();
            let schema = properties.get(name);
            let schema = schema.unwrap_or_else(|| panic!("{place} has no {name}"));
            let schema = match schema["$ref"].as_str() {
                Some(reference) => document.pointer(&reference[1..]).unwrap(),
                None => schema,
            };
            match field.limit() {
                FieldLimit::Text { max_characters, .. } => {
                    assert_eq!(schema["maxLength"], max_characters, "{place} {name}");
                }
                FieldLimit::Color => {
                    assert_eq!(schema["pattern"], "^#[0-9A-Fa-f]{6}$", "{place} {name}");
                }
                other => panic!("no schema for a limit of {other}"),
            }
        }
    }
    let required = &SERVICE.value["components"]["schemas"]["PublicProfile"]["required"];
    for field in ProfileField::ALL {
        assert!(required.as_array().unwrap().contains(&field.name().into()));
    }
}

#[test]
fn all_schemas_of_scopes_list_all_scopes() {
    let scopes = serde_json::to_value(Scope::ALL).unwrap();
    let [service, control] =
        [&SERVICE, &CONTROL].map(|document| &document.value["components"]["schemas"]);
    assert_eq!(service["Scope"]["enum"], scopes);
    assert_eq!(control["Scopes"]["items"]["enum"], scopes);
}

/// Checks that the schema accepts the same bodies as the service.
#[track_caller]
fn check_bodies(server: &MockServer, line: &str, bodies: impl IntoIterator<Item = Value>) {
    for body in bodies {
        let answer = request(server, line).json(body.clone()).send();
        let line = line.replacen(' ', " /api/v1", 1);
        SERVICE.check(&line, &body, &answer, &[400, 422]);
    }
}

#[tokio::test]
async fn profile_schema_accepts_what_the_service_accepts() {
    let server = MockServer::start().await;
    let edits = ProfileField::ALL.iter().flat_map(edits_at_the_limit);
    let others = [
        json!({}),
        json!({"bio": null}),
        json!({"bio": 7}),
        json!({"nickname": "x"}),
    ];
    check_bodies(&server, "PATCH /me/profile", edits.chain(others));
}

#[tokio::test]
async fn link_and_post_schemas_accept_what_the_service_accepts() {
    let server = MockServer::start().await;
    let bodies = [
        json!({"title": "", "url": "mailto:demo@example.com"}),
        json!({"title": "x".repeat(10_000), "url": "https://example.com/?a#b"}),
        json!({"title": "x", "url": "/relative"}),
        json!({"title": "x", "url": ""}),
        json!({"title": "x", "url": "https://example.com", "id": "x"}),
    ];
    let parts = [
        json!({}),
        json!({"title": "x"}),
        json!({"url": "https://example.com"}),
        json!({"url": "example.com"}),
    ];
    check_bodies(
        &server,
        "POST /me/links",
        bodies.into_iter().chain(parts.clone()),
    );
    check_bodies(&server, "PATCH /me/links/link_1", parts);
    let bodies = [json!({"body": ""}), json!({"body": []}), json!({})];
    check_bodies(&server, "POST /me/posts", bodies);
}
