//! The tower layer, also with backpressure from `ConcurrencyLimit`.

use std::convert::Infallible;
use std::error::Error as _;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use tower::limit::ConcurrencyLimitLayer;
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};
use webhook_verify::{
    EventKind, Receiver, SIGNATURE_HEADER, SignedRequest, Verified, Verifier, VerifyLayer,
};

use crate::chunked_body::{ChunkedBody, Chunks, chunked_body};
use crate::{BASE64_SIGNATURE, BODY, SECRET, SIGNATURE, secret};

const LIMIT: usize = 1000;

/// Responds with the request's body, after checking that it equals the verified body.
async fn echo(request: Request<Full<Bytes>>) -> Result<Response<Vec<u8>>, Infallible> {
    let verified = request
        .extensions()
        .get::<Verified<Bytes>>()
        .unwrap()
        .clone();
    assert_eq!(verified.event_kind(), Ok(EventKind::PostLiked));
    let body = request.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(verified.body(), body);
    Ok(Response::new(body.to_vec()))
}

fn receiver() -> Receiver {
    Receiver::new(Verifier::new(secret(SECRET)).body_limit(LIMIT))
}

fn signed(body: ChunkedBody) -> Request<ChunkedBody> {
    let request = SignedRequest::post("/hooks", BODY).event_kind(EventKind::PostLiked);
    request.sign(&secret(SECRET)).unwrap().map(|_| body)
}

fn with_signatures(signatures: &[&str]) -> (Chunks, Request<ChunkedBody>) {
    let (chunks, body) = chunked_body();
    let mut request = signed(body);
    request.headers_mut().remove(SIGNATURE_HEADER);
    for signature in signatures {
        request
            .headers_mut()
            .append(SIGNATURE_HEADER, signature.parse().unwrap());
    }
    (chunks, request)
}

#[track_caller]
fn respond(receiver: &Receiver, request: Request<ChunkedBody>) -> Response<Vec<u8>> {
    let service = VerifyLayer::new(receiver.clone()).layer(service_fn(echo));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(service.oneshot(request)).unwrap()
}

#[track_caller]
fn check_empty(response: &Response<Vec<u8>>, status: u16) {
    assert_eq!(response.status(), status);
    assert_eq!(*response.headers(), HeaderMap::new());
    assert!(response.body().is_empty());
}

#[test]
fn passes_authentic_deliveries_with_an_extension() {
    let (chunks, body) = chunked_body();
    BODY.iter().for_each(|byte| chunks.send(&[*byte]));
    drop(chunks);
    let response = respond(&receiver(), signed(body));
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.body(), BODY);
}

#[test]
fn responds_with_401_to_bad_headers() {
    for signatures in [
        &[][..],
        &[SIGNATURE, SIGNATURE],
        &["", SIGNATURE],
        &["sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59"],
        &["SHA256=00"],
        &["sha256=00"],
        &["sha256=zz7107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"],
        &[BASE64_SIGNATURE],
    ] {
        let (chunks, request) = with_signatures(signatures);
        drop(chunks);
        check_empty(&respond(&receiver(), request), 401);
        let (chunks, mut request) = with_signatures(signatures);
        let expect = "100-continue".parse().unwrap();
        request.headers_mut().insert("expect", expect);
        check_empty(&respond(&receiver(), request), 401);
        assert!(!chunks.were_read(), "{signatures:?}");
    }
}

#[test]
fn responds_with_413_to_a_large_content_length_before_it_reads_the_body() {
    for length in ["8388609", "18446744073709551615"] {
        let (chunks, body) = chunked_body();
        let mut request = signed(body);
        request
            .headers_mut()
            .insert("content-length", length.parse().unwrap());
        check_empty(&respond(&receiver(), request), 413);
        assert!(!chunks.were_read());
    }
}

#[test]
fn responds_with_400_to_an_incomplete_body() {
    let (chunks, body) = chunked_body();
    chunks.send(BODY);
    chunks.break_off();
    check_empty(&respond(&receiver(), signed(body)), 400);
}

