//! The responses of a receiver, and the events that its worker handles.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use receive_at_scale::{
    BODY_TIMEOUT, Backlog, Event, EventKey, MAX_HEADER_BYTES, Queue, RetryPolicy, StoreError,
    routes, work,
};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tower::ServiceExt;
use webhook_verify::{Receiver, Secret, SignedRequest, Verifier, sign};

use crate::local_broker::LocalBroker;
use crate::{open, settings, start_broker, start_broker_with};

/// Much longer than any test takes.
const DEADLINE: Duration = Duration::from_secs(20);

async fn start(broker: &LocalBroker, key: EventKey) -> (Queue, Router) {
    let queue = open(&broker.url()).await.unwrap();
    let verifier = Verifier::new(Secret::new("right").unwrap());
    let app = routes(Receiver::new(verifier), queue.clone(), key);
    (queue, app)
}

async fn deliver(app: &Router, secret: &str, body: &str) -> u16 {
    let secret = Secret::new(secret).unwrap();
    let request = SignedRequest::post("http://localhost/hooks", body.to_owned())
        .sign(&secret)
        .unwrap();
    let response = app.clone().oneshot(request.map(Body::from)).await.unwrap();
    response.status().as_u16()
}

async fn get(app: &Router, path: &str) -> u16 {
    let request = Request::get(path).body(Body::empty()).unwrap();
    app.clone()
        .oneshot(request)
        .await
        .unwrap()
        .status()
        .as_u16()
}

/// Handles events until the queue is empty, and returns their bodies.
async fn handled(queue: &Queue, expected: usize) -> Vec<String> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let handle = move |event: Event| {
        let text = String::from_utf8(event.body.to_vec()).unwrap();
        let sent = sender.send(text);
        async move { Ok(sent?) }
    };
    let mut texts = Vec::new();
    let stop = async {
        while texts.len() < expected {
            texts.push(receiver.recv().await.unwrap());
        }
    };
    timeout(
        DEADLINE,
        work(queue, "test", RetryPolicy::default(), handle, stop),
    )
    .await
    .unwrap();
    assert_eq!(queue.backlog("test").await.unwrap(), Backlog::default());
    texts.sort();
    texts
}

#[tokio::test]
async fn a_worker_waits_until_the_broker_can_create_it() {
    let broker = or_skip!(start_broker().await);
    // Without the streams.
    let queue = Queue::connect(&settings(&broker.url())).await.unwrap();
    let publish = async {
        let (_, app) = start(&broker, EventKey::None).await;
        assert_eq!(deliver(&app, "right", "event").await, 204);
    };
    let (texts, ()) = tokio::join!(handled(&queue, 1), publish);
    assert_eq!(texts, ["event"]);
}

