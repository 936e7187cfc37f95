//! Metrics and logs of the program.

use std::process::Stdio;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use futures_util::StreamExt;
use receive_at_scale::{Queue, RetryPolicy, metrics_routes, work};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr};
use tokio::time::timeout;
use tower::ServiceExt;
use webhook_verify::{Secret, sign};

use crate::load::{get, program, ready_url, receiver, url};
use crate::local_broker::LocalBroker;
use crate::{DEADLINE, client, open, start_broker};

const SECRET: &str = "whsec_never_in_logs";
/// The reasons in the table of metrics.
const REASONS: [&str; 12] = [
    "stored",
    "duplicate",
    "signature_missing",
    "signature_malformed",
    "signature_mismatch",
    "body_too_large",
    "body_unreadable",
    "slow_sender",
    "not_stored",
    "unconfirmed",
    "too_many_pending",
    "too_many_requests",
];
const BODY: &str = r#"{"data":{"id":"never in logs"}}"#;

/// Starts a receiver as a process, and returns it with the lines of its log.
fn start_receiver(broker: &LocalBroker) -> (Child, Lines<BufReader<ChildStderr>>) {
    let mut receiver = receiver(&broker.url(), "1")
        .env_remove("LOG_LEVEL")
        .env("PROFILE_WEBHOOK_SECRET", SECRET)
        .env("EVENT_KEY", "/data/id")
        .env("METRICS_LISTEN", "127.0.0.1:0")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(receiver.stderr.take().unwrap()).lines();
    (receiver, log)
}

/// Returns the next record. Fails if it contains a secret, or the body as text or numbers.
async fn next_record(log: &mut Lines<BufReader<ChildStderr>>) -> Value {
    let line = timeout(DEADLINE, log.next_line()).await.unwrap();
    let line = line.unwrap().unwrap();
    assert!(
        !line.contains("never in") && !line.contains("never_in") && !line.contains("123, 34"),
        "{line}"
    );
    serde_json::from_str(&line).unwrap()
}

/// Returns the next record with this message.
async fn record(log: &mut Lines<BufReader<ChildStderr>>, message: &str) -> Value {
    loop {
        let record = next_record(log).await;
        if record["message"] == message {
            return record;
        }
    }
}

/// Sends a delivery, and returns the status and the request ID of the response.
async fn deliver(url: &str, signature: &str, request_id: &str) -> (u16, String) {
    let request = client()
        .post(url)
        .header("x-service-signature", signature)
        .header("x-request-id", request_id)
        .body(BODY);
    let response = timeout(DEADLINE, request.send()).await.unwrap().unwrap();
    let id = response.headers()["x-request-id"].to_str().unwrap();
    (response.status().as_u16(), id.to_owned())
}

