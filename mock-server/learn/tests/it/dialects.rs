//! The settings that are learned from a mock, and the report.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::process::Command;

use mock_server::dialect::{
    ContentRejection, DaysOutOfRange, MeFields, RateLimitRejection, WriteResponses,
};
use mock_server::journal::RequestPattern;
use mock_server::{Dialect, Fault, FaultRule, MockServer, ProfileField, World};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{child, for_each, texts};

/// The rows of the report on a service that behaves as the mock.
const QUESTIONS: &str = include_str!("questions.txt");

/// Returns a command for the program with the URL of a service.
pub(crate) fn program(base_url: &str) -> Command {
    let mut command = child::command(env!("CARGO_BIN_EXE_mock-server-learn"));
    command.args(["--base-url", base_url]);
    command
}

/// The result of a run.
pub(crate) struct Learned {
    pub(crate) code: Option<i32>,
    pub(crate) report: Value,
    pub(crate) stderr: String,
    /// The file of `--out`.
    pub(crate) file: Value,
    /// The names of the files in the working directory.
    pub(crate) files: Vec<String>,
}

impl Learned {
    /// Returns the learned settings.
    pub(crate) fn settings(&self) -> Map<String, Value> {
        let learned = self.findings("learned").into_iter();
        learned
            .map(|row| {
                (
                    row["setting"].as_str().unwrap().to_owned(),
                    row["value"].clone(),
                )
            })
            .collect()
    }

    /// Returns the row of a setting or a question.
    #[track_caller]
    pub(crate) fn row(&self, name: &str) -> &Value {
        let mut rows = self.report["rows"].as_array().unwrap().iter();
        let row = rows.find(|row| row["setting"] == name || row["question"] == name);
        row.unwrap_or_else(|| panic!("no row {name}"))
    }

    /// Returns the rows with this kind of finding.
    pub(crate) fn findings(&self, result: &str) -> Vec<&Value> {
        let rows = self.report["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["result"] == result).collect()
    }

    #[track_caller]
    pub(crate) fn ends(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}{:#}", self.stderr, self.report);
    }

    #[track_caller]
    pub(crate) fn says(&self, message: &str) {
        assert!(self.stderr.contains(message), "{message}: {}", self.stderr);
    }

    #[track_caller]
    pub(crate) fn does_not_say(&self, message: &str) {
        assert!(!self.stderr.contains(message), "{}", self.stderr);
    }
}

/// Starts a mock with these settings.
async fn mock_with(settings: &Value) -> MockServer {
    let dialect = Dialect::from_json(&settings.to_string()).unwrap();
    let server = MockServer::builder().dialect(dialect);
    server.start().await.unwrap()
}

/// Compares learned settings, and names the first that is different.
#[track_caller]
pub(crate) fn assert_same(
    learned: &Map<String, Value>,
    expected: &Map<String, Value>,
    case: impl Display,
) {
    for name in learned.keys().chain(expected.keys()) {
        let (learned, expected) = (learned.get(name), expected.get(name));
        assert_eq!(learned, expected, "{case}: {name}");
    }
}

/// Runs the command against a service.
#[track_caller]
pub(crate) fn learn(url: &str, key: &str, options: &[&str]) -> Learned {
    check_only(url, key, &[&["--out", "dialect.json"], options].concat())
}

/// Does the same without `--out`.
#[track_caller]
pub(crate) fn check_only(url: &str, key: &str, options: &[&str]) -> Learned {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("dialect.json");
    let output = program(url)
        .arg("--json")
        .args(options)
        .env("PROFILE_API_KEY", key)
        .current_dir(&directory)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let file = fs::read_to_string(&path).unwrap_or_default();
    for text in [&stdout, &stderr, &file] {
        let text = text.to_lowercase().replace("%5f", "_");
        assert!(!text.contains(key), "{text}");
    }
    let files = fs::read_dir(&directory).unwrap();
    let json = |text: &str| serde_json::from_str(text).unwrap_or_default();
    Learned {
        code: output.status.code(),
        report: json(&stdout),
        file: json(&file),
        files: files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect(),
        stderr,
    }
}

fn fields(dialect: &Dialect) -> Map<String, Value> {
    let Ok(Value::Object(fields)) = serde_json::to_value(dialect) else {
        panic!("a dialect is an object");
    };
    fields
}

/// The header of the table of settings.
const HEADER: &str =
    "| Setting | Question | Found in | Reason if it is not observable |\n|---|---|---|---|\n";

/// Returns the cells of the table of questions.
fn table() -> Vec<Vec<&'static str>> {
    let rows = QUESTIONS.strip_prefix(HEADER).unwrap().lines();
    let cells = |row: &'static str| row.trim_matches('|').split('|').map(str::trim).collect();
    rows.map(cells).collect()
}

