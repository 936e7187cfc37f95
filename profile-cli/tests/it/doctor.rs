//! `profile doctor`: each check against something real.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use mock_server::{Clock, Fault, FaultRule, MockServer};
use serde_json::Value;

use crate::program::{Fixture, Program, Run};
use crate::tls_service::TlsService;

/// Returns the finding and the advice of a check.
#[track_caller]
fn find(run: &Run, check: &str, state: &str) -> String {
    let printed: Value = serde_json::from_slice(run.stdout_bytes()).unwrap();
    let checks = printed.as_array().unwrap();
    let problems = checks.iter().any(|check| check["state"] == "problem");
    assert_eq!(run.code(), i64::from(problems), "{run}");
    let found = checks.iter().find(|one| one["check"] == check);
    let found = found.unwrap_or_else(|| panic!("{check}: {run}"));
    assert_eq!(found["state"], state, "{run}");
    assert_eq!(found["advice"].is_null(), state == "ok", "{run}");
    let advice = found["advice"].as_str().unwrap_or_default();
    format!("{}; {advice}", found["finding"].as_str().unwrap())
}

fn doctor(fixture: &Fixture) -> Program {
    fixture.program(&["doctor", "--json"])
}

#[tokio::test]
async fn everything_is_in_order() {
    let fixture = Fixture::of(MockServer::start().await);
    let run = doctor(&fixture).run();
    let checks = [
        "version",
        "settings",
        "files",
        "key",
        "base_url",
        "proxy",
        "dns",
        "connection",
        "service",
        "clock",
        "scopes",
    ];
    for check in checks {
        find(&run, check, "ok");
    }
    assert_eq!(run.json().as_array().unwrap().len(), checks.len(), "{run}");
    assert!(!run.to_string().contains(fixture.service.key()), "{run}");
    let lines = fixture.run(&["doctor"]);
    assert!(lines.stdout().contains("\nproxy\tok\tnone\t\n"), "{lines}");
}

#[tokio::test]
async fn problems_of_the_key() {
    let fixture = Fixture::new().await;
    let missing = doctor(&fixture).without("PROFILE_API_KEY").run();
    assert!(find(&missing, "key", "problem").starts_with("no API key is set; "));
    find(&missing, "service", "ok");
    let wrong = doctor(&fixture)
        .env("PROFILE_API_KEY", "wrong_key_0123456789")
        .run();
    find(&wrong, "key", "ok");
    assert!(
        find(&wrong, "service", "problem").contains("401"),
        "{wrong}"
    );
    assert!(!wrong.to_string().contains("wrong_key"), "{wrong}");
    let few = doctor(&fixture).env("PROFILE_API_KEY", &fixture.service.keys().links);
    let few = find(&few.run(), "scopes", "warning");
    assert!(
        few.starts_with("the key lacks analytics:read, profile:write, social:write; "),
        "{few}"
    );
    let with_space = fixture.home.path().join("my key");
    fs::write(&with_space, "a_key_0123456789").unwrap();
    fs::set_permissions(&with_space, Permissions::from_mode(0o644)).unwrap();
    let quoted = format!("`chmod 600 '{}'`", with_space.display());
    for command in ["doctor", "show"] {
        let program = fixture.program(&[command]).without("PROFILE_API_KEY");
        let run = program.env("PROFILE_API_KEY_FILE", &with_space).run();
        assert!(run.to_string().contains(&quoted), "{run}");
    }
}

#[tokio::test]
async fn problems_of_settings_and_files() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let config = home.join(".config/profile/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "timeout = \"soon\"\nretrys = 1\n").unwrap();
    fs::set_permissions(&config, Permissions::from_mode(0o644)).unwrap();
    let run = doctor(&fixture).run();
    assert!(
        find(&run, "settings", "problem").contains("config.toml:1: timeout is"),
        "{run}"
    );
    assert!(
        run.to_string().contains("unknown setting \"retrys\""),
        "{run}"
    );
    let exposed = find(&run, "files", "warning");
    assert!(
        exposed.ends_with(&format!("; run `chmod 600 {}`", config.display())),
        "{exposed}"
    );
    let missing = doctor(&fixture).without("PROFILE_API_KEY");
    let missing = missing.env("PROFILE_API_KEY_FILE", "/nonexistent").run();
    assert!(find(&missing, "key", "problem").contains("/nonexistent does not exist"));
}

