//! Senders that disconnect before the response.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStderr};
use tokio::time::timeout;
use webhook_verify::{Secret, sign};

use crate::load::{SECRET, begin_delivery, get, ready_url, receiver};
use crate::local_broker::{LocalBroker, signal};
use crate::{DEADLINE, observability, start_broker};

pub(crate) type Log = Lines<BufReader<ChildStderr>>;

async fn start_receiver(broker: &LocalBroker) -> (Child, String, Log) {
    let mut receiver = receiver(&broker.url(), "1")
        .env("LOG_LEVEL", "info")
        .env("METRICS_LISTEN", "127.0.0.1:0")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(receiver.stderr.take().unwrap()).lines();
    let url = timeout(DEADLINE, ready_url(&mut receiver)).await.unwrap();
    (receiver, url, log)
}

/// Sends a request with this part of the body, and disconnects.
async fn send_and_hang_up(url: &str, body: &str) {
    let mut sender = begin_delivery(url).await;
    sender.write_all(body.as_bytes()).await.unwrap();
}

/// Returns the next line of the log that contains the text.
pub(crate) async fn line(log: &mut Log, text: &str) -> String {
    let found = async {
        loop {
            let line = log.next_line().await.unwrap();
            let line = line.expect("the program logs it");
            if line.contains(text) {
                return line;
            }
        }
    };
    timeout(DEADLINE, found).await.unwrap()
}

#[tokio::test]
async fn a_delivery_of_a_sender_that_hangs_up_is_logged_and_counted() {
    let broker = or_skip!(start_broker().await);
    let (mut receiver, url, mut log) = start_receiver(&broker).await;
    let metrics = line(&mut log, "serving metrics").await;
    let metrics: serde_json::Value = serde_json::from_str(&metrics).unwrap();
    let address = metrics["address"].as_str().unwrap();

    broker.signal("STOP").await;
    for _ in 0..3 {
        send_and_hang_up(&url, "{}").await;
    }
    send_and_hang_up(&url, "{").await;
    // Later than the others.
    while get(&url, "health").await.status() != 200 {}
    broker.signal("CONT").await;
    for _ in 0..3 {
        line(&mut log, "stored a delivery").await;
    }
    let metrics = observability::metrics(address).await;
    for expected in [
        r#"webhook_deliveries_total{reason="stored",status="204"} 3"#,
        r#"webhook_deliveries_total{reason="body_unreadable",status="400"} 1"#,
    ] {
        assert!(metrics.contains(expected), "{expected}: {metrics}");
    }
    receiver.kill().await.unwrap();
}

/// Some clients close their half of the connection after the request.
#[tokio::test]
async fn a_sender_that_closes_its_half_gets_its_answer() {
    let broker = or_skip!(start_broker().await);
    let (_receiver, url, _log) = start_receiver(&broker).await;
    let address = url.trim_start_matches("http://").trim_end_matches("/hooks");
    let signature = sign(&Secret::new(SECRET).unwrap(), "{}");
    for _ in 0..10 {
        let mut sender = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "POST /hooks HTTP/1.1\r\nhost: a\r\nx-service-signature: {signature}\r\n\
             content-length: 2\r\n\r\n{{}}"
        );
        sender.write_all(request.as_bytes()).await.unwrap();
        sender.shutdown().await.unwrap();
        let mut response = String::new();
        let read = timeout(DEADLINE, sender.read_to_string(&mut response)).await;
        read.unwrap().unwrap();
        assert!(response.starts_with("HTTP/1.1 204"), "{response}");
    }
}

#[tokio::test]
async fn shutdown_waits_for_a_delivery_of_a_sender_that_hung_up() {
    let broker = or_skip!(start_broker().await);
    let (mut receiver, url, mut log) = start_receiver(&broker).await;
    broker.signal("STOP").await;
    send_and_hang_up(&url, "{}").await;
    while get(&url, "health").await.status() != 200 {}
    signal(&receiver, "TERM").await;
    broker.signal("CONT").await;
    line(&mut log, "stored a delivery").await;
    let stopped = timeout(DEADLINE, receiver.wait()).await.unwrap();
    assert!(stopped.unwrap().success());
}
