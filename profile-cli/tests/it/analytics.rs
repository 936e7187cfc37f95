//! `profile analytics`.

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;

use crate::program::Fixture;

#[tokio::test]
async fn prints_the_counts() {
    let fixture = Fixture::new().await;
    fixture.run(&["analytics"]).check(&expect![[r#"
        exit 0
        --- stdout
        views	43615
        likes	3634
        social.comments	436
        social.followers	872
        social.following	545
        --- stderr
    "#]]);
    let table = fixture.run(&["analytics", "-o", "table"]);
    assert!(
        table.stdout().starts_with("views             43,615\n"),
        "{table}"
    );
    assert!(fixture.run(&["analytics", "--json"]).json()["likes"].is_u64());
}

#[tokio::test]
async fn prints_unknown_shapes_unchanged() {
    let odd =
        r#"{"data":{"views":{"total":7,"by":"day"},"likes":"plenty","social":{"a":{"b":2}}}}"#;
    let odd = ResponseTemplate::new(200).set_body_string(odd);
    let fixture = Fixture::responding(odd).await;
    fixture.run(&["analytics"]).check(&expect![[r#"
        exit 0
        --- stdout
        views	7
        likes	"plenty"
        social.a.b	2
        --- stderr
    "#]]);
}
