//! Calls that the signal of their client ends.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::plan::{ApplyReport, DesiredLink, DesiredProfile, Plan, PlanOptions, StepState};
use profile_sdk::{ApiKey, Client, ErrorKind, HttpService, Method, ProfileUpdate, SystemClock};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tower::layer::layer_fn;

use crate::tls::acceptor;
use crate::{add_fault, client_builder_for, fault_on, owner_builder};

const MINUTE: Duration = Duration::from_secs(60);

/// A service over HTTPS that responds with these status codes, one after the other, and then with 200.
struct Service {
    uri: String,
    certificate: String,
    /// The requests that arrived completely, as `POST /path`.
    received: Arc<Mutex<Vec<String>>>,
    statuses: Arc<Mutex<VecDeque<u16>>>,
}

impl Service {
    async fn start(protocol: &str) -> Self {
        let (acceptor, certificate) = acceptor(&[protocol]);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (received, statuses) = Shared::default();
        let shared = (Arc::clone(&received), Arc::clone(&statuses));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, shared) = (acceptor.clone(), shared.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    let respond = service_fn(move |request| respond(shared.clone(), request));
                    let server = auto::Builder::new(TokioExecutor::new());
                    let _ = server.serve_connection(TokioIo::new(stream), respond).await;
                });
            }
        });
        Self {
            uri: format!("https://localhost:{port}"),
            certificate,
            received,
            statuses,
        }
    }

    /// Makes a client with a connection of its own.
    fn client(&self, is_layered: bool) -> Client {
        let builder = client_builder_for(&self.uri)
            .root_certificate_pem(self.certificate.as_bytes())
            .api_key(ApiKey::new("key").unwrap());
        let builder = match is_layered {
            true => builder.layer(layer_fn(|inner: HttpService| inner)),
            false => builder,
        };
        builder.build().unwrap()
    }
}

type Shared = (Arc<Mutex<Vec<String>>>, Arc<Mutex<VecDeque<u16>>>);

async fn respond(
    (received, statuses): Shared,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let line = format!("{} {}", request.method(), request.uri().path());
    request.into_body().collect().await?;
    received.lock().unwrap().push(line);
    let mut response = Response::new(r#"{"data":[]}"#.into());
    if let Some(status) = statuses.lock().unwrap().pop_front() {
        *response.status_mut() = status.try_into().unwrap();
    }
    Ok(response)
}

/// Completes a signal at a poll of a call.
struct EndedAt<F> {
    call: Pin<Box<F>>,
    polls: usize,
    at: usize,
    end: Option<oneshot::Sender<()>>,
}

impl<F: Future> Future for EndedAt<F> {
    type Output = (F::Output, bool);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.polls == self.at {
            self.end = None;
        }
        self.polls += 1;
        let is_ended = self.end.is_none();
        let polled = self.call.as_mut().poll(context);
        polled.map(|output| (output, is_ended))
    }
}

/// Returns a client whose calls end when the sender is dropped.
fn ending(client: &Client) -> (Client, oneshot::Sender<()>) {
    let (end, ended) = oneshot::channel::<()>();
    let client = client.until(async { _ = ended.await });
    (client, end)
}

#[tokio::test]
async fn an_ended_call_says_what_became_of_it() {
    let methods = [Method::Get, Method::Post, Method::Put, Method::Delete];
    for (protocol, is_layered) in [("http/1.1", false), ("h2", false), ("h2", true)] {
        let service = Service::start(protocol).await;
        for statuses in [&[][..], &[429, 502, 503]] {
            for method in methods {
                let mut at = 0;
                while end_at(&service, is_layered, statuses, method, at).await {
                    at += 1;
                }
                assert!(at > 1, "{method}");
            }
        }
    }
}

