//! `profile link`.

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;
use serde_json::json;

use crate::program::Fixture;

#[tokio::test]
async fn lists_links() {
    let fixture = Fixture::new().await;
    fixture.run(&["link", "list"]).check(&expect![[r#"
        exit 0
        --- stdout
        link_1	Homepage	https://example.com/demo
        link_2	Code	https://example.com/demo/code
        --- stderr
    "#]]);
    let listed = fixture.run(&["links", "list", "--json"]).json();
    assert_eq!(listed[1]["id"], "link_2");
    assert!(listed[1]["created_at"].is_string());
}

#[tokio::test]
async fn adds_edits_and_deletes_a_link() {
    let fixture = Fixture::new().await;
    let add = [
        "link",
        "add",
        "--title",
        "My site",
        "--url",
        "HTTPS://Example.org",
    ];
    fixture.run(&add).check(&expect![[r#"
        exit 0
        --- stdout
        id	link_6
        title	My site
        url	HTTPS://Example.org
        --- stderr
    "#]]);
    fixture
        .run(&["link", "edit", "link_6", "--title", "Tab\there"])
        .check(&expect![[r#"
            exit 0
            --- stdout
            id	link_6
            title	Tab\there
            url	HTTPS://Example.org
            --- stderr
        "#]]);
    let edited = fixture
        .run(&["link", "edit", "link_6", "--url", "x:y", "--json"])
        .json();
    assert_eq!(edited["title"], "Tab\there");
    assert_eq!(edited["url"], "x:y");
    fixture
        .run(&["link", "delete", "link_6", "--yes"])
        .check(&expect![[r#"
            exit 0
            --- stdout
            Deleted link "link_6" ("Tab\\there", "x:y").
            --- stderr
        "#]]);
    let listed = fixture.run(&["link", "list", "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn deleting_without_a_terminal_requires_yes() {
    let fixture = Fixture::new().await;
    fixture
        .run(&["link", "delete", "link_1"])
        .check_needs_consent();
    let listed = fixture.run(&["link", "list", "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn tries_and_reports_all_ids() {
    let fixture = Fixture::new().await;
    let delete = ["link", "delete", "nope", "link_1", "neither", "--yes"];
    fixture.run(&delete).check(&expect![[r#"
        exit 3
        --- stdout
        Deleted link "link_1" ("Homepage", "https://example.com/demo").
        --- stderr
        error: link "nope" was not found (404: the key's owner has no link with the id nope)
        error: link "neither" was not found (404: the key's owner has no link with the id neither)
        hint: `profile link list` shows the IDs
    "#]]);
    let delete = ["link", "delete", "nope", "link_2", "--yes", "--json"];
    fixture.run(&delete).check(&expect![[r#"
        exit 3
        --- stdout
        [{"id":"link_2","result":"deleted","title":"Code","url":"https://example.com/demo/code"}]
        --- stderr
        {"error":{"code":"not_found","exit_code":3,"hint":"`profile link list` shows the IDs","id":"nope","message":"link \"nope\" was not found (404: the key's owner has no link with the id nope)","retryable":false,"status":404}}
    "#]]);
}

#[tokio::test]
async fn edit_requires_a_change() {
    Fixture::new()
        .await
        .run(&["link", "edit", "link_1"])
        .check(&expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: the following required arguments were not provided:
              <--title <TITLE>|--url <URL>>

            Usage: profile link edit <--title <TITLE>|--url <URL>> <ID|TITLE>

            For more information, try '--help'.
        "#]]);
}

#[tokio::test]
async fn rejects_a_relative_url() {
    let add = ["link", "add", "--title", "t", "--url", "example.org"];
    Fixture::new().await.run(&add).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: --url: url "example.org" is not an absolute URL (relative URL without a base); expected one such as https://example.org
    "#]]);
}

#[tokio::test]
async fn fails_if_the_profile_has_no_list_of_links() {
    let bare = ResponseTemplate::new(200).set_body_string(r#"{"data":{"display_name":"Ada"}}"#);
    let fixture = Fixture::responding(bare).await;
    fixture.run(&["link", "list"]).check(&expect![[r#"
        exit 1
        --- stdout
        --- stderr
        error: the profile in the response does not contain your links
        hint: `profile show --json` prints the complete profile
    "#]]);
}

#[tokio::test]
async fn no_links_are_an_empty_list() {
    let fixture = Fixture::new().await;
    let clear = |world: &mut mock_server::World| world.account_mut("demo").unwrap().links.clear();
    fixture.service.update(clear).unwrap();
    assert_eq!(fixture.run(&["link", "list"]).stdout(), "");
    assert_eq!(fixture.run(&["link", "list", "--json"]).json(), json!([]));
}

#[tokio::test]
async fn prints_columns_of_a_sentence_on_request() {
    let fixture = Fixture::new().await;
    let delete = ["link", "delete", "link_1", "link_2", "--yes", "-o"];
    let csv = fixture.run(&[&delete[..], &["csv"]].concat());
    csv.check(&expect![[r#"
            exit 0
            --- stdout
            field,value
            id,link_1
            result,deleted
            title,Homepage
            url,https://example.com/demo
            id,link_2
            result,deleted
            title,Code
            url,https://example.com/demo/code
            --- stderr
        "#]]);
    let fixture = Fixture::new().await;
    let tsv = fixture.run(&[&delete[..], &["tsv"]].concat());
    let rows = csv.stdout().strip_prefix("field,value\n").unwrap();
    assert_eq!(tsv.stdout(), rows.replace(',', "\t"));
    assert_eq!(tsv.stderr(), "");
}

#[tokio::test]
async fn a_deletion_prints_what_it_deletes() {
    let fixture = Fixture::new().await;
    let missing = fixture.run(&["link", "delete", "link_1", "nope", "--dry-run", "--json"]);
    assert_eq!(
        missing.error()["message"],
        "the profile has no link \"nope\""
    );
    assert_eq!(missing.code(), 3);
    let shown = fixture
        .run(&["link", "delete", "link_1", "--dry-run", "--json"])
        .json();
    let link = json!({"title": "Homepage", "url": "https://example.com/demo"});
    assert_eq!(
        shown["changes"],
        json!([{"what": "link", "id": "link_1", "from": link, "to": null}])
    );
    let deleted = fixture
        .run(&["link", "delete", "link_1", "--yes", "--json"])
        .json();
    let title_and_url = (&deleted["title"], &deleted["url"]);
    assert_eq!(
        title_and_url,
        (&"Homepage".into(), &"https://example.com/demo".into())
    );
    let deleted = fixture
        .run(&["post", "delete", "post_3", "--yes", "--json"])
        .json();
    assert!(deleted["body"].is_string(), "{deleted}");
}

#[tokio::test]
async fn a_unique_title_names_a_link() {
    let fixture = Fixture::new().await;
    let edit = ["link", "edit", "Homepage", "--title", "link_2", "--json"];
    assert_eq!(fixture.run(&edit).json()["id"], "link_1");
    // An ID wins over a title.
    let edit = ["link", "edit", "link_2", "--title", "Homepage", "--json"];
    assert_eq!(fixture.run(&edit).json()["id"], "link_2");
    let delete = ["link", "delete", "Homepage", "--yes", "--json"];
    assert_eq!(fixture.run(&delete).json()["id"], "link_2");
    for _ in 0..2 {
        let add = ["link", "create", "--title", "Twice", "--url", "x:y"];
        fixture.run(&add).stdout();
    }
    let ambiguous = fixture
        .run(&["link", "delete", "Twice", "--yes", "--json"])
        .error();
    assert_eq!(
        ambiguous["message"],
        "several links have the title \"Twice\""
    );
    assert_eq!(ambiguous["hint"], "pass an ID: link_6, link_7");
    let prompt = fixture
        .run(&["link", "delete", "nowhere", "--yes", "--json"])
        .error();
    assert_eq!(prompt["hint"], "`profile link list` shows the IDs");
    let unknown = fixture
        .run(&["link", "edit", "nowhere", "--title", "t", "--json"])
        .error();
    assert_eq!(unknown["hint"], "`profile link list` shows the IDs");
}

#[tokio::test]
async fn a_title_is_an_id_if_the_service_shows_no_links() {
    let mut dialect = mock_server::Dialect::default();
    dialect.me_fields = mock_server::dialect::MeFields::Minimal;
    let builder = mock_server::MockServer::builder().dialect(dialect);
    let fixture = Fixture::of(builder.start().await.unwrap());
    let edit = fixture.run(&["link", "edit", "link_1", "--title", "t", "--json"]);
    assert_eq!(edit.json()["title"], "t");
    assert_eq!(
        fixture
            .run(&["link", "edit", "Code", "--title", "t"])
            .code(),
        3
    );
}

#[tokio::test]
async fn a_deletion_without_the_scope_sends_nothing() {
    let fixture = Fixture::new().await;
    let key = &fixture.service.keys().social;
    for further in [&["--yes"][..], &["--dry-run"]] {
        let delete = [&["link", "delete", "link_1", "link_2", "--json"], further].concat();
        let run = fixture.run_with_key(key, &delete);
        assert_eq!(
            run.error()["message"],
            "the key lacks the scope links:write"
        );
        assert_eq!(run.code(), 5);
    }
    let requests = fixture.service.journal().requests().into_iter();
    assert_eq!(
        requests.filter(|request| request.method != "GET").count(),
        0
    );
}

#[tokio::test]
async fn a_created_link_has_the_columns_of_the_list_in_csv() {
    let fixture = Fixture::new().await;
    let columns = |arguments: &[&str]| {
        let run = fixture.run(&[arguments, &["-o", "csv"]].concat());
        run.stdout().lines().next().unwrap().to_owned()
    };
    let add = ["link", "add", "--title", "t", "--url", "https://t.example"];
    let list = columns(&["link", "list"]);
    assert_eq!(columns(&add), list);
    assert_eq!(columns(&["link", "edit", "link_1", "--title", "t"]), list);
    assert_eq!(
        columns(&["post", "create", "p"]),
        columns(&["post", "list"])
    );
}

#[tokio::test]
async fn warns_about_urls_that_browsers_run() {
    let fixture = Fixture::new().await;
    for url in [
        "javascript:alert(1)",
        "JavaScript:x",
        "data:text/html,x",
        "vbscript:x",
    ] {
        let add = ["link", "add", "--title", "t", "--url", url];
        let run = fixture.run(&add);
        assert!(run.stdout().contains(url), "{run}");
        assert!(run.stderr().contains("warning: "), "{run}");
        let edit = fixture.run(&["link", "edit", "link_1", "--url", url]);
        assert!(edit.stderr().contains("warning: "), "{edit}");
    }
    let run = fixture.run(&["link", "add", "--title", "t", "--url", "https://a.example"]);
    assert_eq!(run.stderr(), "");
}

#[tokio::test]
async fn title_and_url_are_arguments_or_options() {
    let url = "https://example.org/";
    for arguments in [
        &["Blog", url][..],
        &["--title", "Blog", "--url", url],
        &["Blog", "--url", url],
    ] {
        let fixture = Fixture::new().await;
        let added = fixture.run(&[&["link", "add", "--json"], arguments].concat());
        assert_eq!(added.json()["title"], "Blog", "{added}");
        assert_eq!(added.json()["url"], url, "{added}");
    }
    let fixture = Fixture::new().await;
    for arguments in [
        &["add", "Blog"][..],
        &["add", url, "--title", "Blog"],
        &["add", "Blog", " https://example.org"],
        &["add", "--title", "Blog", "--url", "https://example.org\n"],
        &["edit", "link_1", "--url", "\thttps://example.org"],
    ] {
        let rejected = fixture.run(&[&["link"], arguments].concat()).usage_error();
        let has_spaces = arguments.iter().any(|text| text.trim() != *text);
        let message = "the URL has spaces around it; remove them";
        assert_eq!(rejected.contains(message), has_spaces, "{rejected}");
    }
    assert!(fixture.service.journal().requests().is_empty());
}
