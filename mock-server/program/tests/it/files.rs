//! All files that the program reads and writes.

#[path = "../../../tests/shared/texts.rs"]
mod texts;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::thread;

use mock_server::World;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::child;
use crate::serving::{fail, file, program, serve};

/// The ID of a user without files.
const NOBODY: u32 = 65_534;

/// The options that take a text file, each with its text.
fn text_files() -> [(&'static str, String); 5] {
    let state = serde_json::to_string(&World::new(7)).unwrap();
    [
        ("--dialect", r#"{"ids": "integer"}"#.to_owned()),
        (
            "--fault",
            r#"{"fault": {"status": {"status": 503}}}"#.to_owned(),
        ),
        ("--control-token-file", "secret-token\n".to_owned()),
        ("--webhook-secret-file", "whsec_test\r\n".to_owned()),
        ("--state", state),
    ]
}

#[test]
fn text_files_are_read_as_in_the_table() {
    let directory = TempDir::new().unwrap();
    let url = ["--webhook-url", "http://127.0.0.1:9/hooks"];
    let mut arguments = url.map(str::to_owned).to_vec();
    for (option, text) in text_files() {
        let path = file(&directory, option, &format!("\u{feff}{text}"));
        arguments.extend([option.to_owned(), path]);
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let serving = serve(&arguments);
    assert_eq!(serving.key("all"), World::new(7).keys().all);
    assert_eq!(serving.request("GET /me").send().status, 503);
    let order = |line: &str, body: &Value| {
        let request = serving.control(line).key("secret-token");
        let answer = request.body(body.to_string()).send();
        serde_json::from_str::<Value>(&answer.body).unwrap()
    };
    let dialect = order("GET /worlds/default/dialect", &Value::Null);
    assert_eq!(dialect["ids"], "integer");
    order("PUT /worlds/default/webhook", &json!({"script": "200"}));
    let event = json!({"kind": "follow.created", "body": "\u{ff}"});
    // Computed with `openssl dgst -sha256 -hmac whsec_test`.
    assert_eq!(
        order("POST /worlds/default/webhook/emit", &event)["signature"],
        "sha256=bf89caa5c551b9c9d03b939f456e136cc4f6042d86ab14b33a18fedddcb5e96f"
    );
    let (_, stderr) = serving.stop(Signal::TERM);
    for (option, _) in &text_files()[..4] {
        let path = directory.path().join(option).display().to_string();
        let note =
            format!("mock-server: {path} starts with a byte order mark, which is not used\n");
        assert!(stderr.contains(&note), "{stderr}");
    }
    for (option, text) in text_files() {
        for (bytes, [as_text, as_secret]) in texts::written(&text) {
            let is_secret = option == "--webhook-secret-file";
            let reason = if is_secret { as_secret } else { as_text };
            if ["same", "note", "other"].contains(&reason) {
                continue;
            }
            let path = file(&directory, option, "");
            fs::write(&path, bytes).unwrap();
            let secret = file(&directory, "secret", "whsec_test");
            let secret = ["--webhook-secret-file", &secret];
            let others = if is_secret { &[][..] } else { &secret };
            let (code, stderr) = fail(&[&[option, &path], &url[..], others].concat());
            assert_eq!(code, Some(1), "{option}: {stderr}");
            assert!(stderr.contains(reason), "{option}: {stderr}");
        }
    }
}

/// A host may have several addresses, each with a server.
#[test]
fn a_pipe_with_the_control_token_is_read_once() {
    let directory = TempDir::new().unwrap();
    let path = pipe(directory.path());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let address = format!("localhost:{port}");
    let writer = thread::spawn({
        let path = path.clone();
        move || fs::write(path, "secret-token")
    });
    let serving = serve(&["--addr", &address, "--control-token-file", &path]);
    writer.join().unwrap().unwrap();
    let accepted = serving.control("GET /health").key("secret-token").send();
    assert_eq!(accepted.status, 200);
}

#[test]
fn a_signal_ends_the_wait_for_a_pipe() {
    let directory = TempDir::new().unwrap();
    let path = pipe(directory.path());
    let secret = file(&directory, "secret", "whsec_test");
    for (option, _) in &text_files()[..4] {
        let mut arguments = vec!["--webhook-url", "http://127.0.0.1:9/hooks", option, &path];
        if *option != "--webhook-secret-file" {
            arguments.extend(["--webhook-secret-file", &secret]);
        }
        let child = program(&arguments).stderr(Stdio::piped()).spawn().unwrap();
        // Opening it waits for the program, which then waits for the content.
        let _writer = fs::File::options().write(true).open(&path).unwrap();
        child::send(Signal::TERM, child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(143), "{option}");
    }
}

/// `matrix` does not catch signals while it reads the dialect.
#[cfg(target_os = "linux")]
#[test]
fn signals_end_process_1() {
    let directory = TempDir::new().unwrap();
    let path = pipe(directory.path());
    let secret = file(&directory, "secret", "whsec_test");
    let url = ["--webhook-url", "http://127.0.0.1:9/hooks"];
    let server = [
        &url[..],
        &["--webhook-secret-file", &secret, "--dialect", &path],
    ]
    .concat();
    let matrix = ["matrix", "--dialect", &path, "--", "true"];
    for arguments in [&server[..], &matrix] {
        for (signal, code) in [
            (Signal::HUP, 129),
            (Signal::INT, 130),
            (Signal::QUIT, 131),
            (Signal::TERM, 143),
        ] {
            let ended = child::end_process_1(&program(arguments), Path::new(&path), signal);
            assert_eq!(or_skip!(ended), Some(code), "{arguments:?}");
        }
    }
}

/// Creates a pipe and returns its path.
fn pipe(directory: &Path) -> String {
    let path = directory.join("pipe").to_str().unwrap().to_owned();
    let made = child::command("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}

/// Runs a command after these commands of a shell, and writes a file after it.
fn run(before: &str, option: &str, path: &Path, is_nobody: bool) -> (Option<i32>, String) {
    let mut shell = child::command("sh");
    shell.args(["-c", &format!("{before}\nexec \"$@\""), "sh"]);
    shell.args([env!("CARGO_BIN_EXE_mock-server"), "run", option]);
    shell.arg(path).args(["--", "true"]);
    if is_nobody {
        shell.uid(NOBODY).gid(NOBODY);
    }
    let output = shell.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), stderr)
}

const OLD: &str = "the old content, which is longer than a block of the disk";

fn is_object(text: &str) -> bool {
    serde_json::from_str::<Value>(text).unwrap().is_object()
}

#[test]
fn written_files_replace_the_old_ones_or_leave_them_whole() {
    for option in ["--report", "--har"] {
        let directory = TempDir::new().unwrap();
        let [path, link] = ["file", "link"].map(|name| directory.path().join(name));
        fs::write(&path, OLD).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        let read = || fs::read_to_string(&path).unwrap();

        let (code, stderr) = run("trap '' XFSZ; ulimit -f 0", option, &path, false);
        assert_eq!((code, read().as_str()), (Some(125), OLD), "{stderr}");
        let names = fs::read_dir(&directory).unwrap().count();
        assert_eq!(names, 2, "a temporary file is left");

        // As long as it is open, its number is not used again.
        let old = fs::File::open(&path).unwrap();
        let inode = old.metadata().unwrap().ino();
        let (code, stderr) = run("", option, &link, false);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(is_object(&read()));
        let written = path.metadata().unwrap();
        assert_ne!(written.ino(), inode);
        assert_eq!(written.mode() & 0o777, 0o640);
        assert!(link.is_symlink());

        let pipe = pipe(directory.path());
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe)
        });
        assert_eq!(run("", option, Path::new(&pipe), false).0, Some(0));
        assert!(is_object(&reader.join().unwrap().unwrap()));
        let (code, stderr) = run("", option, Path::new("/dev/full"), false);
        assert_eq!(code, Some(125), "{stderr}");
    }
}

