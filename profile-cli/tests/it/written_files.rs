//! Files on disks that are full, in directories that cannot be written, and that are mounted alone.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::config_owner::{NOBODY, is_root, require_other_user, set_mode};
use crate::program::{Fixture, Program, Run, configure, home};

const CONFIG: &str = "# A comment that makes the file longer than its new contents.\nretries = 2\n";

/// Returns the program, run by a shell after these commands.
pub(crate) fn after(commands: &str, program: Program) -> Program {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{commands}\nexec \"$0\" \"$@\"")])
        .arg(program.command.get_program())
        .args(program.command.get_args());
    program.replaced_by(shell)
}

/// Returns the program on a full disk: files can be created, but nothing can be written to them.
pub(crate) fn on_a_full_disk(program: Program) -> Program {
    after("ulimit -f 0", program)
}

/// Returns the program with a file mounted on a path, or `None` if that is not possible here.
fn with_mounted(file: &Path, path: &Path, program: Program) -> Option<Program> {
    let unshare = match is_root() {
        true => "unshare -m",
        false => "unshare -rm",
    };
    let [file, path] = [file, path].map(crate::program::quoted);
    let mount = format!("mount --bind {file} {path}");
    let can = Command::new("sh")
        .args(["-c", &format!("{unshare} {mount} 2>/dev/null")])
        .status();
    if !can.unwrap().success() {
        return crate::child::skip("mounts a file, which needs `unshare` and `mount`");
    }
    let start = format!("exec {unshare} sh -c {} \"$0\" \"$@\"", {
        crate::program::quoted(format!("{mount} && exec \"$0\" \"$@\""))
    });
    Some(after(&start, program))
}

fn set(home: &Path, retries: &str) -> Program {
    Program::new(home, &["config", "set", "retries", retries])
}

/// Returns the files in a directory below the home directory.
fn files(home: &Path, directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join(directory)).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Checks that no copy is left behind.
#[track_caller]
fn check_no_copy(home: &Path) {
    assert_eq!(files(home, ".local/state/profile"), [] as [PathBuf; 0]);
}

#[test]
fn a_mounted_config_is_written_in_place() {
    let home = home();
    let directory = configure(home.path(), "");
    let source = home.path().join("mounted");
    fs::write(&source, CONFIG).unwrap();
    set_mode(&source, 0o644);
    let path = directory.join("config.toml");
    let program = or_skip!(with_mounted(&source, &path, set(home.path(), "5")));
    program.run().stdout();
    let written = fs::read_to_string(&source).unwrap();
    assert_eq!(written, CONFIG.replace('2', "5"));
    let program = Program::new(home.path(), &["config", "unset", "retries"]);
    let program = with_mounted(&source, &path, program).unwrap();
    program.run().stdout();
    let written = fs::read_to_string(&source).unwrap();
    assert_eq!(written, CONFIG.replace("retries = 2\n", ""));
    check_no_copy(home.path());
    assert_eq!(fs::read(path).unwrap(), b"");
}

#[tokio::test]
async fn a_mounted_file_is_exported_in_place() {
    let fixture = Fixture::new().await;
    let [source, path] = ["mounted", "profile.toml"].map(|name| fixture.home.path().join(name));
    fixture.run(&["export", path.to_str().unwrap()]).stdout();
    let expected = fs::read_to_string(&path).unwrap();
    fs::write(&source, format!("{expected}# A longer file.\n")).unwrap();
    let export = fixture.program(&["export", path.to_str().unwrap()]);
    let program = or_skip!(with_mounted(&source, &path, export));
    program.run().stdout();
    assert_eq!(fs::read_to_string(&source).unwrap(), expected);
    check_no_copy(fixture.home.path());
}

