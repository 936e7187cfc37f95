//! `profile post`.

use std::fs;

use expect_test::expect;

use crate::program::Fixture;

#[tokio::test]
async fn reads_a_post_from_a_file_or_stdin() {
    let fixture = Fixture::new().await;
    let typed = format!("@{}", fixture.file("post.txt", "- one\r\n\n"));
    let post = fixture.run(&["post", "create", &typed, "--json"]).json();
    assert_eq!(post["body"], "- one\n");
    let post = fixture
        .program(&["post", "create", "-", "--json"])
        .stdin("@two\n");
    assert_eq!(post.run().json()["body"], "@two");
}

#[tokio::test]
async fn refuses_an_empty_text() {
    let fixture = Fixture::new().await;
    let file = fixture.home.path().join("empty");
    let path = file.to_str().unwrap();
    for (text, expected) in [
        ("", " is empty; expected a text\n"),
        ("\r\n", "error: the text of the post is empty\n"),
        ("\u{feff}", "error: the text of the post is empty\n"),
    ] {
        fs::write(&file, text).unwrap();
        let stdin = fixture.program(&["post", "create", "-"]).stdin(text).run();
        let file = fixture.run(&["post", "create", "--file", path]);
        for run in [stdin, file] {
            assert!(run.usage_error().ends_with(expected), "{text:?}: {run}");
        }
    }
    let typed = fixture.run(&["post", "add", "", "--json"]);
    assert_eq!(typed.error()["message"], "the text of the post is empty");
    assert_eq!(fixture.service.journal().requests().len(), 0);
    fixture.run(&["api", "me/posts", "-f", "body="]).stdout();
}

#[tokio::test]
async fn only_a_path_after_an_at_sign_is_a_file() {
    let fixture = Fixture::new().await;
    let text = fixture.file("text.txt", "from a file\n");
    let post = |arguments: &[&str]| {
        let arguments = [&["post", "create", "--json"], arguments].concat();
        let mut program = fixture.program(&arguments);
        program.command.current_dir(fixture.home.path());
        program.run().json()["body"].as_str().unwrap().to_owned()
    };
    assert_eq!(post(&["@grace thanks!"]), "@grace thanks!");
    assert_eq!(post(&["@./text.txt"]), "from a file");
    assert_eq!(post(&[&format!("@{text}")]), "from a file");
    assert_eq!(post(&["--file", "text.txt"]), "from a file");
    let rejected = [
        &["post", "create", "@text.txt"][..],
        &["post", "create", "@~/text.txt"],
        &["set", "--bio", "@text.txt"],
        &["api", "me/posts", "-f", "body=@text.txt"],
        &["api", "me/posts", "-f", "body=@./text.txt"],
    ]
    .map(|arguments| {
        let mut program = fixture.program(arguments);
        program.command.current_dir(fixture.home.path());
        program.run().usage_error()
    });
    expect![[r#"
        error: invalid value '@text.txt' for '[BODY|@./PATH|-]': @text.txt is the name of a file; read it with @./PATH or @/PATH, or send this text through stdin with -

        For more information, try '--help'.
        error: invalid value '@~/text.txt' for '[BODY|@./PATH|-]': @~/text.txt is the name of a file; read it with @./PATH or @/PATH, or send this text through stdin with -

        For more information, try '--help'.
        error: invalid value '@text.txt' for '--bio <TEXT|@./PATH|->': @text.txt is the name of a file; read it with @./PATH or @/PATH, or send this text through stdin with -

        For more information, try '--help'.
        error: invalid value 'body=@text.txt' for '--field <NAME=VALUE>': @text.txt is the name of a file; send its contents with -f NAME="$(cat PATH)", or this text in a JSON body with --input -

        For more information, try '--help'.
        error: invalid value 'body=@./text.txt' for '--field <NAME=VALUE>': @./text.txt is the name of a file; send its contents with -f NAME="$(cat PATH)", or this text in a JSON body with --input -

        For more information, try '--help'.
    "#]].assert_eq(&rejected.concat());
    let set = fixture
        .run(&["set", "--bio", "@grace's friend", "--json"])
        .json();
    assert_eq!(set["bio"], "@grace's friend");
    assert!(
        fixture
            .run(&["stats", "@grace", "-o", "table"])
            .stdout()
            .contains("grace  ")
    );
}