#[tokio::test]
async fn a_receiver_counts_and_logs_deliveries() {
    let broker = or_skip!(start_broker().await);
    let (mut receiver, mut log) = start_receiver(&broker);
    let url = timeout(DEADLINE, ready_url(&mut receiver)).await.unwrap();
    let address = record(&mut log, "serving metrics").await["address"].clone();
    let address = address.as_str().unwrap();
    let at_start = metrics(address).await;
    for reason in REASONS {
        let counter = format!(r#"webhook_deliveries_total{{reason="{reason}",status="#);
        let mut lines = at_start.lines().filter(|line| line.starts_with(&counter));
        assert!(lines.next().unwrap().ends_with(" 0"), "{at_start}");
    }
    assert!(
        at_start.contains("\nwebhook_deliveries_without_key_total 0\n"),
        "{at_start}"
    );

    let signature = sign(&Secret::new(SECRET).unwrap(), BODY);
    assert_eq!(deliver(&url, &signature, "a-1").await, (204, "a-1".into()));
    let stored = record(&mut log, "stored a delivery").await;
    assert_eq!(stored["span"]["request_id"], "a-1");
    assert_eq!(
        (&stored["sequence"], &stored["reason"]),
        (&1.into(), &"stored".into())
    );

    let (status, id) = deliver(&url, &signature, "").await;
    assert_eq!(status, 204);
    let stored = record(&mut log, "stored a delivery").await;
    assert_eq!(
        (&stored["sequence"], &stored["reason"]),
        (&1.into(), &"duplicate".into())
    );
    assert_eq!(stored["span"]["request_id"], id.as_str());
    assert!(id.len() > 10, "{id}");

    let forged = sign(&Secret::new("another").unwrap(), BODY);
    assert_eq!(deliver(&url, &forged, "a-3").await.0, 401);
    let rejected = record(&mut log, "rejected a delivery").await;
    assert_eq!(
        (&rejected["level"], &rejected["span"]["request_id"]),
        (&"WARN".into(), &"a-3".into())
    );
    assert_eq!(deliver(&url, "sha1=0", "a-4").await.0, 401);

    let metrics = metrics(address).await;
    for expected in [
        r#"webhook_deliveries_total{reason="stored",status="204"} 1"#,
        r#"webhook_deliveries_total{reason="duplicate",status="204"} 1"#,
        r#"webhook_deliveries_total{reason="signature_mismatch",status="401"} 1"#,
        r#"webhook_deliveries_total{reason="signature_malformed",status="401"} 1"#,
    ] {
        assert!(
            metrics.lines().any(|line| line == expected),
            "{expected}: {metrics}"
        );
    }
    assert_eq!(get(&url, "metrics").await.status(), 404);
}

pub(crate) async fn metrics(address: &str) -> String {
    let metrics = client()
        .get(format!("http://{address}/metrics"))
        .send()
        .await;
    metrics.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn deliveries_without_a_key_are_counted_and_logged_once() {
    let broker = or_skip!(start_broker().await);
    let (mut receiver, mut log) = start_receiver(&broker);
    let url = timeout(DEADLINE, ready_url(&mut receiver)).await.unwrap();
    let address = record(&mut log, "serving metrics").await["address"].clone();
    for id in ["null", "[]", "\"\""] {
        let body = format!(r#"{{"data":{{"id":{id}}}}}"#);
        let signature = sign(&Secret::new(SECRET).unwrap(), &body);
        let request = client().post(&url).body(body);
        let sent = request
            .header("x-service-signature", signature)
            .send()
            .await;
        assert_eq!(sent.unwrap().status(), 204);
    }
    let (mut without_key, mut stored) = (0, 0);
    while stored < 3 {
        let record = next_record(&mut log).await;
        let message = record["message"].as_str().unwrap();
        without_key += i32::from(message.starts_with("a delivery has no event key"));
        stored += i32::from(record["reason"] == "stored");
    }
    assert_eq!(without_key, 1, "one line");
    let metrics = metrics(address.as_str().unwrap()).await;
    let expected = "\nwebhook_deliveries_without_key_total 3\n";
    assert!(metrics.contains(expected), "{metrics}");
}

#[tokio::test]
async fn a_worker_counts_attempts_and_every_process_the_backlog() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    let handle = |_| async { Ok(()) };
    work(&queue, "idle", RetryPolicy::default(), handle, async {}).await;
    queue.publish(BODY.into(), None, None).await.unwrap();
    let retry = RetryPolicy {
        first_delay: Duration::from_millis(10),
        max_delay: Duration::from_millis(10),
        max_attempts: 3,
    };
    let (worker_queue, forever) = (queue.clone(), std::future::pending());
    let handle = |_| async { Err("the database is down".into()) };
    let worker =
        tokio::spawn(async move { work(&worker_queue, "observed", retry, handle, forever).await });

    let expected = [
        r#"webhook_event_attempts_total{outcome="failed",worker="observed"} 2"#,
        r#"webhook_event_attempts_total{outcome="dead",worker="observed"} 1"#,
        r#"webhook_backlog{state="dead",worker="observed"} 1"#,
        r#"webhook_backlog{state="waiting",worker="observed"} 0"#,
        r#"webhook_backlog{state="unfinished",worker="observed"} 0"#,
        r#"webhook_event_attempts_total{outcome="handled",worker="idle"} 0"#,
        r#"webhook_event_attempts_total{outcome="failed",worker="idle"} 0"#,
        r#"webhook_event_attempts_total{outcome="dead",worker="idle"} 0"#,
    ];
    let mut found = String::new();
    let counted = async {
        while !expected.iter().all(|line| found.contains(line)) {
            found = metrics_of(&queue).await;
        }
    };
    assert!(timeout(DEADLINE, counted).await.is_ok(), "{found}");
    worker.abort();
}

async fn metrics_of(queue: &Queue) -> String {
    let request = Request::get("/metrics").body(Body::empty()).unwrap();
    let response = metrics_routes(queue.clone())
        .oneshot(request)
        .await
        .unwrap();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    String::from_utf8(body.to_vec()).unwrap()
}

/// Sends deliveries until the status is as expected, and returns the number of other responses.
async fn deliver_until(url: &str, expected: u16) -> u64 {
    let signature = sign(&Secret::new(SECRET).unwrap(), BODY);
    let delivered = async {
        let mut others = 0;
        while deliver(url, &signature, "a-1").await.0 != expected {
            others += 1;
        }
        others
    };
    timeout(DEADLINE, delivered).await.unwrap()
}

#[tokio::test]
async fn a_receiver_serves_while_the_broker_is_absent() {
    let mut broker = or_skip!(start_broker().await);
    broker.kill().await.unwrap();
    let (mut receiver, mut log) = start_receiver(&broker);
    let url = timeout(DEADLINE, url(&mut receiver)).await.unwrap();
    let address = record(&mut log, "serving metrics").await["address"].clone();
    let absent = record(&mut log, "trying again").await;
    let error = absent["error"].as_str().unwrap();
    assert!(
        error.starts_with("could not connect to the broker: "),
        "{error}"
    );
    assert_eq!(deliver_until(&url, 503).await, 0);
    assert_eq!(get(&url, "health").await.status(), 200);
    assert_eq!(get(&url, "ready").await.status(), 503);
    let metrics = metrics(address.as_str().unwrap()).await;
    let expected = r#"webhook_deliveries_total{reason="not_stored",status="503"} 1"#;
    assert!(metrics.contains(expected), "{metrics}");

    broker.restart().await.unwrap();
    let mut rejected = 1 + deliver_until(&url, 204).await;
    broker.kill().await.unwrap();
    deliver_until(&url, 503).await;
    broker.restart().await.unwrap();
    rejected += 1 + deliver_until(&url, 204).await;

    let mut changes = Vec::new();
    while rejected > 0 || changes.len() < 3 {
        let record = next_record(&mut log).await;
        match record["message"].as_str().unwrap() {
            "could not store deliveries" => rejected -= record["deliveries"].as_u64().unwrap(),
            "could not store a delivery" => rejected -= 1,
            change @ ("lost the broker" | "the broker is back") => changes.push(change.to_owned()),
            _ => continue,
        }
        assert_ne!(record["level"], "INFO");
    }
    let expected = [
        "the broker is back",
        "lost the broker",
        "the broker is back",
    ];
    assert_eq!(changes, expected);
}

/// Anyone can cause these messages, requests and answers.
#[tokio::test]
async fn requests_of_strangers_are_logged_at_most_once_a_second() {
    let broker = or_skip!(start_broker().await);
    let (mut receiver, mut log) = start_receiver(&broker);
    let url = timeout(DEADLINE, ready_url(&mut receiver)).await.unwrap();
    let mut ids = vec!["a".repeat(65), "a b".to_owned(), "a\"b\u{e9}".to_owned()];
    ids.push("a".repeat(60_000));
    for id in &ids {
        let (status, replaced) = deliver(&url, "sha1=0", id).await;
        assert_eq!(status, 401);
        assert_ne!(&replaced, id);
        assert!(replaced.len() <= 64);
    }
    let id = "~".repeat(64);
    assert_eq!(deliver(&url, "sha1=0", &id).await, (401, id));

    let start = std::time::Instant::now();
    for _ in 0..300 {
        assert_eq!(deliver(&url, "sha1=0", "a-1").await.0, 401);
    }
    let seconds = start.elapsed().as_secs();
    let (mut lines, mut deliveries) = (0, 0);
    while deliveries < 305 {
        let record = record(&mut log, "rejected a delivery").await;
        deliveries += record["deliveries"].as_u64().unwrap();
        lines += 1;
    }
    assert_eq!(deliveries, 305);
    assert!(lines <= seconds + 3, "{lines} lines in {seconds} seconds");
}

#[tokio::test]
async fn the_broker_is_asked_at_most_once_a_second_whether_a_receiver_is_ready() {
    let broker = or_skip!(start_broker().await);
    let (mut receiver, _log) = start_receiver(&broker);
    let url = timeout(DEADLINE, ready_url(&mut receiver)).await.unwrap();
    let client = async_nats::connect(broker.url()).await.unwrap();
    let subject = "$JS.API.STREAM.INFO.PROFILE_EVENTS";
    let mut questions = client.subscribe(subject).await.unwrap();
    client.flush().await.unwrap();
    let start = std::time::Instant::now();
    for _ in 0..200 {
        assert_eq!(get(&url, "ready").await.status(), 200);
    }
    let seconds = start.elapsed().as_secs() as usize;
    // A message of our own ends the list.
    client.publish(subject, "end".into()).await.unwrap();
    let mut count = 0;
    while timeout(DEADLINE, questions.next())
        .await
        .unwrap()
        .unwrap()
        .payload
        != "end"
    {
        count += 1;
    }
    assert!(
        count <= seconds + 2,
        "{count} questions in {seconds} seconds"
    );
}

#[tokio::test]
async fn refused_credentials_are_logged_after_a_restart_of_the_broker() {
    let mut broker = or_skip!(start_broker().await);
    let (mut receiver, mut log) = start_receiver(&broker);
    let url = timeout(DEADLINE, ready_url(&mut receiver)).await.unwrap();
    let user = ["--user", "ada", "--pass", "another"];
    broker.restart_without_data(&user).await.unwrap();
    record(&mut log, "lost the broker").await;
    let refused = record(&mut log, "the broker refuses the credentials").await;
    assert_eq!(refused["error"], "nats: authorization violation");
    assert_eq!(refused["level"], "ERROR");
    // The last answer is valid for a second.
    let not_ready = async { while get(&url, "ready").await.status() == 200 {} };
    timeout(DEADLINE, not_ready).await.unwrap();
    broker.restart_without_data(&[]).await.unwrap();
    let mut refusals = 0;
    loop {
        match next_record(&mut log).await["message"].as_str().unwrap() {
            "the broker refuses the credentials" => refusals += 1,
            "the broker is back" => break,
            _ => {}
        }
    }
    assert_eq!(refusals, 0, "logged once");
    deliver_until(&url, 204).await;
    // The start of another program.
    broker.restart_without_data(&user).await.unwrap();
    let mut worker = program("work", &broker.url(), "1");
    let output = timeout(DEADLINE, worker.stderr(Stdio::piped()).output()).await;
    let output = output.unwrap().unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("authorization violation"), "{error}");
}