#[tokio::test]
async fn a_file_to_which_a_standard_stream_is_redirected_is_not_replaced() {
    let fixture = Fixture::new().await;
    let output = fixture.home.path().join("output");
    let name = crate::program::quoted(&output);
    for path in [
        "/dev/stdout",
        "/dev/stderr",
        "/dev/fd/1",
        output.to_str().unwrap(),
    ] {
        let program = fixture.program(&["export", "--yes", path]);
        let commands = format!("exec >>{name} 2>&1; echo before");
        after(&commands, program).run();
        let written = fs::read_to_string(&output).unwrap();
        let (before, text) = written.split_once('\n').unwrap();
        assert_eq!(before, "before", "{path}");
        assert!(text.contains("[profile]"), "{path}: {written}");
        fs::remove_file(&output).unwrap();
    }
}

/// Gives a directory that nobody may write to another user, whom no permission can be denied to otherwise.
fn run_as_nobody(home: &Path, mut program: Program) -> Option<Run> {
    if is_root() {
        require_other_user(home)?;
        program.command.uid(NOBODY).gid(NOBODY);
    }
    Some(program.run())
}

fn give_to_nobody(path: &Path) {
    if is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// Gives config.toml and the directories above it to another user.
fn give_config_to_nobody(home: &Path) {
    let config = Path::new(".config/profile/config.toml");
    config
        .ancestors()
        .for_each(|part| give_to_nobody(&home.join(part)));
}

#[test]
fn a_config_in_a_directory_that_cannot_be_written() {
    let home = home();
    let directory = configure(home.path(), CONFIG);
    let config = directory.join("config.toml");
    give_config_to_nobody(home.path());
    set_mode(&directory, 0o500);
    let inode = config.metadata().unwrap().ino();
    let run = or_skip!(run_as_nobody(home.path(), set(home.path(), "5")));
    run.stdout();
    let written = fs::read_to_string(&config).unwrap();
    assert_eq!(written, CONFIG.replace('2', "5"));
    assert_eq!(config.metadata().unwrap().ino(), inode);
    check_no_copy(home.path());

    // A link of the user stays a link.
    let link = home.path().join(".config/linked");
    std::os::unix::fs::symlink(&directory, &link).unwrap();
    let linked = set(home.path(), "6").env("PROFILE_CONFIG_DIR", &link);
    run_as_nobody(home.path(), linked).unwrap().stdout();
    let written = fs::read_to_string(&config).unwrap();
    assert_eq!(written, CONFIG.replace('2', "6"));

    // Without a copy, nothing is written.
    let without_copy = set(home.path(), "7").env("XDG_STATE_HOME", "/proc");
    let run = run_as_nobody(home.path(), without_copy).unwrap();
    run.fails(1, "cannot be copied first");
    assert_eq!(fs::read_to_string(&config).unwrap(), written);

    // An error names the copy.
    let long = format!("{}{CONFIG}", "#\n".repeat(200));
    fs::write(&config, &long).unwrap();
    let editor = "x".repeat(2000);
    let arguments = ["config", "set", "editor", &editor];
    let program = Program::new(home.path(), &arguments);
    let limited = after("trap '' XFSZ; ulimit -f 2", program);
    let run = run_as_nobody(home.path(), limited).unwrap();
    assert_eq!(run.code(), 1, "{run}");
    let copies = files(home.path(), ".local/state/profile");
    let [copy] = copies.as_slice() else {
        panic!("{copies:?} {run}");
    };
    assert_eq!(fs::read_to_string(copy).unwrap(), long);
    assert_eq!(copy.metadata().unwrap().mode() & 0o777, 0o600);
    run.says(&format!("its old contents are in {}", copy.display()));

    // A file that cannot be written is an error as before.
    fs::write(&config, CONFIG).unwrap();
    set_mode(&config, 0o400);
    let run = run_as_nobody(home.path(), set(home.path(), "8")).unwrap();
    assert_eq!(run.code(), 1, "{run}");
    set_mode(&directory, 0o700);
}

#[tokio::test]
async fn keys_and_unsent_texts_are_not_written_in_place() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let keys = configure(home, CONFIG).join("keys");
    let unsent = home.join(".local/state/profile/unsent");
    for path in [&keys, &unsent] {
        fs::create_dir_all(path).unwrap();
    }
    let [key, mounted] = [keys.join("demo"), home.join("mounted")];
    for path in [&key, &mounted] {
        fs::write(path, "old").unwrap();
        set_mode(path, 0o600);
    }
    let login = fixture.login(fixture.service.uri(), fixture.service.key(), &[]);
    let login = or_skip!(with_mounted(&mounted, &key, login));
    let run = login.run();
    run.fails(1, "demo cannot be written: ");
    assert_eq!(fs::read_to_string(&mounted).unwrap(), "old");
    // The text is kept as the editor left it, since it cannot be replaced.
    let editor = "mount --bind mounted \"$1\"; echo changed = 1 > \"$1\"; chmod 600 \"$1\"";
    let quoted = crate::program::quoted(home);
    let editor = format!("#!/bin/sh\ncd {quoted}\n{editor}\n");
    fs::write(home.join("editor"), editor).unwrap();
    set_mode(home.join("editor"), 0o700);
    let path = std::env::var("PATH").unwrap();
    let edit = fixture.program(&["edit"]).env("PATH", path);
    let edit = edit.env("EDITOR", home.join("editor"));
    let run = with_mounted(&mounted, &key, edit).unwrap().run();
    assert_ne!(run.code(), 0, "{run}");
    assert_eq!(fs::read_to_string(&mounted).unwrap(), "changed = 1\n");
}

