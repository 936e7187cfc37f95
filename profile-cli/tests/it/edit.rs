//! `profile edit` and `profile post create --editor`.

use std::fs;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use mock_server::journal::{RecordedRequest, RequestPattern};
use mock_server::{Fault, FaultRule};
use serde_json::json;

use crate::command::{Call, command};
#[cfg(unix)]
use crate::config_owner::{make_pipe, mode, require_other_user, set_mode};
use crate::program::{Fixture, IDLE_EDITOR, Program, Run, command_line, named, quoted, run};
use crate::pseudo_terminal::Terminal;
#[cfg(unix)]
use crate::terminal::shell;

/// Returns an editor that changes the text. The function returns the exit code.
pub(crate) fn edits(
    edit: impl Fn(&mut String, &mut Call) -> i32 + Send + Sync + 'static,
) -> String {
    command_line(&command(move |call| {
        let path = call.arguments[0].clone();
        let before = fs::read_to_string(&path).unwrap();
        let mut text = before.clone();
        let code = edit(&mut text, call);
        if text != before {
            fs::write(path, text).unwrap();
        }
        code
    }))
}

/// Returns an editor that changes the text, and exits with this code.
pub(crate) fn changes(
    code: i32,
    change: impl Fn(&str) -> String + Send + Sync + 'static,
) -> String {
    edits(move |text, _| {
        *text = change(text);
        code
    })
}

/// Returns an editor that replaces the text.
pub(crate) fn writes(text: &'static str) -> String {
    changes(0, move |_| text.to_owned())
}

/// Replaces the lines that start with a text.
pub(crate) fn replace(text: &str, start: &str, line: &str) -> String {
    let replaced = |old: &str| if old.starts_with(start) { line } else { old }.to_owned() + "\n";
    text.lines().map(replaced).collect()
}

/// Sets the location to L.
pub(crate) fn set_location(text: &str) -> String {
    replace(text, "location = ", "location = \"L\"")
}

/// Returns an editor that runs this script with the file as `$1`. The shell reads the script: a file that was just
/// written cannot always be executed, since a process that another thread has started may still have it open.
#[cfg(unix)]
pub(crate) fn editor(fixture: &Fixture, script: &str) -> String {
    format!("sh '{}'", fixture.file("an editor", script))
}

fn program(fixture: &Fixture, editor: &str, arguments: &[&str]) -> Program {
    let program = fixture.program(arguments).env("PROFILE_EDITOR", editor);
    program.env("PATH", "/usr/bin:/bin")
}

#[track_caller]
fn edit(fixture: &Fixture, editor: &str) -> Run {
    program(fixture, editor, &["edit"]).run()
}

/// Kills the program after this change, while the editor is open.
#[track_caller]
fn kill(fixture: &Fixture, arguments: &[&str], change: fn(&str) -> String) {
    let (edited, is_edited) = mpsc::sync_channel(0);
    let editor = edits(move |text, call| {
        fs::write(&call.arguments[0], change(text)).unwrap();
        // The second one waits for the kill.
        while edited.send(()).is_ok() {}
        0
    });
    let running = program(fixture, &editor, arguments).start();
    is_edited.recv_timeout(Duration::from_secs(60)).unwrap();
    drop(running);
}

/// Removes the only unsent text. Returns it, and the output of the run with PATH instead of its path.
#[track_caller]
fn take_unsent(fixture: &Fixture, run: &Run) -> (String, String) {
    let [path] = unsent(fixture).try_into().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let printed = named(&run.to_string(), &path, "PATH").replace("\"PATH\"", "PATH");
    fs::remove_file(path).unwrap();
    (text, named(&printed, fixture.home.path(), "HOME"))
}

/// Applies the only unsent text.
#[track_caller]
fn apply_unsent(fixture: &Fixture) -> Run {
    let [path] = unsent(fixture).try_into().unwrap();
    fixture.run(&["apply", path.to_str().unwrap()])
}

