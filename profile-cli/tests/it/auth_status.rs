//! `profile auth status`: each check against something real.

use std::fs;
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;

use mock_server::{Clock, Fault, FaultRule, MockServer};

#[cfg(unix)]
use crate::config_owner::{require_other_user, set_mode};
use crate::program::{Fixture, Program, Run, configure};
#[cfg(unix)]
use crate::program::{home, quoted};
#[cfg(unix)]
use crate::tls_service::TlsService;

fn status(fixture: &Fixture) -> Program {
    fixture.program(&["auth", "status", "--json"])
}

/// Checks that one of the failures has this message or hint.
#[track_caller]
fn fails_with(run: &Run, expected: &str) {
    let error = run.error();
    let failures = match error["failures"].as_array() {
        Some(failures) => failures.clone(),
        None => vec![error],
    };
    let mut texts = failures
        .iter()
        .flat_map(|failure| [&failure["message"], &failure["hint"]]);
    let is_found = texts.any(|text| text.as_str().is_some_and(|text| text.contains(expected)));
    assert!(is_found, "{run}");
}

#[tokio::test]
async fn everything_is_in_order() {
    let fixture = Fixture::of(MockServer::start().await);
    let run = status(&fixture).run();
    assert_eq!(run.json()["warnings"], serde_json::json!([]), "{run}");
    assert_eq!(run.stderr(), "", "{run}");
    assert!(!run.to_string().contains(fixture.service.key()), "{run}");
    let shown = fixture.run(&["auth", "status", "-o", "table"]);
    let answered = "\nservice     status 200 after ";
    assert!(shown.stdout().contains(answered), "{shown}");
}

#[tokio::test]
async fn problems_of_the_key() {
    let fixture = Fixture::new().await;
    let missing = status(&fixture).without("PROFILE_API_KEY").run();
    assert_eq!(missing.code(), 4, "{missing}");
    fails_with(&missing, "no API key is set");
    // The connection is checked without it.
    assert_eq!(fixture.service.journal().requests().len(), 1);
    let wrong = status(&fixture).env("PROFILE_API_KEY", "wrong_key_0123456789");
    let wrong = wrong.run();
    assert_eq!(wrong.code(), 4, "{wrong}");
    assert!(!wrong.stderr().contains("`profile auth status"), "{wrong}");
    fails_with(&wrong, "401");
    assert!(!wrong.to_string().contains("wrong_key"), "{wrong}");
    #[cfg(unix)]
    {
        let with_space = fixture.file("my key", "a_key_0123456789");
        set_mode(&with_space, 0o644);
        let quoted = format!("`chmod 600 {}`", quoted(&with_space));
        for command in [&["auth", "status"][..], &["show"]] {
            let program = fixture.program(command).without("PROFILE_API_KEY");
            let run = program.env("PROFILE_API_KEY_FILE", &with_space).run();
            assert_eq!(run.stderr().matches(&quoted).count(), 1, "{run}");
        }
    }
    let missing = status(&fixture).without("PROFILE_API_KEY");
    let missing = missing.env("PROFILE_API_KEY_FILE", "missing/key").run();
    fails_with(&missing, "missing/key does not exist");
    // A key in the wrong variable is not printed, even if it is too long for the name of a file.
    for key in ["key_0123456789", &format!("key_{}", "7".repeat(300))] {
        let misplaced = status(&fixture).without("PROFILE_API_KEY");
        let misplaced = misplaced.env("PROFILE_API_KEY_FILE", key).run();
        fails_with(&misplaced, "[redacted] does not exist");
    }
}

#[tokio::test]
async fn a_service_that_requires_a_key_does_not_reject_a_missing_one() {
    let fixture = Fixture::new().await;
    let unauthorized = FaultRule::new(Fault::status(401));
    fixture.service.add_fault(unauthorized).unwrap();
    let run = status(&fixture).without("PROFILE_API_KEY").run();
    assert_eq!(run.error()["message"], "no API key is set", "{run}");
    assert_eq!(run.error()["failures"], serde_json::Value::Null, "{run}");
    assert_eq!(run.code(), 4, "{run}");
}

