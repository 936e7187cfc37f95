//! The only broker is killed during many deliveries, and returns.
//!
//! `OUTAGE_DELIVERIES` sets the number of deliveries, and `OUTAGE_SECONDS` the minimum time without a
//! broker, for example 8000 and 30.

use std::collections::HashSet;
use std::env;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use receive_at_scale::Backlog;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use webhook_verify::{Secret, sign};

use crate::load::{SECRET, count_events, event_id, ready_url, receiver, until};
use crate::local_broker::LocalBroker;
use crate::{client, open, start_broker};

const DEADLINE: Duration = Duration::from_secs(300);
const SENDERS: usize = 64;

/// The number of responses with 503 after which the broker returns.
const REJECTED: usize = 200;

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// A receiver as a process, and the number of its messages about deliveries that may be stored.
struct Receiver {
    process: Child,
    url: String,
    log: JoinHandle<u64>,
}

impl Receiver {
    async fn start(broker: &LocalBroker, key: &str) -> Self {
        let mut process = receiver(&broker.url(), "1")
            .env("EVENT_KEY", key)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let log = tokio::spawn(async move {
            let mut unconfirmed = 0;
            while let Some(line) = log.next_line().await.unwrap() {
                unconfirmed += u64::from(line.contains(r#""reason":"unconfirmed""#));
            }
            unconfirmed
        });
        let url = ready_url(&mut process).await;
        Self { process, url, log }
    }

    async fn stop(mut self) -> u64 {
        self.process.kill().await.unwrap();
        self.log.await.unwrap()
    }
}

/// Sends deliveries with the IDs from 0 on.
struct Sender {
    client: reqwest::Client,
    url: String,
    retries: bool,
    deliveries: u64,
    next: AtomicU64,
    rejected: AtomicUsize,
    /// The IDs of the deliveries with a 2xx response.
    acknowledged: Mutex<HashSet<u64>>,
}

impl Sender {
    async fn send_all(self: Arc<Self>) {
        loop {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            if id >= self.deliveries {
                return;
            }
            let body = format!(r#"{{"data":{{"id":{id}}}}}"#);
            while self.send(body.clone()).await != 204 {
                self.rejected.fetch_add(1, Ordering::Relaxed);
                // Without a pause, the outage would end before the sender has noticed it.
                sleep(Duration::from_millis(20)).await;
                if !self.retries {
                    break;
                }
            }
        }
    }

    async fn send(&self, body: String) -> u16 {
        let signature = sign(&Secret::new(SECRET).unwrap(), &body);
        let request = self.client.post(&self.url).body(body.clone());
        let request = request.header("x-service-signature", signature);
        let status = request.send().await.unwrap().status().as_u16();
        assert!(matches!(status, 204 | 503), "{status}");
        if status == 204 {
            self.acknowledged
                .lock()
                .unwrap()
                .insert(event_id(body.as_bytes()));
        }
        status
    }
}

async fn outage(mut broker: LocalBroker, key: &str, retries: bool) {
    let receiver = Receiver::start(&broker, key).await;
    let queue = open(&broker.url()).await.unwrap();
    let (times, worker) = count_events(queue.clone());
    let deliveries = number("OUTAGE_DELIVERIES", 2_000);
    let sender = Arc::new(Sender {
        client: client(),
        url: receiver.url.clone(),
        retries,
        deliveries,
        next: AtomicU64::new(0),
        rejected: AtomicUsize::new(0),
        acknowledged: Mutex::default(),
    });
    let senders: JoinSet<()> = (0..SENDERS).map(|_| sender.clone().send_all()).collect();
    let acknowledged = || sender.acknowledged.lock().unwrap().len() as u64;
    until(async || acknowledged() >= deliveries / 4).await;
    broker.kill().await.unwrap();
    until(async || sender.rejected.load(Ordering::Relaxed) >= REJECTED).await;
    sleep(Duration::from_secs(number("OUTAGE_SECONDS", 0))).await;
    broker.restart().await.unwrap();
    senders.join_all().await;
    // Later than anything that the receiver may have kept.
    until(async || sender.send(r#"{"data":{"id":1000000}}"#.to_owned()).await == 204).await;
    let handled_last = || times.lock().unwrap().contains_key(&1_000_000);
    until(async || handled_last()).await;
    until(async || queue.backlog("counter").await.ok() == Some(Backlog::default())).await;
    worker.abort();
    let unconfirmed = receiver.stop().await;

    let times = times.lock().unwrap();
    let acknowledged = sender.acknowledged.lock().unwrap();
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !times.contains_key(id))
        .collect();
    assert!(lost.is_empty(), "acknowledged and not handled: {lost:?}");
    let twice: u64 = times.values().map(|times| times - 1).sum();
    let unacknowledged = times.keys().filter(|id| !acknowledged.contains(id)).count() as u64;
    crate::print(&format!(
        "{key}, retries: {retries}: {} of {deliveries} acknowledged, {} responses with 503, of which \
         {unconfirmed} unconfirmed; handled without 2xx: {unacknowledged}, handled twice: {twice}",
        acknowledged.len() - 1,
        sender.rejected.load(Ordering::Relaxed),
    ));
    // Only those that were on the way when the broker died, or returned.
    assert!(unconfirmed <= 2 * SENDERS as u64);
    match key {
        "none" => assert!(twice + unacknowledged <= unconfirmed),
        _ => assert!(twice == 0 && unacknowledged <= unconfirmed),
    }
}

async fn outages(retries: bool) {
    let mut outages = Vec::new();
    for key in ["none", "digest", "/data/id"] {
        outages.push(outage(or_skip!(start_broker().await), key, retries));
    }
    // At once, because the receivers wait for the broker.
    timeout(DEADLINE, join_all(outages))
        .await
        .expect("the test ends in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_with_503_is_not_stored_later() {
    outages(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_with_503_can_be_retried() {
    outages(true).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded_without_a_broker() {
    let mut broker = or_skip!(start_broker().await);
    let receiver = Receiver::start(&broker, "none").await;
    broker.kill().await.unwrap();
    let body = "x".repeat(900_000);
    let signature = sign(&Secret::new(SECRET).unwrap(), &body);
    let client = client();
    let end = tokio::time::Instant::now() + Duration::from_secs(number("OUTAGE_SECONDS", 0));
    let rejected = AtomicUsize::new(0);
    let send = async || {
        while rejected.fetch_add(1, Ordering::Relaxed) < REJECTED || end.elapsed().is_zero() {
            let request = client.post(&receiver.url).body(body.clone());
            let request = request.header("x-service-signature", &signature);
            assert_eq!(request.send().await.unwrap().status(), 503);
        }
    };
    let senders = (0..32).map(|_| send());
    timeout(DEADLINE, join_all(senders)).await.unwrap();
    let peak = crate::child::peak_memory(receiver.process.id().unwrap());
    crate::print(&format!("peak memory of the receiver: {peak} kB"));
    assert!(peak < 90_000, "{peak} kB");
    receiver.stop().await;
}