/// Returns the last column of the table of questions.
fn needs() -> BTreeMap<&'static str, &'static str> {
    let rows = table().into_iter();
    rows.map(|cells| (cells[0].trim_matches('`'), cells[3]))
        .collect()
}

/// Returns the settings that can be observed if the given needs are met.
pub(crate) fn observable(dialect: &Dialect, met: &[&str]) -> Map<String, Value> {
    // The other two values lead to the same status.
    let shows_days = dialect.content_rejection != ContentRejection::BadRequest
        || dialect.days_out_of_range == DaysOutOfRange::Clamped;
    let needs = needs();
    let writes = met.contains(&WRITES);
    let lists_ids = dialect.me_fields == MeFields::Full;
    let shows_ids = lists_ids || writes && dialect.write_responses == WriteResponses::Resource;
    let need = |setting: &str| {
        let need = needs.get(setting).copied();
        need.unwrap_or_else(|| {
            panic!("questions.txt has no row for {setting}; add it to `questions.rs`")
        })
    };
    let mut fields = fields(dialect);
    fields.retain(|setting, _| match (setting.as_str(), need(setting)) {
        ("rate_limit_rejection", _) => {
            dialect.rate_limit_rejection == RateLimitRejection::WithoutHeaders
        }
        ("rate_limit_headers" | "rate_limit_reset", _) => {
            dialect.rate_limit_rejection != RateLimitRejection::WithoutHeaders
        }
        ("ids" | "resource_fields", _) => shows_ids,
        ("unknown_fields" | "link_urls", _) => writes && shows_ids,
        ("days_out_of_range", _) => shows_days,
        ("other_statistics", _) => true,
        (_, "–") => true,
        (_, need) => met.contains(&need),
    });
    fields
}

pub(crate) const WRITES: &str = "needs --allow-writes";
pub(crate) const DELIVERIES: &str = "needs --delivery";
pub(crate) const SCOPES: [&str; 2] = [
    "the key lacks the scope analytics:read",
    "the key lacks the scope profile:write",
];

/// Renders a row of the table from the rows of three reports: with all options, without options, and
/// without scopes.
fn documentation([all, without_options, without_scopes]: [&Value; 3]) -> String {
    let setting = match &all["setting"] {
        Value::String(setting) => format!("`{setting}`"),
        _ => "–".to_owned(),
    };
    let request = match all["sample"]["request"].as_str() {
        None => "–".to_owned(),
        Some(name) if name.ends_with(".http") => "a delivery".to_owned(),
        Some(request) => {
            let segment = |segment: &str| match segment {
                "demo" => "{own}".to_owned(),
                "grace" => "{other}".to_owned(),
                id if id.starts_with("link_") => "{id}".to_owned(),
                handle if handle.starts_with("learn") => "{unknown}".to_owned(),
                other => other.to_owned(),
            };
            let segments: Vec<_> = request.split('/').map(segment).collect();
            format!("`{}`", segments.join("/"))
        }
    };
    let scope = without_scopes["reason"].as_str();
    let scope = scope.filter(|reason| reason.starts_with("the key lacks"));
    let reason = without_options["reason"].as_str();
    let needs = reason.or(all["reason"].as_str()).or(scope);
    let question = all["question"].as_str().unwrap();
    format!(
        "| {setting} | {question} | {request} | {} |\n",
        needs.unwrap_or("–")
    )
}

