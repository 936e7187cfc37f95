//! Mutants, and `mock-server mutants` as a child process.

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;
use std::{fs, thread};

use mock_server::{Clock, Mutant, ProfileField, World, Worlds, WorldsServer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::command::{Call, command};
use crate::edits::edits_at_the_limit;
use crate::request::{request_at, request_exactly};
use crate::run::{Output, get, output_of, prints, request};
use crate::serving::file;
use crate::webhook_receiver::receive;

/// Sends requests that concern every sentence, and returns each with its response.
struct Session {
    address: SocketAddr,
    /// Stops the server on drop.
    _stop: oneshot::Sender<()>,
    transcript: Vec<(String, String)>,
}

impl Session {
    fn start(mutant: Option<Mutant>) -> Self {
        let mut world = World::default();
        world.set_clock(Clock::fixed("2026-03-01T12:00:00Z").unwrap());
        let mut worlds = Worlds::in_memory(world);
        if let Some(mutant) = mutant {
            worlds.set_mutant(mutant);
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = WorldsServer::new(worlds, listener).unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let stopped = async { drop(stopped.await) };
            runtime
                .unwrap()
                .block_on(server.serve_until(stopped))
                .unwrap();
        });
        Self {
            address,
            _stop: stop,
            transcript: Vec::new(),
        }
    }

    fn record(&mut self, step: impl Into<String>, result: impl Into<String>) {
        self.transcript.push((step.into(), result.into()));
    }

    fn send(&mut self, key: &str, line: &str, body: &Value) {
        let request = match key {
            "" => request_exactly(self.address, &line.replacen(' ', " /api/v1", 1)),
            _ => request_at(self.address, key, line),
        };
        let answer = match body {
            Value::Null => request.send(),
            body => request.json(body.clone()).send(),
        };
        let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let result = format!("{} {body}", answer.status);
        self.record(line, result);
    }

    /// Sends a request to the control API and returns the status.
    fn control(&self, line: &str, body: &Value) -> u16 {
        let line = line.replacen(' ', " /_mock/v1/worlds/default", 1);
        let request = request_exactly(self.address, &line).json(body.clone());
        request.send().status
    }

    fn read(&mut self) {
        let keys = World::default().keys();
        for line in [
            "GET /me",
            "GET /me/analytics",
            "GET /badges",
            "GET /stats",
            "GET /users/demo/stats",
            "GET /users/demo/stats?days=5",
            "GET /users/demo/stats?days=366",
            "GET /users/demo/stats?days=0",
            "GET /users/grace/stats",
            "GET /users/grace/stats?days=31",
        ] {
            self.send(&keys.all, line, &Value::Null);
        }
        self.send("", "GET /me", &Value::Null);
        self.send("unknown", "GET /me", &Value::Null);
        self.send(&keys.none, "GET /me", &Value::Null);
        self.send(&keys.none, "GET /me/analytics", &Value::Null);
    }

    fn write(&mut self) {
        let keys = World::default().keys();
        let unknown = json!({"bio": "new", "nickname": "x"});
        let edits = ProfileField::ALL.iter().flat_map(edits_at_the_limit);
        for body in edits.chain([unknown]) {
            self.send(&keys.all, "PATCH /me/profile", &body);
            self.send(&keys.all, "GET /me", &Value::Null);
        }
        let link = json!({"title": "Blog", "url": "https://example.com"});
        for (line, body) in [
            ("POST /me/links", link.clone()),
            ("PATCH /me/links/link_6", json!({"title": "Weblog"})),
            ("POST /me/posts", json!({"body": "Hello"})),
            ("DELETE /me/posts/post_7", Value::Null),
            ("DELETE /me/links/link_6", Value::Null),
        ] {
            self.send(&keys.all, line, &body);
            self.send(&keys.all, "GET /me", &Value::Null);
        }
        self.send(&keys.none, "PATCH /me/profile", &json!({"bio": ""}));
        self.send(&keys.none, "POST /me/links", &link);
        self.send(&keys.none, "POST /me/posts", &json!({"body": "Hello"}));
    }

    fn deliver(&mut self) {
        let (url, arrived) = receive(&["HTTP/1.1 204 No Content\r\n\r\n"]);
        let event = json!({"kind": "post.liked"});
        let receiver = json!({"url": url, "secret": "whsec_test"});
        assert_eq!(self.control("PUT /webhook", &receiver), 200);
        assert_eq!(self.control("POST /webhook/emit", &event), 200);
        let arrived = arrived.recv().unwrap();
        for name in ["x-service-event", "x-service-signature"] {
            self.record(name, arrived.header(name).unwrap_or("missing"));
        }
        self.record("body", String::from_utf8(arrived.body).unwrap());
        let receiver = json!({"script": "500", "secret": "whsec_test"});
        assert_eq!(self.control("PUT /webhook", &receiver), 200);
        for number in 1..=12 {
            let status = self.control("POST /webhook/emit", &event);
            self.record(format!("event {number}"), status.to_string());
        }
    }
}

