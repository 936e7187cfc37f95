//! Other users who can change config.toml could send keys to their own service, or run an editor.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::program::{Fixture, Run, configure, quoted};

/// The ID of a user without files.
pub(crate) const NOBODY: u32 = 65_534;

pub(crate) fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Returns the permissions of a file.
pub(crate) fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

pub(crate) fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo")
        .args(["-m", "600"])
        .arg(path)
        .status();
    assert!(made.unwrap().success());
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Skips a test unless it may start the program as another user, who must reach it and the home directory.
pub(crate) fn require_other_user(home: &Path) -> Option<()> {
    child::require_other_user(env!("CARGO_BIN_EXE_profile"), home)
}

/// Returns a fixture with an account, and the directory of its config.toml.
async fn logged_in() -> (Fixture, PathBuf) {
    let fixture = Fixture::new().await;
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
        set_mode(directory.join(path), mode);
    }
    (fixture, directory)
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
        let run = fixture.run_stored(arguments);
        run.fails(2, repair);
        assert!(!run.to_string().contains(fixture.service.key()), "{run}");
    }
    let requests = fixture.service.journal().requests();
    let mut requests = requests[before..].iter();
    assert!(requests.all(|request| request.key.is_none()));
    // Needs no key.
    fixture.run_stored(&["site"]).stdout();
    // The environment is not affected.
    fixture.run(&["show"]).stdout();
}

/// Returns the command that forbids others to change a file.
fn go_w(path: impl AsRef<Path>) -> String {
    format!("`chmod go-w {}`", quoted(path))
}

#[track_caller]
fn check_accepted(fixture: &Fixture) {
    fixture.run_stored(&["show"]).stdout();
}

/// Runs `show` as another user.
#[track_caller]
fn show_as_nobody(fixture: &Fixture) -> Run {
    let mut program = fixture.without_settings(&["show"]);
    program.command.uid(NOBODY);
    program.run()
}

/// Returns the warning about a file that the group can change.
fn group_warning(path: &Path) -> String {
    let (shown, quoted) = (path.display(), quoted(path));
    format!("warning: the group can change {shown}; run `chmod g-w {quoted}`\n")
}

#[tokio::test]
async fn a_directory_that_all_users_can_change() {
    let (fixture, directory) = logged_in().await;
    check_accepted(&fixture);
    set_mode(&directory, 0o777);
    check_refused(&fixture, &go_w(&directory));
    // Only root can replace the files of others in a directory of root with this bit.
    set_mode(&directory, 0o1777);
    match is_root() {
        true => check_accepted(&fixture),
        false => check_refused(&fixture, "`chmod go-w "),
    }
}

#[tokio::test]
async fn files_and_directories_that_all_users_can_change() {
    let (fixture, directory) = logged_in().await;
    let path = |name: &str| directory.join(name);
    for (path, mode) in [
        (path("keys"), 0o777),
        (path("keys/a"), 0o606),
        (path("config.toml"), 0o666),
    ] {
        let safe = fs::metadata(&path).unwrap().permissions();
        set_mode(&path, mode);
        check_refused(&fixture, &go_w(&path));
        fs::set_permissions(&path, safe).unwrap();
    }
    check_accepted(&fixture);
}

#[tokio::test]
async fn symbolic_links() {
    let (fixture, directory) = logged_in().await;
    let other = fixture.home.path().join("my dotfiles");
    fs::create_dir(&other).unwrap();
    set_mode(&other, 0o700);
    let target = other.join("profile.toml");
    fs::rename(directory.join("config.toml"), &target).unwrap();
    symlink(&target, directory.join("config.toml")).unwrap();
    check_accepted(&fixture);
    for (path, mode, safe) in [
        (&directory, 0o777, 0o700),
        (&other, 0o777, 0o700),
        (&target, 0o606, 0o600),
    ] {
        set_mode(path, mode);
        check_refused(&fixture, &go_w(path));
        set_mode(path, safe);
    }
}