#[tokio::test]
async fn lists_the_rows_of_the_report() {
    let server = MockServer::start().await;
    let directory = TempDir::new().unwrap();
    let [path, _] = crate::round_trip::record(&server, directory.path()).await;
    let delivery = ["--delivery", path.to_str().unwrap()];
    let writes = ["--handle", "grace", "--allow-writes", "--yes"];
    let runs = [
        (server.key(), [&writes[..], &delivery].concat()),
        (server.key(), vec![]),
        (server.keys().none.as_str(), vec![]),
    ];
    let reports = runs.map(|(key, options)| learn(server.uri(), key, &options).report);
    let [all, without_options, without_scopes] = reports
        .each_ref()
        .map(|report| report["rows"].as_array().unwrap());
    let rows = all.iter().zip(without_options).zip(without_scopes);
    let table: String = rows
        .map(|((all, without_options), without_scopes)| {
            documentation([all, without_options, without_scopes])
        })
        .collect();
    expect_test::expect_file!["questions.txt"].assert_eq(&format!("{HEADER}{table}"));
}

#[test]
fn the_page_of_the_service_names_the_request_for_each_setting() {
    const PAGE: &str = include_str!("../../../../docs/service.md");
    let table = table();
    let rows = PAGE
        .lines()
        .filter(|row| row.starts_with("| <a id=\"open-"));
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let settings = cells[3].split(", ");
        let found = settings.filter_map(|setting| table.iter().find(|row| row[0] == setting));
        let mut requests: Vec<_> = found.map(|row| row[2]).filter(|it| *it != "–").collect();
        requests.dedup();
        assert_eq!(cells[4], requests.join(", "), "docs/service.md: {row}");
    }
}

#[test]
fn learns_each_alternative_and_leaves_nothing_behind() {
    let alternatives = Dialect::alternatives().map(|(_, _, dialect)| dialect);
    let others = [Dialect::default(), Dialect::minimal(), Dialect::maximal()];
    let dialects: Vec<_> = others.into_iter().chain(alternatives).collect();
    for_each(&dialects, |dialect| {
        let learn = |options: &[&str]| {
            let server = MockServer::builder().dialect(dialect.clone());
            let server = server.start_blocking().unwrap();
            let before = server.world().unwrap();
            let options = [&["--handle", "grace"], options].concat();
            let learned = learn(server.uri(), server.key(), &options);
            learned.ends(0);
            assert_eq!(learned.files, ["dialect.json"]);
            (learned, server, before)
        };
        let (learned, server, before) = learn(&[]);
        assert_eq!(learned.stderr, "");
        let expected = observable(dialect, &SCOPES);
        assert_same(&learned.settings(), &expected, "without writes");
        assert_eq!(server.world().unwrap(), before);
        assert_is_harmless(&server);
        let settings = serde_json::from_value(learned.file["settings"].clone()).unwrap();
        let expected = serde_json::from_value::<Dialect>(learned.settings().into()).unwrap();
        assert_eq!(expected, settings);

        let (learned, server, before) = learn(&["--allow-writes", "--yes"]);
        let expected = observable(dialect, &[&SCOPES[..], &[WRITES]].concat());
        assert_same(&learned.settings(), &expected, "with writes");
        let after = server.world().unwrap();
        for handle in ["demo", "grace"] {
            assert_eq!(after.account(handle), before.account(handle));
        }
        assert!(server.journal().requests().len() <= 80);
    });
}