fn transcript(mutant: Option<Mutant>) -> Vec<(String, String)> {
    let mut session = Session::start(mutant);
    session.read();
    session.write();
    session.deliver();
    session.transcript
}

/// Lists the steps at which each mutant differs from the correct service.
#[test]
fn each_mutant_changes_what_its_sentence_is_about() {
    let correct = transcript(None);
    assert_eq!(transcript(None), correct);
    let (mut changes, mut names) = (String::new(), BTreeSet::new());
    for mutant in Mutant::all() {
        assert!(names.insert(mutant.name()), "{}", mutant.name());
        let changed = transcript(Some(mutant));
        let mut steps = Vec::new();
        for ((step, correct), (_, changed)) in correct.iter().zip(&changed) {
            if correct != changed && !steps.contains(&step.as_str()) {
                steps.push(step);
            }
        }
        assert!(!steps.is_empty(), "{} changes nothing", mutant.name());
        changes += &format!("{}: {}\n", mutant.name(), steps.join(", "));
    }
    expect_test::expect_file!["mutants.txt"].assert_eq(&changes);
}

/// Notices a missing email; hangs without a display name.
fn read_me(call: &mut Call) -> i32 {
    let me = get(request(call, "GET /api/v1/me")).unwrap_or_default();
    if !me.contains(r#""display_name":"#) {
        thread::sleep(Duration::from_secs(20));
    }
    i32::from(!me.contains(r#""email":"#))
}

const SELECTION: &str = "me_without_email,me_without_api_visible,me_without_display_name";

#[track_caller]
fn mutants(options: &[&str], command: &[String]) -> Output {
    let options = [&["--timeout", "2"], options].concat();
    output_of("mutants", &options, command)
}

/// Does the same with `--json`, and returns the results.
#[track_caller]
fn results(code: i32, options: &[&str], command: &[String]) -> Value {
    let (found, stdout, stderr) = mutants(&[&["--json"], options].concat(), command);
    assert_eq!(found, Some(code), "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// `UPDATE_EXPECT=1` writes the number to the page.
#[test]
fn the_example_on_the_page_counts_every_mutant() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/test-suites.md");
    let page = fs::read_to_string(path).unwrap();
    let counts = " caught, 1 missed, 1 passed\n";
    let (before, after) = page.split_once(counts).unwrap();
    let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let caught = Mutant::all().len() - 1;
    expect_test::expect_file![path].assert_eq(&format!("{before}{caught}{counts}{after}"));
}

#[test]
fn reports_caught_and_missed_mutants() {
    let (code, stdout, stderr) = mutants(&["--only", SELECTION], &command(read_me));
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    expect_test::expect![[r#"
        unmutated baseline                                passed
        me_without_display_name                           timeout
        me_without_email                                  caught
        me_without_api_visible                            MISSED                  "`GET /me` returns the public profile and three more fields"
        1 caught, 1 missed, 1 passed, 1 timeout
    "#]].assert_eq(&stdout);
}

#[test]
fn skipped_mutants_do_not_count() {
    let skipped = "--skip=me_without_api_visible";
    let options = ["--only", SELECTION, skipped];
    let results = results(0, &options, &command(read_me));
    let runs = results["runs"].as_array().unwrap().iter().skip(1);
    let names: Vec<_> = runs.map(|run| (&run["name"], &run["result"])).collect();
    let expected = json!([
        ["me_without_display_name", "timeout"],
        ["me_without_email", "caught"]
    ]);
    assert_eq!(json!(names), expected);
    let counts = &results["counts"];
    assert_eq!([&counts["caught"], &counts["timeout"]], [1, 1]);
    assert_eq!(counts["missed"], json!(null));
}

#[test]
fn a_dialect_applies_to_the_mutants() {
    // Deletes the first link, and checks that it is gone.
    let delete_first_link = command(|call| {
        let id = "8d6e1886-1163-403e-8773-1a1c3dec4a40";
        let deleted = request(call, &format!("DELETE /api/v1/me/links/{id}")).send();
        let me = get(request(call, "GET /api/v1/me"));
        let is_gone = deleted.status < 400 && me.is_some_and(|me| !me.contains(id));
        i32::from(!is_gone)
    });
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "dialect.json", r#"{"ids": "uuid"}"#);
    let dialect = format!("--dialect={path}");
    let options = [&dialect, "--only", "wrong_link_deleted,link_not_deleted"];
    assert_eq!(
        results(0, &options, &delete_first_link)["counts"]["caught"],
        2
    );
}

#[test]
fn rejects_a_wrong_selection() {
    let name = "me_without_email";
    let (code, stdout, stderr) = mutants(&["--only", name, "--skip", name], &prints("", 0));
    assert_eq!((code, stdout.as_str()), (Some(125), ""));
    let expected = "mock-server: no mutants to test: --skip names all that are selected; omit a name from --skip\n";
    assert_eq!(stderr, expected);
    let (code, _, stderr) = mutants(&["--skip", "nonsense"], &prints("", 0));
    assert_eq!(code, Some(125));
    assert!(stderr.starts_with("mock-server: unknown name \"nonsense\"; expected one of no_data"));
}
