//! Other users who can change config.toml could send keys to their own service, or run an editor.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

use crate::program::{Fixture, Run, configure};

/// The ID of a user without files.
const NOBODY: u32 = 65_534;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Stores an account, and returns the directory of config.toml.
fn log_in(fixture: &Fixture) -> PathBuf {
    let config = format!(
        "account = 'a'\neditor = 'touch EDITED'\n[accounts.a]\nbase_url = '{}'\n",
        fixture.service.uri()
    );
    let directory = configure(fixture.home.path(), &config);
    fs::create_dir(directory.join("keys")).unwrap();
    fs::write(directory.join("keys/a"), fixture.service.key()).unwrap();
    for (path, mode) in [
        ("keys/a", 0o600),
        ("keys", 0o700),
        ("config.toml", 0o600),
        ("", 0o700),
    ] {
        set_mode(&directory.join(path), mode);
    }
    directory
}

/// Checks that no key is sent and no editor is run.
#[track_caller]
fn check_refused(fixture: &Fixture, repair: &str) {
    let before = fixture.service.journal().requests().len();
    for arguments in [
        &["show"][..],
        &["auth", "token"],
        &["edit"],
        &["auth", "status"],
    ] {
        let run = fixture.without_settings(arguments).run();
        assert_eq!(run.code(), 2, "{run}");
        assert!(run.stderr().contains(repair), "{run}");
        assert!(!run.to_string().contains(fixture.service.key()), "{run}");
    }
    let requests = fixture.service.journal().requests();
    assert_eq!(
        requests[before..]
            .iter()
            .filter(|request| request.key.is_some())
            .count(),
        0
    );
    // Needs no key.
    fixture.without_settings(&["site"]).run().stdout();
    // The environment is not affected.
    fixture.run(&["show"]).stdout();
}

#[track_caller]
fn check_accepted(fixture: &Fixture) {
    fixture.without_settings(&["show"]).run().stdout();
}

#[tokio::test]
async fn a_directory_that_all_users_can_change() {
    let fixture = Fixture::new().await;
    let directory = log_in(&fixture);
    check_accepted(&fixture);
    set_mode(&directory, 0o777);
    check_refused(&fixture, &format!("`chmod go-w {}`", directory.display()));
    // Only root can replace the files of others in a directory of root with this bit.
    set_mode(&directory, 0o1777);
    match is_root() {
        true => check_accepted(&fixture),
        false => check_refused(&fixture, "`chmod go-w "),
    }
}

#[tokio::test]
async fn a_file_that_all_users_can_change() {
    let fixture = Fixture::new().await;
    let config = log_in(&fixture).join("config.toml");
    set_mode(&config, 0o666);
    check_refused(&fixture, &format!("`chmod go-w {}`", config.display()));
}

#[tokio::test]
async fn symbolic_links() {
    let fixture = Fixture::new().await;
    let directory = log_in(&fixture);
    let other = fixture.home.path().join("my dotfiles");
    fs::create_dir(&other).unwrap();
    set_mode(&other, 0o700);
    let target = other.join("profile.toml");
    fs::rename(directory.join("config.toml"), &target).unwrap();
    symlink(&target, directory.join("config.toml")).unwrap();
    check_accepted(&fixture);
    set_mode(&directory, 0o777);
    check_refused(&fixture, &format!("`chmod go-w {}`", directory.display()));
    set_mode(&directory, 0o700);
    set_mode(&other, 0o777);
    check_refused(&fixture, &format!("`chmod go-w '{}'`", other.display()));
    set_mode(&other, 0o700);
    set_mode(&target, 0o606);
    check_refused(&fixture, &format!("`chmod go-w '{}'`", target.display()));
}

/// Only root can create files of other users.
#[tokio::test]
async fn files_of_other_users() {
    let fixture = Fixture::new().await;
    let directory = log_in(&fixture);
    if !is_root() {
        return;
    }
    let config = directory.join("config.toml");
    chown(&config, Some(12_345), None).unwrap();
    check_accepted(&fixture);
    let owned = [
        "",
        ".config",
        ".config/profile",
        ".config/profile/keys",
        ".config/profile/keys/a",
    ];
    for path in owned {
        chown(fixture.home.path().join(path), Some(NOBODY), None).unwrap();
    }
    set_mode(&config, 0o644);
    let show = || {
        let mut program = fixture.without_settings(&["show"]);
        program.command.uid(NOBODY);
        program.run()
    };
    let refused: Run = show();
    let chown_command = format!("`sudo chown {NOBODY} {}`", config.display());
    assert!(refused.stderr().contains(&chown_command), "{refused}");
    assert_eq!(refused.code(), 2, "{refused}");
    chown(&config, Some(0), None).unwrap();
    show().stdout();
    chown(&config, Some(NOBODY), None).unwrap();
    show().stdout();
}

#[tokio::test]
async fn the_environments_key_is_not_sent_to_the_files_base_url() {
    let fixture = Fixture::new().await;
    let directory = log_in(&fixture);
    set_mode(&directory, 0o777);
    let show = || fixture.program(&["show"]).without("PROFILE_BASE_URL").run();
    assert_eq!(show().code(), 2, "{}", show());
    assert_eq!(fixture.service.journal().requests().len(), 0);
    set_mode(&directory, 0o700);
    show().stdout();
}

#[tokio::test]
async fn a_group_that_can_change_the_file_is_a_warning() {
    let fixture = Fixture::new().await;
    let directory = log_in(&fixture);
    set_mode(&directory, 0o770);
    let status = fixture.without_settings(&["auth", "status"]).run();
    let warning = format!(
        "the group can change {0}; run `chmod g-w {0}`",
        directory.display()
    );
    assert!(status.stderr().contains(&warning), "{status}");
    check_accepted(&fixture);
}

#[tokio::test]
async fn an_account_without_a_base_url_withholds_its_key() {
    let fixture = Fixture::new().await;
    let directory = log_in(&fixture);
    let config = directory.join("config.toml");
    fs::write(config, "account = 'a'\n[accounts.a]\n").unwrap();
    let show = fixture
        .without_settings(&["show", "--base-url", fixture.service.uri()])
        .run();
    assert_eq!(show.code(), 2, "{show}");
    let expected = "error: account a has no base_url in config.toml\n\
                    hint: log in again with `profile auth login --account a`\n";
    assert_eq!(show.stderr(), expected);
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

#[tokio::test]
async fn token_warns_of_an_exposed_key() {
    let fixture = Fixture::new().await;
    let key = log_in(&fixture).join("keys/a");
    set_mode(&key, 0o644);
    let token = fixture.without_settings(&["auth", "token"]).run();
    assert!(
        token.stderr().contains("others can access the key in "),
        "{token}"
    );
}
