//! The thread on which a server for Rust tests runs.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::thread;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::engine::BODY_LIMIT;
use crate::service::Service;
use crate::shutdown::Shutdown;
use crate::transport::{Handler, NoResponse, answer, receive, respond, serve_without_grace};

/// The thread of a running server. Dropping it stops the server and closes its connections.
#[derive(Debug)]
pub(crate) struct ServerThread {
    pub(crate) address: SocketAddr,
    /// Stops the thread when dropped.
    _stop: oneshot::Sender<()>,
}

impl ServerThread {
    /// Starts a server that accepts requests as soon as this returns.
    pub(crate) fn start(listener: TcpListener, service: Arc<Service>) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let handler = ServiceHandler {
            service,
            shutdown: Shutdown::new(),
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let (sender, receiver) = mpsc::channel::<(Runtime, _)>();
        thread::Builder::new()
            .name("mock-server".to_owned())
            .spawn(move || {
                // Fails if the runtime cannot be created.
                let Ok((runtime, listener)) = receiver.recv() else {
                    return;
                };
                let serving = serve_without_grace(listener, Arc::new(handler), async {
                    // Completes when the sender is dropped.
                    let _ = stopped.await;
                });
                runtime.block_on(serving);
            })?;
        // Created last because dropping a runtime inside that of the caller panics.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let inside = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        drop(inside);
        // The thread waits for it.
        let _ = sender.send((runtime, listener));
        Ok(Self {
            address,
            _stop: stop,
        })
    }
}

/// Passes requests to the service.
struct ServiceHandler {
    service: Arc<Service>,
    /// Never starts: the end of the runtime ends everything.
    shutdown: Shutdown,
}

impl Handler for ServiceHandler {
    async fn handle(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, NoResponse> {
        let request = receive(request, BODY_LIMIT, &self.shutdown).await?;
        let (planned, _) = answer(self.service.clone(), request, &self.shutdown).await;
        respond(planned)
    }
}
