//! The settings of a dialect.

use mock_server::dialect::{DialectFile, Learned};
use mock_server::{Clock, Dialect, World, handle};
use serde_json::{Value, json};

use crate::request::{Answer, engine_request, line_and_body};

/// Sends a request with a key that has all scopes.
fn send(world: &mut World, line: &str, body: Option<Value>) -> Answer {
    let (key, body) = (world.keys().all, body.map(|body| body.to_string()));
    handle(world, &engine_request(line, Some(&key), body.as_deref())).into()
}

/// A request begins with the name of its key, if it is not `all`. After `|`, it names a part of the body as a JSON
/// pointer, a header, or with `*` the whole body.
#[test]
fn responses_depend_on_the_dialect_as_in_the_table() {
    let mut world = World::default();
    let mut lines = Vec::new();
    let is_response = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    for line in include_str!("dialects.txt").lines() {
        if is_response(&line) {
            continue;
        }
        lines.push(line.to_owned());
        if line.starts_with('{') {
            world = World::default();
            world.set_clock(Clock::fixed("2026-03-01T12:00:00Z").unwrap());
            world.set_dialect(Dialect::from_json(line).unwrap());
        } else if line.contains(" /") {
            let (request, parts) = line.split_once(" | ").unwrap_or((line, ""));
            let (key, request) = match request.strip_prefix("key=") {
                Some(named) => named.split_once(' ').unwrap(),
                None => ("all", request),
            };
            let keys = json!(world.keys());
            let (request, body) = line_and_body(request);
            let body = Some(body).filter(|body| !body.is_empty());
            let request = engine_request(request, keys[key].as_str(), body);
            let answer = Answer::from(handle(&mut world, &request));
            let json = serde_json::from_str::<Value>(&answer.body).unwrap_or_default();
            let mut shown = vec![answer.status.to_string()];
            shown.extend(parts.split_whitespace().map(|part| {
                match part {
                    "*" => answer.body.replace('\n', "\\n"),
                    header if !header.starts_with('/') => {
                        answer.header(header).unwrap_or("none").to_owned()
                    }
                    pointer => json
                        .pointer(pointer)
                        .map_or("none".to_owned(), Value::to_string),
                }
            }));
            lines.push(shown.join("  ").trim_end().to_owned());
        }
    }
    let found = lines.join("\n") + "\n";
    expect_test::expect_file!["dialects.txt"].assert_eq(&found);
}

#[test]
fn api_visible_is_a_boolean_an_integer_or_a_string() {
    for (setting, shown, hidden) in [
        ("boolean", "true", "false"),
        ("integer", "1", "0"),
        ("string", "\"true\"", "\"false\""),
    ] {
        let mut world = World::default();
        let dialect = json!({"api_visible": setting}).to_string();
        world.set_dialect(Dialect::from_json(&dialect).unwrap());
        for (is_visible, expected) in [(true, shown), (false, hidden)] {
            world.account_mut("demo").unwrap().api_visible = is_visible;
            let body = send(&mut world, "GET /me", None).body;
            let expected = format!("\"api_visible\":{expected}");
            assert!(body.contains(&expected), "{body}");
        }
    }
}

#[test]
fn no_dialect_accepts_invalid_profiles() {
    for (setting, alternative, dialect) in Dialect::alternatives() {
        let mut world = World::default();
        world.set_dialect(dialect);
        let before = world.clone();
        for body in [
            json!({"nickname": "x"}),
            json!({"bio": "\n".repeat(200)}),
            json!([]),
        ] {
            let status = send(&mut world, "PATCH /me/profile", Some(body)).status;
            assert!((400..500).contains(&status), "{setting}: {alternative}");
        }
        assert_eq!(world, before, "{setting}: {alternative}");
    }
}

#[test]
fn parses_json_with_defaults_and_reports_unknown_settings() {
    let read = |text: &str| serde_json::from_str::<Dialect>(text);
    assert_eq!(read("{}").unwrap(), Dialect::default());
    for dialect in [Dialect::minimal(), Dialect::maximal(), Dialect::random(3)] {
        let text = serde_json::to_string(&dialect).unwrap();
        assert_eq!(read(&text).unwrap(), dialect);
    }
    for (text, message) in [
        (
            r#"{"api_visble": "integer"}"#,
            "unknown field `api_visble`, expected one of `api_visible`",
        ),
        (
            r#"{"ids": "number"}"#,
            "unknown variant `number`, expected one of `string`, `integer`, `uuid`",
        ),
        (
            r#"{"webhook_timeout": 0}"#,
            "found 0; expected a number of seconds, at least 0.000000001 and less than 18446744073709551616",
        ),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let dialect = read(r#"{"webhook_timeout": 0.25}"#).unwrap();
    assert_eq!(dialect.webhook_timeout.0.as_millis(), 250);
}

#[test]
fn a_dialect_file_round_trips() {
    let learned = Learned {
        at: "2026-03-01T12:00:00Z".to_owned(),
        host: "api.example.com".to_owned(),
        evidence: [("ids".to_owned(), json!([7]))].into(),
    };
    for learned in [None, Some(learned)] {
        let settings = Dialect::random(3);
        let file = DialectFile { settings, learned };
        let text = serde_json::to_string(&file).unwrap();
        assert_eq!(DialectFile::from_json(&text).unwrap(), file);
        assert_eq!(Dialect::from_json(&text).unwrap(), file.settings);
    }
}

#[test]
fn omitted_parts_of_a_state_have_their_defaults() {
    let mut world = World::default();
    world.set_dialect(Dialect::maximal());
    let mut saved = serde_json::to_value(&world).unwrap();
    let read = |saved: &Value| serde_json::from_value::<World>(saved.clone()).unwrap();
    assert_eq!(read(&saved), world);
    saved.as_object_mut().unwrap().remove("dialect").unwrap();
    let profile = &mut saved["accounts"]["grace"]["profile"];
    for name in ["text_color", "background_color"] {
        profile.as_object_mut().unwrap().remove(name).unwrap();
    }
    for key in saved["keys"].as_object_mut().unwrap().values_mut() {
        key.as_object_mut().unwrap().remove("rate_limit").unwrap();
    }
    assert_eq!(read(&saved), World::default());
}
