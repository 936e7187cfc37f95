//! An HTTP server that limits connections, and the time for headers.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Maximum number of open connections. Others wait until one closes.
pub const MAX_CONNECTIONS: usize = 1024;

/// Maximum time to receive the headers of a request. Idle connections are also closed after this
/// time, so set a shorter idle timeout in the load balancer.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time to wait for running requests at shutdown.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// Serves connections until `shutdown` completes, and then waits for running requests, at most
/// [`SHUTDOWN_TIMEOUT`].
///
/// ```no_run
/// # async fn serve(app: axum::Router) -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// receive_at_scale::serve(listener, app, std::future::pending()).await;
/// # Ok(())
/// # }
/// ```
pub async fn serve(mut listener: TcpListener, app: Router, shutdown: impl Future<Output = ()>) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    let mut shutdown = pin!(shutdown);
    loop {
        let accept = async {
            let permit = permits.clone().acquire_owned().await;
            (permit, Listener::accept(&mut listener).await)
        };
        let (permit, (stream, _)) = tokio::select! {
            accepted = accept => accepted,
            () = &mut shutdown => break,
        };
        let service = TowerToHyperService::new(app.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            let _permit = permit;
            // An error means that the sender is gone or too slow.
            let _ = connection.await;
        });
    }
    drop(listener);
    let _ = timeout(SHUTDOWN_TIMEOUT, connections.shutdown()).await;
}