/// Returns the paths of the texts that were not sent.
pub(crate) fn unsent(fixture: &Fixture) -> Vec<PathBuf> {
    let folder = PathBuf::from_iter([".local", "state", "profile", "unsent"]);
    let files = fs::read_dir(fixture.home.path().join(folder));
    let files = files.into_iter().flatten();
    files.map(|file| file.unwrap().path()).collect()
}

fn response(status: u16, body: &str) -> Fault {
    let response = Fault::status(status).with_body(body);
    response.with_header("content-type", "text/html")
}

/// Makes the service respond to all writes with this response, without any effect.
fn respond_to_writes(fixture: &Fixture, status: u16, body: &str) {
    for method in ["PATCH", "POST"] {
        let writes = RequestPattern::any().method(method);
        let rule = FaultRule::new(response(status, body)).matching(writes);
        fixture.service.add_fault(rule).unwrap();
    }
}

/// Returns the bodies of the writes that reached the service.
pub(crate) fn sent(fixture: &Fixture) -> Vec<serde_json::Value> {
    let requests = fixture.service.journal().requests().into_iter();
    let writes = requests.filter(|request| request.method != "GET");
    let body = |request: RecordedRequest| serde_json::from_slice(&request.body).unwrap();
    writes.map(body).collect()
}

