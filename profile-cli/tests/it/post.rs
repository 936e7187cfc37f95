//! `profile post`.

use expect_test::expect;

use crate::program::Place;

#[tokio::test]
async fn lists_posts() {
    let place = Place::new().await;
    place.run(&["post", "list"]).check(&expect![[r#"
        exit 0
        --- stdout
        post_3	Hello from the mock server!
        --- stderr
    "#]]);
}

#[tokio::test]
async fn creates_and_deletes_a_post() {
    let place = Place::new().await;
    place
        .run(&["post", "create", "Hello,\nworld"])
        .check(&expect![[r#"
            exit 0
            --- stdout
            id	post_6
            body	Hello,\nworld
            --- stderr
        "#]]);
    let listed = place.run(&["posts", "list", "--json"]).json();
    assert_eq!(listed[1]["body"], "Hello,\nworld");
    let delete = ["post", "delete", "post_6", "--yes", "--json"];
    place.run(&delete).check(&expect![[r#"
        exit 0
        --- stdout
        {"id":"post_6","result":"deleted"}
        --- stderr
    "#]]);
    place
        .run(&["post", "delete", "post_6", "--yes"])
        .check(&expect![[r#"
            exit 3
            --- stdout
            --- stderr
            error: there is no post "post_6" (404: the key's owner has no post with the id post_6)
        "#]]);
}

#[tokio::test]
async fn reads_a_post_from_a_file_or_stdin() {
    let place = Place::new().await;
    let file = place.home.path().join("post.txt");
    std::fs::write(&file, "- one\r\n\n").unwrap();
    let typed = format!("@{}", file.display());
    let post = place.run(&["post", "create", &typed, "--json"]).json();
    assert_eq!(post["body"], "- one\r\n");
    let post = place
        .program(&["post", "create", "-", "--json"])
        .stdin("@two\n");
    assert_eq!(post.run().json()["body"], "@two");
    place.run(&["post", "create"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: the text of the post is missing
        hint: pass it as an argument, or add --editor to write it in your editor
    "#]]);
    place
        .run(&["post", "create", "a", "--editor"])
        .check(&expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: the argument '[BODY|@FILE|-]' cannot be used with '--editor'

            Usage: profile post create <BODY|@FILE|->

            For more information, try '--help'.
        "#]]);
}
