//! `profile set`.

use std::path::Path;

use expect_test::expect;
use profile_sdk::{Bio, DisplayName};

use crate::program::Fixture;

#[tokio::test]
async fn rejects_values_over_a_limit_without_a_request() {
    let fixture = Fixture::new().await;
    let rejected = [
        &[
            "--display-name",
            &*"x".repeat(DisplayName::MAX_CHARACTERS + 1),
        ][..],
        &["--bio", &"\n".repeat(Bio::MAX_LINES + 1)],
        &["--text-color", "reddish", "--json"],
    ]
    .map(|fields| fixture.run(&[&["set"], fields].concat()).usage_error());
    expect![[r#"
        error: --display-name: display_name has 33 characters; at most 32 are allowed
        error: --bio: bio has 12 lines; at most 10 are allowed
        {"error":{"code":"usage","exit_code":2,"hint":null,"message":"--text-color: \"reddish\" is not a color; expected #rrggbb, #rgb or a CSS name, for example #ff8800, #f80 or orange","outcome":"not_done","retryable":false,"status":null}}
    "#]].assert_eq(&rejected.concat());
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

#[tokio::test]
async fn reads_a_bio_from_a_file_or_stdin() {
    let fixture = Fixture::new().await;
    let file = fixture.home.path().join("bio.txt");
    let typed = format!("@{}", file.display());
    for (text, expected) in [
        ("one\r\n\ttwo\n", "one\n\ttwo"),
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
    let too_many_lines = b"\n".repeat(Bio::MAX_LINES + 1);
    let mut rejected = set("-", b"") + &set("-", b"ab\xff") + &set("-", &too_many_lines);
    rejected += &set("@/nowhere/bio.txt", b"");
    expect![[r"
        error: --bio: stdin is empty; expected a text
        error: --bio: stdin is not valid UTF-8: invalid byte at offset 2; send UTF-8
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
