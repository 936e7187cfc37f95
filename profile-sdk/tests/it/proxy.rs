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
        Self::start_with(required_header, "407 No").await
    }

    /// Starts a proxy that rejects tunnels without this header, with this status.
    async fn start_with(required_header: &'static str, status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://ada:hush@{}", listener.local_addr().unwrap());
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let recorded = heads.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, required_header, status, recorded.clone()));
            }
        });
        Self { url, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn serve(
    mut client: TcpStream,
    required_header: &str,
    status: &str,
    heads: Arc<Mutex<Vec<String>>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    heads.lock().unwrap().push(head.clone());
    let response = match head.strip_prefix("CONNECT ") {
        None => "HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":[]}".to_owned(),
        Some(_) if !head.to_lowercase().contains(required_header) => {
            format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n")
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
async fn reports_a_refused_tunnel_without_its_password() {
    for (status, shown) in [
        (
            "407 No",
            "proxy authorization required; \
             check the user name and password in the URL of the proxy",
        ),
        (
            "403 No",
            "unsuccessful; the proxy refuses to connect to the service",
        ),
    ] {
        let proxy = Proxy::start_with("another password", status).await;
        let client = Client::builder()
            .base_url("https://profiles.example")
            .api_key(ApiKey::new("canary").unwrap())
            .proxy(&proxy.url)
            .retry(RetryPolicy::none())
            .build()
            .unwrap();
        let error = client.create_post("p").await.unwrap_err();
        assert_eq!(
            (error.kind(), error.status()),
            (ErrorKind::Connection, None)
        );
        assert_eq!(
            error.to_string(),
            format!(
                "POST /api/v1/me/posts: could not connect to https://profiles.example, so nothing was sent: \
                 tunnel error: {shown}"
            )
        );
        assert!(!error.may_have_been_applied());
        let text = format!("{error:?}");
        assert!(
            !text.contains("hush") && !text.contains("YWRhOmh1c2g="),
            "{text}"
        );
        let heads = proxy.heads();
        assert_eq!(heads.len(), 1);
        let head = &heads[0];
        assert!(
            head.starts_with("CONNECT profiles.example:443 HTTP/1.1\r\n"),
            "{head}"
        );
        assert!(head.contains("YWRhOmh1c2g="), "{head}");
        assert!(!head.contains("canary"), "{head}");
    }
}

#[tokio::test]
async fn tunnels_https_through_the_proxy() {
    let service = crate::tls::Service::start(&["http/1.1"]).await;
    let proxy = Proxy::start("ywrhomh1c2g=").await;
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
