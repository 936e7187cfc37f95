//! The tower layer: what passes, what is answered, and back-pressure over `ConcurrencyLimit`.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::BodyExt;
use tower::limit::ConcurrencyLimitLayer;
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};
use webhook_verify::{
    EventKind, Receiver, SIGNATURE_HEADER, SignedRequest, Verified, Verifier, VerifyLayer, sign,
};

use crate::chunked_body::{ChunkedBody, Chunks, chunked_body};
use crate::{BASE64_SIGNATURE, BODY, SECRET, SIGNATURE, secret};

const LIMIT: usize = 1000;

/// Answers with the body that it got, which has to be the one of the witness.
async fn echo(request: Request<ChunkedBody>) -> Result<Response<Vec<u8>>, Infallible> {
    let witness = request
        .extensions()
        .get::<Verified<Bytes>>()
        .unwrap()
        .clone();
    assert_eq!(witness.event_kind(), Ok(EventKind::PostLiked));
    let body = request.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(witness.body(), body);
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
fn answer(receiver: &Receiver, request: Request<ChunkedBody>) -> Response<Vec<u8>> {
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
fn an_authentic_delivery_passes_with_its_witness() {
    let (chunks, body) = chunked_body();
    BODY.iter().for_each(|byte| chunks.send(&[*byte]));
    drop(chunks);
    let response = answer(&receiver(), signed(body));
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.body(), BODY);
}

#[test]
fn an_empty_body_passes() {
    let (chunks, body) = chunked_body();
    drop(chunks);
    let mut request = signed(body);
    let signature = sign(&secret(SECRET), b"").parse().unwrap();
    request.headers_mut().insert(SIGNATURE_HEADER, signature);
    assert_eq!(answer(&receiver(), request).status(), StatusCode::OK);
}

#[test]
fn whatever_is_wrong_with_the_header_is_an_empty_401_before_the_body_is_read() {
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
        check_empty(&answer(&receiver(), request), 401);
        assert!(!chunks.were_read(), "{signatures:?}");
    }
}

#[test]
fn a_mismatch_is_the_same_empty_401() {
    check_empty(
        &answer(&receiver(), signed(Bytes::from_static(b"forged").into())),
        401,
    );
}

#[test]
fn an_announced_length_over_the_limit_is_413_before_the_body_is_read() {
    for length in ["1001", "18446744073709551615"] {
        let (chunks, body) = chunked_body();
        let mut request = signed(body);
        request
            .headers_mut()
            .insert("content-length", length.parse().unwrap());
        check_empty(&answer(&receiver(), request), 413);
        assert!(!chunks.were_read());
    }
}

#[test]
fn a_body_over_the_limit_is_413_while_it_still_comes() {
    let (chunks, body) = chunked_body();
    chunks.send(&[0; LIMIT]);
    chunks.send(&[0]);
    check_empty(&answer(&receiver(), signed(body)), 413);
}

#[test]
fn a_body_that_breaks_off_is_400() {
    let (chunks, body) = chunked_body();
    chunks.send(BODY);
    chunks.break_off();
    check_empty(&answer(&receiver(), signed(body)), 400);
}

#[test]
fn the_hook_is_told_the_reason_and_the_run() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = told.clone();
    let receiver = receiver().on_rejection(move |rejection, run| {
        log.lock().unwrap().push(format!("{rejection} / {run}"));
    });
    answer(&receiver, signed(Bytes::from_static(b"forged").into()));
    answer(&receiver, signed(Bytes::from_static(BODY).into()));
    assert_eq!(receiver.failures().consecutive(), 0);
    let (chunks, body) = chunked_body();
    chunks.break_off();
    answer(&receiver, signed(body));
    assert_eq!(
        *told.lock().unwrap(),
        [
            "X-Service-Signature is not that of this body (6 bytes) under any of the receiver's \
             secrets (1); check that the secret is the sender's and that the body is verified as \
             it came, before anything decodes or parses it / \
             1 refused in a row and none ever verified: check that the secret is the service's",
            "the body could not be read to its end (connection reset); \
             expect the connection to be the cause, and the service to count a failure / \
             1 refused in a row after others verified: forgeries, \
             or the service signs with another secret now",
        ]
    );
}

#[track_caller]
fn check_ready<R>(service: &mut impl Service<Request<ChunkedBody>, Response = R>, is_ready: bool) {
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(service.poll_ready(&mut context).is_ready(), is_ready);
}

/// The inner service panics when it is called without having been made ready.
#[test]
fn readiness_is_that_of_the_inner_service_and_is_never_lost() {
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
    // The request whose body still comes holds the only place.
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
            .any(|service| service.poll_ready(&mut context).is_ready())
    );
}

#[test]
fn a_refused_or_dropped_request_gives_its_place_back() {
    let mut context = Context::from_waker(Waker::noop());
    let mut service = ServiceBuilder::new()
        .layer(VerifyLayer::new(receiver()))
        .layer(ConcurrencyLimitLayer::new(1))
        .service_fn(echo);
    for _ in 0..3 {
        check_ready(&mut service, true);
        let (_chunks, request) = with_signatures(&[]);
        let mut refused = pin!(service.call(request));
        let Poll::Ready(Ok(response)) = refused.as_mut().poll(&mut context) else {
            panic!("nothing is to be read");
        };
        check_empty(&response, 401);

        check_ready(&mut service, true);
        let (_chunks, body) = chunked_body();
        let mut waiting = Box::pin(service.call(signed(body)));
        assert!(waiting.as_mut().poll(&mut context).is_pending());
    }
    check_ready(&mut service, true);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_over_a_small_limit_are_all_answered() {
    let service = ServiceBuilder::new()
        .layer(VerifyLayer::new(receiver()))
        .layer(ConcurrencyLimitLayer::new(2))
        .service_fn(echo);
    let mut tasks = tokio::task::JoinSet::new();
    for index in 0..200 {
        let body: &[u8] = if index % 3 == 0 { b"forged" } else { BODY };
        let request = signed(Bytes::from_static(body).into());
        let service = service.clone();
        tasks.spawn(async move { service.oneshot(request).await.unwrap().status().as_u16() });
    }
    let answers = tasks.join_all().await;
    let refused = answers.iter().filter(|status| **status == 401).count();
    assert_eq!((answers.len(), refused), (200, 67));
}