#[tokio::test]
async fn problems_of_the_connection() {
    let fixture = Fixture::new().await;
    let at = |base_url: &str| doctor(&fixture).env("PROFILE_BASE_URL", base_url);
    let refused = at("http://127.0.0.1:1").run();
    assert!(
        find(&refused, "connection", "problem").contains("refused"),
        "{refused}"
    );
    let unknown = at("https://host.invalid").run();
    assert!(
        find(&unknown, "dns", "problem").starts_with("host.invalid: "),
        "{unknown}"
    );
    let no_tls = at(&fixture.service.uri().replace("http:", "https:")).run();
    find(&no_tls, "connection", "ok");
    find(&no_tls, "tls", "problem");
    let proxy = at("https://profiles.example").env("HTTPS_PROXY", "http://ada:hush@127.0.0.1:1");
    let proxy = proxy.run();
    let shown = find(&proxy, "proxy", "ok");
    assert_eq!(shown, "http://***@127.0.0.1:1 (HTTPS_PROXY); ");
    assert!(
        find(&proxy, "connection", "problem").starts_with("127.0.0.1:1: "),
        "{proxy}"
    );
    let unset = doctor(&fixture).without("PROFILE_BASE_URL").run();
    find(&unset, "base_url", "problem");
    let invalid = at("ftp://profiles.example").run();
    let found = find(&invalid, "base_url", "problem");
    assert!(
        found.starts_with("ftp://profiles.example (PROFILE_BASE_URL): has the scheme ftp"),
        "{found}"
    );
    assert!(!invalid.to_string().contains("\"proxy\""), "{invalid}");
    fixture
        .service
        .add_fault(FaultRule::new(Fault::status(503)))
        .unwrap();
    let before = fixture.service.journal().requests().len();
    let failed = find(&doctor(&fixture).run(), "service", "problem");
    assert!(failed.contains("503"), "{failed}");
    assert_eq!(fixture.service.journal().requests().len(), before + 1);
    fixture.service.clear_faults();
    let other_path = find(
        &at(&format!("{}/v2", fixture.service.uri())).run(),
        "service",
        "problem",
    );
    assert!(
        other_path.ends_with("; check the base URL in PROFILE_BASE_URL or --base-url"),
        "{other_path}"
    );
}

#[test]
fn certificates() {
    let service = TlsService::start();
    let home = tempfile::tempdir().unwrap();
    let certificate = home.path().join("certificate.pem");
    fs::write(&certificate, &service.certificate).unwrap();
    let doctor = || {
        Program::new(home.path(), &["doctor", "--json"])
            .env("PROFILE_BASE_URL", &service.base_url)
            .env("PROFILE_API_KEY", "a_key_0123456789")
    };
    let trusted = doctor().env("SSL_CERT_FILE", &certificate).run();
    assert_eq!(find(&trusted, "tls", "ok"), "the certificate is trusted; ");
    find(&trusted, "service", "ok");
    let other = find(&doctor().run(), "tls", "problem");
    assert!(other.contains("certificate"), "{other}");
}

#[tokio::test]
async fn a_wrong_clock_is_a_warning() {
    for (now, finding) in [
        (
            "2100-01-01T00:00:00Z",
            " seconds behind the clock of the service; ",
        ),
        (
            "2000-01-01T00:00:00Z",
            " seconds ahead of the clock of the service; ",
        ),
    ] {
        let clock = Clock::fixed(now).unwrap();
        let service = MockServer::builder().clock(clock).start().await.unwrap();
        let run = doctor(&Fixture::of(service)).run();
        let found = find(&run, "clock", "warning");
        assert!(found.contains(finding), "{found}");
    }
}
