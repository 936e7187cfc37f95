//! `profile edit` and `profile post create --editor`, with shell scripts as editors.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use expect_test::expect;
use mock_server::dialect::WriteResponses;
use mock_server::wiremock::matchers::method;
use mock_server::wiremock::{Mock, ResponseTemplate};
use mock_server::{Dialect, Fault, FaultRule, MockServer, WireFault};
use serde_json::json;

use crate::program::{Fixture, Program, Run};
use crate::pseudo_terminal::Terminal;

/// Returns an editor that runs this script with the file as `$1`.
fn editor(fixture: &Fixture, script: &str) -> String {
    let path = fixture.home.path().join("an editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn program(fixture: &Fixture, script: &str, arguments: &[&str]) -> Program {
    let editor = editor(fixture, script);
    let program = fixture.program(arguments).env("PROFILE_EDITOR", editor);
    program.env("PATH", "/usr/bin:/bin")
}

#[track_caller]
fn edit(fixture: &Fixture, script: &str) -> Run {
    program(fixture, script, &["edit"]).run()
}

/// Checks the output of a run, with the paths of this machine replaced by names.
#[track_caller]
fn check(fixture: &Fixture, run: &Run, expected: &expect_test::Expect) {
    let home = fixture.home.path().to_str().unwrap();
    let printed = run.to_string().replace(home, "HOME");
    expected.assert_eq(&printed.replace(&service(fixture), "SERVICE"));
}

/// Returns the service as in the names of drafts.
fn service(fixture: &Fixture) -> String {
    fixture
        .service
        .uri()
        .trim_start_matches("http://")
        .replace(':', "-")
}

fn drafts(fixture: &Fixture) -> PathBuf {
    fixture.home.path().join(".local/state/profile/drafts")
}

/// Returns the paths of the drafts.
fn kept(fixture: &Fixture) -> Vec<PathBuf> {
    let files = fs::read_dir(drafts(fixture)).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let mut paths: Vec<_> = paths.collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension != "before")
    });
    paths.sort();
    paths
}

/// Returns the bodies of the writes that reached the service.
fn sent(fixture: &Fixture) -> Vec<serde_json::Value> {
    let requests = fixture.service.journal().requests().into_iter();
    let writes = requests.filter(|request| request.method != "GET");
    writes
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect()
}

#[tokio::test]
async fn sends_only_changed_fields() {
    let fixture = Fixture::new().await;
    let script = "sed -i 's/^display_name = .*/display_name = \"Ada\"/; s/Edit me/Read \\\"\\\\\\\\me/' \"$1\"";
    let run = edit(&fixture, script);
    assert!(run.stdout().contains("display_name\tAda\n"), "{run}");
    let bio = "I live inside a mock server.\nRead \"\\me as you like.";
    assert_eq!(sent(&fixture), [json!({"display_name": "Ada", "bio": bio})]);
    assert!(kept(&fixture).is_empty());
}

