//! Accepts connections until the server stops.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::connection::{self, Handler};

/// Pause after an error of `accept`, for example if no file descriptor is available.
const BACK_OFF: Duration = Duration::from_millis(20);

/// Maximum time for connections to finish after the server was stopped.
const GRACE: Duration = Duration::from_secs(10);

/// Serves connections until `stop` completes, then finishes pending requests and closes all
/// connections.
pub(crate) async fn serve(
    listener: TcpListener,
    handler: Arc<impl Handler>,
    stop: impl Future<Output = ()>,
) {
    let stopping = serve_without_grace(listener, handler, stop).await;
    stopping.send_replace(true);
    // Every connection holds a receiver.
    let _ = tokio::time::timeout(GRACE, stopping.closed()).await;
}

/// Does the same without waiting for connections to finish. They end when the returned sender sends
/// `true` or their runtime is dropped.
pub(crate) async fn serve_without_grace(
    listener: TcpListener,
    handler: Arc<impl Handler>,
    stop: impl Future<Output = ()>,
) -> watch::Sender<bool> {
    let stopping = watch::Sender::new(false);
    tokio::select! {
        never = accept_all(&listener, &handler, &stopping) => match never {},
        () = stop => stopping,
    }
}

async fn accept_all(
    listener: &TcpListener,
    handler: &Arc<impl Handler>,
    stopping: &watch::Sender<bool>,
) -> std::convert::Infallible {
    loop {
        let stream = accept(listener).await;
        tokio::spawn(connection::serve(
            stream,
            handler.clone(),
            stopping.subscribe(),
        ));
    }
}

/// Accepts the next connection. Errors of `accept` are retried, since they are temporary.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => tokio::time::sleep(BACK_OFF).await,
        }
    }
}
