//! The end of the program by signals.

use std::process::Stdio;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;
use tokio::task::yield_now;
use tokio::time::timeout;

use receive_at_scale::{MAX_CONCURRENT, Queue};

use crate::load::{SECRET, begin_delivery, program, url};
use crate::local_broker::signal;
use crate::{DEADLINE, command, settings, start_broker};

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

/// A worker whose stdout nobody reads ends at once after a second signal, or after `STOP_TIMEOUT`.
#[tokio::test]
async fn signals_end_a_worker_that_cannot_print() {
    let broker = or_skip!(start_broker().await);
    for (prefix, second) in [("first", Some("INT")), ("second", None)] {
        let mut settings = settings(&broker.url());
        settings.stream_prefix = prefix.to_owned();
        let queue = Queue::open(settings).await.unwrap();
        let mut worker = program("work", &broker.url(), "1");
        let mut worker = worker.env("STREAM_PREFIX", prefix).spawn().unwrap();
        // One event fills the pipe.
        let mut unfinished = 0;
        while unfinished < MAX_CONCURRENT as u64 {
            let event = vec![b'x'; 100_000].into();
            queue.publish(event, None, None).await.unwrap();
            let backlog = queue.backlog("printer").await;
            unfinished = backlog.map_or(0, |backlog| backlog.unfinished);
        }
        signal(&worker, "TERM").await;
        if let Some(second) = second {
            signal(&worker, second).await;
        }
        let ended = timeout(DEADLINE, worker.wait()).await.unwrap();
        assert_eq!(ended.unwrap().code(), Some(0));
    }
}

/// Starts a program with a broker that accepts connections and never responds, and waits until it connects.
async fn start_with_silent_broker(mut program: tokio::process::Command) -> (Child, TcpStream) {
    let broker = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = broker.local_addr().unwrap().to_string();
    let program = program
        .env("NATS_URL", address)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (connection, _) = timeout(DEADLINE, broker.accept()).await.unwrap().unwrap();
    (program, connection)
}

#[tokio::test]
async fn a_worker_without_its_broker_ends_by_a_signal() {
    let (mut worker, _connection) = start_with_silent_broker(program("work", "", "1")).await;
    signal(&worker, "TERM").await;
    let ended = timeout(DEADLINE, worker.wait()).await.unwrap();
    assert_eq!(ended.unwrap().code(), Some(0));
}

/// The kernel ignores signals to process 1, as that of a container, unless they have a handler.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn signals_end_process_1() {
    let namespace = ["--pid", "--fork", "--kill-child"];
    let mut permitted = crate::child::command("unshare");
    permitted.args(namespace).arg("true").stderr(Stdio::null());
    if !permitted.status().is_ok_and(|status| status.success()) {
        return crate::child::skip("needs unshare with a namespace of processes")
            .unwrap_or_default();
    }
    for (argument, name, code) in [
        ("receive", "HUP", 0),
        ("receive", "INT", 0),
        ("receive", "TERM", 0),
        ("work", "HUP", 0),
        ("work", "INT", 0),
        ("work", "TERM", 0),
        ("dead", "HUP", 129),
        ("dead", "INT", 130),
        ("dead", "TERM", 143),
    ] {
        let mut unshare = command("unshare");
        unshare
            .args(namespace)
            .args([env!("CARGO_BIN_EXE_receive_at_scale"), argument])
            .env("PROFILE_WEBHOOK_SECRET", SECRET)
            .env("LISTEN", "127.0.0.1:0")
            .stdout(Stdio::null());
        let (mut parent, _connection) = start_with_silent_broker(unshare).await;
        let id = parent.id().unwrap();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
        let mut kill = command("kill");
        kill.args(["-s", name, children.trim()]);
        assert!(kill.status().await.unwrap().success());
        let ended = timeout(DEADLINE, parent.wait()).await.unwrap();
        assert_eq!(ended.unwrap().code(), Some(code), "{argument} {name}");
    }
}

/// A core file would have the secret.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn leaves_no_core_file() {
    use std::os::unix::process::ExitStatusExt;

    let folder = tempfile::TempDir::new().unwrap();
    let mut shell = command("sh");
    shell
        .args(["-c", "ulimit -c unlimited; exec \"$0\" work"])
        .arg(env!("CARGO_BIN_EXE_receive_at_scale"))
        .current_dir(folder.path());
    let (mut worker, _connection) = start_with_silent_broker(shell).await;
    signal(&worker, "QUIT").await;
    let ended = timeout(DEADLINE, worker.wait()).await.unwrap().unwrap();
    assert_eq!((ended.signal(), ended.core_dumped()), (Some(3), false));
}
