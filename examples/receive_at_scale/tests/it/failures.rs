//! The table of failures in `operations.md`: each row has a test, and names what the log and the metrics show.

use std::fs;
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use receive_at_scale::{MAX_PENDING_BYTES, StoreError};
use tokio::time::timeout;

use crate::{open, start_broker};

const DEADLINE: Duration = Duration::from_secs(60);

const PAGE: &str = include_str!("../../operations.md");

/// The start of each row, and its tests.
#[rustfmt::skip]
const TESTS: [(&str, &[&str]); 21] = [
    ("A receiver dies", &[
        "one_worker_handles_every_acknowledged_event_exactly_once",
        "shutdown_waits_for_a_delivery_of_a_sender_that_hung_up",
    ]),
    ("A worker dies", &["a_cluster_survives_a_dead_leader_receiver_and_worker"]),
    ("All workers are down", &["the_program_lists_and_replays_dead_letters"]),
    ("The only broker is down", &[
        "a_receiver_serves_while_the_broker_is_absent",
        "a_delivery_with_503_is_not_stored_later",
        "responds_with_503_without_a_broker",
    ]),
    // Tried by hand.
    ("The broker has no JetStream", &[]),
    ("The only broker's data is lost", &[
        "a_worker_handles_the_events_of_a_new_stream", "a_worker_that_is_new_logs_how_many_events_it_handles",
    ]),
    ("Another stream has the subject", &[
        "the_program_ends_if_another_stream_has_the_subject",
        "an_event_that_another_stream_would_store_is_rejected",
    ]),
    ("The broker refuses the credentials", &["refused_credentials_are_logged_after_a_restart_of_the_broker"]),
    ("A worker's consumer is deleted", &["a_worker_that_is_new_logs_how_many_events_it_handles"]),
    ("A sender disconnects", &["a_delivery_of_a_sender_that_hangs_up_is_logged_and_counted"]),
    ("One of three brokers dies", &[
        "stores_events_while_one_of_three_brokers_is_dead_and_none_while_two_are",
        "a_cluster_survives_a_dead_leader_receiver_and_worker",
        "a_cluster_stores_every_event_although_leaders_are_paused_and_killed",
    ]),
    ("Two of three brokers die", &["stores_events_while_one_of_three_brokers_is_dead_and_none_while_two_are"]),
    ("The stream is full", &["a_full_stream_rejects_new_events"]),
    // Tried by hand, as the full disk, which needs a file system of its own.
    ("The broker's `max_file_store` is reached", &[]),
    ("The disk is full", &[]),
    ("A system behind the worker is down", &["an_outage_loses_no_event", "an_event_that_would_be_deleted_before_the_next_attempt_becomes_a_dead_letter"]),
    ("A handler always fails", &["a_worker_counts_attempts_and_every_process_the_backlog"]),
    ("A burst", &["deliveries_beyond_the_limit_are_rejected_at_once"]),
    ("Slow senders", &[
        "closes_the_connections_of_slow_senders",
        "connections_without_a_request_make_room_for_others",
        "the_health_check_has_places_of_its_own",
        "responds_with_408_to_a_body_that_does_not_arrive",
    ]),
    ("A body that the broker does not accept", &["responds_with_413_to_a_body_that_the_broker_does_not_accept"]),
    ("Wrong or rotated secret", &["a_receiver_counts_and_logs_deliveries"]),
];

/// Returns the text of all Rust files in a folder.
fn sources(folder: &str) -> String {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => text += &fs::read_to_string(path).unwrap(),
            }
        }
    }
    text
}

#[test]
fn each_failure_has_a_test_a_log_line_and_a_metric() {
    let (_, table) = PAGE.split_once("| failure |").unwrap();
    let rows: Vec<&str> = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with("| "))
        .collect();
    let tests = sources("tests");
    // The texts of the broker are in the tests.
    let texts = sources("src") + &tests;
    assert_eq!(rows.len(), TESTS.len());
    for (row, (start, names)) in rows.iter().zip(TESTS) {
        let cells: Vec<_> = row.split('|').skip(1).map(str::trim).collect();
        assert!(cells[0].starts_with(start), "{row}");
        for name in names {
            assert!(tests.contains(&format!("async fn {name}()")), "{name}");
        }
        // What the broker reports is only in tests.
        if names.is_empty() {
            continue;
        }
        let shown = cells[3].split('`').skip(1).step_by(2);
        for text in shown.filter(|text| *text != "GET /metrics") {
            let text = text.split_once('=').map_or(text, |(_, value)| value);
            let text = text.trim_matches(['"', '}']);
            assert!(texts.contains(text), "{text} in {row}");
        }
    }
}

#[tokio::test]
async fn deliveries_beyond_the_limit_are_rejected_at_once() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    broker.signal("STOP").await;
    let limit = MAX_PENDING_BYTES / (64 << 10);
    let deliveries = (0..=limit).map(|_| queue.publish("{}".into(), None, None));
    let mut deliveries: FuturesUnordered<_> = deliveries.collect();
    // The others wait for the broker.
    let first = timeout(DEADLINE, deliveries.next()).await.unwrap().unwrap();
    let error = first.unwrap_err();
    assert!(matches!(error, StoreError::TooManyPending), "{error}");
    assert!(
        error
            .to_string()
            .contains("too many deliveries are pending")
    );
    broker.signal("CONT").await;
    while let Some(stored) = timeout(DEADLINE, deliveries.next()).await.unwrap() {
        stored.unwrap();
    }
}
