//! Sends 20,000 deliveries while a receiver and the broker are killed.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mock_server::MockServer;
use mock_server::webhook::{EventKind, SignedDelivery};
use receive_at_scale::{Event, LocalBroker, Queue, RetryPolicy, work};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::start_broker;

const DELIVERIES: u64 = 20_000;
const SENDERS: u64 = 64;
/// One in this number of deliveries is sent twice.
const DUPLICATE_EVERY: u64 = 20;
const DEADLINE: Duration = Duration::from_secs(100);
const SECRET: &str = "whsec_test";

#[tokio::test(flavor = "multi_thread")]
async fn handles_every_acknowledged_event_exactly_once() {
    let Some(broker) = start_broker().await else {
        return;
    };
    timeout(DEADLINE, send_with_crashes(broker))
        .await
        .expect("the test ends in time");
}

async fn send_with_crashes(mut broker: LocalBroker) {
    let (mut first, first_url) = start_receiver(&broker).await;
    let (_second, second_url) = start_receiver(&broker).await;
    let sender = Arc::new(Sender::new([first_url, second_url]).await);

    let queue = Queue::open(&broker.url()).await.unwrap();
    let (counts, total) = (Arc::new(Counts::default()), watch::channel(0).0);
    let worker = tokio::spawn(count(queue.clone(), counts.clone(), total.clone()));

    let mut senders = JoinSet::new();
    for _ in 0..SENDERS {
        senders.spawn(sender.clone().send_all());
    }
    sender.reach(DELIVERIES / 4).await;
    first.kill().await.unwrap();
    sender.reach(DELIVERIES / 2).await;
    broker.restart().await.unwrap();
    while let Some(sent) = senders.join_next().await {
        sent.unwrap();
    }

    // Every acknowledged event is handled.
    let mut handled = total.subscribe();
    handled
        .wait_for(|events| *events >= DELIVERIES)
        .await
        .unwrap();
    // No event is left that could be redelivered.
    while queue
        .backlog("counter")
        .await
        .map(|backlog| backlog.total())
        .ok()
        != Some(0)
    {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    worker.abort();
    let times = counts.times.lock().unwrap();
    assert_eq!(times.len() as u64, DELIVERIES);
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times != 1).collect();
    assert!(twice.is_empty(), "handled more than once: {twice:?}");
}

/// Starts a receiver as a process, and returns it with its URL.
async fn start_receiver(broker: &LocalBroker) -> (Child, String) {
    let mut receiver = Command::new(env!("CARGO_BIN_EXE_receive_at_scale"))
        .arg("receive")
        .env("NATS_URL", broker.url())
        .env("PROFILE_WEBHOOK_SECRET", SECRET)
        .env("EVENT_KEY", "/data/id")
        .env("LISTEN", "127.0.0.1:0")
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(receiver.stdout.take().unwrap()).lines();
    let url = lines.next_line().await.unwrap().unwrap();
    (receiver, url)
}

/// The number of times that each event was handled, by id.
#[derive(Default)]
struct Counts {
    times: Mutex<HashMap<u64, u32>>,
}

async fn count(queue: Queue, counts: Arc<Counts>, total: watch::Sender<u64>) {
    let handle = move |event: Event| {
        let payload: Value = serde_json::from_slice(&event.body).unwrap();
        let id = payload["data"]["id"].as_u64().unwrap();
        let mut times = counts.times.lock().unwrap();
        *times.entry(id).or_default() += 1;
        total.send_replace(times.len() as u64);
        async { Ok(()) }
    };
    let forever = std::future::pending();
    work(&queue, "counter", RetryPolicy::default(), handle, forever)
        .await
        .unwrap();
}

/// The service, and a load balancer in front of the receivers.
struct Sender {
    service: MockServer,
    client: reqwest::Client,
    receivers: [String; 2],
    next: AtomicU64,
    acknowledged: watch::Sender<u64>,
}

impl Sender {
    async fn new(receivers: [String; 2]) -> Self {
        let service = MockServer::start().await;
        // The mock signs each delivery and sends it to its sink; `deliver` sends it to the
        // receivers.
        service.webhook().use_sink("204", SECRET).unwrap();
        Self {
            service,
            client: reqwest::Client::new(),
            receivers,
            next: AtomicU64::new(0),
            acknowledged: watch::Sender::new(0),
        }
    }

    async fn reach(&self, deliveries: u64) {
        let mut acknowledged = self.acknowledged.subscribe();
        let reached = acknowledged.wait_for(|count| *count >= deliveries).await;
        reached.unwrap();
    }

    async fn send_all(self: Arc<Self>) {
        loop {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            if id >= DELIVERIES {
                return;
            }
            let webhook = self.service.webhook();
            let event = webhook.emit(EventKind::POST_LIKED, json!({"id": id}));
            let delivery = event.await.unwrap().sent;
            self.deliver(&delivery, id).await;
            if id.is_multiple_of(DUPLICATE_EVERY) {
                self.deliver(&delivery, id + 1).await;
            }
            self.acknowledged.send_modify(|count| *count += 1);
        }
    }

    /// Sends a delivery to one receiver after the other, until one responds with 2xx.
    async fn deliver(&self, delivery: &SignedDelivery, first: u64) {
        for receiver in self.receivers.iter().cycle().skip(first as usize % 2) {
            let response = self
                .client
                .post(receiver)
                .header("x-service-event", delivery.kind.as_str())
                .header("x-service-signature", &delivery.signature)
                .body(delivery.body.clone())
                .send();
            match response.await {
                Ok(response) if response.status().is_success() => return,
                Ok(response) => assert_eq!(response.status(), 503),
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }
}
