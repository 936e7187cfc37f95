//! A service that was not written with the mock in mind.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use mock_server::dialect::DialectFile;
use mock_server::{FieldLimit, MockServer, ProfileField, World, handle};
use serde_json::{Map, Value, json};

use crate::child;
use crate::dialects::{Learned, check_only, learn};
use crate::for_each;
use crate::request::{engine_request, request_at};

const KEY: &str = "foreign-key-0123456789";
const WRITES: &[&str] = &["--allow-writes", "--yes"];

/// The service, which is killed on drop.
struct Foreign {
    child: Child,
    url: String,
}

impl Foreign {
    /// Starts the service, unless Python is not installed.
    fn start(options: &[&str]) -> Option<Self> {
        child::require_installed("python3")?;
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/foreign_service.py");
        let limits = ProfileField::ALL.iter().filter_map(|field| {
            let FieldLimit::Text {
                max_characters,
                max_lines,
            } = field.limit()
            else {
                return None;
            };
            let max_lines = max_lines.unwrap_or(max_characters);
            Some((field.name(), json!([max_characters, max_lines])))
        });
        let world = World::default();
        let profile = json!(world.account("demo").unwrap().profile);
        let mut child = child::command("python3")
            .arg(script)
            .args(options)
            .env("PROFILE", profile.to_string())
            .env("LIMITS", limits.collect::<Value>().to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut stdout, mut port) = (child.stdout.take().unwrap(), String::new());
        BufReader::new(&mut stdout).read_line(&mut port).unwrap();
        let url = format!("http://127.0.0.1:{}", port.trim());
        Some(Self { child, url })
    }

