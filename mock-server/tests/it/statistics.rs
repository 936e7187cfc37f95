//! `GET /users/{handle}/stats`.

use mock_server::{Clock, MockServer, World};
use serde_json::{Value, json};

use crate::request::{request, start_at_noon};

#[track_caller]
fn sum(values: &Value) -> u64 {
    let values = values.as_array().unwrap().iter();
    values.map(|one| one["views"].as_u64().unwrap()).sum()
}

fn names(value: &Value) -> Vec<&str> {
    let names = value.as_object().unwrap().keys();
    names.map(String::as_str).collect()
}

#[tokio::test]
async fn own_statistics_are_complete_and_consistent() {
    let server = start_at_noon().await;
    let own = request(&server, "GET /users/demo/stats?days=365").data(200);
    let mut found = names(&own);
    found.sort_unstable();
    let expected = ["countries", "daily", "devices", "period", "total_views"];
    assert_eq!(found, expected);
    let views = own["period"]["views"].as_u64().unwrap();
    assert_eq!(own["period"], json!({"days": 365, "views": views}));
    assert_eq!(sum(&own["daily"]), views);
    let devices = &own["devices"];
    let counts = ["desktop", "mobile", "tablet"].map(|name| devices[name].as_u64().unwrap());
    assert_eq!(names(devices).len(), 3);
    assert_eq!(counts.iter().sum::<u64>(), views);
    assert_eq!(sum(&own["countries"]), views);
    let mut countries = own["countries"].as_array().unwrap().iter();
    assert!(countries.all(|one| one["code"].is_string()));
    assert!(own["total_views"].as_u64().unwrap() >= views);
    let today = request(&server, "GET /users/demo/stats?days=1").data(200);
    assert_eq!(today["total_views"], own["total_views"]);
}

#[tokio::test]
async fn the_window_ends_today_and_has_one_entry_per_day() {
    let server = start_at_noon().await;
    let own = request(&server, "GET /users/demo/stats?days=3").data(200);
    let daily = own["daily"].as_array().unwrap();
    let dates: Vec<_> = daily.iter().map(|day| &day["date"]).collect();
    assert_eq!(dates, ["2026-02-27", "2026-02-28", "2026-03-01"]);
}

#[tokio::test]
async fn other_query_parameters_are_ignored() {
    let server = start_at_noon().await;
    for query in ["?", "?other=5", "?day=1&Days=1"] {
        let statistics = request(&server, &format!("GET /users/demo/stats{query}")).data(200);
        assert_eq!(statistics["period"]["days"], 30);
    }
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
            let request = request(&server, &format!("GET /users/{handle}/stats?days={days}"));
            request.assert_rejected_for(422, "days", "out_of_range", &message);
        }
    }
}

#[tokio::test]
async fn percent_decodes_handles() {
    let server = MockServer::start().await;
    let add = |world: &mut World| world.add_account("ä/ö 100%").clone();
    server.update(add).unwrap();
    request(&server, "GET /users/%C3%A4%2F%C3%B6%20100%25/stats").data(200);
    request(&server, "GET /users/%64emo/stats?days=365").data(200);
}

#[tokio::test]
async fn any_key_can_read_and_the_seed_decides_the_numbers() {
    let server = start_at_noon().await;
    let read = |server: &MockServer| {
        let request = request(server, "GET /users/grace/stats");
        request.key(&server.keys().none).data(200)
    };
    assert_eq!(read(&server), read(&start_at_noon().await));
    let clock = Clock::fixed("2026-03-01T12:00:00Z").unwrap();
    let other = MockServer::builder().seed(1).clock(clock);
    assert_ne!(read(&server), read(&other.start().await.unwrap()));
}
