//! `profile stats`.

use expect_test::expect;
use mock_server::journal::RequestPattern;
use mock_server::wiremock::matchers::{path, query_param};
use mock_server::wiremock::{Mock, ResponseTemplate};

use crate::program::{Fixture, Run};

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
async fn writes_the_image_atomically() {
    let fixture = Fixture::new().await;
    let path = &*fixture.file("views.svg", "earlier");
    let failed = fixture.run(&["stats", "nobody", "--svg", path]);
    assert!(failed.to_string().starts_with("exit 3\n"), "{failed}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "earlier");
    let both = ["stats", "demo", "grace", "--days", "365", "--svg", path];
    // Statistics of other profiles cover at most 30 days.
    let partly = fixture.run(&both);
    assert!(partly.to_string().starts_with("exit 6\n"), "{partly}");
    let picture = std::fs::read_to_string(path).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("<title id=\"title\">Views of demo</title>"));
    #[cfg(unix)]
    {
        let link = fixture.home.path().join("link.svg");
        std::os::unix::fs::symlink(path, &link).unwrap();
        let through = ["stats", "--days", "1", "--svg", link.to_str().unwrap()];
        fixture.run(&through).stdout();
        assert_ne!(std::fs::read_to_string(path).unwrap(), picture);
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