/// Asserts that there were only reads and two writes that every service rejects.
#[track_caller]
fn assert_is_harmless(server: &MockServer) {
    let requests = server.journal().requests();
    assert!(requests.len() <= 80);
    let writes = requests.iter().filter(|request| request.method != "GET");
    let writes: Vec<_> = writes
        .map(|request| format!("{} {}", request.method, request.path))
        .collect();
    assert_eq!(writes, ["PUT /api/v1/stats", "PATCH /api/v1/me/profile"]);
    let mut edits = requests.iter().filter(|request| request.method == "PATCH");
    let edit = edits.next().unwrap();
    // An unknown field, and the present values in case the service accepts it.
    let mut edit: Map<String, Value> = serde_json::from_slice(&edit.body).unwrap();
    let world = server.world().unwrap();
    let profile = &world.account("demo").unwrap().profile;
    edit.retain(|name, _| !name.starts_with("learn"));
    assert_eq!(Value::Object(edit), json!(profile));
    let is_wrong = |key: Option<&str>| key == Some("unknown");
    let keys = requests.iter().map(|request| request.key.as_deref());
    assert!(keys.filter(|key| is_wrong(*key)).count() <= 2);
    assert!(requests.iter().all(|request| request.status != Some(429)));
}

#[tokio::test]
async fn a_key_without_scopes_shows_how_they_are_enforced() {
    for (_, _, dialect) in Dialect::alternatives().filter(|(name, ..)| *name == "scope_rejection") {
        let server = mock_with(&json!(dialect)).await;
        let learned = learn(server.uri(), &server.keys().none, &[]);
        learned.ends(0);
        assert_eq!(learned.settings()["scope_rejection"], "unauthorized");
        assert_is_harmless(&server);
        let reason = |name| learned.row(name)["reason"].as_str().unwrap();
        assert_eq!(reason("analytics"), SCOPES[0]);
        let expected = "needs --handle of another profile";
        assert_eq!(reason("other_statistics"), expected);
    }
}

#[test]
fn waits_instead_of_exceeding_the_rate_limit() {
    let mut world = World::default();
    let key = world.keys().all.clone();
    let limit = json!({"limit": 10, "window_seconds": 1});
    let limit = serde_json::from_value(limit).unwrap();
    world.set_rate_limit(&key, limit).unwrap();
    let all_settings = [
        json!({}),
        json!({"rate_limit_rejection": "without_headers"}),
        json!({"rate_limit_header_names": {"limit": "x-quota", "remaining": "x-quota-left"}}),
        json!({"rate_limit_header_names": {"limit": "x-ratelimit-limit"}}),
    ];
    for_each(&all_settings, |settings| {
        let dialect = Dialect::from_json(&settings.to_string()).unwrap();
        let server = MockServer::builder().world(world.clone()).dialect(dialect);
        let server = server.start_blocking().unwrap();
        let learned = learn(server.uri(), &key, &["--handle", "grace"]);
        learned.ends(0);
        assert_is_harmless(&server);
        let name = "rate_limit_rejection";
        assert_eq!(learned.settings().get(name), settings.get(name));
    });
}

#[test]
fn usage_errors_are_visible() {
    child::usage_errors_are_visible(&["--timeout", "--base-url"], |arguments| {
        let output = program("https://example.com").args(arguments).output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    });
}

#[test]
fn usage_errors_hide_the_password_of_a_url() {
    let texts = include_str!("../../../tests/shared/urls.tsv").lines();
    let texts = texts.filter_map(|row| Some(row.split_once('\t')?.0));
    for url in texts.filter(|text| text.contains("PASS") || text.contains("TOKEN")) {
        let valid = "https://example.com";
        for (base_url, more) in [(url, None), (valid, Some(url))] {
            let output = program(base_url).args(more).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            let is_shown = ["PASS", "TOKEN"].iter().any(|part| stderr.contains(part));
            assert!(!is_shown, "{stderr}");
        }
    }
}

