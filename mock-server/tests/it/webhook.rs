//! Webhook deliveries.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::pin::pin;
use std::sync::mpsc::Receiver;
use std::task::Poll;
use std::time::{Duration, Instant};

use mock_server::dialect::{SignatureEncoding, WebhookPayload};
use mock_server::webhook::{
    Delivery, DeliveryOutcome, Error as WebhookError, EventData, EventKind,
};
use mock_server::{Clock, Dialect, MockServer};
use serde_json::{Value, json};

use crate::request::start_at_noon;
use crate::webhook_receiver::{Arrived, receive};

const SECRET: &str = "whsec_test";
const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const FAILING: &str = "HTTP/1.1 500 Any\r\nContent-Length: 0\r\n\r\n";

/// Starts a server whose webhook has a receiver with these responses.
async fn start_with(answers: &[&str]) -> (MockServer, Receiver<Arrived>) {
    let server = start_at_noon().await;
    let (url, arrived) = receive(answers);
    server.webhook().set_receiver(&url, SECRET).unwrap();
    (server, arrived)
}

/// Starts a server whose webhook has a receiver that a test programs itself.
async fn start_with_listener() -> (MockServer, TcpListener) {
    let server = start_at_noon().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    server.webhook().set_receiver(&url, SECRET).unwrap();
    (server, listener)
}

async fn emit(server: &MockServer) -> Delivery {
    let data = json!({"from": "grace"});
    let emitted = server.webhook().emit(EventKind::FOLLOW_CREATED, data).await;
    emitted.unwrap()
}

/// Sends a delivery to a receiver with this response, and returns the outcome.
async fn deliver_to(answer: &str) -> DeliveryOutcome {
    let (server, _arrived) = start_with(&[answer]).await;
    let delivery = emit(&server).await;
    let failures = server.webhook().status().unwrap().consecutive_failures;
    assert_eq!(failures, u32::from(!delivery.is_success()));
    delivery.outcome
}

fn set(server: &MockServer, change: impl FnOnce(&mut Dialect)) {
    let mut dialect = Dialect::default();
    change(&mut dialect);
    server.update(|world| world.set_dialect(dialect)).unwrap();
}

#[tokio::test]
async fn a_delivery_has_the_kind_and_the_signature_of_its_bytes() {
    let (server, arrived) = start_with(&[OK]).await;
    let delivery = emit(&server).await;
    assert_eq!(delivery.outcome, DeliveryOutcome::Responded { status: 200 });

    let arrived = arrived.recv().unwrap();
    assert_eq!(arrived.request_line, "POST /hooks?team=1 HTTP/1.1");
    assert_eq!(arrived.header("x-service-event"), Some("follow.created"));
    assert_eq!(arrived.header("content-type"), Some("application/json"));
    let body =
        r#"{"type":"follow.created","created_at":"2026-03-01T12:00:00Z","data":{"from":"grace"}}"#;
    assert_eq!(String::from_utf8_lossy(&arrived.body), body);
    // Computed with `openssl dgst -sha256 -hmac whsec_test`.
    let signature = "sha256=a776045ffd662a4914ffdb669a1fbdadbeeb850ff36b4da9ad17952694c53623";
    assert_eq!(arrived.header("x-service-signature"), Some(signature));
    assert_eq!(delivery.sent.body, arrived.body);
    let receiver = server.webhook().status().unwrap().receiver;
    assert_eq!(Some(delivery.sent.receiver), receiver);
}

