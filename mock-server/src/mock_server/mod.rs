//! The server for Rust tests: one service on one port of this machine.

mod builder;
mod server_thread;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::ops::Deref;

use crate::service::Service;
use crate::service_handle::ServiceHandle;

pub use builder::{MockServerBuilder, StartError};
use server_thread::ServerThread;

/// A profile service that runs in this process until it is dropped. It dereferences to a
/// [`ServiceHandle`], which has the methods for its world, faults, webhook, journal and verdicts.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mock_server::MockServer;
///
/// let server = MockServer::start().await;
/// assert!(server.uri().starts_with("http://127.0.0.1:"));
/// assert!(server.address().ip().is_loopback());
/// println!("GET {}/api/v1/me with {}", server.uri(), server.key());
/// // … the client under test runs …
/// server.assert_no_violations();
/// # });
/// ```
#[derive(Debug)]
pub struct MockServer {
    uri: String,
    handle: ServiceHandle,
    thread: ServerThread,
}

impl MockServer {
    /// Starts a server with the default world in memory, on a free port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// Panics if the server cannot bind a port; [`MockServerBuilder::start`] returns an error
    /// instead.
    pub async fn start() -> Self {
        Self::start_blocking()
    }

    /// Starts a server like [`start`](Self::start), for tests without an async runtime.
    ///
    /// # Panics
    ///
    /// Panics if the server cannot bind a port; [`MockServerBuilder::start_blocking`] returns an error
    /// instead.
    pub fn start_blocking() -> Self {
        match Self::builder().start_blocking() {
            Ok(server) => server,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a builder for a server with other settings.
    pub fn builder() -> MockServerBuilder {
        MockServerBuilder::default()
    }

    /// Returns the base URL, such as `http://127.0.0.1:40123`, without `/api/v1`.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.thread.address
    }

    fn serve(listener: TcpListener, service: Service) -> io::Result<Self> {
        let handle = ServiceHandle::new(service);
        let thread = ServerThread::start(listener, handle.service.clone())?;
        Ok(Self {
            uri: format!("http://{}", thread.address),
            handle,
            thread,
        })
    }
}

impl Deref for MockServer {
    type Target = ServiceHandle;

    /// Returns the handle of the service.
    fn deref(&self) -> &ServiceHandle {
        &self.handle
    }
}
