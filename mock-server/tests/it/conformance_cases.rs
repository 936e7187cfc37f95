//! The cases of the conformance suite, in the order of the specification.

use mock_server::{FieldLimit, Keys, ProfileField, Scope};
use serde_json::{Map, Value, json};

use crate::conformance::{Case, Service, assert_rejected, data, request};
use crate::endpoints::{ENDPOINTS, Listed, endpoints_with_scope};

const PROFILE: &str = "PATCH /me/profile";

const fn case(section: &'static str, sentence: &'static str, check: fn(&Service)) -> Case {
    Case {
        section,
        sentence,
        check,
    }
}

pub(crate) const CASES: &[Case] = &[
    case(
        "Introduction",
        "Every path starts with /api/v1",
        |service| {
            for path in ["/me", "/badges", "/v1/me", "/api/v2/me"] {
                let answer = service.send(mock_server::Request::new("GET", path));
                assert_rejected(&answer, 404, "unknown_path");
            }
        },
    ),
    case(
        "Introduction",
        "Requests and responses use JSON",
        |service| {
            let answer = service.send_with(&service.keys.all, "GET /me", None);
            assert_eq!(answer.header("content-type"), Some("application/json"));
            let plain = request(PROFILE)
                .header("Authorization", format!("Bearer {}", service.keys.all))
                .header("Content-Type", "text/plain")
                .body("{}");
            assert_rejected(&service.send(plain), 415, "wrong_content_type");
        },
    ),
    case(
        "What the service does",
        "An answer with data has one top-level field, data",
        |service| {
            for line in [
                "GET /me",
                "GET /me/analytics",
                "GET /users/demo/stats",
                "GET /badges",
            ] {
                let answer = service.send_with(&service.keys.all, line, None);
                let body: Value = serde_json::from_str(&answer.body).unwrap();
                let names: Vec<_> = body.as_object().unwrap().keys().collect();
                assert_eq!(names, ["data"], "{line}");
            }
        },
    ),
    case(
        "What the service does",
        "A key belongs to one account, whose profile it reads",
        |service| {
            for &scope in Scope::ALL {
                let answer = service.send_with(key_of(&service.keys, scope), "GET /me", None);
                assert_eq!(data(&answer)["handle"], "demo");
            }
        },
    ),
    case(
        "Resources and their fields",
        "The editable fields of a profile are strings",
        |service| {
            let edit: Map<_, _> = ProfileField::ALL.iter().map(sample).collect();
            let edit = Value::Object(edit);
            service.write(PROFILE, &edit, 200);
            let me = service.read("GET /me");
            for (field, text) in edit.as_object().unwrap() {
                assert_eq!(&me[field], text);
                for other in [json!(null), json!(true), json!(5), json!(["x"]), json!({})] {
                    service.refuse(PROFILE, Some(&json!({ field: other })), 422, "wrong_type");
                }
            }
        },
    ),
    case(
        "Resources and their fields",
        "GET /me also tells the key owner's email address",
        |service| assert_eq!(service.read("GET /me")["email"], "demo@example.com"),
    ),
    case(
        "Resources and their fields",
        "GET /me also tells the visibility setting for the API",
        |service| assert_eq!(service.read("GET /me")["api_visible"], true),
    ),
    case(
        "Resources and their fields",
        "GET /me also describes the calling key: its scopes and its rate limit",
        |service| {
            let me = service.send_with(&service.keys.links, "GET /me", None);
            let key = &data(&me)["key"];
            assert_eq!(key["scopes"], json!(["links:write"]));
            assert!(key["rate_limit"]["limit"].is_u64());
        },
    ),
    case(
        "Resources and their fields",
        "A link has a title, a url and an id that paths use",
        |service| {
            let link = json!({"title": "Blog", "url": "https://example.com/blog"});
            let created = data(&service.write("POST /me/links", &link, 201));
            assert_eq!(
                (&created["title"], &created["url"]),
                (&link["title"], &link["url"])
            );
            let line = format!("DELETE /me/links/{}", created["id"].as_str().unwrap());
            assert_eq!(
                service.send_with(&service.keys.all, &line, None).status,
                204
            );
        },
    ),
    case(
        "Resources and their fields",
        "The fields of a link are strings",
        |service| {
            for line in ["POST /me/links", "PATCH /me/links/link_1"] {
                for body in [
                    json!({"title": 5, "url": "https://example.com"}),
                    json!({"title": "x", "url": null}),
                ] {
                    service.refuse(line, Some(&body), 422, "wrong_type");
                }
            }
        },
    ),
    case(
        "Resources and their fields",
        "The url of a link is a URL",
        |service| {
            for line in ["POST /me/links", "PATCH /me/links/link_1"] {
                let body = json!({"title": "x", "url": "no url"});
                service.refuse(line, Some(&body), 422, "not_a_url");
            }
        },
    ),
    case(
        "Resources and their fields",
        "A post has a body, which is a string, and an id that paths use",
        |service| {
            let post = json!({"body": "Grüße 🙂\n"});
            let created = data(&service.write("POST /me/posts", &post, 201));
            assert_eq!(created["body"], post["body"]);
            let line = format!("DELETE /me/posts/{}", created["id"].as_str().unwrap());
            assert_eq!(
                service.send_with(&service.keys.all, &line, None).status,
                204
            );
            service.refuse(
                "POST /me/posts",
                Some(&json!({"body": 5})),
                422,
                "wrong_type",
            );
        },
    ),
    case(
        "Resources and their fields",
        "A badge has an id, a name, a description, a color and a kind, of which auto is known",
        |service| {
            let badges = service.read("GET /badges");
            for badge in badges.as_array().unwrap() {
                for field in ["id", "name", "description"] {
                    assert!(badge[field].is_string(), "{badge}");
                }
                let color = badge["color"].as_str().unwrap();
                assert!(color.len() == 7 && color.starts_with('#'), "{badge}");
                assert_eq!(badge["kind"], "auto");
            }
        },
    ),
    case(
        "Resources and their fields",
        "View statistics have the integers of all time, of the period and of each day",
        |service| {
            let statistics = service.read("GET /users/demo/stats?days=7");
            assert!(statistics["total_views"].is_u64());
            assert_eq!(statistics["period"]["days"], 7);
            let daily = statistics["daily"].as_array().unwrap();
            let sum: u64 = daily.iter().map(|day| day["views"].as_u64().unwrap()).sum();
            assert_eq!(statistics["period"]["views"], sum);
            for day in daily {
                let date: Vec<_> = day["date"]
                    .as_str()
                    .unwrap()
                    .split('-')
                    .map(str::len)
                    .collect();
                assert_eq!(date, [4, 2, 2]);
            }
        },
    ),
    case(
        "Resources and their fields",
        "View statistics of the own profile count devices and countries",
        |service| {
            let statistics = service.read("GET /users/demo/stats");
            for device in ["desktop", "mobile", "tablet"] {
                assert!(statistics["devices"][device].is_u64());
            }
            for country in statistics["countries"].as_array().unwrap() {
                assert!(country["code"].is_string() && country["views"].is_u64());
            }
        },
    ),
    case(
        "Resources and their fields",
        "Site statistics are the integers users, views and links",
        |service| {
            let statistics = service.read("GET /stats");
            for field in ["users", "views", "links"] {
                assert!(statistics[field].is_u64(), "{field}");
            }
        },
    ),
    case(
        "Endpoints",
        "Each endpoint has its method, and no other",
        |service| {
            for endpoint in ENDPOINTS {
                let path = endpoint.path();
                let of_path = ENDPOINTS.iter().filter(|other| other.path() == path);
                let allowed: Vec<_> = of_path.map(Listed::method).collect();
                let line = endpoint.known().replacen(endpoint.method(), "PUT", 1);
                let answer = service.send(request(&line));
                assert_rejected(&answer, 405, "method_not_allowed");
                assert_eq!(answer.header("allow"), Some(&*allowed.join(", ")));
            }
        },
    ),
    case(
        "Endpoints",
        "GET /me holds the full profile beside what the owner alone sees",
        |service| {
            let me = service.read("GET /me");
            for field in [
                "display_name",
                "bio",
                "location",
                "accent_color",
                "text_color",
                "background_color",
            ] {
                assert!(me[field].is_string(), "{field}");
            }
        },
    ),
    case(
        "Endpoints",
        "Every field of PATCH /me/profile is optional, and the body is a JSON object",
        |service| {
            let before = service.read("GET /me");
            service.write(PROFILE, &json!({}), 200);
            assert_eq!(service.read("GET /me"), before);
            for body in [json!([]), json!("bio"), json!(null)] {
                service.refuse(PROFILE, Some(&body), 400, "not_a_json_object");
            }
        },
    ),
    case(
        "Endpoints",
        "GET /me/analytics tells views, likes and social counts",
        |service| {
            let analytics = service.read("GET /me/analytics");
            assert!(analytics["views"].is_u64() && analytics["likes"].is_u64());
            assert!(analytics["social"].is_object());
        },
    ),
    case(
        "Endpoints",
        "PATCH /me/links/{id} takes the same fields as POST /me/links",
        |service| {
            let edit = json!({"title": "Diary", "url": "mailto:me@example.com"});
            service.write("PATCH /me/links/link_1", &edit, 200);
            let link = &service.read("GET /me")["links"][0];
            assert_eq!(
                (&link["title"], &link["url"]),
                (&edit["title"], &edit["url"])
            );
        },
    ),
    case(
        "Endpoints",
        "DELETE /me/links/{id} removes the link",
        |service| {
            let line = "DELETE /me/links/link_1";
            assert_eq!(service.send_with(&service.keys.all, line, None).status, 204);
            assert_eq!(service.read("GET /me")["links"][0]["id"], "link_2");
            service.refuse(line, None, 404, "unknown_link");
        },
    ),
    case(
        "Endpoints",
        "DELETE /me/posts/{id} removes one of the key owner's posts",
        |service| {
            let line = "DELETE /me/posts/post_3";
            assert_eq!(service.send_with(&service.keys.all, line, None).status, 204);
            assert_eq!(service.read("GET /me")["posts"], json!([]));
            // This link belongs to grace.
            service.refuse("DELETE /me/posts/post_5", None, 404, "unknown_post");
        },
    ),
    case("Endpoints", "days is 30 unless it is given", |service| {
        for handle in ["demo", "grace"] {
            let statistics = service.read(&format!("GET /users/{handle}/stats"));
            assert_eq!(statistics["period"]["days"], 30);
            assert_eq!(statistics["daily"].as_array().unwrap().len(), 30);
        }
    }),
    case("Endpoints", "days is an integer", |service| {
        for days in ["", "x", "7.0", "1e1"] {
            let line = format!("GET /users/demo/stats?days={days}");
            service.refuse(&line, None, 422, "not_an_integer");
        }
    }),
    case(
        "Endpoints",
        "Devices and countries are for the caller's own profile",
        |service| {
            let statistics = service.read("GET /users/grace/stats");
            assert_eq!(statistics.get("devices"), None);
            assert_eq!(statistics.get("countries"), None);
        },
    ),
    case("Endpoints", "GET /badges lists badges", |service| {
        assert!(!service.read("GET /badges").as_array().unwrap().is_empty())
    }),
    case(
        "Authentication",
        "The caller sends the header Authorization: Bearer and the key",
        |service| {
            assert_rejected(&service.send(request("GET /me")), 401, "key_missing");
            for header in ["", "Bearer", "Basic eDp5", &service.keys.all] {
                let request = request("GET /me").header("Authorization", header);
                assert_rejected(&service.send(request), 401, "key_invalid");
            }
            let answer = service.send_with("wrong", "GET /me", None);
            assert_rejected(&answer, 401, "key_invalid");
        },
    ),
    case(
        "Authentication",
        "A key carries scopes, and the one that is required is enough",
        |service| {
            for (endpoint, scope) in endpoints_with_scope() {
                let (key, line) = (key_of(&service.keys, scope), endpoint.known());
                let answer = service.send_with(key, &line, endpoint.body().as_ref());
                assert!(
                    (200..300).contains(&answer.status),
                    "{line}: {}",
                    answer.body
                );
            }
        },
    ),
    case(
        "Errors",
        "An edit with a field that cannot be edited is rejected as a whole",
        |service| {
            let before = service.read("GET /me");
            for field in ["nickname", "handle", "email", "Bio", ""] {
                let body = json!({"bio": "taken?", field: "x"});
                service.refuse(PROFILE, Some(&body), 422, "unknown_field");
            }
            assert_eq!(service.read("GET /me"), before);
        },
    ),
    case(
        "Errors",
        "An operation whose scope the key lacks is refused",
        |service| {
            let before = service.read("GET /me");
            for (endpoint, needed) in endpoints_with_scope() {
                let (line, body) = (endpoint.known(), endpoint.body());
                for &scope in Scope::ALL.iter().filter(|scope| **scope != needed) {
                    let key = key_of(&service.keys, scope);
                    let answer = service.send_with(key, &line, body.as_ref());
                    assert_rejected(&answer, 403, "scope_missing");
                }
            }
            assert_eq!(service.read("GET /me"), before);
        },
    ),
    case(
        "Limits",
        "Each field of a profile has its limit, and no other",
        |service| {
            ProfileField::ALL
                .iter()
                .for_each(|field| check_limit(service, field))
        },
    ),
    case("Limits", "days is 1 to 30 for other profiles", |service| {
        check_max_days(service, "grace", 30)
    }),
    case(
        "Limits",
        "days is 1 to 365 for the own profile",
        |service| check_max_days(service, "demo", 365),
    ),
];