#[tokio::test]
async fn a_rejected_key_and_an_unreachable_service_end_the_command() {
    let server = MockServer::start().await;
    let learned = learn(server.uri(), "wrong", &[]);
    let message = "mock-server-learn: the service rejects the key: GET /me returns 401\n";
    assert_eq!((learned.code, learned.stderr.as_str()), (Some(3), message));
    let learned = learn(server.uri(), server.key(), &["--handle", "nobody"]);
    let message = "mock-server-learn: no profile has the handle nobody of --handle\n";
    assert_eq!((learned.code, learned.stderr.as_str()), (Some(3), message));
    for no_handle in ["", ".", ".."] {
        learn(server.uri(), server.key(), &["--handle", no_handle]).ends(2);
    }
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut unprinted = program(server.uri());
    unprinted
        .env("PROFILE_API_KEY", server.key())
        .stdout(full.unwrap());
    assert_eq!(unprinted.status().unwrap().code(), Some(2));
    let learned = learn("http://127.0.0.1:9", "wrong-key", &[]);
    learned.ends(3);
    assert!(
        learned.stderr.starts_with("mock-server-learn: GET /me: "),
        "{}",
        learned.stderr
    );
    let url = "; expected a URL such as https://host";
    for (url, reason) in [
        ("http://example.com", "the key would be sent unencrypted"),
        (
            r"http://127.0.0.1\@example.com",
            &format!(r"contains '\\'{url}"),
        ),
        ("http://127.0.0.1:9/\t", &format!(r"contains '\t'{url}")),
    ] {
        let learned = learn(url, "wrong-key", &[]);
        learned.ends(2);
        learned.says(reason);
    }
}

#[tokio::test]
async fn a_change_to_the_behavior_of_the_mock_is_reported() {
    let settings = json!({
        "rejections": {"unknown_handle": {"status": 410}},
        "error_template": {"body": {"oops": "{code}"}},
        "rate_limit_header_names": {"remaining": "x-quota-left"},
        "extra_fields": {"me": {"plan": "pro"}},
        "ids": "integer",
    });
    let server = mock_with(&settings).await;
    let file = learn(server.uri(), server.key(), &[]).file;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("dialect.json");
    fs::write(&path, file.to_string()).unwrap();
    let check = ["--check", path.to_str().unwrap()];
    let same = check_only(server.uri(), server.key(), &check);
    same.ends(0);
    assert_eq!(same.report["drift"], json!([]));
    server.set_dialect(Dialect::default()).unwrap();
    let changed = check_only(server.uri(), server.key(), &check);
    changed.ends(1);
    let drift = changed.report["drift"].as_array().unwrap();
    let settings = settings.as_object().unwrap();
    assert_eq!(drift.len(), settings.len(), "{drift:#?}");
    for (setting, before) in settings {
        let now = match setting.as_str() {
            "ids" => r#""string": GET /me: 200 "string""#,
            _ => "the same as the mock: ",
        };
        let change = format!("{setting} was {before} and is now {now}");
        let mut drift = drift.iter().filter_map(Value::as_str);
        assert!(drift.any(|line| line.starts_with(&change)), "{change}");
    }
}

#[tokio::test]
async fn a_key_may_be_required_with_another_status() {
    let settings = json!({
        "reference_data": "key_required",
        "rejections": {"key_missing": {"status": 403}},
    });
    let server = mock_with(&settings).await;
    let learned = learn(server.uri(), server.key(), &[]).settings();
    assert_eq!(learned["reference_data"], settings["reference_data"]);
    assert_eq!(learned["rejections"], settings["rejections"]);
}

#[tokio::test]
async fn one_error_of_a_gateway_is_not_a_habit() {
    let server = MockServer::start().await;
    let expected = learn(server.uri(), server.key(), &[]).settings();
    for path in ["/me", "/me/analytics", "/badges", "/stats"] {
        let requests = RequestPattern::any().path(path);
        let rule = FaultRule::new(Fault::status(502))
            .matching(requests)
            .times(1);
        server.add_fault(rule).unwrap();
    }
    let learned = learn(server.uri(), server.key(), &[]);
    assert_same(&learned.settings(), &expected, "after the errors");
    learned.ends(0);
}