    /// Returns the data of a response that only the foreign service shows.
    fn get(&self, path: &str) -> Value {
        let address = self.url.trim_start_matches("http://").parse().unwrap();
        request_at(address, KEY, &format!("GET {path}")).data(200)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The settings that express habits of the service.
const HABITS: &str = r#"
key_rate_limit "number"
me_fields "full"
ids "uuid"
resource_fields "bare"
write_responses "empty_data"
write_statuses {"created": 202, "edited": 202, "deleted": 202}
unknown_fields "ignored"
analytics "flat"
badge_kinds "extra"
error_template {"body": {"errors": [{"type": "{code}", "text": "{message}", "http": "{status}", "at": "/{field}"}]}}
rate_limit_header_names {"limit": "x-quota-limit", "remaining": "x-quota-left"}
extra_fields {"me": {"plan": "pro", "verified": true, "created_at": "2020-01-01"}, "key": {"echo": "…", "prefix": "…"}, "link": {"position": 1}}
rejections/unknown_key {"status": 403, "code": "bad_key"}
rejections/unknown_field {"status": 409, "code": "no_such_field"}
rejections/out_of_range {"status": 416, "code": "range", "message": "days is not allowed"}
rejections/unknown_link {"status": 410, "code": "gone", "message": "there is no such thing"}
"#;

#[tokio::test]
async fn names_the_habits_of_a_foreign_service_and_reproduces_them() {
    let service = or_skip!(Foreign::start(&[]));
    let options = ["--handle", "bob", "--allow-writes", "--yes"];
    let learned = learn(&service.url, KEY, &options);
    learned.ends(1);
    assert_eq!(learned.files, ["dialect.json"]);
    let me = service.get("/me");
    assert_eq!(me["links"].as_array().unwrap().len(), 1);
    let [posts, bio, location] = ["posts", "bio", "location"].map(|name| me[name].clone());
    assert_eq!(json!([posts, bio, location]), json!([[], "Hello", "Paris"]));
    let settings = learned.settings();
    for row in HABITS.trim().lines() {
        let (setting, value) = row.split_once(' ').unwrap();
        let found = Value::from(settings.clone())
            .pointer(&format!("/{setting}"))
            .cloned();
        assert_eq!(
            found,
            Some(serde_json::from_str(value).unwrap()),
            "{setting}"
        );
    }
    for name in ["api_visible", "key_scopes", "null in an edit"] {
        assert_eq!(learned.row(name)["result"], "outside", "{name}");
    }
    let statistics = "Site statistics: `users`, `views` and `links`, all integers.";
    assert_eq!(learned.row(statistics)["result"], "contradiction");

    let world = reproduce(&learned.file);
    assert_is_learned_again(world, settings).await;
}

#[test]
fn names_resources_whose_ids_are_not_shown() {
    let service = or_skip!(Foreign::start(&["no-ids"]));
    let learned = learn(&service.url, KEY, WRITES);
    learned.ends(1);
    let lines = learned.stderr.lines();
    let left = lines.filter_map(|line| line.split_once("possibly not deleted: "));
    let left: Vec<_> = left.map(|(_, left)| left).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left[0].starts_with("a link whose title contains learn"));
    assert!(left[1].starts_with("a post whose body contains learn"));
}

#[test]
fn a_service_that_clears_omitted_fields_keeps_the_profile() {
    for options in [&["clears"][..], &["clears", "lenient"]] {
        let service = or_skip!(Foreign::start(options));
        let before = service.get("/me");
        let learned = learn(&service.url, KEY, WRITES);
        learned.does_not_say("has changed");
        assert_eq!(service.get("/me"), before);
    }
}

#[test]
fn does_not_edit_a_profile_with_a_field_that_is_not_shown() {
    let service = or_skip!(Foreign::start(&["clears", "lenient", "hides-bio"]));
    let me = || service.get("/me?all");
    let before = me();
    assert_eq!(before["bio"], "Hello");
    for options in [&[][..], WRITES] {
        let learned = learn(&service.url, KEY, options);
        assert_eq!(me(), before, "{options:?}");
        let reason = &learned.row("content_rejection")["reason"];
        assert_eq!(*reason, "not asked: GET /me does not show bio");
    }
}

#[test]
fn sends_no_text_back_that_is_not_utf_8() {
    let service = or_skip!(Foreign::start(&["latin"]));
    let reason = "GET /me is not valid UTF-8, so nothing was written";
    for options in [&[][..], WRITES] {
        let learned = learn(&service.url, KEY, options);
        assert_eq!(service.get("/writes"), json!([]), "{options:?}");
        let rows = ["content_rejection", "write_responses"];
        assert_eq!(learned.row(rows[0])["reason"], reason);
        if options == WRITES {
            learned.says(&format!("mock-server-learn: {reason}\n"));
            assert_eq!(learned.row(rows[1])["reason"], reason);
        }
    }
}

#[test]
fn prints_the_old_and_the_new_value_of_a_changed_profile() {
    let service = or_skip!(Foreign::start(&["overwrites"]));
    let learned = learn(&service.url, KEY, WRITES);
    learned.ends(1);
    let change = "mock-server-learn: the profile has changed: bio was \"Hello\" and is now \"Rewritten\\u009b\"; sent PATCH /me/profile to undo it: 202\n";
    learned.says(change);
}

/// Returns the questions of all findings of this kind.
fn findings(learned: &Learned, result: &str) -> Vec<String> {
    let found = learned.findings(result).into_iter();
    let question = |row: &Value| row["question"].as_str().unwrap().to_owned();
    found.map(question).collect()
}

/// Options of the service, and sentences of the report about it: parts of contradictions, what is outside, and
/// after `=` all contradictions.
const SENTENCES: &str = "
lax
contradiction The caller sends the header `Authorization: Bearer <API_KEY>`.
contradiction 1 to 365 for the caller's own profile, and 1 to 30 for any other one
outside response to PUT /stats
outside response to PATCH /me/profile as text/plain
outside response to DELETE /me/links/{id} again
odd
contradiction `daily`: array of objects: `date` (`YYYY-MM-DD`) and `views` (integer)
contradiction `views` (the views in these days)
contradiction `links:write`: creating, editing and deleting links
contradiction `social:write`: creating and deleting posts
refuses
contradiction PATCH /me/profile
texts
outside response to PATCH /me/profile with an unknown field
pages
outside response to PATCH /me/profile with an unknown field
nulls
= A badge has an `id`, a `name`, a `description`, a `color` (`#rrggbb`) and a `kind`, all strings.
unlisted
= GET /badges: Returns all badges as an array.
= `total_views`: integer: all views
= `period`: object: `days` (the number of days) and `views` (the views in these days), both integers
= `devices`: object: `desktop`, `mobile` and `tablet`, all integers
= `countries`: array of objects: `code` (a country code) and `views` (integer)
";

#[test]
fn quotes_the_sentences_that_the_service_contradicts() {
    let mut cases = Vec::new();
    for line in SENTENCES.trim().lines() {
        match line.split_once(' ') {
            None => cases.push((line, Vec::new())),
            Some(row) => cases.last_mut().unwrap().1.push(row),
        }
    }
    for_each(&cases, |(option, rows)| {
        let service = or_skip!(Foreign::start(&[option]));
        let (all, rows): (Vec<_>, Vec<_>) = rows.iter().partition(|(kind, _)| *kind == "=");
        let writes = if all.is_empty() { WRITES } else { &[] };
        let learned = learn(&service.url, KEY, &[&["--handle", "bob"], writes].concat());
        for (kind, sentence) in rows {
            let found = findings(&learned, kind);
            let is_found = found.iter().any(|found| found.contains(sentence));
            assert!(is_found, "{option}: {sentence}: {found:?}");
        }
        if !all.is_empty() {
            let mut found = findings(&learned, "contradiction");
            found.retain(|sentence| !sentence.starts_with("Site statistics: "));
            let all: Vec<_> = all.into_iter().map(|(_, sentence)| sentence).collect();
            assert_eq!(found, all, "{option}");
        }
        learned.ends(1);
        // The link without its title was deleted nevertheless.
        let links = service.get("/me")["links"].as_array().unwrap().len();
        assert_eq!(links, 1, "{option}");
    });
}

#[test]
fn reads_responses_with_a_byte_order_mark() {
    let runs = [&[][..], &["marks"], &["plain"], &["plain", "marks"]].map(|options: &[&str]| {
        let service = Foreign::start(options)?;
        let learned = learn(&service.url, KEY, WRITES);
        Some(learned.settings())
    });
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[2], runs[3]);
}

