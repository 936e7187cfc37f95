//! `profile stats`.

use expect_test::expect;
use mock_server::journal::RequestPattern;
use mock_server::wiremock::matchers::{path, query_param};
use mock_server::wiremock::{Mock, ResponseTemplate};

use crate::program::{Fixture, Run};

#[tokio::test]
async fn defaults_to_the_own_profile() {
    let fixture = Fixture::new().await;
    fixture.run(&["stats", "--days", "3"]).check(&expect![[r#"
        exit 0
        --- stdout
        2026-01-13	27
        2026-01-14	27
        2026-01-15	1
        --- stderr
    "#]]);
    let totals = fixture.run(&["stats", "--days", "3", "--totals"]);
    totals.check(&expect![[r#"
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
        --- stderr
    "#]]);
    let csv = fixture.run(&["stats", "--days", "3", "-o", "csv"]);
    assert!(
        csv.stdout().starts_with("date,views\n2026-01-13,27\n"),
        "{csv}"
    );
    let own = fixture.run(&["stats", "--json"]).json();
    assert_eq!(own["period"]["days"], 30);
    assert_eq!(fixture.run(&["stats", "demo", "--json"]).json(), own);
}

#[tokio::test]
async fn shows_less_of_other_profiles() {
    let fixture = Fixture::new().await;
    fixture
        .run(&["stats", "grace", "--days", "2"])
        .check(&expect![[r#"
            exit 0
            --- stdout
            2026-01-14	27
            2026-01-15	27
            --- stderr
        "#]]);
}

#[tokio::test]
async fn validates_days_before_sending() {
    let fixture = Fixture::new().await;
    for days in ["0", "366", "-1", "many"] {
        let run = fixture.run(&["stats", "--days", days, "--base-url", "http://127.0.0.1:1"]);
        assert!(run.to_string().starts_with("exit 2\n"), "{run}");
    }
    fixture
        .run(&["stats", "grace", "--days", "31"])
        .check(&expect![[r#"
            exit 6
            --- stdout
            --- stderr
            error: the service rejected the request (422: days is 31; expected 1 to 30 for this profile)
        "#]]);
}

#[tokio::test]
async fn reports_an_unknown_handle() {
    let fixture = Fixture::new().await;
    fixture.run(&["stats", "nobody"]).check(&expect![[r#"
        exit 3
        --- stdout
        --- stderr
        error: profile "nobody" was not found (404: no profile has the handle nobody)
    "#]]);
}

#[tokio::test]
async fn reports_a_profile_without_a_handle() {
    let bare = ResponseTemplate::new(200).set_body_string(r#"{"data":{}}"#);
    let fixture = Fixture::responding(bare).await;
    fixture.run(&["stats"]).check(&expect![[r#"
        exit 1
        --- stdout
        --- stderr
        error: the profile in the response does not contain your handle
        hint: pass it: `profile stats HANDLE`
    "#]]);
}

#[tokio::test]
async fn draws_bars_and_shares() {
    let fixture = Fixture::new().await;
    let stats = fixture.program(&["stats", "--days", "3", "-o", "table"]);
    stats.env("COLUMNS", "60").run().check(&expect![[r#"
        exit 0
        --- stdout
        demo  55 views in 3 days, 43,615 in all
              -40.9 % from 93 in the 3 days before

        2026-01-13  █████████████████████████████████████████████ 27
        2026-01-14  █████████████████████████████████████████████ 27
        2026-01-15  █▋ 1

        devices
        desktop   54.5 %  30  ████████████████████▋
        mobile    36.4 %  20  █████████████▊
        tablet     9.1 %   5  ███▍

        countries
        US   45.5 %  25  █████████████████▎
        DE   27.3 %  15  ██████████▎
        GB   12.7 %   7  ████▊
        FR    7.3 %   4  ██▊
        JP    7.3 %   4  ██▊
        --- stderr
    "#]]);
    let stats = ["stats", "--days", "3", "-o", "table", "--plot", "none"];
    let run = fixture.run(&stats);
    assert!(run.stdout().contains("date "), "{run}");
}

#[tokio::test]
async fn groups_many_days_into_weeks_or_months() {
    let fixture = Fixture::new().await;
    let drawn = |days, format| fixture.run(&["stats", "--days", days, "-o", format]);
    let count = |run: &Run| {
        let bars = run.stdout().lines().filter(|line| line.starts_with("20"));
        bars.count()
    };
    let weeks = drawn("40", "table");
    let start = "demo  980 views in 40 days, 43,615 in all\n      \
                 +10.9 % from 884 in the 40 days before\n\
                 each bar is one week, from the date shown to Sunday\n\n\
                 2025-12-07  ";
    assert!(weeks.stdout().starts_with(start), "{weeks}");
    assert_eq!(count(&weeks), 7, "{weeks}");
    let months = drawn("365", "table");
    let legend = "\neach bar is one month; the first and last may be incomplete\n\n2025-01  ";
    assert!(months.stdout().contains(legend), "{months}");
    assert_eq!(count(&months), 13, "{months}");
    assert_eq!(count(&drawn("365", "tsv")), 365);
    let month = drawn("31", "table");
    assert_eq!(count(&month), 31, "{month}");
    // The summary of a long chart comes last, where it stays visible.
    let last = "\n\ndemo  743 views in 31 days, 43,615 in all\n";
    assert!(month.stdout().contains(last), "{month}");
    assert!(month.stdout().starts_with("2025-12-16  "), "{month}");
}

#[tokio::test]
async fn draws_a_plot_in_a_pipe_if_requested() {
    let fixture = Fixture::new().await;
    let plot = |plot, format: &[&str]| {
        let stats = ["stats", "grace", "--days", "9", "--plot", plot];
        fixture.run(&[&stats[..], format].concat())
    };
    plot("spark", &[]).check(&expect![[r#"
        exit 0
        --- stdout
        grace  181 views in 9 days, 42,619 in all
               +18.3 % from 153 in the 9 days before
        2026-01-07  ▅▄▂▂█▅▆▇▇  2026-01-15
        --- stderr
    "#]]);
    let both = fixture.run(&["stats", "demo", "grace", "--days", "9", "--plot", "spark"]);
    let scale = "\nsame scale for all: █ is 36 views a day\n";
    assert!(both.stdout().ends_with(scale), "{both}");
    assert!(plot("bars", &[]).stdout().contains("█"));
    assert_eq!(
        plot("bars", &["-o", "tsv"]).stdout(),
        plot("none", &[]).stdout()
    );
    assert!(plot("bars", &["--json"]).json()["daily"].is_array());
}

#[tokio::test]
async fn shows_the_handles_of_several_profiles() {
    let fixture = Fixture::new().await;
    let both = ["stats", "demo", "grace", "demo", "--days", "2"];
    fixture.run(&both).check(&expect![[r#"
        exit 0
        --- stdout
        demo	2026-01-14	27
        demo	2026-01-15	1
        grace	2026-01-14	27
        grace	2026-01-15	27
        --- stderr
    "#]]);
    let totals = fixture.run(&[&both[..], &["--totals"]].concat());
    let views = "demo\tperiod.views\t28\n";
    assert!(totals.stdout().contains(views), "{totals}");
    assert!(
        totals.stdout().contains("\ngrace\ttotal_views\t42619\n"),
        "{totals}"
    );
    let drawn = fixture.run(&[&both[..], &["-o", "table"]].concat());
    for summary in [
        "demo  28 views in 2 days, 43,615 in all\n      -54.8 % from 62 in the 2 days before\n",
        "\ngrace  54 views in 2 days, 42,619 in all\n       +17.4 % from 46 in the 2 days before\n",
    ] {
        assert!(drawn.stdout().contains(summary), "{drawn}");
    }
    let json = fixture.run(&[&both[..], &["--json"]].concat()).json();
    let one = fixture
        .run(&["stats", "grace", "--days", "2", "--json"])
        .json();
    assert_eq!(json[0]["handle"], "demo");
    assert_eq!(
        json[1],
        serde_json::json!({"handle": "grace", "stats": one})
    );
}

#[tokio::test]
async fn continues_after_a_failed_handle() {
    let fixture = Fixture::new().await;
    let some = ["stats", "nobody", "grace", "a b", "--days", "1"];
    fixture.run(&some).check(&expect![[r#"
        exit 3
        --- stdout
        grace	2026-01-15	27
        --- stderr
        error: profile "nobody" was not found (404: no profile has the handle nobody)
        error: profile "a b" was not found (404: no profile has the handle a b)
    "#]]);
    let json = fixture.run(&[&some[..], &["--json"]].concat()).error();
    assert_eq!(json["failures"][0]["id"], "nobody");
    assert_eq!(json["exit_code"], 3);
}

#[tokio::test]
async fn writes_the_image_atomically() {
    let fixture = Fixture::new().await;
    let file = fixture.home.path().join("views.svg");
    std::fs::write(&file, "earlier").unwrap();
    let path = file.to_str().unwrap();
    let failed = fixture.run(&["stats", "nobody", "--svg", path]);
    assert!(failed.to_string().starts_with("exit 3\n"), "{failed}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "earlier");
    let both = ["stats", "demo", "grace", "--days", "365", "--svg", path];
    // Statistics of other profiles cover at most 30 days.
    let partly = fixture.run(&both);
    assert!(partly.to_string().starts_with("exit 6\n"), "{partly}");
    let picture = std::fs::read_to_string(&file).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("<title id=\"title\">Views of demo</title>"));
    #[cfg(unix)]
    {
        let link = fixture.home.path().join("link.svg");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let through = ["stats", "--days", "1", "--svg", link.to_str().unwrap()];
        fixture.run(&through).stdout();
        assert_ne!(std::fs::read_to_string(&file).unwrap(), picture);
    }
    let nowhere = fixture.run(&["stats", "--days", "1", "--svg", "/nowhere/views.svg"]);
    nowhere.check(&expect![[r#"
        exit 1
        --- stdout
        --- stderr
        error: /nowhere/views.svg cannot be written: No such file or directory (os error 2)
    "#]]);
}

#[tokio::test]
async fn prints_only_the_image_to_stdout() {
    let fixture = Fixture::new().await;
    let run = fixture.run(&["stats", "--days", "1", "--svg", "-"]);
    assert!(run.stdout().starts_with("<svg "), "{run}");
    assert!(run.stdout().ends_with("</svg>\n"), "{run}");
}

#[tokio::test]
async fn the_json_shape_depends_on_the_arguments() {
    let fixture = Fixture::new().await;
    let twice = fixture.run(&["stats", "demo", "demo", "--json"]).json();
    assert_eq!(twice.as_array().unwrap().len(), 1);
    let lines = fixture.run(&["stats", "demo", "demo", "-o", "tsv"]);
    assert!(lines.stdout().starts_with("demo\t2025-12-"), "{lines}");
}

#[tokio::test]
async fn curl_uses_a_placeholder_for_the_own_handle() {
    let fixture = Fixture::new().await;
    let base_url = ["--base-url", "http://127.0.0.1:1"];
    let curl = ["stats", "--curl", "--days", "7"];
    fixture
        .run(&[&curl[..], &base_url].concat())
        .check(&expect![[r#"
            exit 0
            --- stdout
            printf 'Authorization: Bearer %s\n' "$PROFILE_API_KEY" |
              curl --path-as-is --globoff --noproxy '*' 'http://127.0.0.1:1/api/v1/me' -H @-
            printf 'Authorization: Bearer %s\n' "$PROFILE_API_KEY" |
              curl --path-as-is --globoff --noproxy '*' 'http://127.0.0.1:1/api/v1/users/HANDLE/stats?days=7' -H @-
            --- stderr
            note: replace HANDLE in the second command with the handle that the first one prints
        "#]]);
    let curl = ["stats", "a b", "c", "--curl"];
    let named = fixture.run(&[&curl[..], &base_url].concat());
    for path in ["users/a%20b/stats' -H @-\n", "users/c/stats' -H @-\n"] {
        assert_eq!(named.stdout().matches(path).count(), 1, "{named}");
    }
    assert_eq!(named.stderr(), "");
}

#[tokio::test]
async fn missing_counts_are_not_zero() {
    for (body, expected) in [
        (r#"{"data":{}}"#, "demo  no view counts\n"),
        (r#"{"data":{"total_views":5}}"#, "demo  5 views in all\n"),
    ] {
        let answer = ResponseTemplate::new(200).set_body_string(body);
        let fixture = Fixture::responding(answer).await;
        let drawn = fixture.run(&["stats", "demo", "--plot", "spark"]);
        assert_eq!(drawn.stdout(), expected);
    }
}

/// Answers the request for this number of days, which is sent once.
async fn answer(fixture: &Fixture, days: &str, template: ResponseTemplate) {
    let request = Mock::given(path("/api/v1/users/demo/stats")).and(query_param("days", days));
    let answer = request.respond_with(template).with_priority(1).expect(1);
    answer.mount(fixture.service.mocks().await).await;
}

fn period(days: u64, views: u64) -> ResponseTemplate {
    let data = serde_json::json!({"total_views": 9, "period": {"days": days, "views": views}});
    ResponseTemplate::new(200).set_body_json(serde_json::json!({"data": data}))
}

#[tokio::test]
async fn compares_with_the_period_before() {
    for (views, both, expected) in [
        (9, 12, "      +200.0 % from 3 in the 3 days before\n"),
        (3, 9, "      -50.0 % from 6 in the 3 days before\n"),
        (3, 6, "      ±0.0 % from 3 in the 3 days before\n"),
        (1_003, 1_003, "      +1,003 from 0 in the 3 days before\n"),
        // A count that decreased between the requests.
        (3, 2, ""),
    ] {
        let fixture = Fixture::new().await;
        answer(&fixture, "3", period(3, views)).await;
        answer(&fixture, "6", period(6, both)).await;
        let drawn = fixture.run(&["stats", "--days", "3", "--plot", "spark"]);
        let summary = drawn.stdout().split_once('\n').unwrap();
        assert_eq!(summary.1, expected, "{drawn}");
    }
}

#[tokio::test]
async fn compares_only_within_the_limits_of_days() {
    let fixture = Fixture::new().await;
    for (arguments, is_compared) in [
        (&["--days", "182"][..], true),
        (&["--days", "183"], false),
        (&[], true),
        // The devices of a response show that the profile is the own one.
        (&["demo", "--days", "182"], true),
        (&["grace", "--days", "15"], true),
        (&["grace", "--days", "16"], false),
        (&["grace"], false),
        (&["grace", "demo", "--days", "15"], true),
    ] {
        let drawn = fixture.run(&[&["stats", "-o", "table"], arguments].concat());
        let compared = drawn.stdout().contains(" days before");
        assert_eq!(compared, is_compared, "{arguments:?}: {drawn}");
    }
    let rejected = RequestPattern::new("GET", "/users/{handle}/stats").status(422);
    fixture.service.expect_matching(rejected).never();
}

#[tokio::test]
async fn only_drawings_take_a_second_request() {
    let fixture = Fixture::new().await;
    for arguments in [
        &[][..],
        &["--json"],
        &["-o", "csv"],
        &["--totals", "-o", "table"],
        &["--plot", "none"],
        &["--plot", "spark", "--json"],
        &["--svg", "-"],
    ] {
        fixture.run(&[&["stats"], arguments].concat()).stdout();
        let stats = RequestPattern::new("GET", "/users/{handle}/stats").query("days", "60");
        fixture.service.expect_matching(stats).never();
    }
}

#[tokio::test]
async fn a_failed_comparison_is_left_out() {
    let limited = ResponseTemplate::new(429).insert_header("Retry-After", "1");
    for template in [
        limited,
        ResponseTemplate::new(503),
        ResponseTemplate::new(422),
        ResponseTemplate::new(200),
        // The service returned fewer days than requested.
        period(3, 12),
    ] {
        let fixture = Fixture::new().await;
        answer(&fixture, "3", period(3, 9)).await;
        answer(&fixture, "6", template).await;
        let drawn = fixture.run(&["stats", "demo", "--days", "3", "--plot", "spark"]);
        assert_eq!(drawn.stdout(), "demo  9 views in 3 days, 9 in all\n");
        assert_eq!(drawn.stderr(), "");
        fixture.service.mocks().await.verify().await;
    }
}

#[tokio::test]
async fn a_negative_number_of_days_is_out_of_range() {
    let rejected = Fixture::new()
        .await
        .run(&["stats", "--days", "-3"])
        .usage_error();
    assert!(!rejected.contains("tip"), "{rejected}");
    assert!(rejected.contains("1 to 365"), "{rejected}");
}