/// Only root can create files of other users.
#[tokio::test]
async fn files_of_other_users() {
    let (fixture, directory) = logged_in().await;
    if !is_root() {
        return;
    }
    let config = directory.join("config.toml");
    chown(&config, Some(12_345), None).unwrap();
    check_accepted(&fixture);
    or_skip!(require_other_user(fixture.home.path()));
    for path in Path::new(".config/profile/keys/a").ancestors() {
        chown(fixture.home.path().join(path), Some(NOBODY), None).unwrap();
    }
    set_mode(&config, 0o644);
    let chown_command = format!("`sudo chown -h {NOBODY} {}`", quoted(&config));
    show_as_nobody(&fixture).fails(2, &chown_command);
    for owner in [0, NOBODY] {
        chown(&config, Some(owner), None).unwrap();
        show_as_nobody(&fixture).stdout();
    }
}

#[tokio::test]
async fn the_environments_key_is_not_sent_to_the_files_base_url() {
    let (fixture, directory) = logged_in().await;
    set_mode(&directory, 0o777);
    let show = || fixture.program(&["show"]).without("PROFILE_BASE_URL").run();
    assert_eq!(show().code(), 2, "{}", show());
    assert_eq!(fixture.service.journal().requests().len(), 0);
    set_mode(&directory, 0o700);
    show().stdout();
}

/// Some systems create files with umask 002, and a group for each user.
#[tokio::test]
async fn only_another_group_than_that_of_the_user_is_a_warning() {
    let (fixture, directory) = logged_in().await;
    let config = directory.join("config.toml");
    set_mode(&directory, 0o775);
    set_mode(&config, 0o664);
    let show = || fixture.run_stored(&["show"]).stderr().to_owned();
    let set = || fixture.without_settings(&["config", "set", "color", "auto"]);
    for path in [&directory, &config] {
        chown(path, None, Some(rustix::process::getegid().as_raw())).unwrap();
    }
    assert_eq!(show(), "");
    set().run().stdout();
    if !is_root() {
        return;
    }
    chown(&directory, None, Some(12_345)).unwrap();
    assert_eq!(show(), group_warning(&directory));
    set().run().stdout();
    set_mode(&directory, 0o700);
    chown(&config, None, Some(12_345)).unwrap();
    set_mode(&config, 0o660);
    assert!(show().contains(&config.display().to_string()), "{}", show());
}

#[tokio::test]
async fn a_link_of_another_user() {
    let (fixture, directory) = logged_in().await;
    let home = fixture.home.path();
    or_skip!(require_other_user(home));
    let config = directory.join("config.toml");
    fs::rename(&config, directory.join("other")).unwrap();
    symlink("other", &config).unwrap();
    for path in ["", "other", "keys", "keys/a"] {
        chown(directory.join(path), Some(NOBODY), None).unwrap();
    }
    show_as_nobody(&fixture).stdout();
    lchown(&config, Some(12_345), None).unwrap();
    let owned = format!("another user owns {}", config.display());
    show_as_nobody(&fixture).fails(2, &owned);
}

/// A pipe may be unlinked once it is open, so that nothing shows who made it.
#[tokio::test]
async fn a_pipe_is_not_read() {
    let (fixture, directory) = logged_in().await;
    for name in ["keys/a", "config.toml"] {
        let path = directory.join(name);
        fs::remove_file(&path).unwrap();
        make_pipe(&path);
        let run = fixture.run_stored(&["show"]);
        assert_eq!(run.code(), 1, "{run}");
        let path = path.display();
        let expected = format!("error: {path} cannot be read: it is not a regular file\n");
        assert_eq!(run.stderr(), expected);
    }
}

#[tokio::test]
async fn a_key_file_that_the_user_names_may_be_a_pipe() {
    let fixture = Fixture::new().await;
    let pipe = fixture.home.path().join("pipe");
    make_pipe(&pipe);
    let program = |arguments| {
        let program = fixture.program(arguments).without("PROFILE_API_KEY");
        program.env("PROFILE_API_KEY_FILE", &pipe)
    };
    let nobody_writes = program(&["show", "--timeout", "0.1"]).run();
    let expected = format!("{} cannot be read: timed out\n", pipe.display());
    nobody_writes.fails(2, &format!("error: PROFILE_API_KEY_FILE: {expected}"));
    let running = program(&["show"]).start();
    fs::write(&pipe, fixture.service.key()).unwrap();
    running.end().stdout();
}

