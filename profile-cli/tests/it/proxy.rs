//! Proxies: which requests go through them, and what they can read.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::program::{Fixture, Program, run};

const KEY: &str = "sk_a_key_that_no_proxy_may_read";

/// A proxy for one connection, which accepts the tunnel and returns the first bytes that it received.
struct SmallProxy {
    address: String,
    received: thread::JoinHandle<String>,
}

impl SmallProxy {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4096];
            let length = stream.read(&mut bytes).unwrap();
            let mut received = bytes[..length].to_vec();
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            // The start of the TLS handshake.
            let length = stream.read(&mut bytes).unwrap();
            received.extend_from_slice(&bytes[..length]);
            String::from_utf8_lossy(&received).into_owned()
        });
        Self { address, received }
    }
}

fn show(fixture: &Fixture) -> Program {
    Program::new(
        fixture.home.path(),
        &["show", "--retries", "0", "--timeout", "5"],
    )
    .env("PROFILE_BASE_URL", "https://profiles.example")
    .env("PROFILE_API_KEY", KEY)
}

#[track_caller]
fn check_tunnel(run: &crate::program::Run, received: &str) {
    assert_eq!(run.code(), 8, "{run}");
    assert!(
        received.starts_with("CONNECT profiles.example:443 HTTP/1.1\r\n"),
        "{received}"
    );
    assert!(
        !received.contains(KEY) && !received.to_lowercase().contains("bearer"),
        "{received}"
    );
}

#[tokio::test]
async fn https_goes_through_a_tunnel_that_hides_the_key() {
    let fixture = Fixture::new().await;
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let proxy = SmallProxy::start();
        let run = show(&fixture).env(variable, &proxy.address).run();
        check_tunnel(&run, &proxy.received.join().unwrap());
    }
    let proxy = SmallProxy::start();
    let url = format!("http://ada:hush@{}", proxy.address);
    let set = run(fixture.home.path(), &[], &["config", "set", "proxy", &url]);
    assert!(!set.to_string().contains("hush"), "{set}");
    for command in [&["config", "get", "proxy"][..], &["config", "list"]] {
        let shown = run(fixture.home.path(), &[], command).to_string();
        assert!(shown.contains("http://***@127.0.0.1"), "{shown}");
    }
    let run = show(&fixture)
        .env("HTTPS_PROXY", "http://127.0.0.1:1")
        .env("NO_PROXY", "*")
        .run();
    let received = proxy.received.join().unwrap();
    check_tunnel(&run, &received);
    assert!(
        received
            .to_lowercase()
            .contains("proxy-authorization: basic "),
        "{received}"
    );
    assert!(!run.to_string().contains("hush"), "{run}");
}

#[tokio::test]
async fn excluded_hosts_and_this_machine_use_no_proxy() {
    let fixture = Fixture::new().await;
    let nowhere = "http://127.0.0.1:1";
    let local = fixture
        .program(&["site"])
        .env("HTTPS_PROXY", nowhere)
        .env("ALL_PROXY", nowhere);
    local.run().stdout();
    for (hosts, is_used) in [
        ("profiles.example", false),
        (".example", false),
        ("other", true),
    ] {
        let run = show(&fixture)
            .env("HTTPS_PROXY", "http://127.0.0.1:1")
            .env("NO_PROXY", hosts);
        let text = run.run().to_string();
        assert_eq!(
            text.contains("onnection refused"),
            is_used,
            "{hosts}: {text}"
        );
    }
    let upper_case = show(&fixture).env("PROFILE_BASE_URL", "HTTPS://profiles.example");
    let run = upper_case.env("HTTPS_PROXY", nowhere).run().to_string();
    assert!(run.contains("onnection refused"), "{run}");
}

#[tokio::test]
async fn an_invalid_proxy_is_reported_with_its_source() {
    let fixture = Fixture::new().await;
    let run = show(&fixture)
        .env("ALL_PROXY", "socks5://ada:hush@host")
        .run();
    assert_eq!(run.code(), 2);
    assert!(
        // On Windows, names of variables have no case.
        run.to_string()
            .replace("all_proxy", "ALL_PROXY")
            .contains("ALL_PROXY: proxy has the scheme socks5"),
        "{run}"
    );
    assert!(!run.to_string().contains("hush"), "{run}");
}
