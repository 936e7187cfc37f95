//! A service that was not written with the mock in mind.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use mock_server::dialect::DialectFile;
use mock_server::{FieldLimit, MockServer, ProfileField, Request, World, handle};
use serde_json::{Map, Value, json};

use crate::child;
use crate::dialects::{Learned, check_only, learn};
use crate::for_each;

const KEY: &str = "foreign-key-0123456789";

/// The service, which is killed on drop.
struct Foreign {
    child: Child,
    url: String,
}

impl Foreign {
    /// Starts the service, unless Python is not installed.
    fn start(options: &[&str]) -> Option<Self> {
        if !child::is_installed("python3") {
            return None;
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/foreign_service.py");
        let limits = ProfileField::ALL.iter().filter_map(|field| {
            let FieldLimit::Text { max_characters, .. } = field.limit() else {
                return None;
            };
            Some((field.name(), json!(max_characters)))
        });
        let mut child = child::command("python3")
            .arg(script)
            .args(options)
            .env("LIMITS", limits.collect::<Value>().to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut port)
            .unwrap();
        let url = format!("http://127.0.0.1:{}", port.trim());
        Some(Self { child, url })
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn result<'a>(learned: &'a Learned, name: &str) -> &'a Value {
    let mut rows = learned.report["rows"].as_array().unwrap().iter();
    let row = rows.find(|row| row["setting"] == name || row["question"] == name);
    row.unwrap_or_else(|| panic!("no row {name}"))
}

/// Returns the settings that express habits of the service.
fn expected_settings() -> [(&'static str, Value); 12] {
    [
        ("key_rate_limit", json!("number")),
        ("me_fields", json!("full")),
        ("ids", json!("uuid")),
        ("resource_fields", json!("bare")),
        ("write_responses", json!("empty_data")),
        (
            "write_statuses",
            json!({"created": 202, "edited": 202, "deleted": 202}),
        ),
        ("unknown_fields", json!("ignored")),
        ("analytics", json!("flat")),
        ("badge_kinds", json!("extra")),
        (
            "error_template",
            json!({"body": {"errors": [
                {"type": "{code}", "text": "{message}", "http": "{status}", "at": "/{field}"},
            ]}}),
        ),
        (
            "rate_limit_header_names",
            json!({"limit": "x-quota-limit", "remaining": "x-quota-left"}),
        ),
        (
            "extra_fields",
            json!({
                "me": {"plan": "pro", "verified": true, "created_at": "2020-01-01"},
                "key": {"echo": "…", "prefix": "…"},
                "link": {"position": 1},
            }),
        ),
    ]
}

#[tokio::test]
async fn names_the_habits_of_a_foreign_service_and_reproduces_them() {
    let Some(service) = Foreign::start(&[]) else {
        return;
    };
    let options = ["--handle", "bob", "--allow-writes", "--yes"];
    let learned = learn(&service.url, KEY, &options);
    assert_eq!(
        learned.code,
        Some(1),
        "{}{:#}",
        learned.stderr,
        learned.report
    );
    assert_eq!(learned.files, ["dialect.json"]);
    let address = service.url.trim_start_matches("http://").parse().unwrap();
    let me = crate::request::request_at(address, KEY, "GET /me").data(200);
    assert_eq!(me["links"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&me["posts"], &me["bio"], &me["location"]),
        (&json!([]), &json!("Hello"), &json!("Paris"))
    );
    let settings = learned.settings();
    for (setting, value) in expected_settings() {
        assert_eq!(settings[setting], value, "{setting}");
    }
    let rejections = &settings["rejections"];
    assert_eq!(
        rejections["unknown_key"],
        json!({"status": 403, "code": "bad_key"})
    );
    assert_eq!(
        rejections["unknown_field"],
        json!({"status": 409, "code": "no_such_field"})
    );
    assert_eq!(
        rejections["out_of_range"],
        json!({"status": 416, "code": "range", "message": "days is not allowed"})
    );
    assert_eq!(
        rejections["unknown_link"],
        json!({"status": 410, "code": "gone", "message": "there is no such thing"})
    );
    for name in ["api_visible", "key_scopes", "null in an edit"] {
        assert_eq!(result(&learned, name)["result"], "outside", "{name}");
    }
    let statistics = "Site statistics: `users`, `views` and `links`, all integers.";
    assert_eq!(result(&learned, statistics)["result"], "contradiction");

    let world = reproduce(&learned.file);
    assert_is_learned_again(world, settings).await;
}

#[test]
fn names_resources_whose_ids_are_not_shown() {
    let Some(service) = Foreign::start(&["no-ids"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
    assert_eq!(learned.code, Some(1), "{}", learned.stderr);
    let left = learned
        .stderr
        .lines()
        .filter_map(|line| line.split_once("possibly not deleted: "));
    let left: Vec<_> = left.map(|(_, left)| left).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left[0].starts_with("a link whose title contains learn"));
    assert!(left[1].starts_with("a post whose body contains learn"));
}

/// Returns the profile, which only the foreign service shows.
fn me(service: &Foreign) -> Value {
    let address = service.url.trim_start_matches("http://").parse().unwrap();
    crate::request::request_at(address, KEY, "GET /me").data(200)
}

#[test]
fn a_service_that_clears_omitted_fields_keeps_the_profile() {
    for options in [&["clears"][..], &["clears", "lenient"]] {
        let Some(service) = Foreign::start(options) else {
            return;
        };
        let before = me(&service);
        let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
        assert!(
            !learned.stderr.contains("has changed"),
            "{}",
            learned.stderr
        );
        assert_eq!(me(&service), before);
    }
}

#[test]
fn does_not_edit_a_profile_with_a_field_that_is_not_shown() {
    let Some(service) = Foreign::start(&["clears", "lenient", "hides-bio"]) else {
        return;
    };
    let address = service.url.trim_start_matches("http://").parse().unwrap();
    let me = || crate::request::request_at(address, KEY, "GET /me?all").data(200);
    let before = me();
    assert_eq!(before["bio"], "Hello");
    for options in [&[][..], &["--allow-writes", "--yes"]] {
        let learned = learn(&service.url, KEY, options);
        assert_eq!(me(), before, "{options:?}");
        let reason = &result(&learned, "content_rejection")["reason"];
        assert_eq!(*reason, "not asked: GET /me does not show bio");
    }
}

#[test]
fn asks_a_service_whose_profile_is_empty() {
    let Some(service) = Foreign::start(&["empty"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
    let unknown_field = &learned.settings()["rejections"]["unknown_field"];
    assert_eq!(unknown_field["status"], 409);
    let repeated = &result(&learned, "repeated fields")["reason"];
    assert_eq!(*repeated, "all editable fields are null");
}

#[test]
fn prints_the_old_and_the_new_value_of_a_changed_profile() {
    let Some(service) = Foreign::start(&["overwrites"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
    assert_eq!(learned.code, Some(1), "{}", learned.stderr);
    let change = "mock-server-learn: the profile has changed: bio was \"Hello\" and is now \"Rewritten\\u009b\"; sent PATCH /me/profile to undo it: 202\n";
    assert!(learned.stderr.contains(change), "{}", learned.stderr);
}

/// Returns the questions of all findings of this kind.
fn findings(learned: &Learned, result: &str) -> Vec<String> {
    let rows = learned.report["rows"].as_array().unwrap().iter();
    let found = rows.filter(|row| row["result"] == result);
    found
        .map(|row| row["question"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn reports_accepted_requests_that_the_mock_rejects() {
    let Some(service) = Foreign::start(&["lax"]) else {
        return;
    };
    let learned = learn(
        &service.url,
        KEY,
        &["--handle", "bob", "--allow-writes", "--yes"],
    );
    assert_eq!(learned.code, Some(1), "{}", learned.stderr);
    let contradictions = findings(&learned, "contradiction");
    for sentence in [
        "The caller sends the header `Authorization: Bearer <API_KEY>`.",
        "1 to 365 for the caller's own profile, and 1 to 30 for any other one",
    ] {
        let mut all = contradictions.iter();
        assert!(
            all.any(|found| found.contains(sentence)),
            "{sentence}: {contradictions:?}"
        );
    }
    let outside = findings(&learned, "outside");
    for request in [
        "PUT /stats",
        "PATCH /me/profile as text/plain",
        "DELETE /me/links/{id} again",
    ] {
        let question = format!("response to {request}");
        assert!(outside.contains(&question), "{request}: {outside:?}");
    }
}

#[test]
fn reports_contradictions_in_what_it_reads_and_writes() {
    let Some(service) = Foreign::start(&["odd"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
    let contradictions = findings(&learned, "contradiction");
    for sentence in [
        "`daily`: array of objects: `date` (`YYYY-MM-DD`) and `views` (integer)",
        "`views` (the views in these days)",
        "`links:write`: creating, editing and deleting links",
        "`social:write`: creating and deleting posts",
    ] {
        let mut all = contradictions.iter();
        assert!(
            all.any(|found| found.contains(sentence)),
            "{sentence}: {contradictions:?}"
        );
    }
    // The link without its title was deleted nevertheless.
    assert_eq!(me(&service)["links"].as_array().unwrap().len(), 1);
    let Some(service) = Foreign::start(&["refuses"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
    let refused = "PATCH /me/profile".to_owned();
    assert!(findings(&learned, "contradiction").contains(&refused));
}

#[test]
fn quotes_the_sentence_that_a_value_contradicts() {
    const BADGE: &str = "A badge has an `id`, a `name`, a `description`, a `color` (`#rrggbb`) and a `kind`, all strings.";
    let cases: [(&str, &[&str]); 2] = [
        ("nulls", &[BADGE]),
        (
            "unlisted",
            &[
                "GET /badges: Returns all badges as an array.",
                "`total_views`: integer: all views",
                "`period`: object: `days` (the number of days) and `views` (the views in these days), both integers",
                "`devices`: object: `desktop`, `mobile` and `tablet`, all integers",
                "`countries`: array of objects: `code` (a country code) and `views` (integer)",
            ],
        ),
    ];
    for (option, expected) in cases {
        let Some(service) = Foreign::start(&[option]) else {
            return;
        };
        let learned = learn(&service.url, KEY, &["--handle", "bob"]);
        let mut found = findings(&learned, "contradiction");
        found.retain(|sentence| !sentence.starts_with("Site statistics: "));
        assert_eq!(found, expected, "{option}");
    }
}

#[test]
fn reads_responses_with_a_byte_order_mark() {
    let runs = [&[][..], &["marks"], &["plain"], &["plain", "marks"]].map(|options: &[&str]| {
        let service = Foreign::start(options)?;
        let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
        Some(learned.settings())
    });
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[2], runs[3]);
}

#[test]
fn names_what_a_text_is_learned_as() {
    let Some(service) = Foreign::start(&["plain"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &[]);
    assert_eq!(learned.settings()["error_body"], "plain_text");
    let reason = &result(&learned, "error_template")["reason"];
    let expected = "a text is learned as a message, with the status and the code in it";
    assert_eq!(*reason, expected);
    let unknown_handle = &learned.settings()["rejections"]["unknown_handle"]["message"];
    assert_eq!(*unknown_handle, "404 nothing_here: there is nothing here");
}

#[test]
fn learns_unusual_bodies_of_rejections() {
    let at = "/{field}";
    let object = json!({"type": "{code}", "text": "{message}", "http": "{status}", "at": at});
    let page = |message: &str| {
        format!("<html>\n<title>404</title>\n<h1>Error 404</h1>\n<p>{message}.</p>\n</html>\n")
    };
    let cases = [
        (
            "numeric",
            json!({"errors": [{"type": "{number}", "text": "{message}", "http": "{status}", "at": at}]}),
            None,
            None,
        ),
        (
            "id-codes",
            json!({"errors": [{"id": "{code}", "text": "{message}", "http": "{status}", "at": at}]}),
            None,
            None,
        ),
        ("html", json!({"errors": [object]}), Some("text/html"), None),
        ("arrays", json!([object]), None, None),
        (
            "texts",
            json!("{message}"),
            Some("application/json"),
            Some(r#""Sorry: there is nothing here""#.to_owned()),
        ),
        (
            "pages",
            json!("{message}"),
            Some("text/html"),
            Some(page("there is nothing here")),
        ),
    ];
    for_each(&cases, |(option, body, content_type, message)| {
        let Some(service) = Foreign::start(&[option]) else {
            return;
        };
        let learned = learn(&service.url, KEY, &[]);
        let settings = learned.settings();
        assert_eq!(settings["error_template"]["body"], *body, "{option}");
        assert_eq!(
            settings["error_template"]["content_type"].as_str(),
            *content_type
        );
        if let Some(message) = message {
            let file = DialectFile::from_json(&learned.file.to_string()).unwrap();
            let mut world = World::default();
            world.set_dialect(file.settings);
            let reply = handle(&mut world, &Request::new("GET", "/api/v1/nothing"));
            assert_eq!(String::from_utf8(reply.body).unwrap(), *message);
        }
        // The message of this rejection repeats the field, which the mock cannot do.
        let outside = findings(&learned, "outside");
        let field = "response to PATCH /me/profile with an unknown field".to_owned();
        assert_eq!(
            outside.contains(&field),
            message.is_some(),
            "{option}: {outside:?}"
        );
    });
}

#[test]
fn says_what_it_could_not_learn() {
    let Some(service) = Foreign::start(&[
        "crashes",
        "encoded-ids",
        "hangs GET /stats",
        "hangs GET /users/ada/stats",
    ]) else {
        return;
    };
    let options = ["--allow-writes", "--yes", "--timeout", "1"];
    let learned = learn(&service.url, KEY, &options);
    assert_eq!(learned.code, Some(1), "{}", learned.stderr);
    let reason = &result(&learned, "content_rejection")["reason"];
    assert_eq!(
        *reason,
        "PATCH /me/profile with an unknown field returns 500"
    );
    assert_eq!(result(&learned, "ids")["result"], "outside");
    for endpoint in ["GET /stats", "GET /users/{handle}/stats"] {
        let message = format!("; {endpoint} is not requested again\n");
        assert!(learned.stderr.contains(&message), "{}", learned.stderr);
    }
    assert!(
        !learned.stderr.contains("not deleted"),
        "{}",
        learned.stderr
    );
}

#[test]
fn hides_texts_in_contradictions() {
    let writes: &[&str] = &["--allow-writes", "--yes"];
    for (option, options, private) in [
        ("unwrapped", &[][..], "ada@example.com"),
        ("text-key", &[], "the laptop of Ada"),
        ("returns-me", writes, "ada@example.com"),
    ] {
        let Some(service) = Foreign::start(&[option]) else {
            return;
        };
        let learned = learn(&service.url, KEY, options);
        assert_eq!(learned.code, Some(1), "{}", learned.stderr);
        assert!(!learned.report.to_string().contains(private), "{option}");
        assert!(!learned.file.to_string().contains(private), "{option}");
        if option == "text-key" {
            assert_eq!(result(&learned, "key_object")["result"], "outside");
        }
    }
}

#[test]
fn finds_what_the_lists_show_later() {
    let Some(service) = Foreign::start(&["lags"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
    assert!(
        !learned.stderr.contains("not deleted"),
        "{}",
        learned.stderr
    );
    assert!(
        !learned.stderr.contains("has changed"),
        "{}",
        learned.stderr
    );
    let options = ["--allow-writes", "--yes"];
    // The lists now show the final state.
    let again = learn(&service.url, KEY, &options);
    assert!(!again.stderr.contains("not deleted"), "{}", again.stderr);
    let address = service.url.trim_start_matches("http://").parse().unwrap();
    let me = crate::request::request_at(address, KEY, "GET /me").data(200);
    assert_eq!(me["links"].as_array().unwrap().len(), 1, "{me}");
    assert_eq!(me["posts"], json!([]));
}

#[test]
fn names_structured_rate_limits_and_waits_for_them() {
    let Some(service) = Foreign::start(&["structured"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &[]);
    let found = result(&learned, "rate_limit_headers");
    assert_eq!(found["result"], "outside");
    let header = &found["sample"]["found"]["ratelimit"];
    assert_eq!(*header, "\"default\";r=9;t=1");
    assert_eq!(result(&learned, "retry_after")["reason"], "needs a 429");
}

#[test]
fn an_accepted_unknown_field_does_not_show_the_profile() {
    let Some(service) = Foreign::start(&["lenient"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
    let rows = learned.report["rows"].as_array().unwrap().iter();
    let mut contradictions = rows.filter(|row| row["result"] == "contradiction");
    let edit = contradictions
        .find(|row| row["sample"]["request"] == "PATCH /me/profile with an unknown field");
    assert_eq!(edit.unwrap()["sample"]["found"], "the mock returns 422");
    assert!(!learned.report.to_string().contains("Paris"));
    // Only the response to the creation has this field.
    let link = &learned.settings()["extra_fields"]["link"];
    assert_eq!(*link, json!({"clicks": 0, "position": 2}));
}

#[test]
fn a_field_that_is_null_is_not_missing() {
    let Some(service) = Foreign::start(&["nulls"]) else {
        return;
    };
    let learned = learn(&service.url, KEY, &[]);
    assert_eq!(result(&learned, "me_fields")["value"], "full");
    assert_eq!(result(&learned, "api_visible")["result"], "outside");
    let rows = learned.report["rows"].as_array().unwrap().iter();
    let mut contradictions = rows.filter(|row| row["result"] == "contradiction");
    let found = contradictions.find(|row| row["sample"]["request"] == "GET /me");
    assert_eq!(found, None);
}

#[test]
fn a_count_or_the_id_of_a_response_is_not_a_change() {
    let Some(service) = Foreign::start(&["counts"]) else {
        return;
    };
    let file = learn(&service.url, KEY, &[]).file;
    assert!(file["settings"]["extra_fields"]["site"]["requests"].is_number());
    let mut path = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut path, file.to_string().as_bytes()).unwrap();
    let options = ["--check", path.path().to_str().unwrap()];
    let learned = check_only(&service.url, KEY, &options);
    assert_eq!(learned.report["drift"], json!([]));
    assert_eq!(learned.code, Some(0));
}

/// Asserts that the same is learned from a mock with the learned dialect.
async fn assert_is_learned_again(world: World, mut expected: Map<String, Value>) {
    let server = MockServer::builder().world(world).start().await.unwrap();
    let again = learn(
        server.uri(),
        server.key(),
        &["--handle", "grace", "--allow-writes", "--yes"],
    );
    expected["extra_fields"]["key"] = again.settings()["extra_fields"]["key"].clone();
    for name in [
        "unknown_fields",
        "write_statuses",
        "error_template",
        "ids",
        "extra_fields",
    ] {
        assert_eq!(again.settings()[name], expected[name], "{name}");
    }
}

/// Returns a world with the learned dialect, after comparing its responses with those of the service.
fn reproduce(file: &Value) -> World {
    let file = DialectFile::from_json(&file.to_string()).unwrap();
    let mut world = World::default();
    world.set_dialect(file.settings);
    let key = format!("Bearer {}", world.keys().all);
    let request = |method: &str, path: &str| {
        let request = Request::new(method, &format!("/api/v1{path}"));
        request
            .header("Authorization", &key)
            .header("Content-Type", "application/json")
    };
    let rejected = handle(
        &mut world,
        &request("PATCH", "/me/profile").body(r#"{"nickname": "x"}"#),
    );
    let body: Value = serde_json::from_slice(&rejected.body).unwrap();
    let error = &body["errors"][0];
    assert_eq!((rejected.status, &error["http"]), (409, &json!(409)));
    assert_eq!(
        (&error["type"], &error["at"]),
        (&json!("no_such_field"), &json!("/nickname"))
    );
    let written = handle(
        &mut world,
        &request("PATCH", "/me/profile").body(r#"{"bio": "x"}"#),
    );
    assert_eq!(
        (written.status, &*written.body),
        (202, &br#"{"data":{}}"#[..])
    );
    let me: Value =
        serde_json::from_slice(&handle(&mut world, &request("GET", "/me")).body).unwrap();
    assert_eq!(
        (&me["data"]["plan"], &me["data"]["links"][0]["position"]),
        (&json!("pro"), &json!(1))
    );
    world
}

/// An option of the service, the contradicted sentences, and parts of the warnings.
type Instead = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

#[rustfmt::skip]
const INSTEAD: [Instead; 8] = [
    ("forgets", &["`profile:write`: editing the profile", LINKS], &[]),
    ("edits-another", &[LINKS], &["the profile has changed: link ", " to undo it: 202\n"]),
    ("deletes-another", &[LINKS], &[
        "the profile has changed: link ", "; sent POST /me/links to undo it: 202\n",
        "not deleted: DELETE /me/links/",
    ]),
    ("deletes-all", &[LINKS], &[
        "the profile has changed: link ", "; sent POST /me/links to undo it: 202\n",
    ]),
    ("merges", &[LINKS], &[]),
    ("truncates", &[], &["not deleted: DELETE /me/links/"]),
    ("object-ids", &["A link has a `title` (string), a `url` (string, a URL), and an `id` that is used in paths.", "A post has a `body` (string), and an `id` that is used in paths."],
        &["; a path cannot have its id {\"$oid\":\""]),
    ("queues", &[LINKS], &["; GET /me does not list it; if it does later, DELETE /me/links/"]),
];

const LINKS: &str = "`links:write`: creating, editing and deleting links";

#[test]
fn names_and_undoes_what_a_write_did_instead() {
    for_each(&INSTEAD, |(option, sentences, messages)| {
        let Some(service) = Foreign::start(&[option]) else {
            return;
        };
        let shown = || {
            let me = me(&service);
            let links = me["links"].as_array().unwrap().iter();
            let mut titles: Vec<_> = links.map(|link| link["title"].to_string()).collect();
            titles.retain(|title| !title.contains("learn"));
            (titles, me["accent_color"].clone())
        };
        let before = shown();
        let learned = learn(&service.url, KEY, &["--allow-writes", "--yes"]);
        assert_eq!(learned.code, Some(1), "{option}: {}", learned.stderr);
        let found = findings(&learned, "contradiction");
        for sentence in *sentences {
            let is_found = found.iter().any(|found| found == sentence);
            assert!(is_found, "{option}: {sentence}: {found:#?}");
        }
        for message in *messages {
            assert!(
                learned.stderr.contains(message),
                "{option}: {}",
                learned.stderr
            );
        }
        assert_eq!(shown(), before, "{option}");
    });
}