#[test]
fn written_files_of_another_user() {
    let directory = TempDir::new().unwrap();
    let folder = directory.path();
    let [path, link] = ["file", "link"].map(|name| folder.join(name));
    or_skip!(child::require_other_user(
        env!("CARGO_BIN_EXE_mock-server"),
        folder
    ));
    let set_mode =
        |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let read = || fs::read_to_string(&path).unwrap();
    chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    for option in ["--report", "--har"] {
        let old = OLD.repeat(40);
        fs::write(&path, &old).unwrap();
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();

        // The directory cannot be written.
        set_mode(folder, 0o500);
        let (code, stderr) = run("", option, &path, true);
        assert_eq!((code, &read()), (Some(125), &old), "{stderr}");

        // A group that the user may not set.
        set_mode(folder, 0o700);
        set_mode(&path, 0o664);
        chown(&path, None, Some(1)).unwrap();
        let kept = || {
            let written = path.metadata().unwrap();
            (written.uid(), written.gid(), written.mode() & 0o777)
        };
        assert_eq!(run("", option, &path, true).0, Some(0));
        assert_eq!(kept(), (NOBODY, NOBODY, 0o604));
        assert!(is_object(&read()));

        // A read-only file.
        fs::write(&path, &old).unwrap();
        set_mode(&path, 0o400);
        let (code, stderr) = run("", option, &path, true);
        assert_eq!((code, &read()), (Some(125), &old), "{stderr}");
        assert_eq!(run("", option, &path, false).0, Some(0));
        assert!(is_object(&read()));
        assert_eq!(kept(), (NOBODY, NOBODY, 0o400));

        // A link in a directory that all users can write.
        fs::write(&path, &old).unwrap();
        symlink(&path, &link).unwrap();
        lchown(&link, Some(NOBODY), None).unwrap();
        set_mode(folder, 0o1777);
        for (owner, code) in [(0, 125), (NOBODY, 0)] {
            chown(folder, Some(owner), None).unwrap();
            let (ended, stderr) = run("", option, &link, false);
            assert_eq!((ended, read() == old), (Some(code), code != 0), "{stderr}");
        }
        fs::remove_file(&link).unwrap();
        fs::remove_file(&path).unwrap();
    }
}
