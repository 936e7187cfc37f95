//! The end of a receiver by signals.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::load::{SECRET, begin_delivery, url};
use crate::local_broker::signal;
use crate::{DEADLINE, command};

/// Starts a receiver that ignores these signals, without a broker. Also returns a connection with a request
/// whose body is missing, for which a shutdown waits.
async fn start(ignored: &str) -> (Child, String, TcpStream) {
    let mut shell = command("sh");
    shell
        .args(["-c", &format!("trap '' {ignored}; exec \"$0\" receive")])
        .arg(env!("CARGO_BIN_EXE_receive_at_scale"))
        .env("NATS_URL", "127.0.0.1:1")
        .env("LOG_LEVEL", "warn")
        .env("PROFILE_WEBHOOK_SECRET", SECRET)
        .env("LISTEN", "127.0.0.1:0")
        .stdout(std::process::Stdio::piped());
    let mut receiver = shell.spawn().unwrap();
    let url = timeout(DEADLINE, url(&mut receiver)).await.unwrap();
    let sender = begin_delivery(&url).await;
    let address = url.trim_start_matches("http://").trim_end_matches("/hooks");
    let address = address.to_owned();
    (receiver, address, sender)
}

#[tokio::test]
async fn signals_end_a_receiver() {
    for (ignored, without_effect, first, second) in [
        ("USR1", None, "INT", "TERM"),
        ("USR1", None, "TERM", "INT"),
        ("USR1", None, "HUP", "TERM"),
        ("INT", Some("INT"), "TERM", "HUP"),
        ("HUP", Some("HUP"), "INT", "INT"),
        ("TERM", Some("TERM"), "HUP", "INT"),
    ] {
        let (mut receiver, address, sender) = start(ignored).await;
        if let Some(name) = without_effect {
            signal(&receiver, name).await;
        }
        TcpStream::connect(&address).await.unwrap();
        signal(&receiver, first).await;
        // The receiver has handled the signal when its port is free. Connecting until it fails would use
        // up the ports, and another test would get this one.
        let stopped = async {
            while TcpListener::bind(&address).await.is_err() {
                yield_now().await;
            }
        };
        timeout(DEADLINE, stopped).await.unwrap();
        if first == "HUP" {
            // The shell and the system send it for a closed terminal.
            signal(&receiver, first).await;
        }
        // It still waits for the request.
        let ended = timeout(Duration::from_millis(200), receiver.wait()).await;
        assert!(ended.is_err(), "{first}");
        signal(&receiver, second).await;
        let ended = timeout(Duration::from_secs(4), receiver.wait())
            .await
            .unwrap();
        assert_eq!(ended.unwrap().code(), Some(0), "{first} {second}");
        drop(sender);
    }
}
