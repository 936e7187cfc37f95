//! Tower layers around the network.

use std::convert::Infallible;
use std::future::{Ready, pending, ready};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzEncoder;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Body as _;
use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, MockServer, WireFault};
use profile_sdk::{ApiKey, Client, Error, ErrorKind, HttpService, ResponseBody, RetryPolicy};
use tower::layer::layer_fn;
use tower::{Service, ServiceBuilder, ServiceExt as _, service_fn};

use crate::{add_fault, client_builder, client_builder_for, owner_builder, requests};

type Request = profile_sdk::http::Request<profile_sdk::bytes::Bytes>;

/// Returns a client whose network is replaced by a function.
fn fake(
    respond: impl Fn(Request) -> http::Response<Full<Bytes>> + Clone + Send + Sync + 'static,
) -> Client {
    let layer = layer_fn(move |_network: HttpService| {
        let respond = respond.clone();
        service_fn(move |request| ready(Ok::<_, Infallible>(respond(request))))
    });
    let builder = client_builder_for("https://profiles.example").layer(layer);
    let builder = builder.api_key(ApiKey::new("canary").unwrap());
    builder.build().unwrap()
}

#[tokio::test]
async fn a_fake_replaces_the_network() {
    let client = fake(|request| {
        assert_eq!(request.method(), http::Method::POST);
        assert_eq!(request.uri(), "https://profiles.example/api/v1/me/posts");
        assert_eq!(request.headers()["authorization"], "Bearer canary");
        assert_eq!(request.headers()["content-type"], "application/json");
        assert_eq!(&request.body()[..], br#"{"body":"p"}"#);
        assert!(!format!("{request:?}").contains("canary"));
        let response = http::Response::builder().status(201);
        response.body(r#"{"data":{"id":7}}"#.into()).unwrap()
    });
    let created = client.create_post("p").send().await.unwrap();
    assert_eq!(created.status(), 201);
    // A layer such as a timeout responds with an empty body.
    assert!(ResponseBody::default().is_end_stream());
    assert_eq!(created.data().as_ref().unwrap().id, Some(7.into()));
}

#[tokio::test]
async fn a_layer_measures_each_attempt() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::status(503)).times(2));
    let statuses = Arc::<Mutex<Vec<u16>>>::default();
    let seen = statuses.clone();
    let client = owner_builder(&service).layer(layer_fn(move |inner: HttpService| {
        let statuses = seen.clone();
        inner.map_response(move |response| {
            statuses.lock().unwrap().push(response.status().as_u16());
            response
        })
    }));
    let client = client.build().unwrap();
    client.me().await.unwrap();
    client.create_post("p").await.unwrap();
    assert_eq!(*statuses.lock().unwrap(), [503, 503, 200, 201]);
}

#[tokio::test]
async fn layers_can_add_headers_and_wrap_earlier_layers() {
    let service = MockServer::start().await;
    let add = |value: &'static str| {
        let to_request = move |mut request: Request| {
            let value = http::HeaderValue::from_static(value);
            request.headers_mut().insert("traceparent", value);
            request
        };
        ServiceBuilder::new().map_request(to_request)
    };
    let client = client_builder(&service).layer(add("inner"));
    let client = client.layer(add("outer")).build().unwrap();
    client.badges().await.unwrap();
    let traced = RequestPattern::any().header("traceparent", "inner");
    assert_eq!(service.journal().matching(&traced).len(), 1);
}

