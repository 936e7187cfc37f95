//! Accepts connections until it is told to stop, whatever happens to the machine meanwhile.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::connection::{self, Handler};

/// How long to wait when the system has no file handle left for a connection. It keeps the
/// connection in its queue meanwhile.
const BACK_OFF: Duration = Duration::from_millis(20);

/// How long connections may take to end after the server was told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Serves every connection that comes, until `stop` is done. Then requests under way are answered,
/// and all connections closed.
pub(super) async fn serve(
    listener: TcpListener,
    handler: Arc<impl Handler>,
    stop: impl Future<Output = ()>,
) {
    let stopping = serve_without_grace(listener, handler, stop).await;
    stopping.send_replace(true);
    // Every connection holds a receiver.
    let _ = tokio::time::timeout(GRACE, stopping.closed()).await;
}

/// The same without waiting for connections. They end when what is returned says `true`, or with
/// their runtime.
pub(super) async fn serve_without_grace(
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

/// The next connection. No error of `accept` is a reason to stop: a client that went away again
/// says nothing of the others, and file handles come back.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => tokio::time::sleep(BACK_OFF).await,
        }
    }
}
