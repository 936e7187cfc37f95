//! `profile auth`: accounts are checked, stored, selected and deleted, and no output shows a key.

use std::fs;
use std::path::PathBuf;

use expect_test::expect;
use mock_server::MockServer;
use serde_json::json;

use crate::program::{Fixture, Run, configure, named};

/// The handle of the owner, after which an account is named.
const OWNER: &str = "demo";

/// The start of a warning of `auth status`, since the clock of the service is fixed.
const CLOCK: &str = "warning: this clock is ";

/// The start of the warning of a build with keyring support on a machine without a keyring.
const NO_KEYRING: &str = "warning: the system keyring is unavailable (";

impl Fixture {
    fn config(&self, name: &str) -> PathBuf {
        self.home.path().join(".config/profile").join(name)
    }

    /// Returns the output of a run, without the parts that differ between runs.
    #[track_caller]
    fn output(&self, run: &Run) -> String {
        let output = run.to_string().replace(self.service.uri(), "SERVICE");
        let output = named(&output, self.home.path(), "HOME");
        let lines = output.split_inclusive('\n');
        let expected = |line: &&str| !line.contains(NO_KEYRING) && !line.starts_with(CLOCK);
        lines.filter(expected).collect()
    }
}

#[tokio::test]
async fn login_checks_stores_and_selects_an_account() {
    let fixture = Fixture::new().await;
    let login = fixture.log_in(fixture.service.key(), &[]);
    expect![[r#"
        exit 0
        --- stdout
        account	demo
        handle	demo
        base_url	SERVICE
        account_stored_in	HOME/.config/profile/config.toml
        key_stored_in	HOME/.config/profile/keys/demo
        selected	true
        --- stderr
    "#]]
    .assert_eq(&fixture.output(&login));
    let config = fs::read_to_string(fixture.config("config.toml")).unwrap();
    expect![[r#"
        account = "demo"

        [accounts.demo]
        base_url = "SERVICE"
        key_store = "file"
    "#]]
    .assert_eq(&config.replace(fixture.service.uri(), "SERVICE"));
    let key = fs::read_to_string(fixture.config("keys/demo")).unwrap();
    assert_eq!(key, format!("{}\n", fixture.service.key()));
    let shown = fixture.run_stored(&["show", "--json"]).json();
    assert_eq!(shown["handle"], "demo");
}

#[cfg(unix)]
#[tokio::test]
async fn no_key_is_stored_if_the_settings_cannot_be_written() {
    let fixture = Fixture::new().await;
    let config = fixture.config("config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("missing/config.toml", &config).unwrap();
    let run = fixture.log_in(fixture.service.key(), &[]);
    let hint = "hint: no key was stored or removed\n";
    assert!(run.stderr().ends_with(hint), "{run}");
    assert!(!fixture.config("keys").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn key_files_are_private_and_other_modes_are_reported() {
    use crate::config_owner::{mode, set_mode};

    let fixture = Fixture::new().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let private = ["keys", "keys/demo", "config.toml"].map(|name| mode(fixture.config(name)));
    assert_eq!(private, [0o700, 0o600, 0o600]);
    for (name, mode) in [("keys", 0o750), ("keys/demo", 0o640)] {
        set_mode(fixture.config(name), mode);
        let run = fixture.run_stored(&["export"]);
        assert!(run.stdout().contains("handle = \"demo\""), "{run}");
        assert_eq!(run.stderr(), "");
    }
}

#[tokio::test]
async fn a_base_url_that_an_account_overrides_has_a_warning() {
    let fixture = Fixture::new().await;
    let set = ["config", "set", "base_url", "http://127.0.0.1:1"];
    let unaffected = fixture.run_stored(&set);
    assert_eq!((unaffected.code(), &*unaffected.stderr()), (0, ""));
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let run = fixture.run_stored(&set);
    let warning = "warning: the base URL of the selected account demo is used instead; \
                   log in to add another account\n";
    assert_eq!((run.code(), &*run.stderr()), (0, warning));
}

#[tokio::test]
async fn does_not_store_an_invalid_key() {
    let fixture = Fixture::new().await;
    expect![[r#"
        exit 4
        --- stdout
        --- stderr
        error: the service rejected the API key (401: unknown API key)
        hint: nothing was stored; check the key
    "#]]
    .assert_eq(&fixture.output(&fixture.log_in("wrong-key", &[])));
    let empty = ["login", "--with-token", "--base-url", fixture.service.uri()];
    let empty = fixture.run_stored(&empty);
    let rejected = [fixture.log_in("two words", &[]), empty].map(|run| run.usage_error());
    expect![[r#"
        error: API key has whitespace or a control character at position 4; expected visible ASCII only
        hint: nothing was stored
        error: API key is empty; expected the key that the service issued
        hint: nothing was stored
    "#]].assert_eq(&rejected.concat());
    let elsewhere = format!("{}/elsewhere", fixture.service.uri());
    for (base_url, advice) in [
        (&*elsewhere, "check the base URL\n"),
        (
            "http://127.0.0.1:1",
            "check the network, the base URL and the proxy\n",
        ),
    ] {
        let failed = fixture.log_in_to(base_url, "key", &[]);
        let hint = format!("hint: nothing was stored; {advice}");
        assert!(failed.stderr().ends_with(&hint), "{failed}");
    }
    assert!(!fixture.config("config.toml").exists());
    assert!(!fixture.config("keys").exists());
}

#[tokio::test]
async fn login_completes_and_checks_the_base_url() {
    let fixture = Fixture::new().await;
    let login = |base_url: &str, further: &[&str]| {
        let arguments = ["auth", "login", "--json", "--base-url", base_url];
        let program = fixture.without_settings(&[&arguments, further].concat());
        program.stdin(fixture.service.key()).run()
    };
    let host = fixture.service.uri().strip_prefix("http://").unwrap();
    let json = login(host, &["--with-token"]).json();
    assert_eq!(json["base_url"], fixture.service.uri());
    login("ftp://x", &["--with-token"]).fails(2, "scheme ftp");
}

#[tokio::test]
async fn login_requires_a_source_of_the_key() {
    let fixture = Fixture::new().await;
    let rejected = [&["login"][..], &["login", "--with-token"]]
        .map(|login| fixture.without_settings(login).stdin("key").run());
    expect![[r#"
        error: the API key is missing, and stderr is not a terminal to ask on
        hint: add --with-token to read the key from stdin: `--with-token < FILE`
        error: no base URL is set
        hint: add --base-url, for example --base-url https://profiles.example
    "#]]
    .assert_eq(&rejected.map(|run| run.usage_error()).concat());
}

#[tokio::test]
async fn rejects_unsafe_account_names() {
    let fixture = Fixture::new().await;
    for name in ["../x", "a/b", ".hidden", "-x", "", "a b", "nul", "x\u{e9}"] {
        let account = format!("--account={name}");
        let arguments = [&*account, "--json"];
        let error = fixture.log_in(fixture.service.key(), &arguments).error();
        assert_eq!(error["exit_code"], 2, "{name}");
        assert!(!fixture.config("keys").exists());
    }
    let by_hand = "[accounts.\"../x\"]\nbase_url = \"http://127.0.0.1:1\"\n";
    configure(fixture.home.path(), by_hand);
    let run = fixture.run_stored(&["show", "--account", "../x"]);
    assert!(run.to_string().contains("which contains '/'"), "{run}");
}

#[tokio::test]
async fn does_not_mix_services_of_one_host() {
    let fixture = Fixture::new().await;
    let other = Fixture::new().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let log_in_there = |arguments: &[&str]| {
        let key = other.service.key();
        fixture.log_in_to(other.service.uri(), key, &[&["--json"], arguments].concat())
    };
    assert_eq!(log_in_there(&[]).json()["account"], "demo@127.0.0.1");
    log_in_there(&["--account", "other"]).stdout();
    let rejected = log_in_there(&["--account", "Other"]).error();
    let expected = "account other already exists; Other differs only in case";
    assert_eq!(rejected["message"], expected);

    let list = fixture.run_stored(&["auth", "list", "--json"]).json();
    let expected = json!([
        {"account": OWNER, "selected": false, "base_url": fixture.service.uri(), "key_store": "file"},
        {"account": "demo@127.0.0.1", "selected": false, "base_url": other.service.uri(), "key_store": "file"},
        {"account": "other", "selected": true, "base_url": other.service.uri(), "key_store": "file"},
    ]);
    assert_eq!(list, expected);
}

#[tokio::test]
async fn a_second_login_does_not_replace_the_first_key() {
    let fixture = Fixture::new().await;
    let (home, service) = (fixture.home.path(), &fixture.service);
    let keys = service.keys();
    fixture.log_in(service.key(), &[]).stdout();
    let again = fixture.log_in(&keys.links, &["--json"]).error();
    assert_eq!(again["exit_code"], 2);
    let expected = "add --yes to replace the key, or --account NAME to add an account";
    assert_eq!(again["hint"], expected);
    let stored = |name: &str| {
        let path = home.join(".config/profile/keys").join(name);
        fs::read_to_string(path).unwrap().trim_end().to_owned()
    };
    assert_eq!(stored("demo"), service.key());
    fixture.log_in(&keys.links, &["--account", "few"]).stdout();
    assert_eq!(stored("demo"), service.key());
    assert_eq!(stored("few"), keys.links);
    fixture.log_in(&keys.social, &["--yes"]).stdout();
    assert_eq!(stored("demo"), keys.social);
    // The same handle on another service is another account.
    let others = [MockServer::start().await, MockServer::start().await];
    let log_in_to = |other: &MockServer| fixture.log_in_to(other.uri(), other.key(), &["--json"]);
    assert_eq!(log_in_to(&others[0]).json()["account"], "demo@127.0.0.1");
    assert_eq!(stored("demo"), keys.social);
    let message = log_in_to(&others[1]).error()["message"].to_string();
    let expected = "\"account demo@127.0.0.1 already exists";
    assert!(message.starts_with(expected), "{message}");
}

#[tokio::test]
async fn commands_in_messages_select_the_account_of_the_run() {
    let fixture = Fixture::new().await;
    let links = &fixture.service.keys().links;
    fixture.log_in(links, &["--account", "few"]).stdout();
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let few = |arguments: &[&str]| {
        let arguments = [&["--account", "few"], arguments].concat();
        fixture.run_stored(&arguments).to_string()
    };
    let lacks_scope = few(&["set", "--bio", "b"]);
    let expected = "`profile auth status --account few` lists the scopes";
    assert!(lacks_scope.contains(expected), "{lacks_scope}");
    fixture.add_faults(r#"{"fault": {"status": {"status": 204, "body": ""}}}"#);
    let set = few(&["set", "--bio", "b"]);
    let expected = "; `profile show --account few` prints the profile.";
    assert!(set.contains(expected), "{set}");
}

#[cfg(unix)]
#[tokio::test]
async fn an_error_never_leaves_a_key_with_the_base_url_of_another_service() {
    let fixture = Fixture::new().await;
    let other = Fixture::new().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let config = fixture.config("config.toml");
    // Too long for the limit of one block of 512 bytes, unlike a key.
    let before = format!("# {}\n{}", "x".repeat(2000), read(&config));
    fs::write(&config, &before).unwrap();
    let new_key = other.service.keys().links.clone();
    let limited = |limit: &str| {
        let replace = ["--yes", "--account", OWNER];
        let login = fixture.login(other.service.uri(), &new_key, &replace);
        crate::written_files::after(&format!("trap '' XFSZ; ulimit -f {limit}"), login).run()
    };
    let key = || read(&fixture.config("keys/demo"));
    let full = limited("1");
    full.fails(1, "config.toml cannot be written");
    assert_eq!(key().trim_end(), fixture.service.key());
    assert_eq!(read(&config), before);

    // A key that cannot be written leaves the account as it was.
    let keys = fixture.config("keys");
    let aside = fixture.config("aside");
    fs::rename(&keys, &aside).unwrap();
    fs::write(&keys, "").unwrap();
    let failed = limited("unlimited");
    assert_eq!(failed.code(), 1, "{failed}");
    assert_eq!(read(&config), before);
    fs::remove_file(&keys).unwrap();
    fs::rename(&aside, &keys).unwrap();

    limited("unlimited").stdout();
    assert_eq!(key().trim_end(), new_key);
    let after = before.replace(fixture.service.uri(), other.service.uri());
    assert_eq!(read(&config), after);
}

/// The disk is full, or the program is killed, between the key and the account.
#[cfg(unix)]
#[tokio::test]
async fn every_key_of_a_login_that_failed_can_be_removed() {
    let fixture = Fixture::new().await;
    let config = format!("# {}\n", "x".repeat(440));
    crate::program::configure(fixture.home.path(), &config);
    let login = fixture.login(fixture.service.uri(), fixture.service.key(), &[]);
    let full = crate::written_files::after("trap '' XFSZ; ulimit -f 1", login).run();
    full.fails(1, "config.toml cannot be written: File too large");
    assert_eq!(read(&fixture.config("config.toml")), config);
    let keys = fixture.config("keys");
    assert_eq!(fs::read_dir(&keys).unwrap().count(), 0);

    for name in ["killed", ".tmpkilled"] {
        fs::write(keys.join(name), "a-key").unwrap();
    }
    fixture.log_in(fixture.service.key(), &[]).stdout();
    assert!(!keys.join(".tmpkilled").exists());
    let logout = |name| fixture.run_stored(&["auth", "logout", name, "--yes"]);
    let removed = logout("killed");
    assert!(
        removed
            .stdout()
            .starts_with("Removed account killed; its key was deleted from ")
    );
    assert_eq!(fs::read_dir(&keys).unwrap().count(), 1);
    logout("killed").fails(2, "unknown account \"killed\"");
}

#[cfg(unix)]
fn read(path: &std::path::Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn an_account_without_a_base_url_withholds_its_key() {
    let fixture = Fixture::new().await;
    fixture.add_account("a");
    fixture.service.journal().clear();
    let config = fixture.config("config.toml");
    fs::write(&config, "account = 'a'\n[accounts.a]\n").unwrap();
    let show = fixture.run_stored(&["show", "--base-url", fixture.service.uri()]);
    assert_eq!(show.code(), 2, "{show}");
    let expected = "error: account a has no base_url in config.toml\n\
                    hint: log in again with `profile auth login --account a`\n";
    assert_eq!(show.stderr(), expected);
    for arguments in [&["show"][..], &["show", "--account", "a"]] {
        let show = fixture.run_stored(arguments);
        assert_eq!(show.stderr(), expected, "{show}");
    }
    let unknown = "[accounts.b]\nbase_url = 'http://127.0.0.1:1'\nbase_ulr = 'x'\n";
    fs::write(config, unknown).unwrap();
    let list = fixture.run_stored(&["auth", "list"]);
    let warning = "unknown field \"base_ulr\" of account b; expected base_url or key_store";
    list.says(warning);
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

#[tokio::test]
async fn switches_accounts() {
    let fixture = Fixture::new().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    fixture.add_account("other");
    let switched = fixture.run_stored(&["auth", "switch", OWNER]);
    switched.check(&expect![[r#"
        exit 0
        --- stdout
        Switched to account demo.
        --- stderr
    "#]]);
    let list = fixture.run_stored(&["auth", "list"]);
    let output = fixture.output(&list);
    expect![[r#"
        exit 0
        --- stdout
        demo	selected	SERVICE	file
        other		SERVICE	file
        --- stderr
    "#]]
    .assert_eq(&output);
    let rejected = [&["auth", "switch", "gone"][..], &["auth", "switch"]]
        .map(|switch| fixture.run_stored(switch).usage_error());
    expect![[r#"
        error: unknown account "gone"
        hint: expected one of demo, other
        error: the name of the account is missing
        hint: add one of demo, other
    "#]]
    .assert_eq(&rejected.concat());
}

#[tokio::test]
async fn login_and_logout_preserve_comments() {
    let fixture = Fixture::new().await;
    let before =
        "# Mine.\nretries = 2 # few\n\n# The other.\n[accounts.other]\n\n[accounts.third]\n";
    configure(fixture.home.path(), before);
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let after = || fs::read_to_string(fixture.config("config.toml")).unwrap();
    for comment in ["# Mine.", "retries = 2 # few", "# The other."] {
        assert!(after().contains(comment), "{}", after());
    }
    fixture.run_stored(&["auth", "logout", "--yes"]).stdout();
    assert_eq!(after(), before);
}

#[tokio::test]
async fn logout_asks_and_removes_the_account() {
    let fixture = Fixture::new().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    fixture
        .run_stored(&["auth", "logout"])
        .check_needs_consent();
    assert!(fixture.config("keys/demo").exists());
    let logout = fixture.run_stored(&["auth", "logout", "--yes"]);
    expect![[r#"
        exit 0
        --- stdout
        Removed account demo; its key was deleted from HOME/.config/profile/keys/demo.
        --- stderr
    "#]]
    .assert_eq(&fixture.output(&logout));
    assert!(!fixture.config("keys/demo").exists());
    let logout = fixture.run_stored(&["auth", "logout", "--yes"]);
    logout.check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: no account is stored
        hint: to stop using a key from the environment, unset PROFILE_API_KEY
    "#]]);
    let list = fixture.run_stored(&["auth", "list", "-o", "table"]);
    let expected = "There are no accounts; `profile auth login` stores one.\n";
    assert_eq!(list.stdout(), expected);
}

#[tokio::test]
async fn variables_that_override_the_account_have_a_warning() {
    let fixture = Fixture::new().await;
    let key = fixture.service.key();
    let file = &fixture.file("key", key);
    let sent = "its key is sent whichever account is selected";
    for (variable, value, effect) in [
        ("PROFILE_API_KEY", key, sent),
        ("PROFILE_API_KEY_FILE", file, sent),
        ("PROFILE_ACCOUNT", "demo", "overrides the selected account"),
    ] {
        fixture.log_in(key, &[]).stdout();
        for command in [["auth", "switch", "demo"], ["auth", "logout", "--yes"]] {
            let program = fixture.without_settings(&command);
            let run = program.env(variable, value).run();
            let warning = format!("warning: {variable} is set and {effect}\n");
            assert_eq!((run.code(), run.stderr()), (0, warning), "{run}");
        }
    }
}

#[tokio::test]
async fn logout_selects_or_suggests_another_account() {
    let fixture = Fixture::new().await;
    for name in ["a", "b", "c"] {
        fixture.add_account(name);
    }
    let logout = |name: &str| fixture.run_stored(&["auth", "logout", "-y", name]);
    let selected = logout("c");
    let hint = " Select another account with `profile auth switch`: a, b.\n";
    assert!(selected.stdout().ends_with(hint), "{selected}");
    let other = logout("a");
    assert!(!other.stdout().contains("witch"), "{other}");
    // If exactly one is left, it is selected.
    fixture.add_account("c");
    let selected = logout("c");
    let notice = " Switched to account b.\n";
    assert!(selected.stdout().ends_with(notice), "{selected}");
    fixture.run_stored(&["show"]).stdout();
    fs::remove_file(fixture.config("keys/b")).unwrap();
    let missing = fixture.run_stored(&["show"]);
    expect![[r#"
        exit 4
        --- stdout
        --- stderr
        error: account b has no key: HOME/.config/profile/keys/b does not exist
        hint: log in again with `profile auth login --account b`
    "#]]
    .assert_eq(&fixture.output(&missing));
    let last = logout("b");
    assert!(!last.stdout().contains("witch"), "{last}");
}

#[tokio::test]
async fn status_masks_the_key() {
    let fixture = Fixture::new().await;
    let links = &fixture.service.keys().links;
    fixture.log_in(links, &[]).stdout();
    let status = fixture.run_stored(&["auth", "status"]);
    assert!(!status.to_string().contains(links.as_str()));
    let last = &links[links.len() - 4..];
    let output = fixture.output(&status).replace(last, "LAST");
    expect![[r#"
        exit 0
        --- stdout
        account	demo
        base_url	SERVICE
        key.masked	********LAST
        key.source	account demo
        handle	demo
        scopes	links:write
        rate_limit	{"limit":1000000,"window_seconds":60}
        commands.show	allowed
        commands.export	allowed
        commands.diff	allowed
        commands.apply	allowed
        commands.link list	allowed
        commands.link add	allowed
        commands.link edit	allowed
        commands.link delete	allowed
        commands.post list	allowed
        commands.stats	allowed
        commands.badges	allowed
        commands.site	allowed
        commands.set	needs profile:write
        commands.edit	needs profile:write
        commands.post create	needs social:write
        commands.post delete	needs social:write
        commands.analytics	needs analytics:read
        --- stderr
    "#]]
    .assert_eq(&output);
    let status = fixture.run_stored(&["auth", "status", "--json"]);
    let expected = json!({"command": "set", "needs": "profile:write"});
    assert_eq!(status.json()["commands"]["denied"][0], expected);
}

#[tokio::test]
async fn reports_an_unsupported_key_store() {
    if cfg!(feature = "keyring") {
        return;
    }
    let fixture = Fixture::new().await;
    let config = "account = \"a\"\n[accounts.a]\nbase_url = \"http://127.0.0.1:1\"\n";
    for (store, expected) in [
        ("keyring", "this build does not support the system keyring"),
        (
            "pocket",
            "key_store is \"pocket\"; expected file or keyring",
        ),
    ] {
        let config = format!("{config}key_store = \"{store}\"\n");
        configure(fixture.home.path(), &config);
        fixture.run_stored(&["show"]).says(expected);
    }
}

#[cfg(all(target_os = "linux", feature = "keyring"))]
#[tokio::test]
async fn falls_back_to_a_file_without_a_keyring() {
    let fixture = Fixture::new().await;
    let login = fixture.log_in(fixture.service.key(), &[]).to_string();
    assert!(login.contains(NO_KEYRING), "{login}");
    assert!(fixture.config("keys/demo").exists());
    let shown = fixture.run_stored(&["show", "--json"]).json();
    assert_eq!(shown["handle"], "demo");
}