#[test]
fn calls_the_hook_with_the_rejection_and_the_count() {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let log = logged.clone();
    let receiver = receiver().on_rejection(move |rejection, consecutive| {
        // The message contains the cause.
        assert!(rejection.source().is_none());
        log.lock()
            .unwrap()
            .push(format!("{rejection} / {consecutive}"));
    });
    respond(&receiver, signed(Bytes::from_static(b"forged").into()));
    respond(&receiver, signed(Bytes::from_static(BODY).into()));
    assert_eq!(receiver.consecutive_failures().count(), 0);
    let (chunks, body) = chunked_body();
    chunks.break_off();
    respond(&receiver, signed(body));
    assert_eq!(
        *logged.lock().unwrap(),
        [
            "X-Service-Signature does not match the body (length in bytes: 6, secrets tried: 1); \
             check the secret, and that the body is verified before anything decodes or parses it / \
             1 rejected in a row, none ever verified; check the secret",
            "failed to read the body: connection reset / \
             1 rejected in a row after others verified; the requests may be forged, \
             or the service uses a new secret",
        ]
    );
}

#[tokio::test]
async fn calls_the_hook_with_verified_deliveries() {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let log = logged.clone();
    let verifier = Verifier::new(secret("another")).also_accept(secret(SECRET));
    let receiver = Receiver::new(verifier).on_verified(move |delivery| {
        let kind = delivery.event_kind().unwrap();
        log.lock().unwrap().push((kind, delivery.secret_index()));
    });
    for body in [b"forged", BODY] {
        let (parts, body) = signed(Bytes::from_static(body).into()).into_parts();
        let _ = receiver.receive(&parts.headers, body).await;
    }
    assert_eq!(*logged.lock().unwrap(), [(EventKind::PostLiked, 1)]);
}

/// With the paused clock, time passes as soon as all tasks wait.
#[tokio::test(start_paused = true)]
async fn rejects_slow_bodies_and_counts_them() {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let log = logged.clone();
    let receiver = receiver().time_limit(Duration::from_secs(7)).on_rejection(
        move |rejection, consecutive| {
            let line = format!(
                "{} {rejection} / {}",
                rejection.status(),
                consecutive.count()
            );
            log.lock().unwrap().push(line);
        },
    );
    let start = Instant::now();
    for status in [408, 401] {
        let (_chunks, body) = chunked_body();
        let mut request = signed(body);
        if status == 401 {
            request.headers_mut().remove(SIGNATURE_HEADER);
        }
        let service = VerifyLayer::new(receiver.clone()).layer(service_fn(echo));
        check_empty(&service.oneshot(request).await.unwrap(), status);
    }
    assert_eq!(start.elapsed(), Duration::from_secs(14));
    let log = logged.lock().unwrap();
    assert_eq!(
        log[0],
        "408 Request Timeout the body did not arrive within 7s / 1"
    );
    assert_eq!(receiver.consecutive_failures().count(), 2);
}

