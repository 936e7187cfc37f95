//! Deliveries of the service, a load balancer, and receivers as processes.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mock_server::MockServer;
use mock_server::webhook::{EventKind, SignedDelivery};
use receive_at_scale::{Event, Queue, RetryPolicy, work};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use webhook_verify::{Secret, sign};

use crate::{DEADLINE, client, command};

const SENDERS: u64 = 64;
/// One in this number of deliveries is sent twice.
const DUPLICATE_EVERY: u64 = 20;
pub(crate) const SECRET: &str = "whsec_test";

/// Returns the command that starts the program as a process.
pub(crate) fn program(argument: &str, brokers: &str, replicas: &str) -> Command {
    let mut program = command(env!("CARGO_BIN_EXE_receive_at_scale"));
    program
        .arg(argument)
        .env("NATS_URL", brokers)
        .env("STREAM_REPLICAS", replicas)
        .env("LOG_LEVEL", "warn")
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    program
}

/// Returns the command that starts a receiver as a process, on a free port.
pub(crate) fn receiver(brokers: &str, replicas: &str) -> Command {
    let mut receiver = program("receive", brokers, replicas);
    receiver
        .env("PROFILE_WEBHOOK_SECRET", SECRET)
        .env("LISTEN", "127.0.0.1:0");
    receiver
}

/// Returns the ID in the payload of an event.
pub(crate) fn event_id(body: &[u8]) -> u64 {
    let payload: Value = serde_json::from_slice(body).unwrap();
    payload["data"]["id"].as_u64().unwrap()
}

/// Starts the worker `counter`, and returns the number of times that it has handled each event, by ID.
pub(crate) fn count_events(queue: Queue) -> (Arc<Mutex<HashMap<u64, u64>>>, JoinHandle<()>) {
    let times = Arc::<Mutex<HashMap<_, _>>>::default();
    let counts = times.clone();
    let handle = move |event: Event| {
        let mut counts = counts.lock().unwrap();
        *counts.entry(event_id(&event.body)).or_default() += 1;
        async { Ok(()) }
    };
    let working = async move {
        let forever = std::future::pending();
        work(&queue, "counter", RetryPolicy::default(), handle, forever).await;
    };
    (times, tokio::spawn(working))
}

/// Starts a receiver, and returns it with its URL.
pub(crate) async fn start_receiver(brokers: &str, replicas: &str) -> (Child, String) {
    let mut receiver = receiver(brokers, replicas)
        .env("EVENT_KEY", "/data/id")
        .spawn()
        .unwrap();
    let url = ready_url(&mut receiver).await;
    (receiver, url)
}

/// Returns the URL that a receiver prints.
pub(crate) async fn url(receiver: &mut Child) -> String {
    let mut lines = BufReader::new(receiver.stdout.take().unwrap()).lines();
    lines.next_line().await.unwrap().unwrap()
}

/// Returns the URL of a receiver when it can store deliveries.
pub(crate) async fn ready_url(receiver: &mut Child) -> String {
    let url = url(receiver).await;
    while get(&url, "ready").await.status() != 200 {
        sleep(Duration::from_millis(10)).await;
    }
    url
}

/// Sends the head of a delivery of `{}` to the receiver with this URL, and waits until it asks for the body.
pub(crate) async fn begin_delivery(url: &str) -> TcpStream {
    let address = url.trim_start_matches("http://").trim_end_matches("/hooks");
    let signature = sign(&Secret::new(SECRET).unwrap(), "{}");
    let head = format!(
        "POST /hooks HTTP/1.1\r\nhost: a\r\nx-service-signature: {signature}\r\n\
         content-length: 2\r\nexpect: 100-continue\r\n\r\n"
    );
    let mut sender = TcpStream::connect(address).await.unwrap();
    sender.write_all(head.as_bytes()).await.unwrap();
    let mut response = [0; 25];
    let read = timeout(DEADLINE, sender.read_exact(&mut response)).await;
    read.unwrap().unwrap();
    assert_eq!(&response, b"HTTP/1.1 100 Continue\r\n\r\n");
    sender
}

/// Waits until the function returns `true`.
pub(crate) async fn until(mut is_reached: impl AsyncFnMut() -> bool) {
    let reached = async {
        while !is_reached().await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(10 * DEADLINE, reached).await.unwrap();
}

/// Sends a request to another path of the receiver with this URL.
pub(crate) async fn get(url: &str, path: &str) -> reqwest::Response {
    let request = client().get(url.replace("hooks", path));
    request.send().await.unwrap()
}

/// The service, and a load balancer in front of the receivers.
pub(crate) struct Sender {
    deliveries: u64,
    service: MockServer,
    client: reqwest::Client,
    receivers: [String; 2],
    next: AtomicU64,
    acknowledged: watch::Sender<u64>,
}

impl Sender {
    pub(crate) async fn new(deliveries: u64, receivers: [String; 2]) -> Self {
        let service = MockServer::start().await;
        // The mock signs each delivery and sends it to its built-in receiver; `deliver` sends it to the
        // receivers.
        service
            .webhook()
            .use_built_in_receiver("204", SECRET)
            .unwrap();
        Self {
            deliveries,
            service,
            client: client(),
            receivers,
            next: AtomicU64::new(0),
            acknowledged: watch::Sender::new(0),
        }
    }

    /// Sends all deliveries, in the background.
    pub(crate) fn start(self: &Arc<Self>) -> JoinSet<()> {
        (0..SENDERS).map(|_| self.clone().send_all()).collect()
    }

    /// Waits until this number of deliveries was acknowledged.
    pub(crate) async fn reach(&self, deliveries: u64) {
        let mut acknowledged = self.acknowledged.subscribe();
        let reached = acknowledged.wait_for(|count| *count >= deliveries).await;
        reached.unwrap();
    }

    async fn send_all(self: Arc<Self>) {
        loop {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            if id >= self.deliveries {
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
