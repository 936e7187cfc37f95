//! `--sandbox` and `profile sandbox`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use expect_test::expect;

use crate::program::{Program, Run, run};

#[track_caller]
fn sandbox(home: &Path, arguments: &[&str]) -> Run {
    run(home, &[], &[&["--sandbox"], arguments].concat())
}

fn state_file(home: &Path) -> PathBuf {
    home.join(".local/state/profile/sandbox.json")
}

#[test]
fn changes_persist_between_commands() {
    let home = tempfile::tempdir().unwrap();
    sandbox(home.path(), &["set", "--display-name", "Ada"]).stdout();
    let shown = sandbox(home.path(), &["show", "--json"]).json();
    assert_eq!(shown["display_name"], "Ada");

    let reset = run(home.path(), &[], &["sandbox", "reset", "--yes", "--json"]).json();
    assert_eq!(reset["result"], "reset");
    assert_eq!(reset["path"], state_file(home.path()).to_str().unwrap());
    let shown = sandbox(home.path(), &["show", "--json"]).json();
    assert_ne!(shown["display_name"], "Ada");
}

#[test]
fn the_dialect_is_a_setting() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("dialect.json");
    fs::write(&path, r#"{"settings": {"ids": "integer"}}"#).unwrap();
    let list = |environment: &[(&str, &str)]| {
        let arguments = ["--sandbox", "link", "list", "--json"];
        run(home.path(), environment, &arguments).json()[0]["id"].clone()
    };
    assert_eq!(list(&[]), "link_1");
    let set = ["config", "set", "sandbox_dialect", path.to_str().unwrap()];
    run(home.path(), &[], &set).stdout();
    assert_eq!(list(&[]), 1);
    let default = [("PROFILE_SANDBOX_DIALECT", "default")];
    assert_eq!(list(&default), "link_1");
    run(home.path(), &[], &["config", "unset", "sandbox_dialect"]).stdout();
    assert_eq!(list(&[]), "link_1");
}

#[test]
fn an_invalid_dialect_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("dialect.json");
    fs::write(&path, r#"{"ids": "roman"}"#).unwrap();
    let path = path.to_str().unwrap();
    let reason = "ids: unknown variant `roman`, expected one of `string`, `integer`, `uuid`";
    let message = format!("sandbox_dialect is the invalid file {path:?}: {reason}\n");
    let set = run(
        home.path(),
        &[],
        &["config", "set", "sandbox_dialect", path],
    );
    assert_eq!(set.code(), 2, "{set}");
    assert!(
        set.to_string().contains(&format!("error: {message}")),
        "{set}"
    );
    let variable = [("PROFILE_SANDBOX_DIALECT", path)];
    let shown = run(home.path(), &variable, &["--sandbox", "show"]);
    assert_eq!(shown.code(), 2, "{shown}");
    let message = format!("error: PROFILE_SANDBOX_DIALECT: {message}");
    assert!(shown.to_string().contains(&message), "{shown}");
    let variable = [("PROFILE_SANDBOX_DIALECT", "tiny")];
    let shown = run(home.path(), &variable, &["--sandbox", "show"]).to_string();
    let message = "sandbox_dialect is \"tiny\", which cannot be read: ";
    assert!(shown.contains(message), "{shown}");
}