#[tokio::test]
async fn sends_nothing_without_changes() {
    let fixture = Fixture::new().await;
    edit(&fixture, "echo shown by the editor").check(&expect![[r#"
        exit 0
        --- stdout
        Nothing changed.
        --- stderr
        shown by the editor
    "#]]);
    edit(&fixture, "echo '# a comment' >> \"$1\"").check(&expect![[r#"
        exit 0
        --- stdout
        Nothing changed.
        --- stderr
    "#]]);
    let json = program(&fixture, "true", &["edit", "--json"]).run().json();
    assert_eq!(json, json!({"result": "unchanged"}));
    assert!(sent(&fixture).is_empty());
    assert!(kept(&fixture).is_empty());
}

#[tokio::test]
async fn line_breaks_of_windows_are_no_changes() {
    let fixture = Fixture::new().await;
    let edited = edit(&fixture, "sed -i 's/$/\\r/' \"$1\"");
    assert_eq!(edited.stdout(), "Nothing changed.\n", "{edited}");
    assert!(kept(&fixture).is_empty());
}

#[tokio::test]
async fn the_editor_accepts_arguments() {
    let fixture = Fixture::new().await;
    let script = editor(
        &fixture,
        "[ \"$1\" = '--wait for' ] && echo 'location = \"L\"' > \"$2\"",
    );
    let edit = fixture.program(&["edit", "--json"]);
    let edit = edit
        .env("PATH", "/usr/bin:/bin")
        .env("VISUAL", "/nowhere/vi");
    let edit = edit.env("PROFILE_EDITOR", format!("'{script}' '--wait for'"));
    assert_eq!(edit.run().json()["location"], "L");
}

#[tokio::test]
async fn keeps_the_text_if_the_editor_fails() {
    let fixture = Fixture::new().await;
    let run = edit(&fixture, "echo 'bio = \"b\"' > \"$1\"; exit 3");
    check(
        &fixture,
        &run,
        &expect![[r#"
            exit 1
            --- stdout
            --- stderr
            error: the editor 'HOME/an editor' (from PROFILE_EDITOR) failed: exit status: 3
            hint: the text is saved in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml; run `profile edit` to resume it
        "#]],
    );
    let [text] = kept(&fixture).try_into().unwrap();
    assert_eq!(fs::read_to_string(&text).unwrap(), "bio = \"b\"\n");
    assert_eq!(text.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let unstarted = fixture.program(&["edit", "--yes"]);
    let unstarted = unstarted.env("EDITOR", "/nowhere/vi").run();
    check(
        &fixture,
        &unstarted,
        &expect![[r#"
            exit 1
            --- stdout
            --- stderr
            error: the editor /nowhere/vi (from EDITOR) could not be started: No such file or directory (os error 2)
            hint: the text is saved in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml; run `profile edit` to resume it
        "#]],
    );
    assert_eq!(kept(&fixture), [text]);
}

#[tokio::test]
async fn yes_resumes_a_draft() {
    let fixture = Fixture::new().await;
    edit(&fixture, "echo 'bio = \"b\"' > \"$1\"; exit 3");
    check(
        &fixture,
        &edit(&fixture, "true"),
        &expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: an earlier text was not sent; it is in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml
            hint: add --yes to resume it, or delete it with `profile draft delete profile-demo@SERVICE`
        "#]],
    );
    let run = program(
        &fixture,
        "echo 'location = \"L\"' >> \"$1\"",
        &["edit", "--yes"],
    )
    .run();
    assert!(run.stdout().contains("location\tL\n"), "{run}");
    assert_eq!(sent(&fixture), [json!({"bio": "b", "location": "L"})]);
    assert!(kept(&fixture).is_empty());
}

#[tokio::test]
async fn writes_errors_above_the_text() {
    let fixture = Fixture::new().await;
    let run = edit(&fixture, "printf 'bio = \"b\nlocation = 1\n' > \"$1\"");
    check(
        &fixture,
        &run,
        &expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: the text is not valid TOML: TOML parse error at line 7, column 9
              |
            7 | bio = "b
              |         ^
            invalid basic string, expected `"`
            hint: the text is saved in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml; run `profile edit` to resume it
        "#]],
    );
    let [text] = kept(&fixture).try_into().unwrap();
    expect![[r##"
        #! the text is not valid TOML: TOML parse error at line 7, column 9
        #!   |
        #! 7 | bio = "b
        #!   |         ^
        #! invalid basic string, expected `"`
        #! Fix it and save again. These lines are not sent.
        bio = "b
        location = 1
    "##]]
    .assert_eq(&fs::read_to_string(&text).unwrap());
    let limit = "printf 'display_name = \"%033d\"\naccent_color = \"rot\"\n' 0 > \"$1\"";
    let run = program(&fixture, limit, &["edit", "--yes"]).run();
    check(
        &fixture,
        &run,
        &expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: accent_color: "rot" is not a color; expected #rrggbb, #rgb or a CSS name, for example #ff8800, #f80 or orange
            display_name has 33 characters; at most 32 are allowed
            hint: the text is saved in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml; run `profile edit` to resume it
        "#]],
    );
    assert!(sent(&fixture).is_empty());
}

#[tokio::test]
async fn keeps_the_text_until_the_service_accepts_it() {
    let script = "echo 'bio = \"b\"' > \"$1\"";
    for (status, exit) in [(422, 6), (403, 5), (503, 1)] {
        let fixture = Fixture::new().await;
        let refusal = ResponseTemplate::new(status).set_body_string("not today");
        let refusal = Mock::given(method("PATCH")).respond_with(refusal);
        refusal
            .up_to_n_times(1)
            .mount(fixture.service.wiremock())
            .await;
        let run = program(&fixture, script, &["edit", "--retries", "0"]).run();
        assert!(
            run.to_string()
                .starts_with(&format!("exit {exit}\n--- stdout\n---")),
            "{run}"
        );
        assert!(run.to_string().contains("the text is saved in "), "{run}");
        let [text] = kept(&fixture).try_into().unwrap();
        let text = fs::read_to_string(text).unwrap();
        assert!(text.ends_with("bio = \"b\"\n"), "{text}");
        assert_eq!(text.contains("not today"), status == 422, "{text}");
        let again = program(&fixture, "true", &["edit", "--yes", "--json"]).run();
        assert_eq!(again.json()["bio"], "b");
        assert!(kept(&fixture).is_empty());
    }
}

#[tokio::test]
async fn a_dry_run_sends_nothing_and_keeps_the_text() {
    let fixture = Fixture::new().await;
    let script = "echo 'accent_color = \"#FFF\"' > \"$1\"";
    let run = program(&fixture, script, &["edit", "--dry-run"]).run();
    check(
        &fixture,
        &run,
        &expect![[r##"
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
            note: the text is saved in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml; run `profile edit` to resume it
        "##]],
    );
    assert!(sent(&fixture).is_empty());
    assert_eq!(kept(&fixture).len(), 1);
}

#[tokio::test]
async fn missing_fields_are_comments() {
    let fixture = Fixture::new().await;
    let bare = ResponseTemplate::new(200).set_body_string(r#"{"data":{"bio":null}}"#);
    let bare = Mock::given(method("GET")).respond_with(bare);
    bare.mount(fixture.service.wiremock()).await;
    edit(&fixture, "cat \"$1\"").check(&expect![[r#"
        exit 0
        --- stdout
        Nothing changed.
        --- stderr
        # Your profile. Edit the fields, save and close; only changed fields are sent.
        # An empty string "" clears a field; a removed field keeps its value.
        # In a string, \\ is a backslash, \" a quote and \n a line break.

        # up to 32 characters
        # display_name = ""

        # up to 300 characters and 10 lines; ends right before the closing quotes
        # bio = ""

        # up to 40 characters
        # location = ""

        # #rrggbb, #rgb or a CSS name
        # accent_color = ""

        # the contrast with background_color should be at least 4.5:1
        # text_color = ""

        # #rrggbb, #rgb or a CSS name
        # background_color = ""
    "#]]);
    edit(
        &fixture,
        "sed -i 's/^# location = .*/location = \"\"/' \"$1\"",
    )
    .stdout();
    assert_eq!(sent(&fixture), [json!({"location": ""})]);
}

#[tokio::test]
async fn fails_without_editor_and_terminal() {
    let fixture = Fixture::new().await;
    fixture.run(&["edit"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: no editor is set, and the default editor needs a terminal
        hint: set PROFILE_EDITOR
    "#]]);
    let unclosed = fixture.program(&["edit"]).env("EDITOR", "vi 'a");
    unclosed.run().check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: EDITOR: "vi 'a" is not a command
        hint: set it to a program; close all quotes
    "#]]);
}

#[tokio::test]
async fn curl_prints_the_first_request() {
    let fixture = Fixture::new().await;
    let curl = ["edit", "--curl", "--base-url", "http://127.0.0.1:1"];
    fixture.run(&curl).check(&expect![[r#"
        exit 0
        --- stdout
        curl --path-as-is --globoff 'http://127.0.0.1:1/api/v1/me' \
          -H "Authorization: Bearer $PROFILE_API_KEY"
        --- stderr
        note: the changes depend on your text; --dry-run shows them
    "#]]);
}

#[tokio::test]
async fn creates_a_post_from_the_editor() {
    let fixture = Fixture::new().await;
    let post = |script: &str| program(&fixture, script, &["post", "create", "--editor"]).run();
    post("cat \"$1\"").check(&expect![[r#"
        exit 0
        --- stdout
        The text is empty; nothing was sent.
        --- stderr
    "#]]);
    let run = post("printf 'one\\r\\n# two\\n' > \"$1\"");
    assert!(run.stdout().ends_with("body\tone\\r\\n# two\n"), "{run}");
    assert_eq!(sent(&fixture), [json!({"body": "one\r\n# two"})]);
    assert!(kept(&fixture).is_empty());
}

#[tokio::test]
async fn keeps_a_post_until_the_service_accepts_it() {
    let fixture = Fixture::new().await;
    let refusal = ResponseTemplate::new(422).set_body_string("not today");
    let refusal = Mock::given(method("POST")).respond_with(refusal);
    refusal
        .up_to_n_times(1)
        .mount(fixture.service.wiremock())
        .await;
    let create = ["post", "create", "--editor", "--yes"];
    let run = program(&fixture, "echo one > \"$1\"", &create).run();
    check(
        &fixture,
        &run,
        &expect![[r#"
            exit 6
            --- stdout
            --- stderr
            error: the service rejected the request (422: not today)
            hint: the text is saved in HOME/.local/state/profile/drafts/post-demo@SERVICE.txt; run `profile post create --editor` to resume it
        "#]],
    );
    let run = program(&fixture, "true", &create).run();
    assert!(run.stdout().ends_with("body\tone\n"), "{run}");
    assert!(kept(&fixture).is_empty());
}

#[tokio::test]
async fn does_not_overwrite_a_field_that_changed_while_the_editor_was_open() {
    let fixture = Fixture::new().await;
    let elsewhere = fixture.home.path().join("elsewhere");
    let set = |field: &str| {
        let (profile, uri) = (env!("CARGO_BIN_EXE_profile"), fixture.service.uri());
        let key = fixture.service.key();
        let script = format!("PROFILE_BASE_URL={uri} PROFILE_API_KEY={key} {profile} set {field}");
        fs::write(&elsewhere, script).unwrap();
    };
    let script = format!(
        "/bin/sh {} > /dev/null; echo 'location = \"mine\"' > \"$1\"",
        elsewhere.display()
    );
    set("--location theirs");
    let edited = edit(&fixture, &script);
    let printed = edited.to_string();
    assert!(
        printed
            .contains("error: location has changed on the service meanwhile; it is now \"theirs\""),
        "{printed}"
    );
    assert_eq!(edited.code(), 1);
    let profile = || fixture.run(&["show", "--json"]).json();
    assert_eq!(profile()["location"], "theirs");
    assert_eq!(kept(&fixture).len(), 1);
    // The draft, which now names the conflict, can be sent.
    let resumed = program(
        &fixture,
        "grep -q '#! location has changed' \"$1\"",
        &["edit", "--yes"],
    );
    resumed.run().stdout();
    assert_eq!(profile()["location"], "mine");
    // A change of another field is not a conflict.
    set("--display-name Other");
    edit(&fixture, &script.replace("mine", "yours")).stdout();
    assert_eq!(profile()["location"], "yours");
    assert_eq!(profile()["display_name"], "Other");
}

#[tokio::test]
async fn drafts_without_a_handle_belong_to_an_account() {
    let dialect = Dialect::minimal();
    let service = MockServer::builder()
        .dialect(dialect)
        .start()
        .await
        .unwrap();
    let fixture = Fixture::of(service);
    let run = program(&fixture, "echo 'location = 1' > \"$1\"", &["edit"]).run();
    let email = fixture.run(&["show", "--json"]).json()["email"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        run.to_string().contains(&format!("profile-{email}@")),
        "{run}"
    );
}

#[tokio::test]
async fn keeps_the_text_if_the_outcome_is_unknown() {
    let service = MockServer::start().await;
    let home = tempfile::tempdir().unwrap();
    let fixture = Fixture { service, home };
    let cut = FaultRule::new(Fault::Wire(WireFault::Close)).method("PATCH");
    fixture.service.add_fault(cut.after_write()).unwrap();
    let script = "echo 'location = \"L\"' > \"$1\"";
    let run = program(&fixture, script, &["edit", "--retries", "0"]).run();
    check(
        &fixture,
        &run,
        &expect![[r#"
            exit 8
            --- stdout
            --- stderr
            error: PATCH /api/v1/me/profile: the connection was lost before the response was complete: connection closed before message completed; the change may have been applied
            hint: the request was sent once and its outcome is unknown; check with `profile show` before you try again; the text is saved in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml; run `profile edit` to resume it
        "#]],
    );
    assert_eq!(kept(&fixture).len(), 1);
}

/// Starts `profile edit` with this editor on a terminal.
#[track_caller]
fn terminal(fixture: &Fixture, script: &str) -> Terminal {
    Terminal::start(program(fixture, script, &["edit"]))
}

const WRONG: &str = "echo 'accent_color = \"rot\"' > \"$1\"";

#[tokio::test(flavor = "multi_thread")]
async fn prints_the_path_before_offering_the_editor_again() {
    let fixture = Fixture::new().await;
    for (answer, code) in [("\u{3}", 130), ("n\r", 2)] {
        let mut terminal = terminal(&fixture, WRONG);
        if code == 2 {
            terminal.sees("Resume it? If not, it is replaced. [Y/n] ");
            terminal.types("n\r");
        }
        terminal.sees("Open the editor again? [Y/n] ");
        terminal.types(answer);
        let (ended, seen) = terminal.ends();
        assert_eq!(ended, Some(code), "{seen}");
        let [text] = kept(&fixture).try_into().unwrap();
        let location = format!(
            "the text is saved in {}; run `profile edit`",
            text.display()
        );
        assert!(seen.replace("\r\n", "").contains(&location), "{seen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_can_be_resumed_or_replaced() {
    let fixture = Fixture::new().await;
    for (answer, outcome) in [("n\r", "Nothing changed."), ("\r", "is not a color")] {
        edit(&fixture, WRONG);
        let mut terminal = terminal(&fixture, "true");
        terminal.sees("[Y/n] ");
        terminal.types(answer);
        if answer == "\r" {
            terminal.sees("Open the editor again? [Y/n] ");
            terminal.types("n\r");
        }
        let (_, seen) = terminal.ends();
        assert!(seen.contains(outcome), "{seen}");
    }
    assert!(sent(&fixture).is_empty());
    assert_eq!(kept(&fixture).len(), 1);
}

#[tokio::test]
async fn lists_shows_and_deletes_drafts() {
    let fixture = Fixture::new().await;
    let draft = |arguments: &[&str]| fixture.run(&[&["draft"], arguments].concat());
    check(
        &fixture,
        &draft(&["show"]),
        &expect![[r#"
            exit 3
            --- stdout
            --- stderr
            error: there are no drafts
        "#]],
    );
    edit(&fixture, WRONG);
    program(
        &fixture,
        "printf 'one\\ntwo\\n' > \"$1\"; exit 3",
        &["post", "create", "--editor"],
    )
    .run();
    check(
        &fixture,
        &draft(&["list"]),
        &expect![[r#"
            exit 0
            --- stdout
            post-demo@SERVICE	HOME/.local/state/profile/drafts/post-demo@SERVICE.txt
            profile-demo@SERVICE	HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml
            --- stderr
        "#]],
    );
    check(
        &fixture,
        &draft(&["show"]),
        &expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: there are several drafts: post-demo@SERVICE, profile-demo@SERVICE
            hint: pass the name of one
        "#]],
    );
    let post = format!("post-demo@{}", service(&fixture));
    draft(&["show", &post]).check(&expect![[r#"
        exit 0
        --- stdout
        one
        two
        --- stderr
    "#]]);
    let json = draft(&["show", &post, "--json"]).json();
    assert_eq!(json["text"], "one\ntwo\n");
    // Without consent nothing is deleted, and what is not a draft is not found.
    assert_eq!(draft(&["delete", &post]).code(), 2);
    assert_eq!(draft(&["delete", "../post", "--yes"]).code(), 3);
    assert_eq!(kept(&fixture).len(), 2);
    let json = draft(&["delete", &post, "--yes", "--json"]).json();
    assert_eq!(json, json!({"result": "deleted", "name": post}));
    draft(&["delete", "--yes"]).stdout();
    assert_eq!(fs::read_dir(drafts(&fixture)).unwrap().count(), 0);
}

#[tokio::test]
async fn each_handle_has_its_own_draft() {
    let fixture = Fixture::new().await;
    edit(&fixture, WRONG);
    let other = json!({"data": {"handle": "grace/../h", "bio": ""}});
    let other = ResponseTemplate::new(200).set_body_string(other.to_string());
    let other = Mock::given(method("GET")).respond_with(other);
    other.mount(fixture.service.wiremock()).await;
    edit(&fixture, WRONG);
    let names = kept(&fixture);
    let names: Vec<_> = names.iter().map(|path| path.file_name().unwrap()).collect();
    let service = service(&fixture);
    let expected = ["demo", "grace-..-h"].map(|handle| format!("profile-{handle}@{service}.toml"));
    assert_eq!(names, expected.each_ref().map(String::as_str));
}

/// Makes the service respond to writes of this method with a page of a proxy, without any effect.
async fn responds_with_a_page(fixture: &Fixture, of: &str) {
    let page = ResponseTemplate::new(200).set_body_raw("<html>Welcome</html>", "text/html");
    let page = Mock::given(method(of)).respond_with(page);
    page.mount(fixture.service.wiremock()).await;
}

#[tokio::test]
async fn keeps_the_text_if_the_profile_has_not_changed() {
    let fixture = Fixture::new().await;
    responds_with_a_page(&fixture, "PATCH").await;
    let run = edit(&fixture, "echo 'location = \"L\"' > \"$1\"");
    check(
        &fixture,
        &run,
        &expect![[r#"
            exit 1
            --- stdout
            --- stderr
            error: the service accepted the change, but the profile does not contain the new location
            hint: the text is saved in HOME/.local/state/profile/drafts/profile-demo@SERVICE.toml; run `profile edit` to resume it
        "#]],
    );
    let [text] = kept(&fixture).try_into().unwrap();
    assert_eq!(fs::read_to_string(text).unwrap(), "location = \"L\"\n");
}

#[tokio::test]
async fn reads_the_profile_after_an_empty_response() {
    let mut silent = Dialect::default();
    silent.write_responses = WriteResponses::NoContent;
    let service = MockServer::builder().dialect(silent).start().await.unwrap();
    let fixture = Fixture::of(service);
    let run = edit(&fixture, "echo 'location = \"L\"' > \"$1\"");
    assert!(run.stdout().contains("location\tL\n"), "{run}");
    assert!(kept(&fixture).is_empty());
}

#[tokio::test]
async fn keeps_a_post_that_is_not_returned() {
    let fixture = Fixture::new().await;
    responds_with_a_page(&fixture, "POST").await;
    let create = ["post", "create", "--editor"];
    let run = program(&fixture, "echo one > \"$1\"", &create).run();
    check(
        &fixture,
        &run,
        &expect![[r#"
            exit 0
            --- stdout
            The service accepted the post; `profile post list` shows it.
            --- stderr
            warning: the text is saved in HOME/.local/state/profile/drafts/post-demo@SERVICE.txt; delete it with `profile draft delete post-demo@SERVICE` once the post appears
        "#]],
    );
    let [text] = kept(&fixture).try_into().unwrap();
    assert_eq!(fs::read_to_string(text).unwrap(), "one\n");
    // It is not sent again without consent.
    assert_eq!(program(&fixture, "true", &create).run().code(), 2);
}

#[tokio::test]
async fn warns_of_a_field_that_changed_meanwhile() {
    let fixture = Fixture::new().await;
    let half = "echo 'display_name = \"Half\"\naccent_color = \"rot\"' > \"$1\"";
    assert_eq!(edit(&fixture, half).code(), 2);
    let newer = ["set", "--display-name", "Newer"];
    fixture.run(&newer).stdout();
    let script = "cat \"$1\"; sed -i 's/accent.*//' \"$1\"";
    let run = program(&fixture, script, &["edit", "--yes"]).run();
    assert!(run.stdout().contains("display_name\tHalf\n"), "{run}");
    expect![[r##"
        #! display_name has changed on the service meanwhile; it is now "Newer"
        #! Fix it and save again. These lines are not sent.
        display_name = "Half"
        accent_color = "rot"
        warning: display_name has changed on the service meanwhile; it is now "Newer"
    "##]]
    .assert_eq(&run.stderr());
}

#[tokio::test(flavor = "multi_thread")]
async fn end_of_input_aborts_and_invalid_input_repeats_the_question() {
    let fixture = Fixture::new().await;
    edit(
        &fixture,
        "echo 'location = \"L\"\naccent_color = \"rot\"' > \"$1\"",
    );
    let mut terminal = terminal(&fixture, "sed -i 's/accent.*//' \"$1\"");
    terminal.sees("[Y/n] ");
    terminal.types("perhaps\r");
    terminal.sees("perhaps\r\nAn earlier text was not sent");
    terminal.types("\u{4}");
    let (ended, seen) = terminal.ends();
    assert_eq!(ended, Some(130), "{seen}");
    assert!(sent(&fixture).is_empty());
    assert_eq!(kept(&fixture).len(), 1);
}

#[tokio::test]
async fn drafts_are_private_files() {
    let fixture = Fixture::new().await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let drafts = drafts(&fixture);
    fs::create_dir_all(&drafts).unwrap();
    fs::set_permissions(&drafts, fs::Permissions::from_mode(0o777)).unwrap();
    edit(&fixture, "rm \"$1\"; echo wrong > \"$1\"; chmod 644 \"$1\"");
    let [text] = kept(&fixture).try_into().unwrap();
    assert_eq!((mode(&drafts), mode(&text)), (0o700, 0o600));
}