#[tokio::test]
async fn nothing_is_written_where_all_users_can_change_files() {
    let (fixture, directory) = logged_in().await;
    fs::remove_dir_all(directory.join("keys")).unwrap();
    let before = fs::read_to_string(directory.join("config.toml")).unwrap();
    let check = |run: Run, path: &Path| {
        run.fails(2, &format!("all users can change {}; run", path.display()));
        let after = fs::read_to_string(directory.join("config.toml")).unwrap();
        assert_eq!(after, before);
        assert!(!directory.join("keys/b").exists());
    };
    let log_in = || fixture.log_in(fixture.service.key(), &["--account", "b"]);
    set_mode(&directory, 0o777);
    let set = ["config", "set", "color", "never"];
    check(fixture.run_stored(&set), &directory);
    check(log_in(), &directory);
    assert!(!directory.join("config.lock").exists());
    set_mode(&directory, 0o700);
    if cfg!(not(feature = "keyring")) {
        fs::create_dir(directory.join("keys")).unwrap();
        set_mode(directory.join("keys"), 0o777);
        check(log_in(), &directory.join("keys"));
    }
}

#[tokio::test]
async fn a_new_key_is_not_sent_to_a_url_that_all_users_can_change() {
    let fixture = Fixture::new().await;
    let config = format!("base_url = '{}'\n", fixture.service.uri());
    let directory = configure(fixture.home.path(), &config);
    set_mode(&directory, 0o777);
    let login = fixture.without_settings(&["auth", "login", "--with-token"]);
    let run = login.stdin(fixture.service.key()).run();
    run.fails(2, "all users can change");
    assert!(fixture.service.journal().requests().is_empty());
}

#[tokio::test]
async fn texts_and_the_sandbox_are_not_stored_where_all_users_can_change_files() {
    let fixture = Fixture::new().await;
    let directory = fixture.home.path().join(".local/state/profile");
    fs::create_dir_all(directory.join("unsent")).unwrap();
    set_mode(&directory, 0o777);
    let edit = fixture.program(&["post", "create", "--editor"]);
    let edit = edit.env("PROFILE_EDITOR", "true");
    for program in [edit, fixture.without_settings(&["--sandbox", "show"])] {
        program.run().fails(2, "all users can change");
    }
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
}

#[tokio::test]
async fn keys_are_not_written_through_a_link() {
    let (fixture, directory) = logged_in().await;
    let (key, target) = (directory.join("keys/a"), fixture.home.path().join("target"));
    for is_dangling in [true, false] {
        fs::remove_file(&key).unwrap();
        symlink(&target, &key).unwrap();
        if !is_dangling {
            fs::write(&target, "precious").unwrap();
        }
        let login = fixture.log_in(fixture.service.key(), &["--account", "a", "--yes"]);
        login.stdout();
        assert!(!key.is_symlink());
        assert_eq!(fs::read(&target).is_err(), is_dangling);
        check_accepted(&fixture);
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
}

/// In a container, the home directory may be /dev/null or that of another user.
#[tokio::test]
async fn a_directory_that_cannot_be_searched() {
    let (fixture, directory) = logged_in().await;
    let home = fixture.home.path();
    let config = directory.join("config.toml");
    let is_other_user = require_other_user(home).is_some();
    let show = |program: crate::program::Program, directory: &str| {
        let mut program = program.env("HOME", directory);
        if is_other_user && directory != "/dev/null" {
            program.command.uid(NOBODY);
        }
        program.run()
    };
    let closed = home.to_str().unwrap();
    set_mode(home, 0o700);
    for directory in ["/dev/null", closed] {
        if directory == closed && !is_other_user {
            continue;
        }
        let warning = format!("warning: {directory}/.config/profile/config.toml cannot be read: ");
        for arguments in [&["show"][..], &["auth", "status"]] {
            let run = show(fixture.program(arguments), directory);
            assert_eq!(run.code(), 0, "{run}");
            assert!(run.stderr().starts_with(&warning), "{run}");
            run.says("; it counts as absent\n");
            for name in ["PROFILE_API_KEY", "PROFILE_BASE_URL"] {
                let run = show(fixture.program(arguments).without(name), directory);
                let error = warning.replace("warning", "error");
                assert_ne!(run.code(), 0, "{run}");
                run.says(&error);
            }
        }
    }
    if !is_other_user {
        return;
    }
    // A file that is there is never ignored.
    set_mode(home, 0o755);
    for path in [".config", ".config/profile"] {
        set_mode(home.join(path), 0o755);
    }
    set_mode(&config, 0o600);
    let run = show(fixture.program(&["show"]), closed);
    run.fails(1, "config.toml cannot be read: Permission denied");
}
