//! Requests through a proxy.

use std::sync::{Arc, Mutex};

use profile_sdk::{ApiKey, Client, ErrorKind, RetryPolicy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, copy_bidirectional, sink};
use tokio::net::{TcpListener, TcpStream};

/// A proxy that opens tunnels, responds to plain requests itself, and records the head of each
/// request.
struct Proxy {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Starts a proxy that responds to plain requests, and to tunnels without this header, with this status.
    async fn start(required_header: &'static str, status: &'static str) -> Self {
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
        // A client that expects TLS sends something else, and closes the connection.
        let Ok(byte) = client.read_u8().await else {
            return;
        };
        head.push(byte);
        if head.first() == Some(&22) {
            let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            return;
        }
    }
    let head = String::from_utf8(head).unwrap();
    heads.lock().unwrap().push(head.clone());
    let response = match head.strip_prefix("CONNECT ") {
        None => format!("HTTP/1.1 {status}\r\ncontent-length: 11\r\n\r\n{{\"data\":[]}}"),
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
    // Reads the body, so that closing the socket does not reset it.
    let _ = copy(&mut client, &mut sink()).await;
}

#[tokio::test]
async fn sends_plain_http_to_the_proxy_with_its_password() {
    let proxy = Proxy::start("", "200 OK").await;
    let builder = Client::builder().proxy(&proxy.url);
    let local = builder.clone().base_url("http://localhost");
    let builder = builder.base_url("http://profiles.example");
    assert!(!format!("{builder:?}").contains("hush"));
    let error = builder.clone().build().unwrap_err();
    assert!(error.to_string().contains("allow_plain_http"), "{error}");
    let expected = "proxy could read requests to a plain HTTP base URL; \
                    use https, or call ClientBuilder::allow_plain_http";
    assert_eq!(local.build().unwrap_err().to_string(), expected);
    let client = builder.allow_plain_http(true).build().unwrap();
    assert!(!format!("{client:?}").contains("hush"));
    assert_eq!(client.badges().await.unwrap(), []);
    let head = proxy.heads().remove(0).to_lowercase();
    for part in [
        "get http://profiles.example/api/v1/badges http/1.1\r\n",
        "\r\nproxy-authorization: basic ywrhomh1c2g=\r\n",
    ] {
        assert!(head.contains(part), "{head}");
    }
}

#[tokio::test]
async fn reports_a_refused_tunnel_without_its_password() {
    let unsuccessful = "unsuccessful; it may reject this host, or be unable to reach it";
    let unauthorized = "proxy authorization required; \
                        check the user name and password in the URL of the proxy";
    for (status, shown, is_retryable) in [
        ("407 No", unauthorized, false),
        ("403 No", unsuccessful, true),
        ("502 Bad Gateway", unsuccessful, true),
        ("504 Gateway Timeout", unsuccessful, true),
    ] {
        let proxy = Proxy::start("another password", status).await;
        let client = Client::builder()
            .base_url("https://profiles.example")
            .api_key(ApiKey::new("canary").unwrap())
            .proxy(&proxy.url)
            .retry(RetryPolicy::new().max_retries(u32::from(!is_retryable)))
            .build()
            .unwrap();
        let error = client.create_post("p").await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connection, 0));
        assert_eq!(error.status(), None);
        assert_eq!(error.is_retryable(), is_retryable, "{error}");
        let address = proxy.url.replace("ada:hush@", "");
        let expected = format!(
            "POST /api/v1/me/posts: the proxy {address} did not open a tunnel to \
             https://profiles.example, so nothing was sent: tunnel error: {shown}"
        );
        assert_eq!(error.to_string(), expected);
        assert!(!error.may_have_been_applied());
        let text = format!("{error:?}");
        let is_shown = text.contains("hush") || text.contains("YWRhOmh1c2g=");
        assert!(!is_shown, "{text}");
        let heads = proxy.heads();
        assert_eq!(heads.len(), 1);
        let head = &heads[0];
        let connect = "CONNECT profiles.example:443 HTTP/1.1\r\n";
        assert!(head.starts_with(connect), "{head}");
        assert!(head.contains("YWRhOmh1c2g="), "{head}");
        assert!(!head.contains("canary"), "{head}");
    }
}