/// A mounted secret, which the user cannot restrict.
#[cfg(unix)]
#[tokio::test]
async fn files_of_root_are_not_warned_about_where_nobody_can_restrict_them() {
    let fixture = Fixture::of(MockServer::start().await);
    or_skip!(require_other_user(fixture.home.path()));
    let file = fixture.file("mounted", fixture.service.key());
    set_mode(fixture.home.path(), 0o755);
    let group = rustix::process::getegid().as_raw();
    let readable = "which belongs to root";
    for (mode, user, of_status, of_show) in [
        (0o440, 65_534, "", ""),
        (0o444, 65_534, readable, ""),
        (0o666, 65_534, "`chmod 600 ", "`chmod 600 "),
        (0o440, 0, "", ""),
        (0o444, 0, "`chmod 600 ", "`chmod 600 "),
    ] {
        set_mode(&file, mode);
        for (command, expected) in [(&["auth", "status"][..], of_status), (&["show"], of_show)] {
            let program = fixture.program(command).without("PROFILE_API_KEY");
            let mut program = program.env("PROFILE_API_KEY_FILE", &file);
            program.command.uid(user).gid(group);
            let run = program.run();
            run.stdout();
            let stderr = run.stderr();
            assert_eq!(stderr.is_empty(), expected.is_empty(), "{mode:o}: {run}");
            assert!(stderr.contains(expected), "{mode:o}: {run}");
        }
    }
}

#[tokio::test]
async fn apply_needs_the_scope_of_fields_or_of_links() {
    use mock_server::Scope::{LinksWrite, ProfileWrite};
    let fixture = Fixture::new().await;
    for (scopes, needs) in [
        (&[][..], Some("profile:write links:write")),
        (&[ProfileWrite], None),
        (&[LinksWrite], None),
        (&[ProfileWrite, LinksWrite], None),
    ] {
        let key = fixture.service.create_key("demo", scopes).unwrap();
        let commands = &status(&fixture).env("PROFILE_API_KEY", &key).run().json()["commands"];
        let allowed = commands["allowed"].as_array().unwrap();
        assert_eq!(allowed.contains(&"apply".into()), needs.is_none());
        let mut denied = commands["denied"].as_array().unwrap().iter();
        let denied = denied.find(|denied| denied["command"] == "apply");
        let found = denied.map(|denied| denied["needs"].as_str().unwrap());
        assert_eq!(found, needs);
    }
}

#[tokio::test]
async fn status_names_what_was_tried() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let uri = fixture.service.uri();
    fixture.add_account("main");
    let status = fixture.run(&["auth", "status", "--json"]).json();
    assert_eq!(status["account"], serde_json::Value::Null);
    let key = home.join(".config/profile/keys/main");
    fs::write(key, "wrong").unwrap();
    let stored = fixture.run_stored(&["auth", "status"]);
    let of_environment = fixture.run_with_key("wrong", &["auth", "status"]);
    for (run, source) in [
        (stored, "account main"),
        (of_environment, "PROFILE_API_KEY"),
    ] {
        assert_eq!(run.code(), 4, "{run}");
        let tried = format!("base_url\t{uri}\nkey.masked\t********\nkey.source\t{source}\n");
        assert!(run.to_string().contains(&tried), "{run}");
    }
}

