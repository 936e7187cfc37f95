//! Receives deliveries until the command is stopped.

use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpStream;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::handler::Handler;
use crate::outcome::{Failure, Result};
use crate::system::interruption;

/// Maximum number of connections. Others wait.
const MAX_CONNECTIONS: usize = 200;

/// The timeout for the head of a request, so that a slow sender cannot hold a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of the head of a request, and of the buffer of a connection.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// The delay before a command that is ending reports what it waits for.
const WAIT_DELAY: Duration = Duration::from_millis(300);

/// Maximum time to wait for stdout after a signal.
const PRINT_TIMEOUT: Duration = Duration::from_secs(5);

/// The delay after a failed `accept`, for example if no file descriptor is available.
const BACK_OFF: Duration = Duration::from_millis(20);

/// Serves until `stop` is notified or a signal arrives, and waits for requests in progress, for deliveries to forward,
/// and for stdout; calls `wait` if that takes long. Returns the exit code, and `None` if stdout is blocked after a
/// signal.
pub(super) async fn serve<T>(
    listener: TcpListener,
    handler: Handler,
    forwarding: Option<impl Future<Output = ()> + Send + 'static>,
    stop: &Notify,
    printed: oneshot::Receiver<T>,
    wait: impl FnOnce(),
) -> Result<(u8, Option<T>)> {
    let listener = listener
        .set_nonblocking(true)
        .and_then(|()| tokio::net::TcpListener::from_std(listener));
    let listener = listener.map_err(|error| Failure::other(format!("cannot listen: {error}")))?;
    let forwarding = forwarding.map(tokio::spawn);
    let connections = GracefulShutdown::new();
    let signal = tokio::select! {
        () = accept_all(listener, handler, &connections) => None,
        () = stop.notified() => None,
        exit_code = interruption::stopped() => Some(exit_code),
    };
    // Stdout may be blocked, and the receiver of `--forward-to` may hang.
    interruption::end_server_at_once();
    let mut finished = pin!(async {
        connections.shutdown().await;
        if let Some(forwarding) = forwarding {
            let _ = forwarding.await;
        }
        match signal {
            Some(_) => timeout(PRINT_TIMEOUT, printed).await.ok()?.ok(),
            None => printed.await.ok(),
        }
    });
    let printed = match timeout(WAIT_DELAY, &mut finished).await {
        Ok(printed) => printed,
        Err(_) => {
            wait();
            finished.await
        }
    };
    Ok((signal.unwrap_or_default(), printed))
}

/// Accepts connections until canceled.
async fn accept_all(
    listener: tokio::net::TcpListener,
    handler: Handler,
    connections: &GracefulShutdown,
) {
    let handler = Arc::new(handler);
    let limit = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let (stream, permit) = accept(&listener, &limit).await;
        let handler = Arc::clone(&handler);
        let service = service_fn(move |request| Arc::clone(&handler).handle(request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(MAX_HEAD_BYTES)
            // Answers senders that close their side of the connection after the request.
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            let _ = connection.await;
            drop(permit);
        });
    }
}

/// Accepts the next connection. Errors are not fatal: the client may have disconnected.
async fn accept(
    listener: &tokio::net::TcpListener,
    limit: &Arc<Semaphore>,
) -> (TcpStream, OwnedSemaphorePermit) {
    let permit = Arc::clone(limit).acquire_owned().await;
    let permit = permit.expect("the semaphore is never closed");
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            Err(_) => tokio::time::sleep(BACK_OFF).await,
        }
    }
}
