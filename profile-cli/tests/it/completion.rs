//! `profile completion`: a script for each shell.

use std::fs;

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;
use mock_server::{Fault, FaultRule, WireFault};
use serde_json::json;

use crate::program::{Fixture, Program, configure, home, run};

/// Returns the candidates for the last word, as the program prints them for fish.
fn candidates(program: Program, words: &[&str]) -> String {
    let words = ["--", "profile"].iter().chain(words);
    let program = words.fold(program, |program, word| program.argument(word));
    let run = program.env("PROFILE_COMPLETE", "fish").run();
    assert_eq!(run.stderr(), "", "{run}");
    run.stdout().to_owned()
}

#[test]
fn every_script_runs_the_program() {
    let home = home();
    for shell in ["bash", "zsh", "fish"] {
        let script = run(home.path(), &[], &["completion", shell]);
        assert!(script.stdout().contains("PROFILE_COMPLETE"), "{shell}");
    }
    let script = run(home.path(), &[], &["completion", "bash", "--json"]).json();
    assert!(script["script"].as_str().unwrap().contains("complete "));
}

#[tokio::test]
async fn values_are_offered_before_options() {
    let fixture = Fixture::new().await;
    fs::write(fixture.home.path().join("bio.txt"), "").unwrap();
    for (words, expected) in [
        ("link ", "list add edit delete help"),
        ("link list --js", "--json"),
        ("link edit ", "link_1 link_2"),
        ("link delete link_1 ", "link_1 link_2"),
        ("post rm post", "post_3"),
        ("config set color ", "auto always never"),
        ("config get ba", "base_url"),
        ("apply ", "bio.txt"),
        ("post create --file b", "bio.txt"),
        ("stats --by ", "day week month"),
        ("stats ", ""),
        ("set --bio b", ""),
        ("set --text-color ", ""),
        ("link add ", ""),
        ("auth switch ", ""),
        ("link edit \"link_1", "link_1"),
        ("show --output=j", "--output=json"),
        ("man --dir a --output=j", "--output=json"),
        ("diff --prun", "--prune"),
    ] {
        let mut program = fixture.program(&[]);
        program.command.current_dir(fixture.home.path());
        let words: Vec<_> = words.split(' ').collect();
        let printed = candidates(program, &words);
        let values = printed.lines().map(|line| line.split('\t').next().unwrap());
        let last = words.last().unwrap();
        let values = values.take_while(|value| last.starts_with('-') || !value.starts_with('-'));
        let values: Vec<_> = values.collect();
        assert_eq!(values.join(" "), expected, "{words:?}");
    }
}

/// A file in a folder that others can write could be replaced by a link.
#[tokio::test]
async fn completion_asks_the_service_and_writes_nothing() {
    let fixture = Fixture::new().await;
    for requests in 1..=2 {
        let links = candidates(fixture.program(&[]), &["link", "edit", ""]);
        let expected = "link_1\tHomepage\nlink_2\tCode\n--";
        assert!(links.starts_with(expected), "{links}");
        assert_eq!(fixture.service.journal().requests().len(), requests);
    }
    assert_eq!(fs::read_dir(&fixture.home).unwrap().count(), 0);
}

