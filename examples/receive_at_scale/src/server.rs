//! An HTTP server that limits connections, requests, and the time for headers.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::http::{Request, StatusCode};
use axum::response::IntoResponse;
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::metrics::count_delivery;

/// Maximum number of requests at once; the server responds to others with 503. If as many connections
/// are open, apart from [`HEALTH_CONNECTIONS`], a new one replaces the oldest one without a request.
///
/// With the other files of the process, this is less than 1,024, a common limit on open files.
pub const MAX_CONNECTIONS: usize = 900;

/// Number of further connections, so that `GET /health` has a response while [`MAX_CONNECTIONS`]
/// requests are running.
pub const HEALTH_CONNECTIONS: usize = 16;

/// Maximum time to receive the headers of the first request of a connection.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time to wait for another request, and to receive its headers. Set a shorter idle timeout in
/// the load balancer.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time to wait for running requests at shutdown.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// The place of a request at the server, which is an extension of the request. A shutdown waits until it is
/// dropped.
pub(crate) type Place = Option<Arc<OwnedSemaphorePermit>>;

/// The path of the health check.
pub(crate) const HEALTH: &str = "/health";

/// Serves connections until `shutdown` completes, and then waits for running requests, at most
/// [`SHUTDOWN_TIMEOUT`]. It also waits for deliveries whose senders have disconnected.
///
/// ```no_run
/// # async fn serve(app: axum::Router) -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// receive_at_scale::serve(listener, app, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub async fn serve(mut listener: TcpListener, app: Router, shutdown: impl Future<Output = ()>) {
    let requests = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let idle = IdleConnections::default();
    let app = TowerToHyperService::new(app);
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(IDLE_TIMEOUT)
        .half_close(true);
    let mut shutdown = pin!(shutdown);
    loop {
        let (stream, _) = tokio::select! {
            // A signal is caught before the first connection is accepted.
            biased;
            () = &mut shutdown => break,
            accepted = Listener::accept(&mut listener) => accepted,
        };
        let client = Arc::<Client>::default();
        idle.add(&client, requests.available_permits());
        let service = {
            let (app, requests) = (app.clone(), requests.clone());
            let (idle, client) = (idle.clone(), client.clone());
            service_fn(move |mut request: Request<Incoming>| {
                idle.remove(&client);
                client.had_request.store(true, Ordering::Relaxed);
                let place: Place = requests.clone().try_acquire_owned().ok().map(Arc::new);
                let has_place = place.is_some() || request.uri().path() == HEALTH;
                request.extensions_mut().insert(place.clone());
                let response = has_place.then(|| app.call(request));
                let (idle, client, requests) = (idle.clone(), client.clone(), requests.clone());
                async move {
                    let response = match response {
                        Some(response) => response.await,
                        None => {
                            count_delivery(StatusCode::SERVICE_UNAVAILABLE, "too_many_requests");
                            Ok(StatusCode::SERVICE_UNAVAILABLE.into_response())
                        }
                    };
                    drop(place);
                    idle.add(&client, requests.available_permits());
                    response
                }
            })
        };
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        let idle = idle.clone();
        tokio::spawn(async move {
            tokio::select! {
                // An error means that the sender is gone or too slow.
                _ = connection => {}
                () = client.must_close() => {}
            }
            idle.remove(&client);
        });
    }
    drop(listener);
    let finished = async {
        connections.shutdown().await;
        let _ = requests.acquire_many(MAX_CONNECTIONS as u32).await;
    };
    let _ = timeout(SHUTDOWN_TIMEOUT, finished).await;
}

/// The client of a connection.
#[derive(Default)]
struct Client {
    had_request: AtomicBool,
    replaced: Notify,
}

impl Client {
    /// Waits until another connection replaces this one, or the time for its first request is over.
    async fn must_close(&self) {
        let replaced = timeout(HEADER_TIMEOUT, self.replaced.notified()).await;
        if replaced.is_err() && self.had_request.load(Ordering::Relaxed) {
            self.replaced.notified().await;
        }
    }
}

/// The connections without a request, the oldest first.
#[derive(Clone, Default)]
struct IdleConnections(Arc<Mutex<Vec<Arc<Client>>>>);

impl IdleConnections {
    /// Adds a connection. If there are too many, given the number of requests that can still run,
    /// closes one, if possible one that has not had a request.
    fn add(&self, client: &Arc<Client>, free_places: usize) {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= HEALTH_CONNECTIONS + free_places {
            let had_none = |client: &Arc<Client>| !client.had_request.load(Ordering::Relaxed);
            let oldest = clients.iter().position(had_none).unwrap_or_default();
            clients.remove(oldest).replaced.notify_one();
        }
        clients.push(client.clone());
    }

    fn remove(&self, client: &Arc<Client>) {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|other| !Arc::ptr_eq(other, client));
    }
}