#[tokio::test]
async fn decompression_and_the_maximum_size_apply_to_a_fake() {
    let body = |length: usize| {
        let text = format!(r#"{{"data":[],"padding":"{}"}}"#, "x".repeat(length));
        let mut compressed = Vec::new();
        let mut encoder = GzEncoder::new(text.as_bytes(), Compression::best());
        io::Read::read_to_end(&mut encoder, &mut compressed).unwrap();
        compressed
    };
    for (length, is_too_large) in [(10, false), (9 << 20, true)] {
        let compressed = body(length);
        let client = fake(move |_| {
            let response = http::Response::builder().header("content-encoding", "gzip");
            response.body(compressed.clone().into()).unwrap()
        });
        let kind = client.badges().await.err().map(|error| error.kind());
        assert_eq!(kind, is_too_large.then_some(ErrorKind::TooLarge));
    }
}

/// The client does not pause its requests after an error that is not a response of the service.
#[cfg(feature = "testing")]
#[tokio::test]
async fn a_rate_limit_of_a_layer_is_retried_like_a_lost_connection() {
    use profile_sdk::testing::ErrorBuilder;

    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = attempts.clone();
    let limited = layer_fn(move |_network: HttpService| {
        let attempts = counted.clone();
        service_fn(
            move |_: Request| -> Ready<Result<http::Response<String>, profile_sdk::Error>> {
                assert!(attempts.fetch_add(1, Ordering::Relaxed) < 100);
                ready(Err(ErrorBuilder::new(ErrorKind::RateLimited).build()))
            },
        )
    });
    let client = client_builder_for("https://profiles.example").layer(limited);
    let client = client.build().unwrap();
    let error = client.badges().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!((error.attempts(), attempts.load(Ordering::Relaxed)), (4, 4));
}

#[tokio::test(start_paused = true)]
async fn the_attempt_timeout_applies_to_layers() {
    let hanging = layer_fn(|_network: HttpService| {
        service_fn(|_: Request| pending::<Result<http::Response<String>, Infallible>>())
    });
    let never_ending = layer_fn(|_network: HttpService| {
        service_fn(|_: Request| {
            let body = Full::<Bytes>::from("{").with_trailers(pending());
            ready(Ok::<_, Infallible>(http::Response::new(body)))
        })
    });
    let builder = Client::builder()
        .base_url("https://profiles.example")
        .attempt_timeout(Duration::from_secs(7))
        .retry(RetryPolicy::none());
    for client in [
        builder.clone().layer(hanging).build().unwrap(),
        builder.layer(never_ending).build().unwrap(),
    ] {
        let error = client.badges().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        let message = error.to_string();
        let end = "no complete response within 7 seconds";
        assert!(message.ends_with(end), "{message}");
    }
}

#[tokio::test]
async fn accounts_share_layers() {
    let service = MockServer::start().await;
    let limit = tower::limit::ConcurrencyLimitLayer::new(1);
    let shared = client_builder(&service).layer(limit).build().unwrap();
    let account = shared.with_api_key(ApiKey::new(service.key()).unwrap());
    let (first, second) = tokio::join!(account.me(), account.me());
    assert_eq!(first.unwrap(), second.unwrap());
    assert_eq!(requests(&service), 2);
}

/// The text of an error is cut after the key is removed, wherever the key is.
#[tokio::test]
async fn a_long_error_of_a_layer_does_not_show_a_part_of_the_key() {
    const KEY: &str = "canary-0123456789-abcdefghijklmnopqrstuvwxyz";
    for length in (420..=500).step_by(5) {
        let leak = move || io::Error::other(format!("{}{KEY}", "x".repeat(length)));
        let failing = layer_fn(move |_network: HttpService| {
            service_fn(move |_: Request| ready(Err::<http::Response<String>, _>(leak())))
        });
        let failing_body = layer_fn(move |_network: HttpService| {
            service_fn(move |_: Request| {
                let body = Full::<Bytes>::from("{").map_err(|never| match never {});
                let body = body.with_trailers(ready(Some(Err(leak()))));
                ready(Ok::<_, Infallible>(http::Response::new(body)))
            })
        });
        let builder = client_builder_for("https://profiles.example")
            .api_key(ApiKey::new(KEY).unwrap())
            .retry(RetryPolicy::none());
        let to_text = |error: profile_sdk::Error| io::Error::other(error.to_string());
        let outer = layer_fn(move |inner: HttpService| inner.map_err(to_text));
        for client in [
            builder.clone().layer(failing).build().unwrap(),
            builder.clone().layer(failing_body).build().unwrap(),
            builder.layer(failing).layer(outer).build().unwrap(),
        ] {
            let error = client.me().await.unwrap_err().to_string();
            assert!(error.contains("a layer failed: xxx"), "{error}");
            assert!(!error.contains("can"), "{error}");
            assert!(error.len() < 600, "{error}");
        }
    }
}

#[tokio::test]
async fn the_error_of_a_layer_does_not_show_the_key() {
    let builder = client_builder_for("https://profiles.example");
    let builder = builder.api_key(ApiKey::new("canary").unwrap());
    let never_ready = layer_fn(|_: HttpService| Waiting(Err("not ready for canary")));
    let failing = layer_fn(|_: HttpService| {
        service_fn(|request: Request| {
            let key = request.headers()["authorization"].to_str().unwrap();
            let error = io::Error::other(format!("cannot send {key}"));
            ready(Err::<http::Response<String>, _>(error))
        })
    });
    for (builder, is_ready) in [
        (builder.clone().layer(failing), true),
        (builder.layer(never_ready), false),
    ] {
        let client = builder.build().unwrap();
        let error = client.me().await.unwrap_err();
        let (kind, start) = match is_ready {
            true => (
                ErrorKind::ResponseLost,
                "a layer failed: cannot send Bearer [redacted]",
            ),
            false => (
                ErrorKind::Connection,
                "a layer failed: not ready for [redacted]",
            ),
        };
        assert_eq!(error.kind(), kind);
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(text.contains(start), "{text}");
            assert!(!text.contains("canary"), "{text}");
        }
    }
}