#[test]
fn root_keeps_the_owner_and_the_mode_of_config() {
    let home = home();
    let directory = configure(home.path(), CONFIG);
    let config = directory.join("config.toml");
    set_mode(&config, 0o640);
    if !is_root() {
        set(home.path(), "5").run().stdout();
        assert_eq!(config.metadata().unwrap().mode() & 0o777, 0o640);
        return;
    }
    or_skip!(require_other_user(home.path()));
    give_config_to_nobody(home.path());
    let check = |mode: u32| {
        let found = config.metadata().unwrap();
        let owner = (found.uid(), found.gid(), found.mode() & 0o777);
        assert_eq!(owner, (NOBODY, NOBODY, mode));
    };
    set(home.path(), "5").run().stdout();
    check(0o640);
    // The lock and a new file belong to the user as well.
    let run = run_as_nobody(home.path(), set(home.path(), "6"));
    run.unwrap().stdout();
    check(0o640);
    fs::remove_file(&config).unwrap();
    set(home.path(), "7").run().stdout();
    check(0o600);
    let run = run_as_nobody(home.path(), set(home.path(), "8"));
    run.unwrap().stdout();
    assert_eq!(fs::read_to_string(&config).unwrap(), "retries = 8\n");
}

#[tokio::test]
async fn root_gives_new_files_to_the_owner_of_the_directory() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    or_skip!(require_other_user(home));
    give_to_nobody(home);
    for _ in 0..2 {
        let login = fixture.log_in(fixture.service.key(), &["--yes"]);
        assert_eq!(login.code(), 0, "{login}");
        let sandbox = fixture.without_settings(&["--sandbox", "set", "--bio", "b"]);
        sandbox.run().stdout();
        for file in [
            ".config/profile/config.toml",
            ".config/profile/keys/demo",
            ".local/state/profile/sandbox.json",
            ".local/state/profile/sandbox.json.lock",
        ] {
            let file = home.join(file);
            for path in file.ancestors().take_while(|path| *path != home) {
                assert_eq!(path.metadata().unwrap().uid(), NOBODY, "{path:?}");
            }
        }
    }
}

