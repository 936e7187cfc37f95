//! `profile badge`.

use expect_test::expect;

use crate::program::{Fixture, run};

#[tokio::test]
async fn lists_badges_without_a_key() {
    let fixture = Fixture::new().await;
    let environment = [("PROFILE_BASE_URL", fixture.service.uri())];
    run(fixture.home.path(), &environment, &["badge", "list"]).check(&expect![[r#"
        exit 0
        --- stdout
        early	Early bird	auto	#f59e0b	Joined in the first year
        writer	Writer	auto	#2563eb	Wrote a first post
        --- stderr
    "#]]);
    let table = fixture.run(&["badge", "list", "-o", "table"]);
    table.check(&expect![[r#"
        exit 0
        --- stdout
        Early bird  early   #f59e0b  auto
           Joined in the first year
        Writer      writer  #2563eb  auto
           Wrote a first post
        --- stderr
    "#]]);
    let json = fixture.run(&["badges", "list", "--json"]).json();
    assert_eq!(json[0]["kind"], "auto");
}