#[tokio::test]
async fn the_longest_time_limit_is_no_limit() {
    for limit in [Duration::MAX, Duration::from_secs(u64::MAX / 4)] {
        let receiver = receiver().time_limit(limit);
        let service = VerifyLayer::new(receiver).layer(service_fn(echo));
        let response = service.oneshot(signed(Bytes::from_static(BODY).into()));
        assert_eq!(response.await.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn the_verifier_can_be_replaced() {
    let logged = Arc::new(Mutex::new(0));
    let log = logged.clone();
    let receiver = Receiver::new(Verifier::new(secret("old")))
        .on_rejection(move |_, _| *log.lock().unwrap() += 1);
    let status = async |receiver: &Receiver| {
        let (parts, body) = signed(Bytes::from_static(BODY).into()).into_parts();
        receiver.receive(&parts.headers, body).await.is_ok()
    };
    let clone = receiver.clone();
    assert!(!status(&clone).await);
    receiver.set_verifier(Verifier::new(secret(SECRET)));
    assert_eq!(clone.consecutive_failures().count(), 1, "the counter stays");
    assert!(status(&clone).await);
    clone.set_verifier(Verifier::new(secret("newer")));
    assert!(!status(&receiver).await);
    assert_eq!(*logged.lock().unwrap(), 2, "the hook stays");
    assert!(receiver.consecutive_failures().ever_verified());
}

/// The body type of hyper's servers cannot be created from bytes.
#[tokio::test]
async fn accepts_requests_of_a_hyper_server() {
    let service = VerifyLayer::new(receiver()).layer(service_fn(async |request| {
        let request: Request<Full<Bytes>> = request;
        Ok::<_, Infallible>(Response::new(request.into_body()))
    }));
    fn is_service<S: Service<Request<Incoming>>>(_: &S) {}
    is_service(&service);
    let (mut sender, server) = tokio::io::duplex(4096);
    let server = TokioIo::new(server);
    let connection =
        http1::Builder::new().serve_connection(server, TowerToHyperService::new(service));
    let request = format!(
        "POST / HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n\
         x-service-signature: {SIGNATURE}\r\n\r\nHello, World!",
        BODY.len()
    );
    sender.write_all(request.as_bytes()).await.unwrap();
    connection.await.unwrap();
    let mut response = String::new();
    sender.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
    assert!(response.ends_with("Hello, World!"), "{response}");
}

#[track_caller]
fn check_ready(service: &mut impl Service<Request<ChunkedBody>>, expected: bool) {
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(is_ready(service, &mut context), expected);
}

fn is_ready(service: &mut impl Service<Request<ChunkedBody>>, context: &mut Context<'_>) -> bool {
    service.poll_ready(context).is_ready()
}

/// The inner service panics if it is called before it is ready.
#[test]
fn readiness_is_that_of_the_inner_service() {
    let mut context = Context::from_waker(Waker::noop());
    let mut service = ServiceBuilder::new()
        .layer(VerifyLayer::new(receiver()))
        .layer(ConcurrencyLimitLayer::new(1))
        .service_fn(echo);
    let mut other = service.clone();

    check_ready(&mut service, true);
    check_ready(&mut other, false);
    let (chunks, body) = chunked_body();
    let mut first = pin!(service.call(signed(body)));
    assert!(first.as_mut().poll(&mut context).is_pending());
    // The first request, whose body is incomplete, holds the only permit.
    check_ready(&mut service, false);
    check_ready(&mut other, false);

    chunks.send(BODY);
    drop(chunks);
    let Poll::Ready(Ok(response)) = first.as_mut().poll(&mut context) else {
        panic!("the body has ended");
    };
    assert_eq!(response.body(), BODY);
    assert!(
        [&mut service, &mut other]
            .into_iter()
            .any(|service| is_ready(service, &mut context))
    );
}

#[test]
fn rejected_and_dropped_requests_release_their_permits() {
    let mut context = Context::from_waker(Waker::noop());
    let mut service = ServiceBuilder::new()
        .layer(VerifyLayer::new(receiver()))
        .layer(ConcurrencyLimitLayer::new(1))
        .service_fn(echo);
    for _ in 0..3 {
        check_ready(&mut service, true);
        let (chunks, request) = with_signatures(&[]);
        drop(chunks);
        let mut rejected = pin!(service.call(request));
        let Poll::Ready(Ok(response)) = rejected.as_mut().poll(&mut context) else {
            panic!("the body has ended");
        };
        check_empty(&response, 401);

        check_ready(&mut service, true);
        let (_chunks, body) = chunked_body();
        let mut waiting = Box::pin(service.call(signed(body)));
        assert!(waiting.as_mut().poll(&mut context).is_pending());
    }
    check_ready(&mut service, true);
}

#[test]
fn counts_errors_and_dropped_futures_as_failures() {
    let mut context = Context::from_waker(Waker::noop());
    let receiver = receiver();
    let layer = VerifyLayer::new(receiver.clone());
    let check = |text| assert_eq!(receiver.consecutive_failures().to_string(), text);
    check("no deliveries yet");
    let whole = || signed(Bytes::from_static(BODY).into());

    let mut service = layer.layer(service_fn(async |_| {
        Err::<Response<String>, _>(std::io::Error::other("the queue is down"))
    }));
    let mut failing = pin!(service.call(whole()));
    assert!(matches!(
        failing.as_mut().poll(&mut context),
        Poll::Ready(Err(_))
    ));
    check("1 failed in a row, 1 of them after verification");

    let mut service = layer.layer(service_fn(async |_| {
        std::future::pending::<Result<Response<String>, Infallible>>().await
    }));
    let mut handling = Box::pin(service.call(whole()));
    assert!(handling.as_mut().poll(&mut context).is_pending());
    drop(handling);
    check("2 failed in a row, 2 of them after verification");
    let (_chunks, body) = chunked_body();
    let mut reading = Box::pin(service.call(signed(body)));
    assert!(reading.as_mut().poll(&mut context).is_pending());
    drop(reading);
    drop(service.call(whole()));
    check("4 failed in a row, 2 of them after verification");
    // The rest of the body of a rejected request is read, which may be interrupted.
    let (_chunks, request) = with_signatures(&[]);
    let mut rejected = Box::pin(service.call(request));
    assert!(rejected.as_mut().poll(&mut context).is_pending());
    drop(rejected);
    check("5 failed in a row, 2 of them after verification");
}