/// Creates a post through a proxy. Returns the error.
async fn fail_through(proxy: &str, base_url: &str) -> profile_sdk::Error {
    let client = crate::client_builder_for(base_url)
        .api_key(ApiKey::new("canary").unwrap())
        .proxy(proxy)
        .allow_plain_http(true)
        .build()
        .unwrap();
    let error = client.create_post("p").await.unwrap_err();
    assert!(!format!("{error:?}").contains("hush"));
    error
}

#[tokio::test]
async fn names_a_proxy_that_cannot_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let down = listener.local_addr().unwrap();
    drop(listener);
    let plain = Proxy::start("", "200 OK").await;
    let service = crate::tls::Service::start(&["http/1.1"]).await;
    let plain_advice = "; the proxy does not support HTTPS on this port; check its URL";
    let root_advice = "; if a private authority issued the proxy's certificate, trust the root certificate \
                       of that authority";
    for (proxy, advice) in [
        (format!("http://ada:hush@{down}"), None),
        (format!("https://ada:hush@{down}"), None),
        (plain.url.replace("http", "https"), Some(plain_advice)),
        (service.uri, Some(root_advice)),
    ] {
        for base_url in ["http://profiles.example", "https://profiles.example"] {
            let error = fail_through(&proxy, base_url).await;
            assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connection, 0));
            assert_eq!(error.is_retryable(), advice.is_none());
            assert!(!error.may_have_been_applied());
            let shown = proxy.replace("ada:hush@", "");
            let start = format!(
                "POST /api/v1/me/posts: could not connect to the proxy {shown}, so nothing was sent: "
            );
            let message = error.to_string();
            assert!(message.starts_with(&start), "{message}");
            assert!(message.contains(advice.unwrap_or_default()), "{message}");
        }
    }
}

#[tokio::test]
async fn names_the_service_behind_the_proxy() {
    let service = crate::tls::Service::start(&["http/1.1"]).await;
    let proxy = Proxy::start("", "407 No").await;
    let error = fail_through(&proxy.url, &service.uri).await;
    let message = error.to_string();
    let address = proxy.url.replace("ada:hush@", "");
    let start = format!(
        "POST /api/v1/me/posts: could not connect to {} through the proxy {address}, so nothing was sent: ",
        service.uri
    );
    assert!(message.starts_with(&start), "{message}");
    let issued = "issued the service's certificate";
    assert!(message.contains(issued), "{message}");
    assert_eq!(proxy.heads().len(), 1);
}

#[tokio::test]
async fn names_the_proxy_that_may_have_failed_itself() {
    let unauthorized = "the proxy PROXY requires a valid user name and password";
    let either = "the service or the proxy PROXY failed";
    let rejected = "the service rejected the request";
    for (status, shown, kind) in [
        ("407 No", unauthorized, ErrorKind::Rejected),
        ("502 No", either, ErrorKind::Service),
        ("504 No", either, ErrorKind::Service),
        ("500 No", "the service failed", ErrorKind::Service),
        ("400 No", rejected, ErrorKind::Rejected),
    ] {
        let proxy = Proxy::start("", status).await;
        let error = fail_through(&proxy.url, "http://profiles.example").await;
        assert_eq!((error.kind(), error.attempts()), (kind, 1));
        assert!(!error.is_retryable());
        let address = proxy.url.replace("ada:hush@", "");
        let shown = shown.replace("PROXY", &address);
        let start = format!("POST /api/v1/me/posts: {}: {shown}", &status[..3]);
        assert!(error.to_string().starts_with(&start), "{error}");
    }
}

#[tokio::test]
async fn tunnels_https_through_the_proxy() {
    let service = crate::tls::Service::start(&["http/1.1"]).await;
    let proxy = Proxy::start("ywrhomh1c2g=", "407 No").await;
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
    let host = service.uri.trim_start_matches("https://");
    let connect = format!("CONNECT {host} HTTP/1.1");
    assert!(heads[0].starts_with(&connect), "{heads:?}");
    assert!(!heads.concat().contains("canary"), "{heads:?}");
}
