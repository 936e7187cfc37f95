//! `profile site`.

use expect_test::expect;

use crate::program::{Place, run};

#[tokio::test]
async fn prints_the_counters_without_a_key() {
    let place = Place::new().await;
    let environment = [("PROFILE_BASE_URL", place.service.uri())];
    run(place.home.path(), &environment, &["site"]).check(&expect![[r#"
        exit 0
        --- stdout
        users	2
        views	86234
        links	3
        --- stderr
    "#]]);
    let table = place.run(&["site", "-o", "table"]);
    assert_eq!(
        table.stdout(),
        "users       2\nviews  86,234\nlinks       3\n"
    );
    assert!(place.run(&["site", "--json"]).json()["users"].is_u64());
}