#[tokio::test]
async fn ids_are_omitted_without_an_error() {
    let fixture = Fixture::new().await;
    let edit = ["link", "edit", "l"];
    let wrong_key = || fixture.program(&[]).env("PROFILE_API_KEY", "wrong");
    assert_eq!(candidates(wrong_key(), &edit), "");
    let nowhere = fixture
        .program(&[])
        .env("PROFILE_BASE_URL", "http://127.0.0.1:1");
    assert_eq!(candidates(nowhere, &edit), "");
    assert_eq!(candidates(fixture.without_settings(&[]), &edit), "");
    let stall = Fault::Wire(WireFault::Stall { after: 0 });
    for fault in [stall, Fault::rate_limited("1")] {
        fixture.service.clear_faults();
        fixture.service.add_fault(FaultRule::new(fault)).unwrap();
        assert_eq!(candidates(fixture.program(&[]), &edit), "");
    }
    let before = fixture.service.journal().requests().len();
    // A keyring might ask for a password.
    let login = format!(
        "account = \"a\"\n[accounts.a]\nbase_url = \"{}\"\nkey_store = \"keyring\"\n",
        fixture.service.uri()
    );
    configure(fixture.home.path(), &login);
    let keyring = || fixture.without_settings(&[]);
    assert_eq!(candidates(keyring(), &edit), "");
    assert!(candidates(keyring(), &["auth", "switch", ""]).starts_with("a\thttp://"));
    assert_eq!(fixture.service.journal().requests().len(), before);
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_in_a_pipe_does_not_block() {
    let fixture = Fixture::new().await;
    let pipe = fixture.home.path().join("pipe");
    crate::config_owner::make_pipe(&pipe);
    let program = fixture.program(&[]).without("PROFILE_API_KEY");
    let program = program.env("PROFILE_API_KEY_FILE", pipe.to_str().unwrap());
    assert_eq!(candidates(program, &["link", "edit", "l"]), "");
}

/// Only runs with `--features keyring`, as `.ci/run` does.
#[cfg(all(feature = "keyring", target_os = "linux"))]
#[test]
fn a_keyring_is_not_asked() {
    let home = home();
    let account = "base_url = \"http://127.0.0.1:1\"\nkey_store = \"keyring\"\n";
    let config = format!("account = \"work\"\n[accounts.work]\n{account}");
    configure(home.path(), &config);
    let socket = home.path().join("bus");
    let bus = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    bus.set_nonblocking(true).unwrap();
    let address = format!("unix:path={}", socket.display());
    let program = Program::new(home.path(), &[]).env("DBUS_SESSION_BUS_ADDRESS", address);
    assert_eq!(candidates(program, &["link", "edit", "l"]), "");
    let connected = bus.accept().unwrap_err();
    assert_eq!(connected.kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn titles_cannot_control_the_terminal() {
    let fixture = Fixture::new().await;
    let title = "\u{1b}[31mRed\u{7}\tand\nmore";
    fixture
        .run(&["link", "add", title, "https://example.com"])
        .stdout();
    let shown = candidates(fixture.program(&[]), &["link", "edit", "link_"]);
    assert!(shown.ends_with("\t[31mRed and\n"), "{shown:?}");
}

/// A service may return any text as an ID, and a script in bash does not quote candidates.
#[tokio::test]
async fn ids_that_a_shell_could_run_are_not_offered() {
    let ids = [
        "$(touch x)",
        "`touch x`",
        "a'b",
        "a\"b",
        "a b",
        "a;b",
        "a\\b",
        "a\u{b}b",
        "~root",
        "-rf",
        "é",
        "a:1@b/c+d.e_f-g",
    ];
    let links = ids.iter().map(|id| json!({"id": id, "title": "t"}));
    let links: Vec<_> = links.collect();
    let body = json!({"data": {"handle": "demo", "links": links}});
    let answer = ResponseTemplate::new(200).set_body_json(body);
    let fixture = Fixture::responding(answer).await;
    let offered = candidates(fixture.program(&[]), &["link", "edit", ""]);
    assert!(offered.starts_with("a:1@b/c+d.e_f-g\tt\n--"), "{offered}");
    let offered = candidates(fixture.program(&[]), &["link", "edit", "-"]);
    assert!(!offered.contains("-rf"), "{offered}");
}

#[tokio::test]
async fn no_key_is_sent_if_another_service_is_selected() {
    let fixture = Fixture::new().await;
    let uri = fixture.service.uri();
    let joined = format!("--base-url={uri}");
    for words in [
        &["--base-url", uri, "link", "edit", ""][..],
        &["link", "edit", "--base-url", uri, ""],
        &["link", "edit", &joined, ""],
        &["--timeout", "x", "--base-url", uri, "link", "edit", ""],
        &["--nope", "link", "edit", "--base-url", uri, ""],
        // Bash separates words at these characters.
        &["link", "edit", "--base-url", "=", "http", ":", "//host", ""],
        &["--timeout", "x", "--sandbox", "link", "edit", ""],
        &["--nope", "--sandbox", "link", "edit", ""],
        &["--timeout", "x", "--account", "a", "link", "edit", ""],
        // Bash passes quotes.
        &["\"--account\"", "a", "link", "edit", ""],
        &["--acc'ount'", "a", "link", "edit", ""],
        &["--base\\-url", uri, "link", "edit", ""],
        &["link", "edit", "link_", "--sandbox"],
    ] {
        let offered = candidates(fixture.program(&[]), words);
        assert!(!offered.contains("link_"), "{words:?}: {offered}");
    }
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

#[test]
fn rejects_an_unknown_shell() {
    let home = home();
    run(home.path(), &[], &["completion", "tcsh"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: invalid value 'tcsh' for '<SHELL>'
          [possible values: bash, zsh, fish]

          tip: a similar value exists: 'zsh'

        For more information, try '--help'.
    "#]]);
}