/// Ends a call at one of its polls, and compares its result with what the service received. Returns `false` if
/// the call has fewer polls.
async fn end_at(
    service: &Service,
    is_layered: bool,
    statuses: &[u16],
    method: Method,
    at: usize,
) -> bool {
    let case = format!("{} {is_layered} {statuses:?} {method} {at}", service.uri);
    *service.statuses.lock().unwrap() = statuses.to_vec().into();
    service.received.lock().unwrap().clear();
    let plain = service.client(is_layered);
    let (client, end) = ending(&plain);
    let call = client.raw_call(method, "/api/v1/me/x");
    let call = match method {
        Method::Post | Method::Put => call.json_text("{}"),
        _ => call,
    };
    let ended = EndedAt {
        call: Box::pin(call.read_bytes().send()),
        polls: 0,
        at,
        end: Some(end),
    };
    let (result, is_ended) = timeout(MINUTE, ended).await.expect(&case);
    // What the connection has is sent before this.
    service.statuses.lock().unwrap().clear();
    plain.badges().await.unwrap();
    let received = service.received.lock().unwrap();
    let received = received.iter().filter(|line| line.ends_with("/x")).count();
    let applied = (0..received).filter(|index| statuses.get(*index) != Some(&429));
    let applied = applied.count();
    assert!(method != Method::Post || applied < 2, "{case}");
    let error = match result {
        Ok(response) => {
            assert_eq!(response.attempts() as usize, received, "{case}");
            return is_ended;
        }
        Err(error) => error,
    };
    let case = format!("{case}: {error}; {received} received");
    assert!(error.attempts() as usize >= received, "{case}");
    let is_unclear = error.may_have_been_applied();
    assert!(error.attempts() > 0 || !is_unclear, "{case}");
    assert!(is_unclear || applied == 0 || !method.is_write(), "{case}");
    if error.kind() == ErrorKind::Canceled {
        assert!(is_ended && !error.is_retryable(), "{case}");
    } else {
        assert_eq!(error.kind(), ErrorKind::Service, "{case}");
    }
    if at == 0 {
        assert_eq!((error.attempts(), received), (0, 0), "{case}");
        let end = "/api/v1/me/x: the call was canceled, so nothing was sent";
        assert_eq!(error.to_string(), format!("{method} {end}"));
    }
    is_ended
}

/// Returns a client whose service never responds.
async fn silent_client() -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut streams = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            streams.push(stream);
        }
    });
    let builder = client_builder_for(&uri).api_key(ApiKey::new("key").unwrap());
    builder.build().unwrap()
}

#[tokio::test]
async fn a_call_that_nobody_polls_keeps_no_other_from_ending() {
    for is_dropped in [false, true] {
        let (client, end) = ending(&silent_client().await);
        let other = client.with_api_key(ApiKey::new("other").unwrap());
        let mut first = Box::pin(client.me());
        let mut context = Context::from_waker(Waker::noop());
        assert!(first.as_mut().poll(&mut context).is_pending());
        let first = (!is_dropped).then_some(first);
        let mut second = Box::pin(other.create_post("p").send());
        assert!(futures_util::poll!(&mut second).is_pending());
        let second = tokio::spawn(second);
        tokio::task::yield_now().await;
        drop(end);
        let ended = timeout(MINUTE, second).await.unwrap().unwrap();
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Canceled);
        if let Some(first) = first {
            assert_eq!(first.await.unwrap_err().kind(), ErrorKind::Canceled);
        }
    }
}

#[tokio::test]
async fn either_of_two_signals_ends_a_call() {
    for is_first in [true, false] {
        let (client, first) = ending(&silent_client().await);
        let (client, second) = ending(&client);
        let mut call = Box::pin(client.clone().me());
        assert!(futures_util::poll!(&mut call).is_pending());
        match is_first {
            true => drop(first),
            false => drop(second),
        }
        let ended = timeout(MINUTE, call).await.unwrap();
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Canceled);
    }
}

