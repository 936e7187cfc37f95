//! Requests through a proxy.

use std::sync::{Arc, Mutex};

use profile_sdk::{ApiKey, Client, ErrorKind, RetryPolicy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// A proxy that opens tunnels, responds to plain requests itself, and records the head of each
/// request.
struct Proxy {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Starts a proxy that rejects tunnels without this header.
    async fn start(required_header: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://ada:hush@{}", listener.local_addr().unwrap());
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let recorded = heads.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, required_header, recorded.clone()));
            }
        });
        Self { url, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn serve(mut client: TcpStream, required_header: &str, heads: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    heads.lock().unwrap().push(head.clone());
    let response = match head.strip_prefix("CONNECT ") {
        None => "HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":[]}",
        Some(_) if !head.contains(required_header) => {
            "HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n"
        }
        Some(target) => {
            let target = target.split(' ').next().unwrap();
            let mut service = TcpStream::connect(target).await.unwrap();
            client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            let _ = copy_bidirectional(&mut client, &mut service).await;
            return;
        }
    };
    client.write_all(response.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn sends_plain_http_to_the_proxy_with_its_password() {
    let proxy = Proxy::start("").await;
    let builder = Client::builder()
        .base_url("http://profiles.example")
        .proxy(&proxy.url);
    assert!(!format!("{builder:?}").contains("hush"));
    let error = builder.clone().build().unwrap_err();
    assert!(error.to_string().contains("allow_plain_http"), "{error}");
    let client = builder.allow_plain_http(true).build().unwrap();
    assert!(!format!("{client:?}").contains("hush"));
    assert_eq!(client.badges().await.unwrap(), []);
    let head = proxy.heads().remove(0).to_lowercase();
    assert!(
        head.starts_with("get http://profiles.example/api/v1/badges http/1.1\r\n"),
        "{head}"
    );
    assert!(
        head.contains("\r\nproxy-authorization: basic ywrhomh1c2g=\r\n"),
        "{head}"
    );
}

#[test]
fn rejects_plain_http_to_localhost_through_a_proxy() {
    let builder = Client::builder()
        .base_url("http://localhost")
        .proxy("http://ada:hush@127.0.0.1:1");
    assert_eq!(
        builder.build().unwrap_err().to_string(),
        "proxy could read requests to a plain HTTP base URL; \
         use https, or call ClientBuilder::allow_plain_http"
    );
}

#[tokio::test]
async fn reports_a_proxy_error_without_its_password() {
    let proxy = Proxy::start("another password").await;
    let client = Client::builder()
        .base_url("https://profiles.example")
        .proxy(&proxy.url)
        .retry(RetryPolicy::none())
        .build()
        .unwrap();
    let error = client.badges().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("proxy auth"), "{shown}");
    assert!(
        !shown.contains("hush") && !shown.contains("YWRhOmh1c2g="),
        "{shown}"
    );
}

#[tokio::test]
async fn tunnels_https_through_the_proxy() {
    let service = crate::tls::Service::start(&["http/1.1"]).await;
    let proxy = Proxy::start("YWRhOmh1c2g=").await;
    let client = Client::builder()
        .base_url(&service.uri)
        .root_certificate_pem(service.certificate.as_bytes())
        .proxy(&proxy.url)
        .api_key(ApiKey::new("canary").unwrap())
        .build()
        .unwrap();
    client.me().await.unwrap();
    assert_eq!(service.seen()[0].1, "Bearer canary");
    let heads = proxy.heads();
    let connect = format!(
        "CONNECT {} HTTP/1.1",
        service.uri.trim_start_matches("https://")
    );
    assert!(heads[0].starts_with(&connect), "{heads:?}");
    assert!(!heads.concat().contains("canary"), "{heads:?}");
}
