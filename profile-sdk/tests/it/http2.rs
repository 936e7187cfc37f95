//! HTTP/2, where all calls share a connection.

use std::time::Duration;

use profile_sdk::{ApiKey, ErrorKind, Method, RetryPolicy};
use tokio::io::{copy, copy_bidirectional, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client_builder_for;
use crate::tls::Service;

/// A load balancer that keeps the first connection when the server behind it hangs.
struct LoadBalancer {
    uri: String,
    hang: oneshot::Sender<()>,
    /// The client has closed the first connection.
    closed: oneshot::Receiver<()>,
}

impl LoadBalancer {
    async fn start(service: &Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (hang, hung) = oneshot::channel::<()>();
        let (close, closed) = oneshot::channel();
        let address = service.uri.trim_start_matches("https://").to_owned();
        tokio::spawn(async move {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = TcpStream::connect(&address).await.unwrap();
            tokio::select! {
                _ = copy_bidirectional(&mut client, &mut server) => panic!("closed early"),
                _ = hung => {}
            }
            tokio::spawn(async move {
                let _ = copy(&mut client, &mut sink()).await;
                let _ = close.send(());
            });
            while let Ok((mut client, _)) = listener.accept().await {
                let mut server = TcpStream::connect(&address).await.unwrap();
                tokio::spawn(async move {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self {
            uri: format!("https://localhost:{port}"),
            hang,
            closed,
        }
    }
}

#[tokio::test]
async fn a_connection_that_hangs_is_replaced() {
    let service = Service::start(&["h2"]).await;
    let mut balancer = LoadBalancer::start(&service).await;
    let client = client_builder_for(&balancer.uri)
        .root_certificate_pem(service.certificate.as_bytes())
        .api_key(ApiKey::new("the-key").unwrap())
        // Longer than a slow machine can delay the test.
        .attempt_timeout(Duration::from_secs(300))
        .total_timeout(Duration::from_secs(600))
        .build()
        .unwrap();
    client.me().await.unwrap();
    balancer.hang.send(()).unwrap();
    let call = tokio::spawn(client.me().send());
    let once = tokio::spawn(client.me().retry(RetryPolicy::none()));
    let mut is_closed = false;
    // Less than the default timeout of an attempt.
    for _ in 0..29 {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(1)).await;
        tokio::time::resume();
        let closed = timeout(Duration::from_millis(10), &mut balancer.closed).await;
        is_closed |= closed.is_ok();
        if is_closed {
            break;
        }
    }
    assert!(is_closed, "the client keeps the connection");
    assert_eq!(call.await.unwrap().unwrap().attempts(), 2);
    let error = once.await.unwrap().unwrap_err();
    let message = "GET /api/v1/me: the connection hung: the service did not respond to a ping";
    assert_eq!(error.kind(), ErrorKind::ResponseLost);
    assert_eq!(error.to_string(), message);
}

/// The size of the headers is the last segment of the path.
#[tokio::test]
async fn limits_the_size_of_headers() {
    let service = Service::start(&["h2"]).await;
    let client = client_builder_for(&service.uri)
        .root_certificate_pem(service.certificate.as_bytes())
        .api_key(ApiKey::new("the-key").unwrap());
    let client = client.build().unwrap();
    let read = |bytes: u32| {
        let path = format!("/api/v1/headers/{bytes}");
        client.raw_call(Method::Get, path).read_bytes().send()
    };
    for bytes in [20_000, 50_000, 290_000] {
        let beside = tokio::spawn(client.me().send());
        assert_eq!(read(bytes).await.unwrap().attempts(), 1);
        assert_eq!(beside.await.unwrap().unwrap().attempts(), 1);
    }
    let before = service.seen().len();
    let error = read(310_000).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable, "{error}");
    assert_eq!((error.attempts(), service.seen().len() - before), (1, 1));
    assert!(!error.is_retryable());
    let message = "the response is invalid, or has more than 300 kB of headers: ";
    assert!(error.to_string().contains(message), "{error}");
    assert_eq!(client.me().send().await.unwrap().attempts(), 1);
}