/// The files of other users, in a directory such as /tmp, and read-only files.
#[tokio::test]
async fn files_of_another_user() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    or_skip!(require_other_user(home));
    let [directory, path, link] = ["", "file", "link"].map(|name| home.join("shared").join(name));
    fs::create_dir(&directory).unwrap();
    give_to_nobody(home);
    for arguments in [&["export", "--yes"][..], &["config", "set", "retries", "5"]] {
        let is_config = arguments[0] == "config";
        let write = |path: &Path| match is_config {
            true => Program::new(home, arguments).env("PROFILE_CONFIG_DIR", &directory),
            false => fixture.program(arguments).argument(path),
        };
        let path = match is_config {
            true => directory.join("config.toml"),
            false => path.clone(),
        };
        let read = || fs::read_to_string(&path).unwrap();
        set_mode(&directory, 0o700);
        fs::write(&path, CONFIG).unwrap();
        give_to_nobody(&directory);
        give_to_nobody(&path);
        set_mode(&path, 0o400);
        let run = run_as_nobody(home, write(&path)).unwrap();
        assert_eq!((run.code(), &*read()), (1, CONFIG), "{run}");
        write(&path).run().stdout();
        assert_ne!(read(), CONFIG);
        let written = path.metadata().unwrap();
        assert_eq!((written.uid(), written.mode() & 0o777), (NOBODY, 0o400));
        if is_config {
            continue;
        }
        fs::write(&path, CONFIG).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
        set_mode(&directory, 0o1777);
        for (owner, code) in [(0, 1), (NOBODY, 0)] {
            chown(&directory, Some(owner), None).unwrap();
            let run = write(&link).run();
            assert_eq!((run.code(), read() == CONFIG), (code, code == 1), "{run}");
        }
        assert!(link.is_symlink());
        fs::remove_file(&link).unwrap();
    }
}

#[tokio::test]
async fn a_full_disk_leaves_old_files_whole() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let config = configure(home, CONFIG).join("config.toml");
    let export = home.join("profile.toml");
    let export = export.to_str().unwrap();
    fixture.run(&["export", export]).stdout();
    let exported = fs::read_to_string(export).unwrap();
    fixture.run(&["set", "--bio", "Another"]).stdout();

    let check = |program: Program, place: &str| {
        let run = on_a_full_disk(program).run();
        assert_eq!(run.code(), 1, "{run}");
        run.says(&format!("{place} cannot be written: File too large"));
        assert_eq!(fs::read_to_string(&config).unwrap(), CONFIG);
        assert_eq!(fs::read_to_string(export).unwrap(), exported);
    };
    check(set(home, "5"), "config.toml");
    check(fixture.program(&["export", export]), "profile.toml");
    let unsent = ".local/state/profile/unsent";
    check(fixture.program(&["edit"]).env("EDITOR", "true"), unsent);
    let login = fixture.login(fixture.service.uri(), fixture.service.key(), &[]);
    check(login, "config.toml");
    assert_eq!(files(home, unsent), [] as [PathBuf; 0]);
    assert_eq!(files(home, ".config/profile/keys"), [] as [PathBuf; 0]);
    let names = |directory: &str| files(home, directory).len();
    assert_eq!((names(".config/profile"), names("")), (2, 3));
}

/// On a file system with other ways of writing, such as a pipe, nothing is replaced.
#[tokio::test]
async fn devices_and_pipes_are_written_to() {
    let fixture = Fixture::new().await;
    let printed = fixture.run(&["export", "-"]).stdout().to_owned();
    let run = fixture.run(&["export", "/dev/stdout"]);
    assert!(run.stdout().starts_with(printed.trim_end()), "{run}");
    let full = fixture.run(&["export", "/dev/full"]);
    full.fails(1, "/dev/full cannot be written: ");
    assert!(!Path::new("/dev/full").is_file());
    // A directory without permission to write, and a missing file.
    if is_root() {
        return;
    }
    let directory = fixture.home.path().join("directory");
    fs::create_dir(&directory).unwrap();
    set_mode(&directory, 0o500);
    let path = directory.join("profile.toml");
    let run = fixture.run(&["export", path.to_str().unwrap()]);
    assert_eq!(run.code(), 1, "{run}");
}