#[test]
fn hides_texts_in_contradictions() {
    for (option, options, private) in [
        ("unwrapped", &[][..], "ada@example.com"),
        ("text-key", &[], "the laptop of Ada"),
        ("returns-me", WRITES, "ada@example.com"),
        ("lenient", WRITES, "Paris"),
    ] {
        let service = or_skip!(Foreign::start(&[option]));
        let learned = learn(&service.url, KEY, options);
        learned.ends(1);
        assert!(!learned.report.to_string().contains(private), "{option}");
        assert!(!learned.file.to_string().contains(private), "{option}");
    }
}

#[test]
fn finds_what_the_lists_show_later() {
    let service = or_skip!(Foreign::start(&["lags"]));
    // The second run sees the final state in the lists.
    for _ in 0..2 {
        let learned = learn(&service.url, KEY, WRITES);
        learned.does_not_say("not deleted");
        learned.does_not_say("has changed");
    }
    let me = service.get("/me");
    assert_eq!(me["links"].as_array().unwrap().len(), 1, "{me}");
    assert_eq!(me["posts"], json!([]));
}

/// Options of the service and of the command, and parts of the rows of the report, by JSON pointers that begin
/// with the name of a row.
type Rows = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
);

#[rustfmt::skip]
const ROWS: [Rows; 13] = [
    (&["numeric"], &[], &[("error_template/value", r#"{"body":{"errors":[{"at":"/{field}","http":"{status}","text":"{message}","type":"{number}"}]}}"#)]),
    (&["id-codes"], &[], &[("error_template/value", r#"{"body":{"errors":[{"at":"/{field}","http":"{status}","id":"{code}","text":"{message}"}]}}"#)]),
    (&["html"], &[], &[("error_template/value", r#"{"body":{"errors":[{"at":"/{field}","http":"{status}","text":"{message}","type":"{code}"}]},"content_type":"text/html"}"#)]),
    (&["arrays"], &[], &[("error_template/value", r#"{"body":[{"at":"/{field}","http":"{status}","text":"{message}","type":"{code}"}]}"#)]),
    (&["texts"], &[], &[
        ("error_template/value", r#"{"body":"{message}","content_type":"application/json"}"#),
        ("rejections/value/unknown_path/message", r#""\"Sorry: there is nothing here\"""#),
    ]),
    (&["pages"], &[], &[
        ("error_template/value", r#"{"body":"{message}","content_type":"text/html"}"#),
        ("rejections/value/unknown_path/message", r#""<html>\n<title>404</title>\n<h1>Error 404</h1>\n<p>there is nothing here.</p>\n</html>\n""#),
    ]),
    (&["empty"], WRITES, &[
        ("repeated fields/reason", r#""all editable fields are null""#),
        ("rejections/value/unknown_field/status", "409"),
    ]),
    (&["plain"], &[], &[
        ("error_template/value/body", r#""{status} {code}: {message}""#),
        ("rejections/value/unknown_handle/code", r#""nothing_here""#),
        ("rejections/value/unknown_handle/message", r#""there is nothing here""#),
    ]),
    (&["structured"], &[], &[
        ("rate_limit_headers/result", r#""outside""#),
        ("rate_limit_headers/sample/found/ratelimit", r#""\"default\";r=9;t=1""#),
        // It waits for them.
        ("retry_after/reason", r#""needs a 429""#),
    ]),
    (&["nulls"], &[], &[("me_fields/value", r#""full""#), ("api_visible/result", r#""outside""#)]),
    (&["text-key"], &[], &[("key_object/result", r#""outside""#)]),
    // Only the response to the creation has this field.
    (&["lenient"], WRITES, &[("extra_fields/value/link", r#"{"clicks":0,"position":2}"#)]),
    (HANGING, &["--allow-writes", "--yes", "--timeout", "1"], &[
        ("content_rejection/reason", r#""PATCH /me/profile with an unknown field returns 500""#),
        ("ids/result", r#""outside""#),
    ]),
];

const HANGING: &[&str] = &[
    "crashes",
    "encoded-ids",
    "hangs GET /stats",
    "hangs GET /users/ada/stats",
];

#[test]
fn says_what_it_learned_or_why_it_could_not() {
    for_each(&ROWS, |(options, arguments, rows)| {
        let service = or_skip!(Foreign::start(options));
        let learned = learn(&service.url, KEY, arguments);
        for (place, expected) in *rows {
            let (name, pointer) = place.split_once('/').unwrap();
            let found = learned.row(name).pointer(&format!("/{pointer}"));
            let found = found.map(Value::to_string);
            assert_eq!(found.as_deref(), Some(*expected), "{place}");
        }
        if *options == HANGING {
            learned.ends(1);
            for endpoint in ["GET /stats", "GET /users/{handle}/stats"] {
                learned.says(&format!("; {endpoint} is not requested again\n"));
            }
            learned.does_not_say("not deleted");
        }
    });
}

#[test]
fn a_count_or_the_id_of_a_response_is_not_a_change() {
    let service = or_skip!(Foreign::start(&["counts"]));
    let file = learn(&service.url, KEY, &[]).file;
    assert!(file["settings"]["extra_fields"]["site"]["requests"].is_number());
    let mut path = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut path, file.to_string().as_bytes()).unwrap();
    let options = ["--check", path.path().to_str().unwrap()];
    let learned = check_only(&service.url, KEY, &options);
    assert_eq!(learned.report["drift"], json!([]));
    learned.ends(0);
}

/// Asserts that the same is learned from a mock with the learned dialect.
async fn assert_is_learned_again(world: World, mut expected: Map<String, Value>) {
    let server = MockServer::builder().world(world).start().await.unwrap();
    let options = ["--handle", "grace", "--allow-writes", "--yes"];
    let again = learn(server.uri(), server.key(), &options).settings();
    expected["extra_fields"]["key"] = again["extra_fields"]["key"].clone();
    for name in "unknown_fields write_statuses error_template ids extra_fields".split(' ') {
        assert_eq!(again[name], expected[name], "{name}");
    }
}

/// Returns a world with the learned dialect, after comparing its responses with those of the service.
fn reproduce(file: &Value) -> World {
    let file = DialectFile::from_json(&file.to_string()).unwrap();
    let mut world = World::default();
    world.set_dialect(file.settings);
    let key = world.keys().all;
    let mut send = |line, body| {
        let reply = handle(&mut world, &engine_request(line, Some(&key), body));
        let body: Value = serde_json::from_slice(&reply.body).unwrap();
        (reply.status, body)
    };
    let (status, rejected) = send("PATCH /me/profile", Some(r#"{"nickname": "x"}"#));
    let error = &rejected["errors"][0];
    assert_eq!((status, &error["http"]), (409, &json!(409)));
    assert_eq!(error["type"], "no_such_field");
    assert_eq!(error["at"], "/nickname");
    let written = send("PATCH /me/profile", Some(r#"{"bio": "x"}"#));
    assert_eq!(written, (202, json!({"data": {}})));
    let (_, me) = send("GET /me", None);
    assert_eq!(me["data"]["plan"], "pro");
    assert_eq!(me["data"]["links"][0]["position"], 1);
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
        let service = or_skip!(Foreign::start(&[option]));
        let shown = || {
            let me = service.get("/me");
            let links = me["links"].as_array().unwrap().iter();
            let mut titles: Vec<_> = links.map(|link| link["title"].to_string()).collect();
            titles.retain(|title| !title.contains("learn"));
            (titles, me["accent_color"].clone())
        };
        let before = shown();
        let learned = learn(&service.url, KEY, WRITES);
        assert_eq!(learned.code, Some(1), "{option}: {}", learned.stderr);
        let found = findings(&learned, "contradiction");
        for sentence in *sentences {
            let is_found = found.iter().any(|found| found == sentence);
            assert!(is_found, "{option}: {sentence}: {found:#?}");
        }
        for message in *messages {
            learned.says(message);
        }
        assert_eq!(shown(), before, "{option}");
    });
}