#[tokio::test]
async fn a_dialect_can_change_payload_and_encoding() {
    let (server, arrived) = start_with(&[OK, OK]).await;
    set(&server, |dialect| {
        dialect.webhook_signature_encoding = SignatureEncoding::Base64;
    });
    emit(&server).await;
    let base64 = arrived.recv().unwrap();
    let signature = "sha256=p3YEX/1mKkkU/9tmmh+9rb7rhQ/za02prReVJpTFNiM=";
    assert_eq!(base64.header("x-service-signature"), Some(signature));
    set(&server, |dialect| {
        dialect.webhook_payload = WebhookPayload::Bare
    });
    emit(&server).await;
    let bare = arrived.recv().unwrap();
    assert_eq!(bare.body, br#"{"from":"grace"}"#);
    let signature = "sha256=3a3f9935d01809362013158f7e57f352768633a59089fd0468992d57ebc8890e";
    assert_eq!(bare.header("x-service-signature"), Some(signature));
}

#[tokio::test]
async fn can_send_any_kind_and_any_bytes() {
    let (server, arrived) = start_with(&[OK]).await;
    let body = EventData::Bytes(b"\xff\0raw".to_vec());
    server.webhook().emit("badge é", body).await.unwrap();
    let arrived = arrived.recv().unwrap();
    assert_eq!(arrived.header("x-service-event"), Some("badge é"));
    assert_eq!(arrived.body, b"\xff\0raw");
    let signature = "sha256=f1f7cef47e298c4cc2e8d6f0f92835522d492ba3505a7709b925e52413b82702";
    assert_eq!(arrived.header("x-service-signature"), Some(signature));
}

#[tokio::test]
async fn only_2xx_is_a_success() {
    let successes = [200, 201, 204, 299];
    let failures = [300, 301, 302, 307, 304, 400, 404, 410, 429, 500, 503];
    for status in successes.into_iter().chain(failures) {
        // Following the redirect would fail, because nothing listens there.
        let answer = format!(
            "HTTP/1.1 {status} Any\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        );
        let outcome = deliver_to(&answer).await;
        assert_eq!(outcome, DeliveryOutcome::Responded { status });
        assert_eq!(
            outcome.is_success(),
            successes.contains(&status),
            "{status}"
        );
    }
}

#[tokio::test]
async fn an_incomplete_response_is_a_failure() {
    for answer in [
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        "SSH-2.0-x\r\n\r\n",
    ] {
        let outcome = deliver_to(answer).await;
        let failed = matches!(outcome, DeliveryOutcome::ConnectionFailed { .. });
        assert!(failed, "{answer}: {outcome}");
    }
}

#[tokio::test]
async fn an_unreachable_receiver_is_a_failure() {
    let (server, listener) = start_with_listener().await;
    drop(listener);
    let delivery = emit(&server).await;
    let outcome = delivery.outcome.to_string();
    assert!(outcome.starts_with("connection failed: "), "{outcome}");
}

#[tokio::test]
async fn a_receiver_that_hangs_or_stalls_times_out() {
    for stalls in [false, true] {
        let (server, listener) = start_with_listener().await;
        set(&server, |dialect| {
            dialect.webhook_timeout.0 = Duration::from_millis(20)
        });
        // Otherwise, the system accepts the connection, but nothing reads from it.
        let stalling = stalls.then(|| {
            let listener = listener.try_clone().unwrap();
            std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.read_exact(&mut [0; 100]).unwrap();
                let half = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
                stream.write_all(half).unwrap();
                // Returns when the other side closes the connection.
                stream.read_to_end(&mut Vec::new())
            })
        });
        let delivery = emit(&server).await;
        assert_eq!(delivery.outcome.to_string(), "no response within 20 ms");
        assert_eq!(server.webhook().status().unwrap().consecutive_failures, 1);
        if let Some(stalling) = stalling {
            let hung_up = tokio::task::spawn_blocking(|| stalling.join().unwrap());
            let _ = hung_up.await.unwrap();
        }
    }
}

#[tokio::test]
async fn does_not_read_a_huge_response_to_the_end() {
    let start = "x".repeat(512 * 1024);
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{start}");
    let outcome = deliver_to(&answer).await;
    assert_eq!(outcome, DeliveryOutcome::Responded { status: 200 });
}