#[tokio::test]
async fn problems_of_settings_and_files() {
    let fixture = Fixture::new().await;
    let config =
        configure(fixture.home.path(), "timeout = \"soon\"\nretrys = 1\n").join("config.toml");
    #[cfg(unix)]
    set_mode(&config, 0o644);
    let run = status(&fixture).run();
    assert_eq!(run.code(), 2, "{run}");
    fails_with(&run, "config.toml:1: timeout is");
    let proxied = status(&fixture).env("PROFILE_BASE_URL", "https://127.0.0.1:1");
    let invalid = [("PROFILE_LOG", "bogus"), ("HTTPS_PROXY", "bogus value")];
    let proxied = proxied.envs(&invalid).without("PROFILE_API_KEY").run();
    let found = proxied.error()["failures"].as_array().map(Vec::len);
    assert_eq!(found, Some(4), "{proxied}");
    let list = fixture.program(&["config", "list"]).envs(&invalid).run();
    list.says("warning: PROFILE_LOG is \"bogus\"; expected off");
    let unknown = "unknown setting \"retrys\"";
    assert_eq!(run.stderr().matches(unknown).count(), 1, "{run}");
    #[cfg(unix)]
    run.says(&format!("restrict it with `chmod 600 {}`", quoted(&config)));

    fs::write(&config, "timeout = \n").unwrap();
    let broken = status(&fixture).run();
    assert_eq!(broken.code(), 2, "{broken}");
    fails_with(&broken, "config.toml:1: invalid TOML");
    let keyless = status(&fixture).without("PROFILE_API_KEY").run();
    assert_eq!(keyless.code(), 2, "{keyless}");
    assert!(!keyless.stderr().contains("no API key"), "{keyless}");
    let printed: serde_json::Value = serde_json::from_slice(broken.stdout_bytes()).unwrap();
    assert_eq!(printed["handle"], "demo", "{broken}");
}

#[tokio::test]
async fn each_problem_has_its_hint() {
    let fixture = Fixture::new().await;
    let config = configure(fixture.home.path(), "accounts = 3\n").join("config.toml");
    #[cfg(unix)]
    set_mode(&config, 0o600);
    let run = fixture.run_with_key("wrong", &["auth", "status"]);
    run.says("hint: correct it");
    run.says("hint: replace the key in PROFILE_API_KEY");

    fs::write(&config, "[accounts.a]\nbase_url = \"http://127.0.0.1:1\"\n").unwrap();
    let unselected = fixture.run_stored(&["auth", "status"]);
    let expected = "error: no account is selected\n\
                    hint: select one of a with `profile auth switch NAME`\n";
    assert_eq!(unselected.stderr(), expected);
}

#[tokio::test]
async fn problems_of_the_connection() {
    let fixture = Fixture::new().await;
    let at = |base_url: &str| status(&fixture).env("PROFILE_BASE_URL", base_url);
    for base_url in [
        "http://127.0.0.1:1",
        "https://host.invalid",
        &fixture.service.uri().replace("http:", "https:"),
    ] {
        let run = at(base_url).run();
        assert_eq!(run.code(), 8, "{run}");
        fails_with(&run, "check the network, the base URL and the proxy");
    }
    let proxy = at("https://profiles.example").env("HTTPS_PROXY", "http://ada:hush@127.0.0.1:1");
    let proxy = proxy.run();
    let printed: serde_json::Value = serde_json::from_slice(proxy.stdout_bytes()).unwrap();
    let proxied = printed["proxy"].as_str().unwrap().to_lowercase();
    assert_eq!(proxied, "http://***@127.0.0.1:1 (https_proxy)");
    assert_eq!(proxy.code(), 8, "{proxy}");
    let invalid = at("ftp://profiles.example").run();
    assert_eq!(invalid.code(), 2, "{invalid}");
    fails_with(&invalid, "PROFILE_BASE_URL: base_url has the scheme ftp");
    let unavailable = FaultRule::new(Fault::status(503));
    fixture.service.add_fault(unavailable).unwrap();
    let before = fixture.service.journal().requests().len();
    fails_with(&status(&fixture).run(), "503");
    assert_eq!(fixture.service.journal().requests().len(), before + 1);
}

#[cfg(unix)]
#[test]
fn certificates() {
    let service = TlsService::start();
    let home = home();
    let certificate = home.path().join("certificate.pem");
    fs::write(&certificate, &service.certificate).unwrap();
    let status = || {
        Program::new(home.path(), &["auth", "status", "--json"])
            .env("PROFILE_BASE_URL", &service.base_url)
            .env("PROFILE_API_KEY", "a_key_0123456789")
    };
    status().env("SSL_CERT_FILE", &certificate).run().stdout();
    fails_with(&status().run(), "certificate");
}