fn key_of(keys: &Keys, scope: Scope) -> &str {
    match scope {
        Scope::ProfileWrite => &keys.profile,
        Scope::AnalyticsRead => &keys.analytics,
        Scope::LinksWrite => &keys.links,
        Scope::SocialWrite => &keys.social,
        other => panic!("no key has only the scope {other}"),
    }
}

/// The limits of the specification, which are stated here once more to find mistakes in the table.
const LIMITS: &[(&str, &str)] = &[
    ("display_name", "up to 32 characters"),
    ("bio", "up to 300 characters and up to 10 lines"),
    ("location", "up to 40 characters"),
    ("accent_color", "format #rrggbb"),
    ("text_color", "format #rrggbb"),
    ("background_color", "format #rrggbb"),
];

fn sample(field: &ProfileField) -> (String, Value) {
    let text = match field.limit() {
        FieldLimit::Text { .. } => "Ada",
        FieldLimit::Color => "#FFFFFF",
    };
    (field.name().to_owned(), text.into())
}

#[track_caller]
fn check_limit(service: &Service, field: &ProfileField) {
    let name = field.name();
    let stated = LIMITS.iter().find(|(stated, _)| *stated == name);
    let (_, stated) = stated.unwrap_or_else(|| panic!("LIMITS has no row for {name}"));
    assert_eq!(field.limit().to_string(), *stated, "{name}");
    match field.limit() {
        FieldLimit::Text {
            max_characters,
            max_lines,
        } => {
            check_max_characters(service, name, max_characters);
            check_max_lines(service, name, max_lines);
        }
        FieldLimit::Color => check_color(service, name),
    }
}

