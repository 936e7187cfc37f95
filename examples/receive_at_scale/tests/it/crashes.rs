//! Twenty thousand deliveries, while a receiver is killed and the broker crashes.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mock_server::MockServer;
use mock_server::webhook::{EventKind, SignedDelivery};
use receive_at_scale::{Event, Queue, TrialBroker, work};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::start_broker;

const DELIVERIES: u64 = 20_000;
const SENDERS: u64 = 64;
/// Every so many deliveries one is sent twice.
const TWICE: u64 = 20;
const DEADLINE: Duration = Duration::from_secs(100);
const SECRET: &str = "whsec_test";

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_and_nothing_is_handed_on_twice() {
    let Some(broker) = start_broker().await else {
        return;
    };
    timeout(DEADLINE, survive(broker))
        .await
        .expect("all of it takes less than a minute");
}

async fn survive(mut broker: TrialBroker) {
    let (mut first, first_url) = start_receiver(&broker).await;
    let (_second, second_url) = start_receiver(&broker).await;
    let load = Arc::new(Load::new([first_url, second_url]).await);

    let queue = Queue::open(&broker.url()).await.unwrap();
    let (counting, counted) = (Arc::new(Counted::default()), watch::channel(0).0);
    let worker = tokio::spawn(count(queue.clone(), counting.clone(), counted.clone()));

    let mut senders = JoinSet::new();
    for _ in 0..SENDERS {
        senders.spawn(load.clone().send_all());
    }
    load.reach(DELIVERIES / 4).await;
    first.kill().await.unwrap();
    load.reach(DELIVERIES / 2).await;
    broker.restart().await.unwrap();
    while let Some(sent) = senders.join_next().await {
        sent.unwrap();
    }

    // Whatever was acknowledged is handed on.
    let mut arrived = counted.subscribe();
    arrived
        .wait_for(|events| *events >= DELIVERIES)
        .await
        .unwrap();
    // And nothing is left that could come a second time.
    while queue.backlog("counter").await.ok() != Some(0) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    worker.abort();
    let times = counting.times.lock().unwrap();
    assert_eq!(times.len() as u64, DELIVERIES);
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times != 1).collect();
    assert!(twice.is_empty(), "handed on more than once: {twice:?}");
}

/// A receiver as a process of its own, and its URL.
async fn start_receiver(broker: &TrialBroker) -> (Child, String) {
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

/// How often each event was handed on, by its id.
#[derive(Default)]
struct Counted {
    times: Mutex<HashMap<u64, u32>>,
}

async fn count(queue: Queue, counting: Arc<Counted>, counted: watch::Sender<u64>) {
    let handle = move |event: Event| {
        let payload: Value = serde_json::from_slice(&event.body).unwrap();
        let id = payload["data"]["id"].as_u64().unwrap();
        let mut times = counting.times.lock().unwrap();
        *times.entry(id).or_default() += 1;
        counted.send_replace(times.len() as u64);
        async { Ok(()) }
    };
    let forever = std::future::pending();
    work(&queue, "counter", handle, forever).await.unwrap();
}

/// The service and the load balancer before the receivers.
struct Load {
    service: MockServer,
    client: reqwest::Client,
    receivers: [String; 2],
    next: AtomicU64,
    acknowledged: watch::Sender<u64>,
}

impl Load {
    async fn new(receivers: [String; 2]) -> Self {
        // Built along with crates that speak TLS, the client wants to know how, even if it never does.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let service = MockServer::start().await;
        // The mock signs; what it signs is carried by the balancer, which it knows nothing of.
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
            if id.is_multiple_of(TWICE) {
                self.deliver(&delivery, id + 1).await;
            }
            self.acknowledged.send_modify(|count| *count += 1);
        }
    }

    /// Goes from receiver to receiver until one answers with 2xx.
    async fn deliver(&self, delivery: &SignedDelivery, turn: u64) {
        for receiver in self.receivers.iter().cycle().skip(turn as usize % 2) {
            let sent = self
                .client
                .post(receiver)
                .header("x-service-event", delivery.kind.as_str())
                .header("x-service-signature", &delivery.signature)
                .body(delivery.body.clone())
                .send();
            match sent.await {
                Ok(answer) if answer.status().is_success() => return,
                Ok(answer) => assert_eq!(answer.status(), 503),
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }
}
