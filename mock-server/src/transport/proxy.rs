//! A proxy in front of wiremock that applies the wire faults that wiremock does not support.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::connection::Handler;
use super::handover::Handover;
use super::listener;
use super::no_response::NoResponse;
use super::outgoing::respond;
use super::payload::Payload;

/// A running proxy. Dropping it stops the proxy and closes its connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    pub(crate) handover: Arc<Handover>,
    /// Stops the thread when dropped.
    _stop: oneshot::Sender<()>,
}

impl Proxy {
    /// Starts a thread that forwards requests from the listener to `behind`.
    pub(crate) fn start(listener: TcpListener, behind: SocketAddr) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let handover = Arc::new(Handover::default());
        let forward = Forward {
            behind,
            handover: handover.clone(),
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let inside = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        drop(inside);
        thread::Builder::new()
            .name("mock-server proxy".to_owned())
            .spawn(move || {
                let serving = listener::serve_without_grace(listener, Arc::new(forward), async {
                    // Completes when the sender is dropped.
                    let _ = stopped.await;
                });
                runtime.block_on(serving);
            })?;
        Ok(Self {
            address,
            handover,
            _stop: stop,
        })
    }
}

/// Forwards requests to wiremock.
struct Forward {
    behind: SocketAddr,
    handover: Arc<Handover>,
}

impl Handler for Forward {
    async fn handle(&self, request: Request<Incoming>) -> Result<Response<Payload>, NoResponse> {
        // This fails only while the server shuts down.
        let stream = TcpStream::connect(self.behind)
            .await
            .map_err(NoResponse::Upstream)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let response = sender.send_request(request).await?;
        match self.handover.take(response.headers()) {
            None => Ok(response.map(Payload::Forwarded)),
            Some(planned) => respond(planned),
        }
    }
}
