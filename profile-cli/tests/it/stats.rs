//! `profile stats`.

use expect_test::expect;
use mock_server::wiremock::matchers::path;
use mock_server::wiremock::{Mock, ResponseTemplate};

use crate::program::Place;

#[tokio::test]
async fn the_own_profile_is_the_default() {
    let place = Place::new().await;
    place.run(&["stats", "--days", "3"]).check(&expect![[r#"
        exit 0
        --- stdout
        handle	demo
        total_views	43615
        period.days	3
        period.views	55
        devices.desktop	30
        devices.mobile	20
        devices.tablet	5
        countries.US	25
        countries.DE	15
        countries.GB	7
        countries.FR	4
        countries.JP	4
        daily.2026-01-13	27
        daily.2026-01-14	27
        daily.2026-01-15	1
        --- stderr
    "#]]);
    let own = place.run(&["stats", "--json"]).json();
    assert_eq!(own["period"]["days"], 30);
    assert_eq!(place.run(&["stats", "demo", "--json"]).json(), own);
}

#[tokio::test]
async fn another_profile_shows_less() {
    let place = Place::new().await;
    place
        .run(&["stats", "grace", "--days", "2"])
        .check(&expect![[r#"
            exit 0
            --- stdout
            handle	grace
            total_views	42619
            period.days	2
            period.views	54
            daily.2026-01-14	27
            daily.2026-01-15	27
            --- stderr
        "#]]);
}

#[tokio::test]
async fn days_are_bounded_before_anything_is_sent() {
    let place = Place::new().await;
    for days in ["0", "366", "-1", "many"] {
        let run = place.run(&["stats", "--days", days, "--base-url", "http://127.0.0.1:1"]);
        assert!(run.to_string().starts_with("exit 2\n"), "{run}");
    }
    place
        .run(&["stats", "grace", "--days", "31"])
        .check(&expect![[r#"
            exit 6
            --- stdout
            --- stderr
            error: the service refuses this (422: days is 31; 1 to 30 is allowed for this profile)
        "#]]);
}

#[tokio::test]
async fn an_unknown_handle_is_not_found() {
    let place = Place::new().await;
    place.run(&["stats", "nobody"]).check(&expect![[r#"
        exit 3
        --- stdout
        --- stderr
        error: there is no profile "nobody" (404: there is no profile with the handle nobody)
    "#]]);
    place.run(&["stats", "nobody", "--json"]).check(&expect![[r#"
        exit 3
        --- stdout
        --- stderr
        {"error":{"code":"not_found","exit_code":3,"hint":null,"message":"there is no profile \"nobody\" (404: there is no profile with the handle nobody)","retryable":false,"status":404}}
    "#]]);
}

#[tokio::test]
async fn a_service_that_tells_no_handle_is_told_of() {
    let place = Place::new().await;
    let bare = ResponseTemplate::new(200).set_body_string(r#"{"data":{}}"#);
    let bare = Mock::given(path("/api/v1/me")).respond_with(bare);
    bare.mount(place.service.wiremock()).await;
    place.run(&["stats"]).check(&expect![[r#"
        exit 1
        --- stdout
        --- stderr
        error: the service does not tell your handle
        hint: give it: profile stats HANDLE
    "#]]);
}