/// A network that sends the head of a response, and the body after a time.
fn slow_body(status: u16, delay: Duration) -> Client {
    let layer = layer_fn(move |_: HttpService| {
        tower::service_fn(move |_| async move {
            let body = futures_util::stream::once(async move {
                tokio::time::sleep(delay).await;
                Ok::<_, Infallible>(Frame::data(Bytes::from("{}")))
            });
            let response = http::Response::builder().status(status);
            Ok::<_, Infallible>(response.body(StreamBody::new(Box::pin(body))).unwrap())
        })
    });
    let builder = client_builder_for("https://profiles.example").layer(layer);
    builder
        .api_key(ApiKey::new("key").unwrap())
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_response_to_a_write_is_read_to_its_end() {
    const GRACE: u64 = 500;
    for (status, delay, expected) in [
        (200, 499, None),
        (422, 499, Some((ErrorKind::Rejected, false))),
        (429, 400, Some((ErrorKind::Canceled, false))),
        (503, 400, Some((ErrorKind::Canceled, true))),
        (200, 60_000, Some((ErrorKind::Canceled, true))),
    ] {
        let (client, end) = ending(&slow_body(status, Duration::from_millis(delay)));
        let mut write = Box::pin(client.update_profile(&ProfileUpdate::new()));
        let mut read = Box::pin(client.raw_call(Method::Get, "/api/v1/x").read_bytes());
        assert!(futures_util::poll!(&mut write).is_pending());
        assert!(futures_util::poll!(&mut read).is_pending());
        drop(end);
        let begun = Instant::now();
        let error = read.await.unwrap_err();
        assert_eq!(
            (error.kind(), begun.elapsed()),
            (ErrorKind::Canceled, Duration::ZERO)
        );
        let error = write.await.err();
        assert_eq!(
            begun.elapsed(),
            Duration::from_millis(delay.min(GRACE)),
            "{status}"
        );
        let found = error.map(|error| (error.kind(), error.may_have_been_applied()));
        assert_eq!(found, expected, "{status}");
    }
}

/// The second read waits for the pause that the first begins.
#[tokio::test]
async fn waits_end_at_once() {
    let service = MockServer::start().await;
    add_fault(&service, FaultRule::new(Fault::rate_limited("20")).times(1));
    let reads = service.expect("GET", "/me");
    let (client, end) = ending(&patient_client(&service));
    let first = tokio::spawn(client.me());
    reads.arrives(1, MINUTE).await;
    let second = tokio::spawn(client.me());
    drop(end);
    for call in [first, second] {
        let ended = timeout(MINUTE / 6, call).await.unwrap().unwrap();
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Canceled);
    }
}

fn patient_client(service: &MockServer) -> Client {
    owner_builder(service).clock(SystemClock).build().unwrap()
}

/// Starts to apply a plan of one new link, and ends it when a number of reads have arrived. Returns the report.
async fn end_apply(faults: Vec<FaultRule>, reads: u64) -> (ApplyReport, Vec<StepState>) {
    let service = MockServer::start().await;
    let mut desired = DesiredProfile::default();
    let link = DesiredLink::new("t", "https://new.example".parse().unwrap());
    desired.links = Some(vec![link]);
    let client = patient_client(&service);
    let plan = Plan::new(&client.me().await.unwrap(), &desired, PlanOptions::new());
    for fault in faults {
        add_fault(&service, fault);
    }
    let arriving = service.expect("GET", "/me");
    let (client, end) = ending(&client);
    let mut states = Vec::new();
    let applying = client.apply(&plan).on_step(|_, state| states.push(state));
    let ending = async {
        arriving.arrives(1 + reads, MINUTE).await;
        drop(end);
    };
    let (applied, ()) = tokio::join!(timeout(MINUTE / 6, applying), ending);
    (*applied.unwrap().unwrap_err().report, states)
}

#[tokio::test]
async fn an_ended_apply_returns_its_report() {
    let slow = FaultRule::new(Fault::delay(MINUTE));
    let (report, states) = end_apply(vec![slow], 1).await;
    assert_eq!((report.unknown, report.not_done.len()), (None, 1));
    assert_eq!(states, []);

    let lost = fault_on("POST", Fault::status(502)).after_write();
    let limited = fault_on("GET", Fault::rate_limited("20")).skip(1);
    let (report, states) = end_apply(vec![lost, limited], 2).await;
    assert!(report.unknown.is_some() && report.not_done.is_empty());
    assert_eq!(states, [StepState::Begun, StepState::Unknown]);
}

#[tokio::test]
async fn an_apply_that_waits_for_another_ends() {
    let service = MockServer::start().await;
    let client = patient_client(&service);
    let plan = Plan::new(
        &client.me().await.unwrap(),
        &DesiredProfile::default(),
        PlanOptions::new(),
    );
    add_fault(&service, FaultRule::new(Fault::delay(MINUTE)));
    let (ended, end) = ending(&client);
    let desired = DesiredProfile::default();
    let mut first = Box::pin(client.sync(&desired, PlanOptions::new()));
    assert!(futures_util::poll!(&mut first).is_pending());
    let mut second = ended.apply(&plan);
    assert!(futures_util::poll!(&mut second).is_pending());
    drop(end);
    let error = timeout(MINUTE / 6, second).await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the call was canceled, so nothing was sent"
    );
}
