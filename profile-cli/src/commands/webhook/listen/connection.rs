//! Takes connections and speaks HTTP on them, until it is told to stop.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::receiver::Receiver;

/// How long the head of a request may take, so that nobody holds connections by being slow.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait when the system has no file handle left for a connection. It keeps the
/// connection in its queue meanwhile.
const BACK_OFF: Duration = Duration::from_millis(20);

/// The next connection. A client that went away again is no reason to stop.
pub(super) async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => tokio::time::sleep(BACK_OFF).await,
        }
    }
}

/// Serves a connection until its client leaves or `stopping` says so; then a request under way is
/// answered still.
pub(super) async fn serve(
    stream: TcpStream,
    receiver: Arc<Receiver>,
    mut stopping: watch::Receiver<bool>,
) {
    let service = service_fn(|request| receiver.clone().receive(request));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // A connection that broke has nobody to be told.
        _ = &mut connection => return,
        // Without a sender the command has ended, and that is a stop as well.
        _ = stopping.wait_for(|stopping| *stopping) => {}
    }
    Pin::new(&mut connection).graceful_shutdown();
    let _ = connection.await;
}