#[tokio::test]
async fn learns_codes_wherever_they_are() {
    let listed = json!([{"status": "{status}", "code": "{code}", "at": "/{field}"}]);
    for (body, code) in [
        (json!({"id": "{code}", "text": "{message}"}), "E17"),
        (json!({"code": "{number}", "text": "{message}"}), "17"),
        (
            json!({"code": "{code}", "type": "urn:{code}", "text": "{message}"}),
            "E17",
        ),
        (json!({ "errors": listed }), "E17"),
    ] {
        let settings = json!({
            "error_template": {"body": body},
            "rejections": {"unknown_field": {"code": code}, "unknown_path": {"message": "gone"}},
        });
        let server = mock_with(&settings).await;
        let learned = learn(server.uri(), server.key(), &[]);
        assert_eq!(learned.settings()["error_template"]["body"], body);
        let rejections = &learned.settings()["rejections"];
        assert_eq!(rejections["unknown_field"]["code"], code);
        if body.get("text").is_some() {
            assert_eq!(rejections["unknown_path"]["message"], "gone");
        }
    }
}

/// Writes a recorded delivery with this digest, and returns its path.
fn delivery(directory: &TempDir, digest: &str) -> String {
    let path = directory.path().join("one.http");
    let head = "POST / HTTP/1.1\r\nX-Service-Event: post.liked\r\nX-Service-Signature: sha256=";
    fs::write(&path, format!("{head}{digest}\r\n\r\n[]")).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_signature_in_upper_case_is_outside_the_dialects() {
    let server = MockServer::start().await;
    let directory = TempDir::new().unwrap();
    let path = delivery(&directory, &"A".repeat(64));
    let learned = learn(server.uri(), server.key(), &["--delivery", &path]);
    learned.ends(1);
    let name = "webhook_signature_encoding";
    let evidence = &learned.file["learned"]["evidence"][name];
    assert_eq!(evidence["result"], "outside");
    assert_eq!(learned.settings().get(name), None);
}

#[tokio::test]
async fn a_deletion_does_not_show_the_responses_to_other_writes() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    let failing =
        |method| FaultRule::new(Fault::status(500)).matching(RequestPattern::any().method(method));
    server.add_fault(failing("PATCH")).unwrap();
    server.add_fault(failing("POST").after_write()).unwrap();
    let learned = learn(server.uri(), server.key(), &["--allow-writes", "--yes"]);
    for name in ["write_responses", "write_statuses"] {
        let reason = &learned.row(name)["reason"];
        assert_eq!(*reason, "PATCH /me/profile returns 500");
    }
    let after = server.world().unwrap();
    assert_eq!(after.account("demo"), before.account("demo"));
}

/// `learn` checks that nothing contains the key.
#[tokio::test]
async fn a_key_in_another_form_is_hidden() {
    let server = MockServer::start().await;
    let forms = [
        server.key().to_uppercase(),
        server.key().replace('_', "%5F"),
    ];
    let body = json!({"error": {"code": "denied", "message": forms.join(" for ")}});
    let denied = Fault::status(400).with_body(body.to_string());
    let denied = FaultRule::new(denied).matching(RequestPattern::any().method("PATCH"));
    server.add_fault(denied).unwrap();
    let learned = learn(server.uri(), server.key(), &[]);
    assert!(learned.file.to_string().contains(" for "));
}

