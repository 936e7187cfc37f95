//! All text files that the program takes: each with a byte order mark, and each in UTF-16.

use std::fs;
use std::path::Path;

use mock_server::{StateFile, World};

use crate::config_owner::{make_pipe, set_mode};
use crate::program::{Fixture, Program, Run, configure};

const SECRET: &str = "whsec_test";

/// A text file.
struct Row {
    /// Its path below the home directory.
    path: &'static str,
    text: String,
    /// True if the command prints a note about a byte order mark.
    has_note: bool,
    /// Returns a command that reads the file at a path.
    program: fn(&Fixture, &Path) -> Program,
}

fn row(path: &'static str, text: &str, program: fn(&Fixture, &Path) -> Program) -> Row {
    let (text, has_note) = (text.to_owned(), false);
    Row {
        path,
        text,
        has_note,
        program,
    }
}

fn with_key_file(fixture: &Fixture, arguments: &[&str], path: &Path) -> Program {
    let program = fixture.program(arguments).without("PROFILE_API_KEY");
    program.env("PROFILE_API_KEY_FILE", path)
}

/// Returns a command whose editor replaces the text by that of a file.
fn edit(fixture: &Fixture, arguments: &[&str], path: &Path) -> Program {
    let editor = crate::edit::editor(fixture, "/bin/cp \"$NEW_TEXT\" \"$1\"");
    let edit = fixture.program(arguments);
    edit.env("EDITOR", editor).env("NEW_TEXT", path)
}

fn keys_and_secrets(key: &str) -> Vec<Row> {
    let notes = |row| Row {
        has_note: true,
        ..row
    };
    vec![
        row(
            ".config/profile/config.toml",
            "output = 'csv'\n",
            |fixture, _| fixture.program(&["config", "get", "output"]),
        ),
        row(".config/profile/keys/a", key, |fixture, _| {
            let config = format!("[accounts.a]\nbase_url = '{}'\n", fixture.service.uri());
            configure(fixture.home.path(), &config);
            fixture.without_settings(&["show", "--account", "a"])
        }),
        row("key", key, |fixture, path| {
            with_key_file(fixture, &["show"], path)
        }),
        notes(row("key", key, |fixture, path| {
            with_key_file(fixture, &["auth", "status"], path)
        })),
        notes(row("stdin", key, |fixture, path| {
            let url = fixture.service.uri();
            let login = ["auth", "login", "--with-token", "--yes", "--base-url", url];
            let login = fixture.without_settings(&login);
            login.stdin(fs::read(path).unwrap())
        })),
        notes(row("secret", SECRET, |fixture, path| {
            let sign = fixture.program(&["webhook", "sign", "--body", "-"]);
            sign.env("PROFILE_WEBHOOK_SECRET_FILE", path)
        })),
    ]
}

fn texts() -> Vec<Row> {
    let profile = "[profile]\nbio = 'b'\n";
    vec![
        row("profile.toml", profile, |fixture, path| {
            fixture.program(&["diff"]).argument(path)
        }),
        row("stdin", profile, |fixture, path| {
            let apply = fixture.program(&["apply", "-", "--dry-run"]);
            apply.stdin(fs::read(path).unwrap())
        }),
        row("bio.txt", "one\ntwo\n", |fixture, path| {
            let bio = format!("@{}", path.display());
            fixture.program(&["set", "--dry-run", "--bio", &bio])
        }),
        row("post.txt", "a post\n", |fixture, path| {
            fixture
                .program(&["post", "create", "--dry-run", "--file"])
                .argument(path)
        }),
        row("body.json", r#"{"body": "a"}"#, |fixture, path| {
            fixture
                .program(&["api", "me/posts", "--dry-run", "--input"])
                .argument(path)
        }),
        row("edited.toml", profile, |fixture, path| {
            edit(fixture, &["edit", "--dry-run", "--json"], path)
        }),
        row("edited.txt", "a post\n", |fixture, path| {
            edit(
                fixture,
                &["post", "create", "--editor", "--dry-run", "--json"],
                path,
            )
        }),
        row(
            ".local/state/profile/sandbox.json",
            &state(),
            |fixture, _| fixture.without_settings(&["--sandbox", "show"]),
        ),
    ]
}

/// Returns the text of a state file.
fn state() -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.json");
    StateFile::new(&path).reset(&World::default()).unwrap();
    fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn text_files_may_have_a_byte_order_mark_and_are_not_utf_16() {
    let fixture = Fixture::new().await;
    let keys = keys_and_secrets(fixture.service.key());
    for Row {
        path: name,
        text,
        has_note,
        program,
    } in keys.into_iter().chain(texts())
    {
        let path = &fixture.home.path().join(name);
        let directory = path.parent().unwrap();
        fs::create_dir_all(directory).unwrap();
        set_mode(directory, 0o700);
        let run = |bytes: Vec<u8>| -> Run {
            fs::write(path, bytes).unwrap();
            set_mode(path, 0o600);
            program(&fixture, path).run()
        };
        let stdout = |run: &Run| {
            let lines = run.stdout().lines().filter(|line| !line.contains(" ms"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let plain = stdout(&run(text.clone().into_bytes()));
        let marked = run(format!("\u{feff}{text}").into_bytes());
        assert_eq!(stdout(&marked), plain, "{name}");
        let note = "starts with a byte order mark, which is not used";
        assert_eq!(marked.stderr().contains(note), has_note, "{name}: {marked}");
        for start in ["", "\u{feff}"] {
            for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                let units = format!("{start}{text}");
                let run = run(units.encode_utf16().flat_map(to_bytes).collect());
                // The program writes the others.
                let exit_code = if name.starts_with('.') { 1 } else { 2 };
                assert_eq!(run.code(), exit_code, "{name}: {run}");
                let reason = "is UTF-16; ";
                assert!(run.stderr().contains(reason), "{name}: {run}");
            }
        }
        fs::remove_file(path).unwrap();
    }
}

/// The bodies of deliveries are bytes.
#[tokio::test]
async fn bodies_of_deliveries_are_not_changed() {
    let fixture = Fixture::new().await;
    let path = fixture.home.path().join("body");
    let run = |arguments: &[&str]| {
        let run = fixture.program(arguments).argument(&path);
        run.env("PROFILE_WEBHOOK_SECRET", SECRET).run()
    };
    let mut signatures = Vec::new();
    for body in [&b"{}"[..], b"\xef\xbb\xbf{}", b"\xff\xfe{\0}\0", b"{\0}\0"] {
        fs::write(&path, body).unwrap();
        let signature = run(&["webhook", "sign", "--body"])
            .stdout()
            .trim()
            .to_owned();
        let verify = ["webhook", "verify", "--signature", &signature, "--body"];
        assert_eq!(run(&verify).code(), 0);
        assert!(!signatures.contains(&signature), "{body:?}");
        signatures.push(signature);
    }
}

/// A pipe is empty after it was read.
#[tokio::test]
async fn a_pipe_with_the_key_is_read_once() {
    let fixture = Fixture::new().await;
    let path = fixture.home.path().join("pipe");
    make_pipe(&path);
    for arguments in [&["auth", "status"][..], &["show", "--curl"], &["show"]] {
        let (pipe, key) = (path.clone(), fixture.service.key().to_owned());
        let writer = std::thread::spawn(move || fs::write(pipe, key));
        with_key_file(&fixture, arguments, &path).run().stdout();
        writer.join().unwrap().unwrap();
    }
}
