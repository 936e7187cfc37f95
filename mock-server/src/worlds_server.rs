//! The server of the program: many worlds and the control API on one port.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;

use crate::control::{self, Control, Guard};
use crate::engine::{self, BODY_LIMIT, Reply};
use crate::faults::PlannedReply;
use crate::input::InvalidInput;
use crate::journal::request_line;
use crate::tasks::{Shutdown, run_blocking};
use crate::transport::{self, Handler, Responded, answer, receive, response};
use crate::worlds::Worlds;

/// An HTTP server for any number of [`Worlds`], with the control API below `/_mock/v1`. The program
/// `mock-server` runs it.
///
/// It supports all faults, including wire faults. It accepts request bodies of up to 1 MiB.
///
/// ```
/// use mock_server::{WorldsServer, World, Worlds};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// let server = WorldsServer::new(Worlds::in_memory(World::default()), listener)?;
/// println!("{}/api/v1/me", server.url());
/// server.serve_until(async {}).await
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "the server does not serve before `serve_until`"]
pub struct WorldsServer {
    listener: TcpListener,
    address: SocketAddr,
    handler: WorldsHandler,
}

impl WorldsServer {
    /// Creates a server for these worlds, which an `Arc` can share. It accepts connections once
    /// [`serve_until`](Self::serve_until) runs.
    ///
    /// # Errors
    ///
    /// Returns an error if the address of the listener cannot be read or it cannot be made
    /// non-blocking.
    pub fn new(worlds: impl Into<Arc<Worlds>>, listener: TcpListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let control = Control {
            worlds: worlds.into(),
            url: url_of(address),
            shutdown: Shutdown::default(),
            guard: Guard::default(),
        };
        let handler = WorldsHandler {
            control,
            has_control: true,
            log: None,
        };
        Ok(Self {
            listener,
            address,
            handler,
        })
    }

    /// Calls `log` with one line per request to the service: method, path, name of the key and response
    /// status. The line contains no API keys, but maybe control characters of the request.
    pub fn log(mut self, log: impl Fn(fmt::Arguments<'_>) + Send + Sync + 'static) -> Self {
        self.handler.log = Some(Box::new(log));
        self
    }

    /// Disables the control API, which shows all keys to anybody who can reach the port. Its paths are
    /// then unknown paths of the service.
    pub fn without_control(mut self) -> Self {
        self.handler.has_control = false;
        self
    }

    /// Requires this token, in the header `Authorization: Bearer TOKEN`, for all requests to the
    /// control API.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the token is empty or contains characters other than printable
    /// ASCII.
    pub fn control_token(mut self, token: &str) -> Result<Self, InvalidInput> {
        self.handler.control.guard.require_token(token)?;
        Ok(self)
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base URL, such as `http://127.0.0.1:40123`. For a server that listens on all
    /// addresses, such as `0.0.0.0`, it contains the loopback address.
    pub fn url(&self) -> &str {
        &self.handler.control.url
    }

    /// Returns the URL of the control API; `None` [without it](Self::without_control).
    pub fn control_url(&self) -> Option<String> {
        let has_control = self.handler.has_control;
        has_control.then(|| format!("{}{}", self.url(), control::BASE))
    }

    /// Serves until `stop` completes, then finishes pending requests for up to 10 seconds and closes all
    /// connections. Requires a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// Returns an error if the listener cannot be registered with the runtime.
    pub async fn serve_until(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let shutdown = self.handler.control.shutdown.clone();
        transport::serve(listener, Arc::new(self.handler), &shutdown, stop).await;
        // The driver reports what clients had sent, or that they have left, and then their tasks run.
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        // Pending waits and delays would otherwise delay the shutdown.
        shutdown.start();
        // A client may leave before its request is handled, so this waits for more than the connections.
        let _ = tokio::time::timeout(GRACE, shutdown.unused()).await;
        Ok(())
    }
}

/// Maximum time to finish requests after the server was stopped.
const GRACE: Duration = Duration::from_secs(10);

fn url_of(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}")
}

/// A callback for log lines.
type Log = Box<dyn Fn(fmt::Arguments<'_>) + Send + Sync>;

struct WorldsHandler {
    control: Control,
    has_control: bool,
    log: Option<Log>,
}

impl Handler for WorldsHandler {
    async fn handle(self: Arc<Self>, request: Request<Incoming>) -> Responded {
        match self.has_control && control::is_for(request.uri().path()) {
            true => self.answer_control(request).await,
            false => self.serve(request).await,
        }
    }
}

impl WorldsHandler {
    async fn serve(&self, request: Request<Incoming>) -> Responded {
        // The world at the head of the request counts: it may be reset or deleted while the body arrives.
        let route = |head: &mut engine::Request| self.control.worlds.route(head);
        let shutdown = &self.control.shutdown;
        let (routed, request) = receive(request, BODY_LIMIT, shutdown, route).await?;
        let service = match routed {
            Ok(service) => service,
            Err(world) => {
                let planned = self.unknown_world(&request, &world);
                if let Some(log) = &self.log {
                    let line = request_line(&request, &self.control.worlds.other_keys());
                    log(format_args!("{line} {}", planned.code));
                }
                return Ok(response(planned));
            }
        };
        let (responded, entry) = answer(service, request, shutdown).await;
        if let Some(log) = &self.log {
            log(format_args!("{}", entry.log_line()));
        }
        responded
    }

    fn unknown_world(&self, request: &engine::Request, world: &str) -> PlannedReply {
        let message = format!("unknown world {world:?}; it was deleted or never created");
        let reply = Reply::error(404, "unknown_world", &message);
        let Some(cors) = self.control.worlds.default().cors.clone() else {
            return PlannedReply::new(reply);
        };
        let mut planned = PlannedReply::new(cors.accept_preflight(request).unwrap_or(reply));
        cors.allow(request, &mut planned);
        planned
    }

    async fn answer_control(self: Arc<Self>, request: Request<Incoming>) -> Responded {
        let shutdown = &self.control.shutdown;
        let head = |head: &mut engine::Request| control::check_head(&self.control, head);
        let (checked, request) = receive(request, control::BODY_LIMIT, shutdown, head).await?;
        let reply = match checked {
            Ok(()) => {
                let answer = move || control::answer(&self.control, &request);
                run_blocking(answer).await.await
            }
            Err(reply) => reply,
        };
        // Responses contain keys.
        let reply = reply
            .with_header("cache-control", "no-store")
            .with_header("x-content-type-options", "nosniff");
        Ok(response(PlannedReply::new(reply)))
    }
}
