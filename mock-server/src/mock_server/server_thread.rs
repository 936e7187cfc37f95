//! The thread on which a server for Rust tests runs.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::engine::{self, BODY_LIMIT};
use crate::service::Service;
use crate::shutdown::Shutdown;
use crate::transport::{
    Handler, NoResponse, Payload, answer, mounted_mocks, read_head, receive, respond,
    serve_without_grace,
};

/// The thread of a running server. Dropping it stops the server and closes its connections.
#[derive(Debug)]
pub(crate) struct ServerThread {
    pub(crate) address: SocketAddr,
    wiremock: Arc<OnceLock<SocketAddr>>,
    /// Stops the thread when dropped.
    _stop: oneshot::Sender<()>,
}

impl ServerThread {
    /// Starts a server that accepts requests as soon as this returns.
    pub(crate) fn start(listener: TcpListener, service: Arc<Service>) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let wiremock = Arc::<OnceLock<_>>::default();
        let handler = MocksOrService {
            wiremock: wiremock.clone(),
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
            wiremock,
            _stop: stop,
        })
    }

    /// Sends all later requests to wiremock first.
    pub(crate) fn forward_to(&self, wiremock: SocketAddr) {
        self.wiremock.get_or_init(|| wiremock);
    }
}

/// Passes requests to the mocks of the test, and to the service if none matches.
struct MocksOrService {
    /// Empty unless the test uses mocks.
    wiremock: Arc<OnceLock<SocketAddr>>,
    service: Arc<Service>,
    /// Never starts: the end of the runtime ends everything.
    shutdown: Shutdown,
}

impl Handler for MocksOrService {
    async fn handle(&self, request: Request<Incoming>) -> Result<Response<Payload>, NoResponse> {
        let request = match self.wiremock.get() {
            None => receive(request, BODY_LIMIT, &self.shutdown).await?,
            Some(wiremock) => match ask_mocks(*wiremock, request).await? {
                Asked::Matched(response) => return Ok(response.map(Payload::Forwarded)),
                Asked::Unmatched(request) => request,
            },
        };
        let (planned, _) = answer(self.service.clone(), request, &self.shutdown).await;
        respond(planned)
    }
}

enum Asked {
    Matched(Response<Incoming>),
    Unmatched(engine::Request),
}

async fn ask_mocks(wiremock: SocketAddr, request: Request<Incoming>) -> Result<Asked, NoResponse> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let request = Request::from_parts(head.clone(), Full::new(body.clone()));
    Ok(match mounted_mocks::respond(wiremock, request).await? {
        Some(response) => Asked::Matched(response),
        None => Asked::Unmatched(read_head(&head).body(body)),
    })
}