#[tokio::test]
async fn handles_a_duplicate_event_once() {
    let broker = or_skip!(start_broker().await);
    let (queue, app) = start(&broker, EventKey::JsonField("/id".to_owned())).await;
    let first = r#"{"id":"a\r\nb"}"#;
    for body in [first, r#"{"id":2}"#, r#"{"id":"a\r\nb","again":true}"#] {
        assert_eq!(deliver(&app, "right", body).await, 204);
    }
    assert_eq!(deliver(&app, "wrong", r#"{"id":3}"#).await, 401);
    assert_eq!(handled(&queue, 2).await, [first, r#"{"id":2}"#]);
    assert_eq!(get(&app, "/ready").await, 200);
}

/// Beyond the window, an event is handled at least once.
#[tokio::test]
async fn stores_a_duplicate_event_again_after_the_window() {
    let broker = or_skip!(start_broker().await);
    let (queue, _) = start(&broker, EventKey::None).await;
    let client = async_nats::connect(broker.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let stream = context.get_stream("PROFILE_EVENTS").await.unwrap();
    let mut config = stream.cached_info().config.clone();
    let window = std::mem::replace(&mut config.duplicate_window, Duration::from_millis(100));
    context.update_stream(&config).await.unwrap();

    let publish = async || queue.publish("{}".into(), Some("a".to_owned()), None).await;
    assert!(!publish().await.unwrap().duplicate);
    let stored_again = async { while publish().await.unwrap().duplicate {} };
    timeout(DEADLINE, stored_again).await.unwrap();

    config.duplicate_window = window;
    context.update_stream(&config).await.unwrap();
    assert_eq!(handled(&queue, 2).await, ["{}", "{}"]);
}

#[tokio::test]
async fn equal_bodies_are_one_event_only_with_by_digest() {
    let broker = or_skip!(start_broker().await);
    let (queue, without_key) = start(&broker, EventKey::None).await;
    let (_, by_digest) = start(&broker, EventKey::Digest).await;
    for app in [&without_key, &without_key, &by_digest, &by_digest] {
        assert_eq!(deliver(app, "right", "same").await, 204);
    }
    assert_eq!(handled(&queue, 3).await, ["same"; 3]);
}

#[tokio::test]
async fn redelivers_an_event_after_a_failure_or_a_panic() {
    let broker = or_skip!(start_broker().await);
    let (queue, app) = start(&broker, EventKey::None).await;
    assert_eq!(deliver(&app, "right", "hello").await, 204);

    let (sender, mut calls) = mpsc::unbounded_channel();
    let count = AtomicUsize::new(0);
    let handle = move |event: Event| {
        sender.send(event.sequence).unwrap();
        let call = count.fetch_add(1, Ordering::Relaxed);
        async move {
            match call {
                0 => Err("not now".into()),
                1 => panic!("not now either"),
                _ => Ok(()),
            }
        }
    };
    let mut sequences = Vec::new();
    let stop = async {
        for _ in 0..3 {
            sequences.push(calls.recv().await.unwrap());
        }
    };
    timeout(
        DEADLINE,
        work(&queue, "test", RetryPolicy::default(), handle, stop),
    )
    .await
    .unwrap();
    assert_eq!(sequences, [1, 1, 1]);
    assert_eq!(queue.backlog("test").await.unwrap(), Backlog::default());
}

#[tokio::test]
async fn responds_with_503_without_a_broker() {
    let broker = or_skip!(start_broker().await);
    let (queue, app) = start(&broker, EventKey::None).await;
    drop(broker);
    // The client notices that the connection is closed.
    let disconnected = async { while get(&app, "/ready").await == 200 {} };
    timeout(DEADLINE, disconnected).await.unwrap();
    let start = Instant::now();
    assert_eq!(deliver(&app, "right", "hello").await, 503);
    let failed = queue.publish("hello".into(), None, None).await;
    assert!(
        matches!(failed, Err(StoreError::NotStored(_))),
        "{failed:?}"
    );
    assert!(start.elapsed() < Duration::from_secs(1), "fails at once");
    assert_eq!(get(&app, "/health").await, 200);
}

#[tokio::test]
async fn responds_with_413_to_a_body_that_the_broker_does_not_accept() {
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("broker.conf");
    fs::write(&config, "max_payload: 65536").unwrap();
    let limited = ["--config", config.to_str().unwrap()];
    let limit = 65536 - MAX_HEADER_BYTES;
    // A broker with its defaults accepts the largest delivery that `profile webhook probe` sends.
    for (arguments, accepted, rejected) in [
        (&limited[..], limit, limit + 1),
        (&[], 1_000_000, 1_048_576),
    ] {
        let broker = or_skip!(start_broker_with(arguments).await);
        let (queue, app) = start(&broker, EventKey::None).await;
        assert_eq!(deliver(&app, "right", &"x".repeat(rejected)).await, 413);
        let body = "x".repeat(accepted);
        assert_eq!(deliver(&app, "right", &body).await, 204);
        assert_eq!(handled(&queue, 1).await, [body]);
    }
}

#[tokio::test]
async fn responds_with_408_to_a_body_that_does_not_arrive() {
    let broker = or_skip!(start_broker().await);
    let (_, app) = start(&broker, EventKey::None).await;
    let signature = sign(&Secret::new("right").unwrap(), "{}");
    let request = Request::post("/hooks").header("x-service-signature", signature);
    let chunks = futures_util::stream::pending::<Result<String, std::io::Error>>();
    let request = request.body(Body::from_stream(chunks)).unwrap();
    // With the paused clock, time passes as soon as all tasks wait.
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    assert_eq!(app.oneshot(request).await.unwrap().status(), 408);
    assert_eq!(start.elapsed().as_secs(), BODY_TIMEOUT.as_secs());
}