#[tokio::test]
async fn does_not_send_while_it_is_off() {
    let (server, arrived) = start_with(&[FAILING; 10]).await;
    for _ in 0..10 {
        emit(&server).await;
    }
    let deliveries = server.webhook().deliveries().unwrap();
    let world = server.world().unwrap();
    let emitted = server.webhook().emit("post.liked", json!({})).await;
    let rejected = emitted.unwrap_err();
    assert_eq!(rejected.code(), "webhook_off");
    let expected = "the webhook is off after 10 consecutive failed deliveries; turn it on again";
    assert_eq!(rejected.to_string(), expected);
    let again = server.webhook().redeliver(&deliveries[0].sent.id).await;
    assert_eq!(again.unwrap_err().code(), "webhook_off");
    assert_eq!(arrived.iter().count(), 10);
    assert_eq!(server.world().unwrap(), world);
    server.webhook().turn_on().unwrap();
    assert_eq!(server.webhook().status().unwrap().consecutive_failures, 0);
    assert!(server.webhook().is_active().unwrap());
}

#[tokio::test]
async fn a_delivery_in_flight_at_the_tenth_failure_is_recorded() {
    let (server, listener) = start_with_listener().await;
    // Responds to the last two after both have arrived.
    let receiver = std::thread::spawn(move || {
        let respond = |count| {
            let streams: Vec<_> = (0..count).map(|_| listener.accept().unwrap().0).collect();
            for mut stream in streams {
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
                stream.write_all(FAILING.as_bytes()).unwrap();
            }
        };
        (0..9).for_each(|_| respond(1));
        respond(2);
    });
    for _ in 0..9 {
        emit(&server).await;
    }
    tokio::join!(emit(&server), emit(&server));
    receiver.join().unwrap();
    assert_eq!(server.webhook().deliveries().unwrap().len(), 11);
    assert_eq!(server.webhook().status().unwrap().consecutive_failures, 11);
    assert!(!server.webhook().is_active().unwrap());
}

#[tokio::test]
async fn a_redelivery_has_the_same_bytes_and_headers() {
    let (server, arrived) = start_with(&[FAILING, OK]).await;
    let first = emit(&server).await;
    // The new dialect and the new time do not affect the redelivery.
    set(&server, |dialect| {
        dialect.webhook_payload = WebhookPayload::Bare
    });
    let later = Clock::fixed("2026-03-02T00:00:00Z").unwrap();
    server.update(|world| world.set_clock(later)).unwrap();
    let second = server.webhook().redeliver(&first.sent.id).await.unwrap();
    assert!(second.is_success());
    assert_eq!(second.sent.redelivery_of.as_ref(), Some(&first.sent.id));
    assert_ne!(second.sent.id, first.sent.id);
    assert_eq!(second.sent.created_at, "2026-03-02T00:00:00Z");
    assert_eq!(arrived.recv().unwrap(), arrived.recv().unwrap());
}

#[tokio::test]
async fn rejects_redelivery_of_an_unknown_delivery() {
    let server = start_at_noon().await;
    let webhook = server.webhook();
    webhook.use_built_in_receiver("200", SECRET).unwrap();
    let rejected = server.webhook().redeliver("delivery_99").await;
    let message = "unknown delivery \"delivery_99\"; the log does not contain it";
    assert_eq!(rejected.unwrap_err().to_string(), message);
    let next = emit(&server).await.sent.id;
    assert_eq!(next, "delivery_6", "no number is lost");
}