#[test]
fn reset_requires_confirmation_without_a_terminal() {
    let home = tempfile::tempdir().unwrap();
    sandbox(home.path(), &["set", "--display-name", "Ada"]).stdout();
    run(home.path(), &[], &["sandbox", "reset"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: confirmation is required, but there is no terminal to prompt on
        hint: add --yes
    "#]]);
    let shown = sandbox(home.path(), &["show", "--json"]).json();
    assert_eq!(shown["display_name"], "Ada");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_state() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().unwrap();
    sandbox(home.path(), &["show"]).stdout();
    let file = state_file(home.path());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
}

#[test]
fn concurrent_commands_lose_no_changes() {
    let home = tempfile::tempdir().unwrap();
    let calls: Vec<_> = (0..8)
        .map(|number| {
            let body = format!("post number {number}");
            Program::new(home.path(), &["--sandbox", "post", "create", &body]).start()
        })
        .collect();
    for call in calls {
        call.end().stdout();
    }
    let posts = sandbox(home.path(), &["post", "list"]);
    for number in 0..8 {
        let body = format!("\tpost number {number}\n");
        assert_eq!(posts.stdout().matches(&body).count(), 1, "{posts}");
    }
}

#[test]
fn reports_a_damaged_state_without_changing_it() {
    let home = tempfile::tempdir().unwrap();
    let file = state_file(home.path());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{ damaged").unwrap();
    let rejected = sandbox(home.path(), &["show"]).to_string();
    assert!(
        rejected.starts_with("exit 1\n--- stdout\n--- stderr\nerror: "),
        "{rejected}"
    );
    assert!(rejected.contains(file.to_str().unwrap()), "{rejected}");
    assert!(
        rejected.contains("hint: `profile sandbox reset` starts a new sandbox\n"),
        "{rejected}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ damaged");

    run(home.path(), &[], &["sandbox", "reset", "--yes"]).stdout();
    sandbox(home.path(), &["show"]).stdout();
}

#[test]
fn conflicts_with_base_url_and_account() {
    let home = tempfile::tempdir().unwrap();
    sandbox(home.path(), &["show", "--base-url", "http://127.0.0.1:1"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: --sandbox cannot be used with --base-url
    "#]]);
    sandbox(home.path(), &["show", "--account", "mine"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: --sandbox cannot be used with --account
    "#]]);
}

#[test]
fn status_shows_only_the_sandbox() {
    let home = tempfile::tempdir().unwrap();
    let environment = [
        ("PROFILE_BASE_URL", "https://profiles.example"),
        ("PROFILE_ACCOUNT", "mine"),
        ("COLUMNS", "70"),
    ];
    let status = |format| {
        let arguments = ["--sandbox", "auth", "status", "--output", format];
        run(home.path(), &environment, &arguments)
    };
    status("table").check(&expect![[r#"
        exit 0
        --- stdout
        account         none
        base_url        the sandbox
        key             sample (--sandbox)
        handle          demo
        scopes          profile:write analytics:read links:write social:write
        rate_limit      1,000,000 requests a minute
        allowed         show, set, edit, export, diff, apply, link list, link
                        add, link edit, link delete, post list, post create,
                        post delete, stats, analytics, badge list, site
        setting output  table (--output)
        --- stderr
    "#]]);
    let told = status("json").json().to_string() + status("tsv").stdout();
    assert!(!told.contains("profiles.example"), "{told}");
    assert!(!told.contains("mine"), "{told}");
}

#[test]
fn ignores_the_environment() {
    let home = tempfile::tempdir().unwrap();
    let environment = [
        ("PROFILE_BASE_URL", "not a URL"),
        ("PROFILE_API_KEY", "not a key"),
    ];
    run(home.path(), &environment, &["--sandbox", "show"]).stdout();
}

#[test]
fn prints_the_path_of_the_state() {
    let home = tempfile::tempdir().unwrap();
    let printed = run(home.path(), &[], &["sandbox", "path"]);
    assert_eq!(
        printed.stdout(),
        format!("{}\n", state_file(home.path()).display())
    );
    let moved = [("XDG_STATE_HOME", "/elsewhere")];
    let printed = run(home.path(), &moved, &["sandbox", "path", "--json"]).json();
    assert_eq!(printed["path"], "/elsewhere/profile/sandbox.json");
}

#[test]
fn serves_the_sandbox() {
    let home = tempfile::tempdir().unwrap();
    let mut server = Program::new(home.path(), &["sandbox", "serve", "--json"]).start();
    let ready: serde_json::Value = serde_json::from_str(&server.stdout_line()).unwrap();
    let (url, key_file) = (&ready["url"], ready["key_file"].as_str().unwrap());
    let environment = [
        ("PROFILE_BASE_URL", url.as_str().unwrap()),
        ("PROFILE_API_KEY_FILE", key_file),
    ];
    run(home.path(), &environment, &["set", "--display-name", "Ada"]).stdout();
    // Commands with --sandbox use the same state.
    let shown = sandbox(home.path(), &["show", "--json"]).json();
    assert_eq!(shown["display_name"], "Ada");

    let addr = environment[0].1.strip_prefix("http://").unwrap();
    // Requests without the key are rejected.
    let mut stream = TcpStream::connect(addr).unwrap();
    let control =
        b"GET /_mock/v1/worlds/default/state HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(control).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");

    let second = run(home.path(), &[], &["sandbox", "serve", "--addr", addr]).to_string();
    let start = format!("exit 1\n--- stdout\n--- stderr\nerror: cannot listen on {addr}: ");
    assert!(second.starts_with(&start), "{second}");
    assert!(
        second.ends_with("\nhint: omit --addr to use a free port\n"),
        "{second}"
    );

    server.stop();
    server.end().stdout();
    let shown = sandbox(home.path(), &["show", "--json"]).json();
    assert_eq!(shown["display_name"], "Ada");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(key_file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
