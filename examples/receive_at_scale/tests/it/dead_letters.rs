//! Events whose handler fails become dead letters, which can be replayed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use receive_at_scale::{DeadLetter, Event, Queue, RetryPolicy, work};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::{DEADLINE, open, run, settings, start_broker};

/// Gives up after three deliveries.
const RETRY: RetryPolicy = RetryPolicy {
    first_delay: Duration::from_millis(10),
    max_delay: Duration::from_millis(10),
    max_attempts: 3,
};

/// Starts a worker that fails while `is_down`, and sends the event of each call.
fn start_worker(
    queue: &Queue,
    name: &'static str,
    retry: RetryPolicy,
    is_down: &Arc<AtomicBool>,
) -> (mpsc::UnboundedReceiver<Event>, JoinHandle<()>) {
    let (sender, calls) = mpsc::unbounded_channel();
    let is_down = is_down.clone();
    let handle = move |event: Event| {
        sender.send(event).unwrap();
        let failed = is_down.load(Ordering::Relaxed);
        async move {
            match failed {
                true => Err("the database\r\nis down".into()),
                false => Ok(()),
            }
        }
    };
    let queue = queue.clone();
    let working = async move {
        let forever = std::future::pending();
        work(&queue, name, retry, handle, forever).await;
    };
    (calls, tokio::spawn(working))
}

/// Waits until the backlog of the worker is as expected: waiting, unfinished, dead.
async fn wait_for_backlog(queue: &Queue, worker: &str, expected: (u64, u64, u64)) {
    let reached = async {
        loop {
            let backlog = queue.backlog(worker).await.unwrap();
            if (backlog.waiting, backlog.unfinished, backlog.dead_letters) == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let reached = timeout(DEADLINE, reached).await;
    assert!(
        reached.is_ok(),
        "expected {expected:?}, found {:?}",
        queue.backlog(worker).await
    );
}

async fn dead_letters(queue: &Queue, worker: &str) -> Vec<DeadLetter> {
    let (mut letters, mut next) = (Vec::new(), 1);
    while let Some(letter) = queue.dead_letter(worker, next).await.unwrap() {
        next = letter.number + 1;
        letters.push(letter);
    }
    letters
}

#[tokio::test]
async fn an_outage_loses_no_event() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    let is_down = Arc::new(AtomicBool::new(true));
    let (mut calls, _worker) = start_worker(&queue, "mailer", RETRY, &is_down);
    let works = Arc::new(AtomicBool::new(false));
    let (mut others, _other) = start_worker(&queue, "other", RETRY, &works);
    for index in 0..50 {
        let body = format!("event {index}");
        queue
            .publish(body.into(), None, Some("post.liked"))
            .await
            .unwrap();
    }
    wait_for_backlog(&queue, "mailer", (0, 0, 50)).await;
    wait_for_backlog(&queue, "other", (0, 0, 0)).await;
    assert_eq!(calls.len(), 150, "each event was delivered three times");
    let letters = dead_letters(&queue, "mailer").await;
    let mut sequences: Vec<_> = letters.iter().map(|letter| letter.sequence).collect();
    sequences.sort_unstable();
    assert_eq!(sequences, (1..=50).collect::<Vec<_>>());
    assert!(
        letters
            .iter()
            .all(|letter| letter.reason == "the database  is down")
    );
    assert_eq!(dead_letters(&queue, "other").await, []);

    is_down.store(false, Ordering::Relaxed);
    while calls.try_recv().is_ok() {}
    while others.try_recv().is_ok() {}
    for letter in &letters {
        queue.replay(letter).await.unwrap();
    }
    let mut bodies = Vec::new();
    for _ in 0..50 {
        let event = timeout(DEADLINE, calls.recv()).await.unwrap().unwrap();
        assert_eq!(event.unverified_kind.as_deref(), Some("post.liked"));
        bodies.push(event.body);
    }
    bodies.sort_unstable();
    bodies.dedup();
    assert_eq!(bodies.len(), 50);
    wait_for_backlog(&queue, "mailer", (0, 0, 0)).await;
    wait_for_backlog(&queue, "other", (0, 0, 0)).await;
    assert!(
        others.is_empty(),
        "only the worker that gave up handles replayed events"
    );
}

#[tokio::test]
async fn the_program_lists_and_replays_dead_letters() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    let is_down = Arc::new(AtomicBool::new(true));
    let (_calls, worker) = start_worker(&queue, "printer", RETRY, &is_down);
    queue.publish("{}".into(), None, None).await.unwrap();
    wait_for_backlog(&queue, "printer", (0, 0, 1)).await;
    worker.abort();

    for (arguments, expected) in [
        (&["dead"][..], "1\tevent 1\tthe database  is down\n"),
        (&["dead", "--replay"], "replayed 1\n"),
        (&["dead"], ""),
    ] {
        let output = run(arguments, &[("NATS_URL", broker.url())]).await;
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
    wait_for_backlog(&queue, "printer", (1, 0, 0)).await;

    // Receivers and workers try again; a command must not wait without a message.
    let absent = run(&["dead"], &[("NATS_URL", "nats://127.0.0.1:1")]).await;
    assert!(!absent.status.success());
    let error = String::from_utf8_lossy(&absent.stderr);
    let expected = "could not connect to the broker: ";
    assert!(error.starts_with(expected), "{error}");
}

/// The broker deletes an event after `STREAM_MAX_AGE`, and would not redeliver it.
#[tokio::test]
async fn an_event_that_would_be_deleted_before_the_next_attempt_becomes_a_dead_letter() {
    let broker = or_skip!(start_broker().await);
    let mut settings = settings(&broker.url());
    settings.stream_max_age = 600;
    let queue = Queue::open(settings).await.unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let lines = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_writer(std::sync::Mutex::new(log.reopen().unwrap()));
    let _log = tracing::subscriber::set_default(lines.finish());
    let is_down = Arc::new(AtomicBool::new(true));
    for (worker, delay, expected) in [("patient", 590, (0, 1, 0)), ("late", 600, (0, 0, 1))] {
        let delay = Duration::from_secs(delay);
        let retry = RetryPolicy {
            first_delay: delay,
            max_delay: delay,
            max_attempts: 100,
        };
        let (mut calls, working) = start_worker(&queue, worker, retry, &is_down);
        if worker == "patient" {
            queue.publish("{}".into(), None, None).await.unwrap();
        }
        timeout(DEADLINE, calls.recv()).await.unwrap().unwrap();
        wait_for_backlog(&queue, worker, expected).await;
        working.abort();
    }
    let log = std::fs::read_to_string(log.path()).unwrap();
    let line = log
        .lines()
        .find(|line| line.contains("the event became a dead letter"));
    let line: serde_json::Value = serde_json::from_str(line.unwrap()).unwrap();
    let time = |field: &str| async_nats::datetime::parse_rfc3339(line[field].as_str().unwrap());
    let kept = time("kept_until").unwrap() - time("timestamp").unwrap();
    assert!((598..=600).contains(&kept.whole_seconds()), "{line}");
}
