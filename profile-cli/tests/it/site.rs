//! `profile site` and `profile badges`.

use expect_test::expect;

use crate::program::{Fixture, run};

#[tokio::test]
async fn prints_the_counters_without_a_key() {
    let fixture = Fixture::new().await;
    let environment = [("PROFILE_BASE_URL", fixture.service.uri())];
    run(fixture.home.path(), &environment, &["site"]).check(&expect![[r#"
        exit 0
        --- stdout
        users	2
        views	86234
        links	3
        --- stderr
    "#]]);
    let table = fixture.run(&["site", "-o", "table"]);
    assert_eq!(
        table.stdout(),
        "users       2\nviews  86,234\nlinks       3\n"
    );
    assert!(fixture.run(&["site", "--json"]).json()["users"].is_u64());
}

#[tokio::test]
async fn lists_badges_without_a_key() {
    let fixture = Fixture::new().await;
    let environment = [("PROFILE_BASE_URL", fixture.service.uri())];
    run(fixture.home.path(), &environment, &["badges"]).check(&expect![[r#"
        exit 0
        --- stdout
        early	Early bird	auto	#f59e0b	Joined in the first year
        writer	Writer	auto	#2563eb	Wrote a first post
        --- stderr
    "#]]);
    let table = fixture.run(&["badges", "-o", "table"]);
    table.check(&expect![[r#"
        exit 0
        --- stdout
        Early bird  early   #f59e0b  auto
           Joined in the first year
        Writer      writer  #2563eb  auto
           Wrote a first post
        --- stderr
    "#]]);
    let json = fixture.run(&["badges", "--json"]).json();
    assert_eq!(json[0]["kind"], "auto");
}