#[cfg(unix)]
#[test]
fn the_file_of_certificates_is_named() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("roots.pem");
    let service = TlsService::start();
    let mut others = rcgen::CertificateParams::default();
    let name = rcgen::DnType::CommonName;
    others.distinguished_name.push(name, "another authority");
    let others = others
        .self_signed(&rcgen::KeyPair::generate().unwrap())
        .unwrap();
    let shown = format!("; check SSL_CERT_FILE, which is {path:?}");
    for (text, code) in [(None, 2), (Some(String::new()), 2), (Some(others.pem()), 8)] {
        text.iter().for_each(|text| fs::write(&path, text).unwrap());
        let program = Program::new(home.path(), &["badges"]);
        let run = program
            .env("PROFILE_BASE_URL", &service.base_url)
            .env("SSL_CERT_FILE", &path)
            .run();
        run.fails(code, &shown);
        assert!(!run.stderr().contains("check the base URL"), "{run}");
    }
}

/// Without root certificates, valid URLs are not to blame. What needs TLS names the empty variable.
#[cfg(unix)]
#[test]
fn without_certificates_urls_are_not_blamed() {
    let home = tempfile::tempdir().unwrap();
    let url = "https://localhost:1";
    let missing = "; check SSL_CERT_FILE, which is \"missing.pem\"";
    for (file, problem) in [
        ("", "; check SSL_CERT_FILE, which is \"\""),
        ("missing.pem", missing),
    ] {
        for (arguments, needs_tls) in [
            (
                &["config", "set", "proxy", "https://localhost:2"][..],
                false,
            ),
            (&["config", "set", "base-url", url], false),
            (&["config", "list", "--json"], false),
            (&["auth", "status"], true),
            (&["auth", "login", "--with-token", "--base-url", url], true),
            #[cfg(feature = "webhook")]
            (&["webhook", "send", "post.liked", "--to", url], true),
        ] {
            let program = Program::new(home.path(), arguments).stdin("a_key_0123456789");
            let program = program.env("PROFILE_WEBHOOK_SECRET", "a_secret_0123456789");
            let run = program.env("SSL_CERT_FILE", file).run();
            assert_eq!(run.code() != 0, needs_tls, "{arguments:?}: {run}");
            let stderr = run.stderr();
            assert_eq!(stderr.contains(problem), needs_tls, "{arguments:?}: {run}");
            for blame in [
                "check the base URL",
                "check the proxy",
                "base_url",
                "proxy is",
            ] {
                assert!(!stderr.contains(blame), "{arguments:?}: {run}");
            }
        }
    }
}

#[tokio::test]
async fn a_wrong_clock_is_a_warning() {
    for (now, relation) in [
        ("2100-01-01T00:00:00Z", "behind"),
        ("2000-01-01T00:00:00Z", "ahead of"),
    ] {
        let finding = format!(" seconds {relation} that of the service; ");
        let clock = Clock::fixed(now).unwrap();
        let service = MockServer::builder().clock(clock).start().await.unwrap();
        let run = status(&Fixture::of(service)).run();
        let warning = run.json()["warnings"][0].clone();
        assert!(warning.as_str().unwrap().contains(&finding), "{run}");
        run.says(&finding);
    }
}

#[tokio::test]
async fn a_rejected_key_has_advice_for_its_source() {
    let fixture = Fixture::new().await;
    fixture.add_account("work");
    let key = fixture.home.path().join(".config/profile/keys/work");
    std::fs::write(key, "wrong").unwrap();
    let file = fixture.file("key", "wrong");
    let uri = fixture.service.uri().to_owned();
    let of_service = ("PROFILE_BASE_URL", uri.as_str());
    let login = "`profile auth login` does not change it";
    for (variables, advice) in [
        (
            &[("PROFILE_API_KEY", "wrong"), of_service][..],
            format!("replace the key in PROFILE_API_KEY; {login}"),
        ),
        (
            &[("PROFILE_API_KEY_FILE", &file), of_service],
            format!("replace the key in the file of PROFILE_API_KEY_FILE; {login}"),
        ),
        (
            &[],
            "log in again with `profile auth login --account work`".to_owned(),
        ),
    ] {
        for command in [&["show"][..], &["auth", "status"]] {
            let run = fixture.without_settings(command).envs(variables).run();
            run.fails(4, &advice);
        }
    }
}