#[tokio::test]
async fn a_forged_delivery_is_a_contradiction() {
    let server = MockServer::start().await;
    let directory = TempDir::new().unwrap();
    let path = delivery(&directory, &"0".repeat(64));
    let secret = directory.path().join("secret");
    fs::write(&secret, "whsec").unwrap();
    let secret = secret.to_str().unwrap();
    let without_secret = learn(server.uri(), server.key(), &["--delivery", &path]);
    without_secret.ends(0);
    assert_eq!(without_secret.settings()["webhook_payload"], "bare");
    let options = ["--delivery", &path, "--secret-file", secret];
    let learned = learn(server.uri(), server.key(), &options);
    learned.ends(1);
    let found = learned.findings("contradiction")[0];
    assert_eq!(found["sample"]["request"], "one.http");
    let learned = learn(server.uri(), server.key(), &["--delivery", secret]);
    learned.ends(2);
}

#[tokio::test]
async fn text_files_are_read_as_in_the_table() {
    let server = MockServer::start().await;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("text");
    // Computed with `openssl dgst -sha256 -hmac whsec`.
    let digest = "9dc5d69d0cc76a725a98b69de04c4cbbc5105e6f4419d0a296d58df8402376e1";
    let delivery = ["--delivery", &delivery(&directory, digest)];
    let dialect = learn(server.uri(), server.key(), &[]).file.to_string();
    for (option, text, others) in [
        ("--key-file", server.key(), &[][..]),
        ("--secret-file", "whsec", &delivery),
        ("--check", &dialect, &[]),
    ] {
        let learned = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let options = [&[option, path.to_str().unwrap()], others].concat();
            check_only(server.uri(), server.key(), &options)
        };
        let plain = learned(text.as_bytes());
        for empty in ["", "\n", "\u{feff}"] {
            assert_eq!(learned(empty.as_bytes()).code, Some(2), "{option}");
        }
        for (bytes, [as_text, as_secret]) in texts::written(text) {
            let is_secret = option == "--secret-file";
            let result = if is_secret { as_secret } else { as_text };
            let learned = learned(&bytes);
            let says = |text| learned.stderr.contains(text);
            let note = "text starts with a byte order mark, which is not used";
            assert_eq!(says(note), result == "note", "{option}: {}", learned.stderr);
            match result {
                "same" | "note" => {
                    assert_same(&learned.settings(), &plain.settings(), option);
                    assert_eq!(learned.code, plain.code, "{option}");
                }
                "other" => assert_ne!(learned.code, plain.code, "{}", learned.stderr),
                reason => {
                    assert_eq!(learned.code, Some(2), "{option}: {}", learned.stderr);
                    assert!(says(reason), "{option}: {}", learned.stderr);
                }
            }
        }
    }
    let key = format!("\u{feff}{}", server.key());
    let output = program(server.uri()).env("PROFILE_API_KEY", key).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// `mock-server run` writes its files in the same way.
#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_leaves_the_old_file_whole() {
    let server = MockServer::start().await;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("dialect.json");
    fs::write(&path, "old").unwrap();
    let learn = program(server.uri());
    let output = child::command("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
        .arg(learn.get_program())
        .args(learn.get_args())
        .arg("--out")
        .arg(&path)
        .env("PROFILE_API_KEY", server.key())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    // The report is printed nevertheless.
    assert!(!output.stdout.is_empty());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
}

#[tokio::test]
async fn a_field_above_its_limit_is_a_contradiction() {
    let server = MockServer::start().await;
    let too_long = "private ".repeat(40);
    let change = |world: &mut World| world.account_mut("demo").unwrap().profile.bio = too_long;
    server.update(change).unwrap();
    let learned = learn(server.uri(), server.key(), &[]);
    learned.ends(1);
    let mut contradictions = learned.findings("contradiction").into_iter();
    let bio = contradictions.find(|row| row["sample"]["found"]["bio"] == "…");
    let mut fields = ProfileField::ALL.iter();
    let field = fields.find(|field| field.name() == "bio").unwrap();
    let question = format!("`bio`: {}", field.limit());
    assert_eq!(bio.unwrap()["question"], question);
}