#[tokio::test]
async fn sends_only_changed_fields() {
    let fixture = Fixture::new().await;
    let editor = changes(0, |text| {
        let text = text.replace("Edit me", r#"Read "\\me"#);
        replace(&text, "display_name = ", "display_name = \"Ada\"")
    });
    let run = edit(&fixture, &editor);
    assert!(run.stdout().contains("display_name\tAda\n"), "{run}");
    let bio = "I live inside a mock server.\nRead \"\\me as you like.";
    // As `o` in vim on the last line of the bio, and with a backup, as in Emacs.
    let editor = edits(|text, call| {
        fs::write(format!("{}~", call.arguments[0]), &text).unwrap();
        *text = text.replace("as you like.", "as you like.\nadded");
        0
    });
    edit(&fixture, &editor).stdout();
    let added = json!({"bio": format!("{bio}\nadded")});
    let first = json!({"display_name": "Ada", "bio": bio});
    assert_eq!(sent(&fixture), [first, added]);
    assert!(unsent(&fixture).is_empty());
}

#[tokio::test]
async fn sends_nothing_without_changes() {
    let fixture = Fixture::new().await;
    let editor = edits(|text, call| {
        text.push('\n');
        call.stdout = "shown by the editor\n".to_owned();
        0
    });
    edit(&fixture, &editor).check(&expect![[r#"
        exit 0
        --- stdout
        Nothing changed.
        --- stderr
        shown by the editor
    "#]]);
    for editor in [
        changes(0, |text| format!("{text}# a comment\n")),
        changes(0, |text| format!("\u{feff}{}", text.replace('\n', "\r\n"))),
    ] {
        let run = program(&fixture, &editor, &["edit", "--json"]).run();
        assert_eq!(run.json(), json!({"result": "unchanged"}));
    }
    assert!(sent(&fixture).is_empty());
    assert!(unsent(&fixture).is_empty());
}

#[tokio::test]
async fn keeps_the_text_in_a_private_file() {
    let fixture = Fixture::new().await;
    // Editors may replace the file, with other permissions.
    let editor = edits(|text, _call| {
        *text = set_location(text);
        #[cfg(unix)]
        set_mode(&_call.arguments[0], 0o644);
        3
    });
    let run = edit(&fixture, &editor);
    let [path] = unsent(&fixture).try_into().unwrap();
    #[cfg(unix)]
    assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
    // The commands of the hint compare and send it.
    let argument = path.to_str().unwrap();
    let diff = fixture.run(&["diff", argument]);
    assert!(diff.stdout().ends_with("\n1 change\n"), "{diff}");
    // Only files in the folder of the program are deleted.
    let copy = fixture.home.path().join("copy.toml");
    fs::copy(&path, &copy).unwrap();
    fixture.run(&["apply", copy.to_str().unwrap()]).stdout();
    assert_eq!(sent(&fixture), [json!({"location": "L"})]);
    assert!(copy.exists());
    let (text, printed) = take_unsent(&fixture, &run);
    let (start, rest) = printed.split_once(" (from PROFILE_EDITOR) ").unwrap();
    let expected = "exit 1\n--- stdout\n--- stderr\nerror: the editor ";
    assert!(start.starts_with(expected), "{printed}");
    assert!(start.contains(" --exact command::run "), "{printed}");
    expect![[r#"
        failed: exit status: 3; your text is saved in PATH
        hint: check it with `profile diff PATH` and send it with `profile apply PATH`
    "#]]
    .assert_eq(rest);
    assert!(text.contains("\nlocation = \"L\"\n"), "{text}");
    // A text that was not edited is not kept.
    let unstarted = fixture.program(&["edit"]).env("EDITOR", "/nowhere/vi");
    let unstarted = unstarted.run();
    let reason = match cfg!(windows) {
        true => "not found",
        false => "No such file or directory (os error 2)",
    };
    let message = "error: the editor /nowhere/vi (from EDITOR) could not be started: ";
    assert_eq!(unstarted.stderr(), format!("{message}{reason}\n"));
    assert!(unsent(&fixture).is_empty());
    let deleted = edits(|_, call| fs::remove_file(&call.arguments[0]).map_or(1, |()| 0));
    let deleted = edit(&fixture, &deleted);
    deleted.says("so the text is lost");
}

#[tokio::test]
async fn a_kept_text_replaces_a_newer_value_after_a_question() {
    let fixture = Fixture::new().await;
    edit(&fixture, &changes(3, set_location));
    let [path] = unsent(&fixture).try_into().unwrap();
    let path = path.to_str().unwrap();
    fixture.run(&["set", "--location", "New"]).stdout();
    for (words, code) in [
        (&["diff", path][..], 0),
        (&["apply", path, "--dry-run"], 0),
        (&["apply", path], 1),
        (&["apply", path, "--yes"], 0),
    ] {
        assert_eq!(sent(&fixture), [json!({"location": "New"})], "{words:?}");
        let run = fixture.run(words);
        assert_eq!(run.code(), code, "{run}");
        if !words.contains(&"--yes") {
            run.says("location has changed on the service meanwhile; it is now \"New\", and yours is \"L\"");
        }
    }
    assert_eq!(sent(&fixture)[1], json!({"location": "L"}));
    assert!(unsent(&fixture).is_empty());
    // The text of another account is still to be sent there.
    let other = changes(3, |text| {
        let text = replace(text, "location = ", "location = \"M\"");
        replace(&text, "handle = ", "handle = \"grace\"")
    });
    edit(&fixture, &other);
    fixture.run(&["set", "--location", "New"]).stdout();
    for _ in 0..2 {
        let run = apply_unsent(&fixture);
        assert!(run.succeeded(), "{run}");
        assert_eq!(unsent(&fixture).len(), 1, "{run}");
    }
    assert_eq!(sent(&fixture)[3..], [json!({"location": "M"})]);
}

/// A user without files, and another one.
#[cfg(unix)]
const USERS: [u32; 2] = [65_534, 12_345];

/// Runs an edit as another user, and this function while the editor is open.
#[cfg(unix)]
#[track_caller]
fn edit_during(fixture: &Fixture, state: &Path, during: impl FnOnce(&Path)) -> Run {
    let [opened, closed] = ["opened", "closed"].map(|name| fixture.home.path().join(name));
    for pipe in [&opened, &closed] {
        make_pipe(pipe);
        set_mode(pipe, 0o666);
    }
    let script = format!(
        "echo mine > \"$1\"; echo \"$1\" > '{}'; read line < '{}'",
        opened.display(),
        closed.display()
    );
    let editor = editor(fixture, &script);
    let mut program = program(fixture, &editor, &["post", "create", "--editor"])
        .env("XDG_STATE_HOME", state)
        .env("TMPDIR", fixture.home.path());
    set_mode(fixture.home.path(), 0o1777);
    std::os::unix::process::CommandExt::uid(&mut program.command, USERS[0]);
    let running = program.start();
    during(Path::new(fs::read_to_string(&opened).unwrap().trim_end()));
    fs::write(&closed, "\n").unwrap();
    running.end()
}

/// Only root can act as other users.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_another_user_is_not_sent() {
    use std::os::unix::fs::chown;

    for replaces_directory in [false, true] {
        let fixture = Fixture::new().await;
        or_skip!(require_other_user(fixture.home.path()));
        let state = fixture.home.path().join("state");
        fs::create_dir(&state).unwrap();
        set_mode(&state, 0o777);
        let run = edit_during(&fixture, &state, |path| {
            let theirs = match replaces_directory {
                true => path.parent().unwrap(),
                false => path,
            };
            fs::rename(theirs, state.join("mine")).unwrap();
            if replaces_directory {
                fs::create_dir(theirs).unwrap();
            }
            fs::write(path, "theirs").unwrap();
            set_mode(path, 0o644);
            chown(path, Some(USERS[usize::from(!replaces_directory)]), None).unwrap();
            chown(theirs, Some(USERS[1]), None).unwrap();
        });
        let reason = "error: another user may have changed your text: ";
        run.fails(2, reason);
        assert!(sent(&fixture).is_empty());
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_editor_reads_from_the_terminal_in_a_loop() {
    let fixture = Fixture::new().await;
    let script = "read -r typed; echo \"$typed\" > \"$1\"";
    let each =
        "printf 'a\nb\n' | while read -r x; do echo \"now $x\"; profile post create --editor; done";
    let program = shell(&fixture, "sh", each).env("PROFILE_EDITOR", editor(&fixture, script));
    let mut terminal = Terminal::start(program);
    for (shown, typed) in [("now a", "one\n"), ("now b", "two\n")] {
        terminal.sees(shown);
        terminal.types(typed);
    }
    assert_eq!(terminal.ends().0, Some(0));
    let bodies = sent(&fixture);
    assert_eq!(bodies, [json!({"body": "one"}), json!({"body": "two"})]);
}

#[tokio::test]
async fn keeps_the_text_until_the_service_accepts_it() {
    for (command, editor, kept, send, page) in [
        (
            &["edit"][..],
            changes(0, set_location),
            "\nlocation = \"L\"\n",
            &["apply"][..],
            1,
        ),
        (
            &["post", "create", "--editor"],
            writes("one\n"),
            "one\n",
            &["post", "create", "--file"],
            8,
        ),
    ] {
        // A success may come from a proxy.
        for (status, exit) in [(422, 6), (403, 5), (503, 1), (200, page)] {
            let fixture = Fixture::new().await;
            respond_to_writes(&fixture, status, "<html>not today</html>");
            let run = program(&fixture, &editor, command);
            let run = run.argument("--retries").argument("0");
            let run = run.argument("--quiet").run();
            assert_eq!(run.code(), exit, "{run}");
            let [path] = unsent(&fixture).try_into().unwrap();
            let location = format!("; your text is saved in {}\n", path.display());
            run.says(&location);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(kept), "{text}");
            // The file is deleted as soon as it has been sent.
            let send = [&["--retries=0"], send, &[path.to_str().unwrap()]].concat();
            assert_eq!(fixture.run(&send).code(), exit);
            assert!(path.exists());
            fixture.service.clear_faults();
            fixture.run(&send).stdout();
            assert!(unsent(&fixture).is_empty());
        }
    }
}

#[tokio::test]
async fn a_dry_run_sends_nothing_and_keeps_the_text() {
    let fixture = Fixture::new().await;
    let editor = changes(0, |text| {
        replace(text, "accent_color", "accent_color = \"#FFF\"")
    });
    let run = program(&fixture, &editor, &["edit", "--dry-run"]).run();
    let (text, printed) = take_unsent(&fixture, &run);
    expect![[r##"
        exit 0
        --- stdout
        accent_color
          - #2563eb
          + #FFFFFF
        PATCH /api/v1/me/profile
        {"accent_color":"#FFFFFF"}
        No change was sent.
        --- stderr
        note: accent_color: #FFF is sent as #FFFFFF
        your text is saved in PATH; check it with `profile diff PATH` and send it with `profile apply PATH`
    "##]]
    .assert_eq(&printed);
    assert!(text.contains("\naccent_color = \"#FFF\"\n"), "{text}");
    let create = ["post", "create", "--editor", "--dry-run"];
    let run = program(&fixture, &writes("one\n"), &create).run();
    let (text, printed) = take_unsent(&fixture, &run);
    expect![[r#"
        exit 0
        --- stdout
        post
          + one
        POST /api/v1/me/posts
        {"body":"one"}
        No change was sent.
        --- stderr
        your text is saved in PATH; send it with `profile post create --file PATH` with the key of PROFILE_API_KEY
    "#]]
    .assert_eq(&printed);
    assert_eq!(text, "one\n");
    assert!(sent(&fixture).is_empty());
}

#[tokio::test]
async fn a_field_that_the_service_does_not_show_can_be_set() {
    let fixture = Fixture::new().await;
    let bare = r#"{"data":{"bio":null}}"#;
    let bare = FaultRule::new(response(200, bare)).matching(RequestPattern::any().method("GET"));
    fixture.service.add_fault(bare).unwrap();
    let editor = changes(0, |text| replace(text, "# location = ", "location = \"\""));
    edit(&fixture, &editor).stdout();
    assert_eq!(sent(&fixture), [json!({"location": ""})]);
}

#[tokio::test]
async fn fails_without_editor_and_terminal() {
    let fixture = Fixture::new().await;
    let unclosed = fixture.program(&["edit"]).env("EDITOR", "vi 'a").run();
    let no_input = fixture.run(&["edit", "--no-input"]);
    let rejected = [fixture.run(&["edit"]), no_input, unclosed].map(|run| run.usage_error());
    expect![[r#"
        error: no editor is set, and the default editor needs a terminal
        hint: set PROFILE_EDITOR
        error: no editor is set, and --no-input disables the default one
        hint: set PROFILE_EDITOR
        error: EDITOR: "vi 'a" is not a command
        hint: set it to a program; close all quotes
    "#]]
    .assert_eq(&rejected.concat());
}

/// Without the network, a post can be written, but not an edit, for which the profile is read.
#[tokio::test]
async fn the_editor_does_not_open_without_the_scope_or_the_key() {
    let fixture = Fixture::new().await;
    let (service, links) = (fixture.service.uri(), &*fixture.service.keys().links);
    let (edit, post) = (&["edit"][..], &["post", "create", "--editor"][..]);
    for (command, url, key, code, opens) in [
        (edit, service, links, 5, false),
        (edit, "http://127.0.0.1:1", links, 8, false),
        (post, service, "", 4, false),
        (post, service, links, 5, true),
        (post, "http://127.0.0.1:1", links, 8, true),
    ] {
        let program = program(&fixture, &writes("one\n"), command);
        let program = program.env("PROFILE_BASE_URL", url);
        let run = program.env("PROFILE_API_KEY", key).run();
        assert_eq!(run.code(), code, "{run}");
        assert_eq!(unsent(&fixture).len(), usize::from(opens), "{run}");
        if opens {
            take_unsent(&fixture, &run);
        }
    }
}

#[tokio::test]
async fn creates_a_post_from_the_editor() {
    let fixture = Fixture::new().await;
    let post = |text| program(&fixture, &writes(text), &["post", "create", "--editor"]).run();
    for empty in ["\n", " \n\t\n", "\u{feff}\n"] {
        post(empty).check(&expect![[r#"
            exit 0
            --- stdout
            The text is empty; nothing was sent.
            --- stderr
        "#]]);
    }
    let run = post("\u{feff}one\r\n# two\n");
    assert!(run.stdout().ends_with("body\tone\\n# two\n"), "{run}");
    assert_eq!(sent(&fixture), [json!({"body": "one\n# two"})]);
    assert!(unsent(&fixture).is_empty());
}

#[tokio::test]
async fn does_not_overwrite_a_field_that_changed_while_the_editor_was_open() {
    let fixture = Fixture::new().await;
    let mine = |option: &'static str, value: &'static str| {
        let home = fixture.home.path().to_owned();
        let [uri, key] = [fixture.service.uri(), fixture.service.key()].map(str::to_owned);
        changes(0, move |text| {
            let environment = [("PROFILE_BASE_URL", &*uri), ("PROFILE_API_KEY", &key)];
            run(&home, &environment, &["set", option, value]).stdout();
            replace(text, "location = ", "location = \"mine\"")
        })
    };
    let run = edit(&fixture, &mine("--location", "theirs"));
    let (text, printed) = take_unsent(&fixture, &run);
    expect![[r#"
        exit 1
        --- stdout
        --- stderr
        error: location has changed on the service meanwhile; it is now "theirs", and yours is "mine"; your text is saved in PATH
        hint: check it with `profile diff PATH` and send it with `profile apply PATH`
    "#]]
    .assert_eq(&printed);
    assert!(text.contains("\nlocation = \"mine\"\n"), "{text}");
    // A change of another field is not a conflict.
    edit(&fixture, &mine("--display-name", "Other")).stdout();
    let profile = fixture.run(&["show", "--json"]).json();
    assert_eq!(profile["location"], "mine");
    assert_eq!(profile["display_name"], "Other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_error_does_not_hide_an_unknown_outcome() {
    let fixture = Fixture::new().await;
    for status in [503, 422] {
        let rule = FaultRule::new(response(status, "no")).times(1);
        let edits = RequestPattern::any().method("PATCH");
        fixture.service.add_fault(rule.matching(edits)).unwrap();
    }
    // The text that the editor returns after the rejection is not valid.
    let editor = changes(0, |text| match text.contains("\"L\"") {
        true => format!("{text}not TOML\n"),
        false => set_location(text),
    });
    let edit = program(&fixture, &editor, &["edit", "--json"]);
    let mut terminal = Terminal::start(edit);
    terminal.sees("? [y] ");
    terminal.types("y\r");
    terminal.sees_times("? [y] ", 2);
    terminal.types("n\r");
    let seen = terminal.ends_with(2);
    assert_eq!(sent(&fixture).len(), 2, "{seen}");
    assert!(seen.contains(r#""outcome":"unknown""#), "{seen}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_editor_handles_ctrl_c() {
    let fixture = Fixture::new().await;
    // On a terminal, a missing text opens the editor.
    let create = ["post", "create", "--json"];
    let script = "trap '' INT QUIT; echo open; read line; echo one > \"$1\"";
    // Ctrl-C and Ctrl-\.
    let keys = "\u{3}\u{1c}\n";
    let post = program(&fixture, &editor(&fixture, script), &create);
    Terminal::answered(post, "open", keys).ends_with(0);
    assert_eq!(sent(&fixture), [json!({"body": "one"})]);
    assert!(unsent(&fixture).is_empty());

    // An editor that Ctrl-C ends.
    let script = "echo two > \"$1\"; echo open; read line";
    let post = program(&fixture, &editor(&fixture, script), &create);
    let seen = Terminal::answered(post, "open", "\u{3}").ends_with(-2);
    assert!(seen.contains("the editor was interrupted"), "{seen}");
    assert!(seen.contains(r#""outcome":"not_done""#), "{seen}");
    assert_eq!(sent(&fixture).len(), 1);
    assert_eq!(unsent(&fixture).len(), 1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_post_in_a_pipe_does_not_open_the_editor() {
    let fixture = Fixture::new().await;
    let create = shell(&fixture, "sh", "echo piped | profile post create");
    let create = create.env("PROFILE_EDITOR", editor(&fixture, "echo edited > \"$1\""));
    let seen = Terminal::start(create).ends_with(2);
    assert!(seen.contains("- to read it from stdin"), "{seen}");
}

#[tokio::test]
async fn keeps_the_text_if_the_service_does_not_return_it() {
    let fixture = Fixture::new().await;
    // As from a proxy.
    respond_to_writes(&fixture, 200, "<html>Welcome</html>");
    let run = edit(&fixture, &changes(0, set_location));
    expect![[r#"
        exit 1
        --- stdout
        --- stderr
        error: the response is an HTML page, so it is probably not from the service, and the profile does not contain the new location; the change may have been applied; your text is saved in PATH
        hint: check with `profile show` before you try again; check it with `profile diff PATH` and send it with `profile apply PATH`
    "#]]
    .assert_eq(&take_unsent(&fixture, &run).1);
    let create = ["post", "create", "--editor"];
    let run = program(&fixture, &writes("one\n"), &create).run();
    expect![[r#"
        exit 8
        --- stdout
        --- stderr
        error: the response is an HTML page, so it is probably not from the service; the change may have been applied; your text is saved in PATH
        hint: check with `profile post list` before you try again; send it with `profile post create --file PATH` with the key of PROFILE_API_KEY
    "#]]
    .assert_eq(&take_unsent(&fixture, &run).1);
}

#[tokio::test]
async fn a_text_that_a_killed_program_leaves_has_only_the_changes() {
    let fixture = Fixture::new().await;
    kill(&fixture, &["edit"], |text| {
        replace(&set_location(text), "Edit me", "new \u{9b} line")
    });
    fixture.run(&["set", "--display-name", "Other"]).stdout();
    let run = apply_unsent(&fixture);
    run.stdout();
    assert_eq!(run.stderr(), "", "{run}");
    let changes = json!({"location": "L", "bio": "I live inside a mock server.\nnew \u{9b} line"});
    assert_eq!(sent(&fixture)[1..], [changes]);
    assert!(unsent(&fixture).is_empty());
    // A word that is replaced in the whole file.
    kill(&fixture, &["edit"], |text| text.replace("Other", "Third"));
    apply_unsent(&fixture).stdout();
    assert_eq!(sent(&fixture)[2..], [json!({"display_name": "Third"})]);
    // Without its value, it is unknown which fields were edited.
    let changes: [fn(&str) -> String; 3] = [
        |text| text.replace("\nshown = \"", "\nshown = \"x"),
        |text| replace(text, "shown = ", ""),
        |text| format!("{text}location = \"M\"\n"),
    ];
    for change in changes {
        kill(&fixture, &["edit"], change);
        let run = apply_unsent(&fixture);
        let (text, _) = take_unsent(&fixture, &run);
        let line = text.lines().position(|line| line == "[base]").unwrap() + 1;
        run.fails(2, &format!(".toml:{line}:1: [base] was changed, "));
    }
    assert_eq!(sent(&fixture).len(), 3);
    // Without a change, nothing is sent.
    kill(&fixture, &["edit"], str::to_owned);
    let run = apply_unsent(&fixture);
    assert!(run.stdout().starts_with("Nothing to change"), "{run}");
}

#[tokio::test]
async fn the_editor_inherits_no_secrets() {
    let fixture = Fixture::new().await;
    let editor = edits(|_, call| {
        let environment = format!("{:?}", call.environment);
        fs::write(format!("{}.env", call.arguments[0]), environment).unwrap();
        0
    });
    let program = program(&fixture, &editor, &["edit"])
        .env("PROFILE_WEBHOOK_SECRET", "hush")
        .env("PROFILE_WEBHOOK_SECRET_OLD", "hush")
        .env("PROFILE_WEBHOOK_SECRET_FILE", "/hush");
    program.run().stdout();
    let files = unsent(&fixture);
    let environment = files.iter().find(|path| path.extension().unwrap() == "env");
    let environment = fs::read_to_string(environment.unwrap()).unwrap();
    assert!(environment.contains("PROFILE_EDITOR"), "{environment}");
    let key = fixture.service.key();
    for secret in ["hush", "PROFILE_API_KEY", key] {
        assert!(!environment.contains(secret), "{environment}");
    }
}

#[tokio::test]
async fn a_kept_text_names_the_account_of_the_run() {
    let fixture = Fixture::new().await;
    let links = &fixture.service.keys().links;
    fixture.log_in(links, &["--account", "few"]).stdout();
    fixture.add_account("all");
    let run = |account: Option<&str>, editor: &str, command: &[&str]| {
        let program = fixture.without_settings(command);
        let program = program.env("PROFILE_EDITOR", editor);
        match account {
            Some(name) => program.env("PROFILE_ACCOUNT", name).run(),
            None => program.run(),
        }
    };
    // PROFILE_ACCOUNT, and the account in config.toml.
    for account in [Some("all"), None] {
        let killed = run(account, &changes(1, set_location), &["edit"]);
        let [path] = unsent(&fixture).try_into().unwrap();
        killed.says(&format!("`profile apply {} --account all`", quoted(&path)));
        let (text, _) = take_unsent(&fixture, &killed);
        let service = fixture.service.uri();
        let source = format!("[source]\nservice = \"{service}\"\nhandle = \"demo\"\n");
        assert!(text.contains(&source), "{text}");
    }
    let create = ["post", "create", "--editor"];
    let editor = changes(1, |_| "one\n".to_owned());
    let post = run(Some("all"), &editor, &create);
    let sends = |run: &Run, end: &str| {
        let [path] = unsent(&fixture).try_into().unwrap();
        let command = format!("--file {}{end}\n", quoted(&path));
        run.says(&command);
        fs::remove_file(path).unwrap();
    };
    sends(&post, " --account all`");
    // A key of the environment stays the key.
    let of_environment = fixture.program(&create);
    let of_environment = of_environment.env("PROFILE_EDITOR", editor).run();
    let end = "` with the key of PROFILE_API_KEY";
    sends(&of_environment, end);
}

#[tokio::test]
async fn a_kept_post_is_not_deleted_after_it_was_sent_to_the_sandbox() {
    let fixture = Fixture::new().await;
    let create = ["post", "create", "--editor", "--dry-run"];
    program(&fixture, &writes("one\n"), &create).run().stdout();
    let [path] = unsent(&fixture).try_into().unwrap();
    for option in ["--sandbox", "--quiet"] {
        let create = ["post", "create", option, "--file"];
        let create = match option {
            "--sandbox" => fixture.without_settings(&create),
            _ => fixture.program(&create),
        };
        create.argument(&path).run().stdout();
        assert_eq!(path.exists(), option == "--sandbox");
    }
}

/// An editor may have one without changes open, but not for days.
#[tokio::test]
async fn old_texts_without_changes_are_deleted() {
    let fixture = Fixture::new().await;
    kill(&fixture, &["edit"], str::to_owned);
    kill(&fixture, &["post", "create", "--editor"], str::to_owned);
    kill(&fixture, &["edit"], set_location);
    let kept = unsent(&fixture);
    assert_eq!(kept.len(), 3);
    let is_changed = |path: &PathBuf| fs::read_to_string(path).unwrap().contains("\"L\"");
    for (hours, left) in [(23, 3), (25, 1)] {
        for path in &kept {
            let modified = SystemTime::now() - Duration::from_secs(hours * 60 * 60);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(modified).unwrap();
        }
        edit(&fixture, IDLE_EDITOR).says("texts that were not sent are kept in");
        assert_eq!(unsent(&fixture).len(), left);
    }
    assert!(is_changed(&unsent(&fixture)[0]));
    fs::remove_file(&unsent(&fixture)[0]).unwrap();
    kill(&fixture, &["edit"], str::to_owned);
    assert_eq!(edit(&fixture, IDLE_EDITOR).stderr(), "");
    assert_eq!(unsent(&fixture).len(), 1);
}
