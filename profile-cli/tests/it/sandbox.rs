//! `--sandbox` and `profile sandbox`.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::{expect, expect_file};

use crate::program::{Fixture, Program, Run, home, run};
use crate::pseudo_terminal::Terminal;

#[track_caller]
fn sandbox(home: &Path, arguments: &[&str]) -> Run {
    run(home, &[], &[&["--sandbox"], arguments].concat())
}

fn state_file(home: &Path) -> PathBuf {
    let directory = home.join(".local").join("state").join("profile");
    directory.join("sandbox.json")
}

#[test]
fn changes_persist_between_commands() {
    let home = home();
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
fn reset_requires_confirmation_without_a_terminal() {
    let home = home();
    sandbox(home.path(), &["set", "--display-name", "Ada"]).stdout();
    run(home.path(), &[], &["sandbox", "reset"]).check_needs_consent();
    let shown = sandbox(home.path(), &["show", "--json"]).json();
    assert_eq!(shown["display_name"], "Ada");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_state() {
    use crate::config_owner::mode;

    let home = home();
    sandbox(home.path(), &["show"]).stdout();
    let file = state_file(home.path());
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
}

#[test]
fn concurrent_commands_lose_no_changes() {
    let home = home();
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
    let home = home();
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

/// The state of an earlier version, whose key lacks a scope.
#[test]
fn a_missing_scope_is_solved_by_a_reset() {
    let home = home();
    sandbox(home.path(), &["show"]).stdout();
    let file = state_file(home.path());
    let state = fs::read_to_string(&file).unwrap();
    fs::write(&file, state.replace("\"links:write\",", "")).unwrap();
    let rejected = sandbox(home.path(), &["link", "add", "Blog", "https://example.com"]);
    assert_eq!(rejected.code(), 5, "{rejected}");
    let hint = "hint: `profile sandbox reset` starts a new sandbox\n";
    assert!(rejected.stderr().ends_with(hint), "{rejected}");
}

#[test]
fn conflicts_with_base_url_and_account() {
    let home = home();
    for option in ["--base-url", "--account"] {
        let rejected = sandbox(home.path(), &["show", option, "http://127.0.0.1:1"]);
        let expected = format!("error: --sandbox cannot be used with {option}\n");
        assert_eq!(rejected.usage_error(), expected);
    }
}

#[tokio::test]
async fn accounts_are_not_changed_with_the_sandbox() {
    let fixture = Fixture::new().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    for command in [
        &["auth", "logout", "demo", "--yes"][..],
        &["auth", "logout", "--yes"],
        &["auth", "switch", "demo"],
        &["auth", "token"],
        &["auth", "login", "--with-token"],
    ] {
        let arguments = [&["--sandbox"], command].concat();
        let rejected = fixture.run_stored(&arguments).usage_error();
        assert_eq!(
            rejected,
            "error: the sandbox has no accounts\nhint: omit --sandbox\n"
        );
    }
    let key = fixture.home.path().join(".config/profile/keys/demo");
    assert!(key.exists());
}

#[test]
fn status_shows_only_the_sandbox() {
    let home = home();
    let environment = [
        ("PROFILE_BASE_URL", "https://profiles.example"),
        ("PROFILE_ACCOUNT", "mine"),
        ("COLUMNS", "70"),
    ];
    let status = |format| {
        let arguments = ["--sandbox", "auth", "status", "--output", format];
        run(home.path(), &environment, &arguments)
    };
    let shown = status("table").to_string();
    let lines = shown
        .lines()
        .map(|line| match line.starts_with("service ") {
            true => "service     DURATION\n".to_owned(),
            false => format!("{line}\n"),
        });
    expect![[r#"
        exit 0
        --- stdout
        key         sample (--sandbox)
        service     DURATION
        handle      demo
        scopes      profile:write analytics:read links:write social:write
        rate_limit  1,000,000 requests a minute
        allowed     show, set, edit, export, diff, apply, link list, link add,
                    link edit, link delete, post list, post create, post
                    delete, stats, analytics, badges, site
        --- stderr
    "#]]
    .assert_eq(&lines.collect::<String>());
    let told = status("json").json().to_string() + status("tsv").stdout();
    assert!(!told.contains("profiles.example"), "{told}");
    assert!(!told.contains("mine"), "{told}");
}

#[test]
fn ignores_the_environment() {
    let home = home();
    let environment = [
        ("PROFILE_BASE_URL", "not a URL"),
        ("PROFILE_API_KEY", "not a key"),
    ];
    run(home.path(), &environment, &["--sandbox", "show"]).stdout();
}

/// Without descriptors for its connections, the service would wait for a minute.
#[cfg(unix)]
#[test]
fn too_few_files_are_an_error_at_once() {
    for limit in [14, 16, 18] {
        let home = home();
        let script = format!(
            "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n {limit}; profile --sandbox show"
        );
        let run = Program::shell("sh", home.path(), &["-c", &script]).run();
        run.fails(1, "Too many open files");
    }
}

#[cfg(unix)]
#[test]
fn the_state_is_not_written_through_a_link() {
    let home = home();
    let directory = home.path().join(".local/state/profile");
    fs::create_dir_all(&directory).unwrap();
    let target = home.path().join("target");
    for name in ["sandbox.json", "sandbox.json.lock"] {
        let link = directory.join(name);
        std::os::unix::fs::symlink(&target, &link).unwrap();
        for arguments in [&["--sandbox", "show"][..], &["sandbox", "reset", "--yes"]] {
            let refused = run(home.path(), &[], arguments);
            assert_eq!(refused.code(), 1, "{refused}");
            let expected = format!(
                "error: {} is a symbolic link; expected a file\nhint: remove the link\n",
                link.display()
            );
            assert_eq!(refused.stderr(), expected);
        }
        fs::remove_file(link).unwrap();
    }
    assert!(!target.exists());
}

/// Runs the commands of the README on a terminal and compares the output. `UPDATE_EXPECT=1` rewrites it.
#[test]
fn the_readme_shows_the_real_output() {
    let home = home();
    let mut expected = String::new();
    let mut is_console = false;
    for line in include_str!("../../README.md").lines() {
        is_console = line == "```console" || is_console && line != "```";
        let command = line.strip_prefix("$ ").filter(|_| is_console);
        if command.is_some() || !is_console || line == "```console" {
            expected += &format!("{line}\n");
        }
        if let Some(command) = command {
            let words = shlex::split(command).unwrap();
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            if let ["cat", file] = words[..] {
                let file = file.trim_start_matches("~/");
                expected += &fs::read_to_string(home.path().join(file)).unwrap();
                continue;
            }
            assert_eq!(words[0], "profile");
            let program = Program::new(home.path(), &words[1..]);
            let mut program = program.env("TERM", "dumb").env("COLUMNS", "80");
            program.command.current_dir(home.path());
            let mut terminal = Terminal::start(program);
            if command.contains(" apply ") {
                terminal.sees("[y/N] ");
                terminal.types("y\n");
            }
            let (_, seen) = terminal.ends();
            expected += &seen.replace("\r\n", "\n");
        }
    }
    let expected = crate::program::named(&expected, home.path(), "/home/ada");
    expect_file!["../../README.md"].assert_eq(&expected);
}