#[tokio::test]
async fn the_log_is_json_without_the_secret() {
    let server = start_at_noon().await;
    let webhook = server.webhook();
    webhook.use_built_in_receiver("500", "canary").unwrap();
    let delivery = emit(&server).await;
    let shown = json!(server.webhook().deliveries().unwrap());
    assert_eq!(
        shown,
        json!([{
            "id": "delivery_6",
            "created_at": "2026-03-01T12:00:00Z",
            "receiver": "built_in",
            "kind": "follow.created",
            "signature": delivery.sent.signature,
            "content_type": "application/json",
            "body": "{\"type\":\"follow.created\",\"created_at\":\"2026-03-01T12:00:00Z\",\"data\":{\"from\":\"grace\"}}",
            "outcome": {"result": "responded", "status": 500},
        }])
    );
    let status: Value = json!(server.webhook().status().unwrap());
    let debug = format!("{server:?} {:?} {delivery:?}", server.world().unwrap());
    for text in [shown.to_string(), status.to_string(), debug] {
        assert!(!text.contains("canary"), "{text}");
    }
}

#[tokio::test]
async fn sent_events_count_as_covered_even_if_they_fail() {
    let server = start_at_noon().await;
    let webhook = server.webhook();
    let uncovered = || server.report().coverage.uncovered().events;
    let liked = async || webhook.emit("post.liked", json!({})).await;
    liked().await.unwrap_err();
    assert_eq!(uncovered().len(), EventKind::ALL.len());
    webhook.use_built_in_receiver("500", SECRET).unwrap();
    emit(&server).await;
    assert!(!uncovered().contains(&EventKind::FOLLOW_CREATED));
    let (url, _arrived) = receive(&[FAILING]);
    webhook.set_receiver(&url, SECRET).unwrap();
    liked().await.unwrap();
    assert_eq!(uncovered().len(), EventKind::ALL.len() - 2);
}

#[tokio::test]
async fn the_state_file_keeps_the_webhook() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.json");
    let start = || MockServer::builder().state_file(&path).start();
    let server = start().await.unwrap();
    let webhook = server.webhook();
    webhook
        .use_built_in_receiver("500 x2, 200", SECRET)
        .unwrap();
    emit(&server).await;
    drop(server);

    let again = start().await.unwrap();
    assert_eq!(again.webhook().status().unwrap().consecutive_failures, 1);
    assert!(!emit(&again).await.is_success());
    assert!(emit(&again).await.is_success());
    assert_eq!(again.webhook().deliveries().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_does_not_end_a_delivery() {
    let (server, arrived) = start_with(&[OK]).await;
    let delivery = emit(&server).await;
    assert_eq!(delivery.outcome, DeliveryOutcome::Responded { status: 200 });
    arrived.recv().unwrap();
}

#[tokio::test]
async fn an_event_is_sent_and_recorded_even_if_nobody_waits_for_it() {
    // It does not respond before the future is dropped.
    let (server, listener) = start_with_listener().await;
    {
        let webhook = server.webhook();
        let mut emitting = pin!(webhook.emit("post.liked", json!({})));
        let polled = std::future::poll_fn(|context| Poll::Ready(emitting.as_mut().poll(context)));
        assert!(polled.await.is_pending());
    }
    let (mut sender, _) = listener.accept().unwrap();
    assert_ne!(sender.read(&mut [0; 4096]).unwrap(), 0);
    sender.write_all(OK.as_bytes()).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while server.webhook().deliveries().unwrap().is_empty() {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_state_file_that_breaks_during_a_delivery_is_another_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.json");
    let builder = MockServer::builder().state_file(&path);
    let server = builder.start().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    server.webhook().set_receiver(&url, SECRET).unwrap();
    let receiver = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::fs::write(&path, "{").unwrap();
        assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
        stream.write_all(OK.as_bytes()).unwrap();
    });
    let emitted = server.webhook().emit("post.liked", json!({})).await;
    let error = emitted.unwrap_err();
    assert!(matches!(error, WebhookError::NotRecorded(_)), "{error}");
    assert_eq!(error.code(), "not_recorded");
    let message = error.to_string();
    assert!(message.starts_with("the event was sent, but "), "{message}");
    receiver.join().unwrap();
    let error = server.webhook().emit("post.liked", json!({})).await;
    assert_eq!(error.unwrap_err().code(), "state_file");
}
