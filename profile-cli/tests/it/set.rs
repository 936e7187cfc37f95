//! `profile set`.

use std::path::Path;

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;
use profile_sdk::DisplayName;
use serde_json::json;

use crate::program::Fixture;

#[tokio::test]
async fn prints_the_changed_fields() {
    let fixture = Fixture::new().await;
    let set = ["set", "--display-name", "Ada", "--text-color", "#ffffff"];
    fixture.run(&set).check(&expect![[r#"
        exit 0
        --- stdout
        display_name	Ada
        text_color	#ffffff
        --- stderr
        warning: the contrast of text_color on background_color is 1:1; text below 4.5:1 is hard to read
    "#]]);
    let table = fixture.run(&[&set[..], &["-o", "table"]].concat());
    assert!(
        table
            .stdout()
            .starts_with("display_name  Ada\ntext_color    #ffffff\n"),
        "{table}"
    );
    assert!(table.stderr().contains("the contrast"), "{table}");
    let json = fixture.run(&[&set[..], &["--json"]].concat()).json();
    assert_eq!(json["handle"], "demo");
}

#[tokio::test]
async fn sends_all_fields_as_typed() {
    let fixture = Fixture::new().await;
    let arguments = [
        "set",
        "--json",
        "--display-name",
        "",
        "--bio",
        "- one\r\ntwo",
        "--location",
        "L",
        "--accent-color",
        "#AbCdEf",
        "--text-color",
        "#000000",
        "--background-color",
        "#FFFFFF",
    ];
    let written = fixture.run(&arguments).json();
    let read = fixture.run(&["show", "--json"]).json();
    for profile in [written, read] {
        assert_eq!(profile["display_name"], "");
        assert_eq!(profile["bio"], "- one\r\ntwo");
        assert_eq!(profile["location"], "L");
        assert_eq!(profile["accent_color"], "#AbCdEf");
        assert_eq!(profile["text_color"], "#000000");
        assert_eq!(profile["background_color"], "#FFFFFF");
    }
}

#[tokio::test]
async fn rejects_values_over_a_limit_without_a_request() {
    let fixture = Fixture::new().await;
    let rejected = [
        &[
            "--display-name",
            &*"x".repeat(DisplayName::MAX_CHARACTERS + 1),
        ][..],
        &["--bio", &"\n".repeat(11)],
        &["--text-color", "reddish", "--json"],
    ]
    .map(|fields| fixture.run(&[&["set"], fields].concat()).usage_error());
    expect![[r#"
        error: --display-name: display_name has 33 characters; at most 32 are allowed
        error: --bio: bio has 12 lines; at most 10 are allowed
        {"error":{"code":"usage","exit_code":2,"hint":null,"message":"--text-color: \"reddish\" is not a color; expected #rrggbb, #rgb or a CSS name, for example #ff8800, #f80 or orange","retryable":false,"status":null}}
    "#]].assert_eq(&rejected.concat());
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

#[tokio::test]
async fn requires_at_least_one_field() {
    Fixture::new().await.run(&["set"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: the following required arguments were not provided:
          <--display-name <TEXT>|--bio <TEXT|@./PATH|->|--location <TEXT>|--accent-color <COLOR>|--text-color <COLOR>|--background-color <COLOR>>

        Usage: profile set [OPTIONS] <--FIELD <VALUE>>...

        For more information, try '--help'.
    "#]]);
}

#[tokio::test]
async fn accepts_a_response_without_profile() {
    let fixture = Fixture::responding(ResponseTemplate::new(204)).await;
    fixture.run(&["set", "--location", "L"]).check(&expect![[r#"
        exit 0
        --- stdout
        The service accepted the change; `profile show` prints the profile.
        --- stderr
    "#]]);
    let json = fixture.run(&["set", "--location", "L", "--json"]).json();
    assert_eq!(json, json!({"result": "updated"}));
}

#[tokio::test]
async fn converts_colors() {
    let fixture = Fixture::new().await;
    let colors = [
        "set",
        "--accent-color",
        "RebeccaPurple",
        "--text-color",
        "#FFF",
    ];
    let run = fixture.run(&colors);
    let sent = "accent_color\t#663399\ntext_color\t#FFFFFF\n";
    assert_eq!(run.stdout(), sent);
    let quiet = fixture.run(&[&colors[..], &["-q"]].concat()).to_string();
    assert!(quiet.ends_with("--- stderr\n"), "{quiet}");
    let dry_run = [&colors[..], &["--dry-run"]].concat();
    let dry_run = fixture.run(&dry_run);
    assert_eq!(dry_run.stderr(), run.stderr());
    dry_run.check(&expect![[r##"
        exit 0
        --- stdout
        accent_color: unchanged
        text_color: unchanged
        PATCH /api/v1/me/profile
        {"accent_color":"#663399","text_color":"#FFFFFF"}
        No change was sent.
        --- stderr
        note: accent_color: RebeccaPurple is sent as #663399
        note: text_color: #FFF is sent as #FFFFFF
        warning: the contrast of text_color on background_color is 1:1; text below 4.5:1 is hard to read
    "##]]);
}

#[tokio::test]
async fn warns_of_low_contrast_even_without_a_profile_in_the_response() {
    let fixture = Fixture::responding(ResponseTemplate::new(204)).await;
    let colors = ["set", "--text-color", "gray", "--background-color", "#777"];
    fixture.run(&colors).check(&expect![[r#"
        exit 0
        --- stdout
        The service accepted the change; `profile show` prints the profile.
        --- stderr
        note: text_color: gray is sent as #808080
        note: background_color: #777 is sent as #777777
        warning: the contrast of text_color on background_color is 1.1:1; text below 4.5:1 is hard to read
    "#]]);
}

#[tokio::test]
async fn reads_a_bio_from_a_file_or_stdin() {
    let fixture = Fixture::new().await;
    let file = fixture.home.path().join("bio.txt");
    let typed = format!("@{}", file.display());
    for (text, expected) in [
        ("one\r\n\ttwo\n", "one\r\n\ttwo"),
        ("@one\n\n", "@one\n"),
        ("\u{feff}one\r\n", "one"),
        ("\n", ""),
        ("-", "-"),
    ] {
        std::fs::write(&file, text).unwrap();
        let from_file = fixture.run(&["set", "--bio", &typed, "--json"]).json();
        let from_stdin = fixture
            .program(&["set", "--bio", "-", "--json"])
            .stdin(text);
        assert_eq!(from_file["bio"], expected);
        assert_eq!(from_stdin.run().json()["bio"], expected);
    }
}

#[tokio::test]
async fn closed_stdin_and_invalid_texts_change_nothing() {
    let fixture = Fixture::new().await;
    let set = |bio: &str, stdin: &[u8]| {
        let program = fixture.program(&["set", "--bio", bio]).stdin(stdin);
        program.run().usage_error()
    };
    let mut rejected = set("-", b"") + &set("-", b"ab\xff") + &set("-", &b"\n".repeat(11));
    rejected += &set("@/nowhere/bio.txt", b"");
    expect![[r"
        error: --bio: stdin is empty; expected a text
        error: --bio: stdin is not valid UTF-8: invalid byte at offset 2
        error: --bio: bio has 11 lines; at most 10 are allowed
        error: --bio: /nowhere/bio.txt cannot be read: No such file or directory (os error 2)
    "]]
    .assert_eq(&rejected);
    if Path::new("/dev/zero").exists() {
        let endless = set("@/dev/zero", b"");
        assert_eq!(endless, "error: --bio: /dev/zero is larger than 64 MiB\n");
    }
    assert_eq!(fixture.service.journal().requests().len(), 0);
}
