//! `profile site`.

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
