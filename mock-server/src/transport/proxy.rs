//! The front of a Rust suite's server: it stands before wiremock, passes everything on, and does
//! on the wire what wiremock cannot.

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

/// A running front; it ends when this is dropped, and its connections with it.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    pub(crate) handover: Arc<Handover>,
    /// The thread waits for this to be dropped.
    _stop: oneshot::Sender<()>,
}

impl Proxy {
    /// Serves the listener on a thread of its own, and passes everything on to `behind`.
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
            .name("mock-server front".to_owned())
            .spawn(move || {
                let serving = listener::serve_without_grace(listener, Arc::new(forward), async {
                    // The sender sends nothing; it is dropped.
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

/// Passes requests on.
struct Forward {
    behind: SocketAddr,
    handover: Arc<Handover>,
}

impl Handler for Forward {
    async fn handle(&self, request: Request<Incoming>) -> Result<Response<Payload>, NoResponse> {
        // When nobody is behind any more, the server is about to end.
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
