//! `profile set`.

use expect_test::expect;
use serde_json::json;

use crate::program::Place;

#[tokio::test]
async fn the_edited_profile_is_printed() {
    let place = Place::new().await;
    let run = place.run(&["set", "--display-name", "Ada", "--accent-color", "#ff8800"]);
    run.check(&expect![[r#"
        exit 0
        --- stdout
        handle	demo
        display_name	Ada
        bio	I live inside a mock server.\nEdit me as you like.
        location	127.0.0.1
        accent_color	#ff8800
        text_color	#111827
        background_color	#f9fafb
        link link_1	Homepage <https://example.com/demo>
        link link_2	Code <https://example.com/demo/code>
        post post_3	Hello from the mock server!
        badge early	Early bird
        --- stderr
    "#]]);
}

#[tokio::test]
async fn every_field_is_sent_as_it_was_typed() {
    let place = Place::new().await;
    let arguments = [
        "set",
        "--json",
        "--display-name",
        "",
        "--bio",
        "- one\r\ntwo",
        "--location",
        "L",
        "--accent-color",
        "#AbCdEf",
        "--text-color",
        "#000000",
        "--background-color",
        "#FFFFFF",
    ];
    let written = place.run(&arguments).json();
    let read = place.run(&["show", "--json"]).json();
    for profile in [written, read] {
        assert_eq!(profile["display_name"], "");
        assert_eq!(profile["bio"], "- one\r\ntwo");
        assert_eq!(profile["location"], "L");
        assert_eq!(profile["accent_color"], "#AbCdEf");
        assert_eq!(profile["text_color"], "#000000");
        assert_eq!(profile["background_color"], "#FFFFFF");
    }
}

#[tokio::test]
async fn what_is_over_a_limit_never_leaves_the_machine() {
    let place = Place::new().await;
    let before = place.run(&["show", "--json"]).json();
    // No service listens here, so a request that was sent would end otherwise.
    let unreachable = ["--base-url", "http://127.0.0.1:1"];
    let name = "x".repeat(33);
    place
        .run(&[&["set", "--display-name", &name], &unreachable[..]].concat())
        .check(&expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: --display-name: display_name has 33 characters; at most 32 are allowed
        "#]]);
    let lines = "\n".repeat(11);
    place
        .run(&[&["set", "--bio", &lines], &unreachable[..]].concat())
        .check(&expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: --bio: bio has 12 lines; at most 10 are allowed
        "#]]);
    place
        .run(&[&["set", "--text-color", "red", "--json"], &unreachable[..]].concat())
        .check(&expect![[r#"
            exit 2
            --- stdout
            --- stderr
            {"error":{"code":"usage","exit_code":2,"hint":null,"message":"--text-color: color \"red\" is not of the form #rrggbb, for example #ff8800","retryable":false,"status":null}}
        "#]]);
    assert_eq!(place.run(&["show", "--json"]).json(), before);
}

#[tokio::test]
async fn setting_nothing_is_wrong_usage() {
    Place::new().await.run(&["set"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: the following required arguments were not provided:
          <--display-name <NAME>|--bio <TEXT>|--location <TEXT>|--accent-color <COLOR>|--text-color <COLOR>|--background-color <COLOR>>

        Usage: profile set <--display-name <NAME>|--bio <TEXT>|--location <TEXT>|--accent-color <COLOR>|--text-color <COLOR>|--background-color <COLOR>>

        For more information, try '--help'.
    "#]]);
}

#[tokio::test]
async fn an_answer_without_the_profile_is_a_success() {
    use mock_server::wiremock::matchers::method;
    use mock_server::wiremock::{Mock, ResponseTemplate};

    let place = Place::new().await;
    let silent = Mock::given(method("PATCH")).respond_with(ResponseTemplate::new(204));
    silent.mount(place.service.wiremock()).await;
    place.run(&["set", "--location", "L"]).check(&expect![[r#"
        exit 0
        --- stdout
        The service accepted the change without showing it; `profile show` does.
        --- stderr
    "#]]);
    let json = place.run(&["set", "--location", "L", "--json"]).json();
    assert_eq!(json, json!({"result": "updated"}));
}
