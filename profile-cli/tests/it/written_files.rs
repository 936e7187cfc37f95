//! Files on disks that are full, in directories that cannot be written, and that are mounted alone.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::config_owner::{NOBODY, is_root, require_other_user, set_mode};
use crate::program::{Fixture, Program, Run, configure};

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

/// A file that is mounted alone, or whose directory cannot be written.
#[tokio::test]
async fn a_file_that_cannot_be_replaced_is_whole() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let directory = configure(home, CONFIG);
    fs::create_dir(directory.join("keys")).unwrap();
    let [mounted, export] = ["mounted", "profile.toml"].map(|name| home.join(name));
    let [config, key] = ["config.toml", "keys/demo"].map(|name| directory.join(name));
    for (path, program) in [
        (&config, set(home, "5")),
        (
            &export,
            fixture.program(&["export", "--yes"]).argument(&export),
        ),
        (
            &key,
            fixture.login(fixture.service.uri(), fixture.service.key(), &[]),
        ),
    ] {
        for path in [path, &mounted] {
            fs::write(path, CONFIG).unwrap();
            set_mode(path, 0o600);
        }
        let run = or_skip!(with_mounted(&mounted, path, program)).run();
        let reason = format!(
            "{} cannot be written: it cannot be replaced: ",
            path.display()
        );
        run.fails(1, &reason);
        assert_eq!(fs::read_to_string(&mounted).unwrap(), CONFIG);
    }
    set(home, "2").run().stdout();
    give_config_to_nobody(home);
    give_to_nobody(&directory.join("config.lock"));
    set_mode(&directory, 0o500);
    let run = or_skip!(run_as_nobody(home, set(home, "5")));
    set_mode(&directory, 0o700);
    run.fails(
        1,
        "config.toml cannot be written: its directory cannot be written: ",
    );
    assert_eq!(fs::read_to_string(&config).unwrap(), CONFIG);
}

#[tokio::test]
async fn a_new_file_has_the_access_of_the_old_one() {
    let fixture = Fixture::new().await;
    let home = &fixture.home;
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
    // The user cannot give the new file a foreign group.
    let export = fixture.home.path().join("profile.toml");
    give_to_nobody(fixture.home.path());
    for (path, program, is_written) in [
        (&config, set(fixture.home.path(), "6"), false),
        (
            &export,
            fixture.program(&["export", "--yes"]).argument(&export),
            true,
        ),
    ] {
        fs::write(path, CONFIG).unwrap();
        chown(path, Some(NOBODY), Some(12_345)).unwrap();
        set_mode(path, 0o640);
        let run = run_as_nobody(fixture.home.path(), program).unwrap();
        assert_eq!(run.succeeded(), is_written, "{run}");
        assert_eq!(fs::read_to_string(path).unwrap() != CONFIG, is_written);
        let mode = path.metadata().unwrap().mode() & 0o777;
        assert_eq!(mode, if is_written { 0o600 } else { 0o640 });
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
