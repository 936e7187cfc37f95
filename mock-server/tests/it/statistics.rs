//! `GET /users/{handle}/stats`.

use mock_server::{Clock, MockServer};
use serde_json::{Value, json};

use crate::request::request;

async fn start_on_the_first_of_march() -> MockServer {
    let clock = Clock::fixed("2026-03-01T12:00:00Z").unwrap();
    MockServer::builder().clock(clock).start().await.unwrap()
}

#[track_caller]
fn sum(values: impl IntoIterator<Item = Value>) -> u64 {
    values
        .into_iter()
        .map(|value| value.as_u64().unwrap())
        .sum()
}

fn names(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[tokio::test]
async fn own_statistics_are_complete_and_consistent() {
    let server = start_on_the_first_of_march().await;
    let own = request(&server, "GET /users/demo/stats?days=365").data(200);
    let mut found = names(&own);
    found.sort_unstable();
    assert_eq!(
        found,
        ["countries", "daily", "devices", "period", "total_views"]
    );
    let views = own["period"]["views"].as_u64().unwrap();
    assert_eq!(own["period"], json!({"days": 365, "views": views}));
    let daily = own["daily"].as_array().unwrap();
    assert_eq!(sum(daily.iter().map(|day| day["views"].clone())), views);
    let devices = &own["devices"];
    let counts = ["desktop", "mobile", "tablet"].map(|device| devices[device].clone());
    assert_eq!(names(devices).len(), 3);
    assert_eq!(sum(counts), views);
    let countries = own["countries"].as_array().unwrap();
    assert_eq!(sum(countries.iter().map(|one| one["views"].clone())), views);
    assert!(countries.iter().all(|one| one["code"].is_string()));
    assert!(own["total_views"].as_u64().unwrap() >= views);
}

#[tokio::test]
async fn the_window_ends_today_and_has_one_entry_per_day() {
    let server = start_on_the_first_of_march().await;
    let own = request(&server, "GET /users/demo/stats?days=3").data(200);
    let dates: Vec<_> = own["daily"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| &day["date"])
        .collect();
    assert_eq!(dates, ["2026-02-27", "2026-02-28", "2026-03-01"]);
}

#[tokio::test]
async fn other_query_parameters_are_ignored() {
    let server = start_on_the_first_of_march().await;
    for query in ["?", "?other=5", "?day=1&Days=1"] {
        let statistics = request(&server, &format!("GET /users/demo/stats{query}")).data(200);
        assert_eq!(statistics["period"]["days"], 30);
    }
}

#[tokio::test]
async fn all_time_views_do_not_depend_on_the_window() {
    let server = start_on_the_first_of_march().await;
    let total = |days| {
        request(&server, &format!("GET /users/demo/stats?days={days}")).data(200)["total_views"]
            .take()
    };
    assert_eq!(total(1), total(365));
}

#[tokio::test]
async fn reports_the_range_for_days_out_of_range() {
    let server = MockServer::start().await;
    for (handle, limit) in [("demo", 365), ("grace", 30)] {
        for days in [1, limit] {
            let line = format!("GET /users/{handle}/stats?days={days}");
            let statistics = request(&server, &line).data(200);
            assert_eq!(statistics["period"]["days"], days);
            assert_eq!(statistics["daily"].as_array().unwrap().len(), days);
        }
        for days in ["0", "-1", &(limit + 1).to_string(), "99999999999999999999"] {
            let message = format!("days is {days}; expected 1 to {limit} for this profile");
            request(&server, &format!("GET /users/{handle}/stats?days={days}"))
                .assert_rejected_for(422, "days", "out_of_range", &message);
        }
    }
}

#[tokio::test]
async fn percent_decodes_handles() {
    let server = MockServer::start().await;
    server
        .update(|world| {
            world.add_account("ä/ö 100%");
        })
        .unwrap();
    request(&server, "GET /users/%C3%A4%2F%C3%B6%20100%25/stats").data(200);
    request(&server, "GET /users/%64emo/stats?days=365").data(200);
}

#[tokio::test]
async fn any_key_can_read_and_the_seed_decides_the_numbers() {
    let server = start_on_the_first_of_march().await;
    let read = |server: &MockServer| {
        request(server, "GET /users/grace/stats")
            .key(&server.keys().none)
            .data(200)
    };
    let same = start_on_the_first_of_march().await;
    assert_eq!(read(&server), read(&same));
    let other = MockServer::builder()
        .seed(1)
        .clock(Clock::fixed("2026-03-01T12:00:00Z").unwrap())
        .start()
        .await
        .unwrap();
    assert_ne!(read(&server), read(&other));
}