#[track_caller]
fn check_max_characters(service: &Service, field: &str, max: usize) {
    for character in ["x", "é", "🙂", "\u{301}"] {
        let longest = json!({ field: character.repeat(max) });
        service.write(PROFILE, &longest, 200);
        assert_eq!(service.read("GET /me")[field], longest[field]);
        let longer = json!({ field: character.repeat(max + 1) });
        service.refuse(PROFILE, Some(&longer), 422, "too_many_characters");
    }
}

#[track_caller]
fn check_max_lines(service: &Service, field: &str, max: Option<usize>) {
    for line_break in ["\n", "\r\n", "\r"] {
        let max = max.unwrap_or(16);
        service.write(PROFILE, &json!({ field: line_break.repeat(max - 1) }), 200);
    }
    for line_break in ["\n", "\r\n", "\r"].iter().filter(|_| max.is_some()) {
        let body = json!({ field: line_break.repeat(max.unwrap()) });
        service.refuse(PROFILE, Some(&body), 422, "too_many_lines");
    }
}

#[track_caller]
fn check_color(service: &Service, field: &str) {
    service.write(PROFILE, &json!({ field: "#0fA9bC" }), 200);
    for text in [
        "", "red", "#12345", "#1234567", "123456", "#12345g", " #123456",
    ] {
        service.refuse(PROFILE, Some(&json!({ field: text })), 422, "not_a_color");
    }
}

#[track_caller]
fn check_max_days(service: &Service, handle: &str, limit: u32) {
    for days in [1, limit] {
        let statistics = service.read(&format!("GET /users/{handle}/stats?days={days}"));
        assert_eq!(statistics["period"]["days"], days);
    }
    for days in ["0", "-1", &(limit + 1).to_string(), "99999999999999999999"] {
        let line = format!("GET /users/{handle}/stats?days={days}");
        service.refuse(&line, None, 422, "out_of_range");
    }
}
