//! All text files that the program takes, in the ways of the table of small texts.

#[path = "../../../mock-server/tests/shared/texts.rs"]
mod texts;

use std::fs;
use std::path::Path;

use mock_server::{StateFile, World};

use crate::command::Call;
#[cfg(unix)]
use crate::config_owner::{make_pipe, set_mode};
use crate::program::{Fixture, Program, Run, configure};

const SECRET: &str = "whsec_test";

/// A text file: its path below the home directory, its text, true if the command prints a note about a byte order
/// mark, and a function that returns a command that reads the file at a path.
type Row<'a> = (&'static str, &'a str, bool, fn(&Fixture, &Path) -> Program);

fn with_key_file(fixture: &Fixture, arguments: &[&str], path: &Path) -> Program {
    let program = fixture.program(arguments).without("PROFILE_API_KEY");
    program.env("PROFILE_API_KEY_FILE", path)
}

/// Returns a command whose editor replaces the text by that of a file.
fn edit(fixture: &Fixture, arguments: &[&str], path: &Path) -> Program {
    let path = path.to_owned();
    let copy = move |path: &Path, call: &Call| fs::copy(path, &call.arguments[0]);
    let editor = crate::edit::edits(move |_, call| copy(&path, call).map_or(1, |_| 0));
    fixture.program(arguments).env("EDITOR", editor)
}

fn keys_and_secrets(key: &str) -> [Row<'_>; 6] {
    [
        (
            ".config/profile/config.toml",
            "output = 'csv'\n",
            false,
            |fixture, _| fixture.program(&["config", "get", "output"]),
        ),
        (".config/profile/keys/a", key, false, |fixture, _| {
            let config = format!("[accounts.a]\nbase_url = '{}'\n", fixture.service.uri());
            configure(fixture.home.path(), &config);
            fixture.without_settings(&["show", "--account", "a"])
        }),
        ("key", key, false, |fixture, path| {
            with_key_file(fixture, &["show"], path)
        }),
        ("key", key, true, |fixture, path| {
            with_key_file(fixture, &["auth", "status"], path)
        }),
        ("stdin", key, true, |fixture, path| {
            let url = fixture.service.uri();
            let login = ["login", "--with-token", "--yes", "--base-url", url];
            let login = fixture.without_settings(&login);
            login.stdin(fs::read(path).unwrap())
        }),
        ("secret", SECRET, true, |fixture, path| {
            let sign = fixture.program(&["webhook", "sign", "--body", "-"]);
            sign.env("PROFILE_WEBHOOK_SECRET_FILE", path)
        }),
    ]
}

fn texts(state: &str) -> [Row<'_>; 8] {
    let profile = "[profile]\nbio = 'b'\n";
    [
        ("profile.toml", profile, false, |fixture, path| {
            fixture.program(&["diff"]).argument(path)
        }),
        ("stdin", profile, false, |fixture, path| {
            let apply = fixture.program(&["apply", "-", "--dry-run"]);
            apply.stdin(fs::read(path).unwrap())
        }),
        ("bio.txt", "one\ntwo\n", false, |fixture, path| {
            let bio = format!("@{}", path.display());
            fixture.program(&["set", "--dry-run", "--bio", &bio])
        }),
        ("post.txt", "a post\n", false, |fixture, path| {
            let create = fixture.program(&["post", "create", "--dry-run", "--file"]);
            create.argument(path)
        }),
        ("body.json", r#"{"body": "a"}"#, false, |fixture, path| {
            let post = fixture.program(&["api", "me/posts", "--dry-run", "--input"]);
            post.argument(path)
        }),
        ("edited.toml", profile, false, |fixture, path| {
            edit(fixture, &["edit", "--dry-run", "--json"], path)
        }),
        ("edited.txt", "a post\n", false, |fixture, path| {
            let create = ["post", "create", "--editor", "--dry-run", "--json"];
            edit(fixture, &create, path)
        }),
        (
            ".local/state/profile/sandbox.json",
            state,
            false,
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
async fn text_files_are_read_as_in_the_table() {
    let fixture = Fixture::new().await;
    let keys = keys_and_secrets(fixture.service.key());
    for (name, text, has_note, program) in keys.into_iter().chain(texts(&state())) {
        let path = &fixture.home.path().join(name);
        let directory = path.parent().unwrap();
        fs::create_dir_all(directory).unwrap();
        #[cfg(unix)]
        set_mode(directory, 0o700);
        let stdout = |run: &Run| {
            let lines = run.stdout().lines().filter(|line| !line.contains(" ms"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let mut plain = Vec::new();
        for (bytes, [as_text, as_secret]) in texts::written(text) {
            let is_windows = bytes.contains(&b'\r');
            fs::write(path, bytes).unwrap();
            #[cfg(unix)]
            set_mode(path, 0o600);
            let run = program(&fixture, path).run();
            let result = if name == "secret" { as_secret } else { as_text };
            let context = format!("{name}, {result}: {run}");
            let says = |text| run.stderr().contains(text);
            let note = "starts with a byte order mark, which is not used";
            assert_eq!(says(note), has_note && result == "note", "{context}");
            let note = r"bio.txt: the line breaks \r\n are sent as \n";
            assert_eq!(says(note), is_windows && name == "bio.txt", "{context}");
            match result {
                "same" if plain.is_empty() => plain = stdout(&run),
                "same" | "note" => assert_eq!(stdout(&run), plain, "{context}"),
                "other" => assert_ne!(stdout(&run), plain, "{context}"),
                reason => {
                    // The program writes the others.
                    let exit_code = if name.starts_with('.') { 1 } else { 2 };
                    assert_eq!(run.code(), exit_code, "{context}");
                    assert!(says(reason), "{context}");
                }
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
#[cfg(unix)]
#[tokio::test]
async fn a_pipe_with_the_key_is_read_once() {
    let fixture = Fixture::new().await;
    let path = fixture.home.path().join("pipe");
    make_pipe(&path);
    for arguments in [&["auth", "status"][..], &["show"]] {
        let (pipe, key) = (path.clone(), fixture.service.key().to_owned());
        let writer = std::thread::spawn(move || fs::write(pipe, key));
        with_key_file(&fixture, arguments, &path).run().stdout();
        writer.join().unwrap().unwrap();
    }
}