/// A fake that fails in `poll_ready`, or is only ready at a time.
#[derive(Clone)]
struct Waiting(Result<tokio::time::Instant, &'static str>);

impl Service<Request> for Waiting {
    type Response = http::Response<String>;
    type Error = io::Error;
    type Future = Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<io::Result<()>> {
        let at = self.0.map_err(io::Error::other)?;
        if at <= tokio::time::Instant::now() {
            return std::task::Poll::Ready(Ok(()));
        }
        let waker = cx.waker().clone();
        tokio::spawn(async move {
            tokio::time::sleep_until(at).await;
            waker.wake();
        });
        std::task::Poll::Pending
    }

    fn call(&mut self, _: Request) -> Self::Future {
        ready(Ok(http::Response::new("{}".to_owned())))
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_until_layers_are_ready() {
    let now = tokio::time::Instant::now();
    let at = |seconds| Ok(now + Duration::from_secs(seconds));
    for (wait, outcome) in [
        (at(50), None),
        (Err("closed"), Some((ErrorKind::Connection, "closed"))),
        (at(9999), Some((ErrorKind::Timeout, "has passed"))),
    ] {
        let client = Client::builder()
            .base_url("https://profiles.example")
            .api_key(ApiKey::new("key").unwrap())
            .attempt_timeout(Duration::from_secs(7))
            .layer(layer_fn(move |_: HttpService| Waiting(wait)))
            .build()
            .unwrap();
        let result = client.create_post("p").await;
        let Some((kind, reason)) = outcome else {
            result.unwrap();
            continue;
        };
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (kind, 0), "{error}");
        assert!(!error.may_have_been_applied(), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    assert_eq!(now.elapsed().as_secs(), 50 + 60);
}

type Response = Result<http::Response<ResponseBody>, Error>;

type Run = fn(HttpService, Request) -> Pin<Box<dyn Future<Output = Response> + Send>>;

const REFUSED: &str = "the circuit breaker is open";

/// The requests that a layer sends after its attempt has ended.
static LATE: Mutex<Vec<tokio::task::JoinHandle<()>>> = Mutex::new(Vec::new());

/// Returns layers that say that they did not send a request, with `true` if it may have reached the service, and
/// the number of requests.
fn refusing_layers() -> [(&'static str, Run, bool, usize); 5] {
    let refuses: Run = |_, _| Box::pin(async { Err(Error::not_sent(REFUSED)) });
    let retries: Run = |network, request| {
        Box::pin(async {
            network.oneshot(request).await.unwrap_err();
            Err(Error::not_sent(REFUSED))
        })
    };
    let rebuilds: Run = |network, request| {
        let (parts, body) = request.into_parts();
        let mut rebuilt = Request::new(body);
        (*rebuilt.method_mut(), *rebuilt.uri_mut()) = (parts.method, parts.uri);
        *rebuilt.headers_mut() = parts.headers;
        Box::pin(async {
            network.oneshot(rebuilt).await.unwrap_err();
            Err(Error::not_sent(REFUSED))
        })
    };
    let spawns: Run = |network, request| {
        let late = async {
            tokio::task::yield_now().await;
            let error = network.oneshot(request).await.unwrap_err();
            let end = "its attempt has ended";
            assert!(error.to_string().ends_with(end), "{error}");
        };
        LATE.lock().unwrap().push(tokio::spawn(late));
        Box::pin(async { Err(Error::not_sent(REFUSED)) })
    };
    [
        ("refuses", refuses, false, 0),
        ("retries", retries, true, 1),
        ("rebuilds", rebuilds, true, 1),
        ("spawns", spawns, false, 0),
        ("retries without a connection", retries, false, 0),
    ]
}

#[tokio::test]
async fn a_layer_can_say_that_nothing_was_sent() {
    for (name, run, is_lost, requests_sent) in refusing_layers() {
        let service = MockServer::start().await;
        let fault = Fault::Wire(WireFault::Close);
        service.add_fault(FaultRule::new(fault)).unwrap();
        let builder = match name {
            "retries without a connection" => client_builder_for("http://127.0.0.1:1"),
            _ => client_builder(&service),
        };
        let layer = layer_fn(move |network: HttpService| {
            service_fn(move |request| run(network.clone(), request))
        });
        let client = builder.api_key(ApiKey::new("canary").unwrap()).layer(layer);
        let error = client.build().unwrap().create_post("p").await.unwrap_err();
        let late = std::mem::take(&mut *LATE.lock().unwrap());
        for request in late {
            request.await.unwrap();
        }
        let (kind, tries) = match is_lost {
            true => (ErrorKind::ResponseLost, "the change may"),
            false => (ErrorKind::Connection, "tried 4 times"),
        };
        assert_eq!(error.kind(), kind, "{name}");
        assert_eq!(error.may_have_been_applied(), is_lost, "{name}");
        assert_eq!(error.attempts(), u32::from(is_lost), "{name}");
        let message = error.to_string();
        assert!(message.contains(REFUSED), "{name}: {message}");
        assert!(message.contains(tries), "{name}: {message}");
        assert_eq!(requests(&service), requests_sent, "{name}");
    }
}
