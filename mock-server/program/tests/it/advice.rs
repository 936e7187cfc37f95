//! Advice on behavior that is not a violation.

use serde_json::{Value, json};

use crate::command::command;
use crate::run::{output_of, request};
use crate::serving::{Serving, serve};

/// Returns the kinds of advice with their counts.
fn advice(serving: &Serving) -> Vec<(String, u64)> {
    let advice = serving.read("/advice");
    let advice = advice.as_array().unwrap().iter();
    let count = |one: &Value| {
        let kind = one["kind"].as_str().unwrap().to_owned();
        (kind, one["count"].as_u64().unwrap())
    };
    advice.map(count).collect()
}

fn add_fault(serving: &Serving, fault: Value) {
    let rule = json!({"times": 1, "fault": fault});
    serving.order(201, "POST /worlds/default/faults", rule);
}

fn one(kind: &str) -> [(String, u64); 1] {
    [(kind.to_owned(), 1)]
}

#[test]
fn a_request_before_the_end_of_retry_after() {
    let serving = serve(&[]);
    let limited = |seconds: &str| json!({"rate_limited": {"retry_after": seconds}});
    let rejected = || assert_eq!(serving.request("GET /me").send().status, 429);

    add_fault(&serving, limited("0"));
    rejected();
    serving.request("GET /me").data(200);
    add_fault(&serving, limited("3600"));
    rejected();
    let hour = json!({"seconds": 3600});
    serving.order(200, "POST /worlds/default/clock/advance", hour);
    serving.request("GET /me").data(200);
    add_fault(&serving, limited("3600"));
    rejected();
    serving.request("GET /badges").data(200);
    assert_eq!(advice(&serving), []);

    serving.request("GET /me").data(200);
    serving.request("GET /me").data(200);
    assert_eq!(advice(&serving), one("retry_after_ignored"));
    let found = serving.read("/advice");
    let first = found[0]["first"].as_str().unwrap();
    let is_sentence = first.starts_with("GET /api/v1/me: sent again after 0.");
    assert!(
        is_sentence && first.ends_with(" s; Retry-After requested 3600 s"),
        "{first}"
    );

    serving.order(204, "DELETE /worlds/default/violations", Value::Null);
    assert_eq!(advice(&serving), []);
    add_fault(&serving, limited("Fri, 01 Jan 2100 00:00:00 GMT"));
    rejected();
    serving.request("GET /me").data(200);
    assert_eq!(advice(&serving), one("retry_after_ignored"));
}

#[test]
fn a_post_after_a_lost_response() {
    let serving = serve(&[]);
    let post = || {
        serving
            .request("POST /me/posts")
            .json(json!({"body": "Hello"}))
    };
    let lose = |fault: Value| {
        add_fault(&serving, json!({"wire": fault}));
        post().begin().read_until_closed();
    };
    lose(json!("reset"));
    serving.request("GET /me").data(200);
    post().data(201);
    lose(json!({"dribble": {"bytes": 1000, "milliseconds": 0}}));
    post().data(201);
    lose(json!({"cut": {"after": 1}}));
    serving.post("Bye");
    assert_eq!(advice(&serving), []);

    post().data(201);
    post().data(201);
    assert_eq!(advice(&serving), one("post_repeated"));
    let violations = serving.read("/violations");
    assert_eq!(violations, json!([]));
}

#[test]
fn a_key_in_the_query() {
    let serving = serve(&[]);
    let key = serving.key("all");
    serving.request("GET /users/demo/stats?days=7").data(200);
    serving.request(&format!("GET /me?key={key}")).data(200);
    let advice = serving.read("/advice");
    assert_eq!(advice[0]["kind"], "key_in_query");
    assert!(!advice.to_string().contains(key));
    serving.order(204, "POST /worlds/default/reset", Value::Null);
    assert_eq!(self::advice(&serving), []);
}

#[test]
fn run_reports_advice_without_failing() {
    let reads = command(|call| {
        let key = &call.environment["PROFILE_API_KEY"];
        request(call, &format!("GET /api/v1/me?key={key}")).send();
        0
    });
    let directory = tempfile::TempDir::new().unwrap();
    let report = directory.path().join("report.json");
    let options = ["--report", report.to_str().unwrap()];
    let (code, _, stderr) = output_of("run", &options, &reads);
    assert_eq!(code, Some(0), "{stderr}");
    let expected = "mock-server: advice: key_in_query (1 time): Send the key only in the Authorization \
                    header: URLs end up in logs.\n  GET /api/v1/me: the query contains a key\n";
    assert!(stderr.contains(expected), "{stderr}");
    let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(report["advice"][0]["count"], 1);
    assert_eq!(report["violations"], json!([]));
}
