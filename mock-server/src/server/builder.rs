//! What a mock server is to be like before it starts.

use std::io;
use std::net::TcpListener;
use std::path::PathBuf;

use super::MockServer;
use crate::engine::{Clock, Dialect, World};
use crate::journal::JournalLimits;
use crate::service::Service;
use crate::state_file::{StateError, StateFile};

/// What a server is to be like; see [`MockServer::builder`].
#[derive(Debug, Default)]
#[must_use = "nothing listens before `start`"]
pub struct MockServerBuilder {
    seed: u64,
    clock: Option<Clock>,
    dialect: Option<Dialect>,
    world: Option<World>,
    state_file: Option<PathBuf>,
    listener: Option<TcpListener>,
    wire_faults: bool,
    journal_limits: JournalLimits,
}

impl MockServerBuilder {
    /// The seed of a default world, from which its keys and statistics follow; 0 unless set. It
    /// says nothing where [`world`](Self::world) or an existing state file brings a world along.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{MockServer, World};
    ///
    /// let server = MockServer::builder().seed(7).start().await?;
    /// assert_eq!(server.keys(), &World::new(7).keys());
    /// # Ok::<(), mock_server::StartError>(()) }).unwrap();
    /// ```
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The clock of a new world, in place of the system's. An existing state file keeps its own.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{Clock, MockServer};
    ///
    /// let clock = Clock::fixed("2026-03-01T12:00:00Z")?;
    /// let server = MockServer::builder().clock(clock).start().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// How the service behaves where the specification is silent, in place of the dialect that the
    /// world has. An existing state file keeps its own.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{Dialect, MockServer};
    ///
    /// let server = MockServer::builder().dialect(Dialect::minimal()).start().await?;
    /// # Ok::<(), mock_server::StartError>(()) }).unwrap();
    /// ```
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// A world of your own, in place of the default one. An existing state file keeps its own.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{MockServer, World};
    ///
    /// let mut world = World::new(7);
    /// world.add_account("ada");
    /// let server = MockServer::builder().world(world).start().await?;
    /// # Ok::<(), mock_server::StartError>(()) }).unwrap();
    /// ```
    pub fn world(mut self, world: World) -> Self {
        self.world = Some(world);
        self
    }

    /// Keeps the world in a file, as [`StateFile`] describes, which is made when it is not there.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let directory = tempfile::tempdir()?;
    /// let path = directory.path().join("state.json");
    /// let server = mock_server::MockServer::builder().state_file(&path).start().await?;
    /// assert!(path.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn state_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_file = Some(path.into());
        self
    }

    /// Listens here and not on a free port of 127.0.0.1.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let listener = std::net::TcpListener::bind("[::1]:0")
    ///     .or_else(|_| std::net::TcpListener::bind("127.0.0.1:0"))?;
    /// let server = mock_server::MockServer::builder().listener(listener).start().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Allows faults on the wire, such as a reset connection.
    ///
    /// The server then has a front of its own before wiremock, through which everything passes. It
    /// costs each request a further connection inside this machine.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{Fault, FaultRule, MockServer, WireFault};
    ///
    /// let server = MockServer::builder().wire_faults().start().await?;
    /// server.add_fault(FaultRule::new(Fault::Wire(WireFault::Reset)).times(1))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn wire_faults(mut self) -> Self {
        self.wire_faults = true;
        self
    }

    /// Keeps another number of requests in the journal than [`JournalLimits::default`] says.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::MockServer;
    /// use mock_server::journal::JournalLimits;
    ///
    /// let entries = 100_000;
    /// let limits = JournalLimits { entries, ..JournalLimits::default() };
    /// let server = MockServer::builder().journal_limits(limits).start().await?;
    /// # Ok::<(), mock_server::StartError>(()) }).unwrap();
    /// ```
    pub fn journal_limits(mut self, limits: JournalLimits) -> Self {
        self.journal_limits = limits;
        self
    }

    /// Starts the server. It has a thread of its own and answers as soon as this returns.
    ///
    /// # Errors
    ///
    /// [`StartError::Listen`] when no port can be had, [`StartError::State`] when the state file
    /// cannot be used; it is left as it is.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{MockServer, StartError};
    ///
    /// let directory = tempfile::tempdir()?;
    /// let damaged = directory.path().join("state.json");
    /// std::fs::write(&damaged, "{")?;
    /// let started = MockServer::builder().state_file(damaged).start().await;
    /// assert!(matches!(started, Err(StartError::State(_))));
    /// # Ok::<(), std::io::Error>(()) }).unwrap();
    /// ```
    pub async fn start(mut self) -> Result<MockServer, StartError> {
        let listener = match self.listener.take() {
            Some(listener) => listener,
            None => free_port()?,
        };
        let behind_proxy = self.wire_faults.then(free_port).transpose()?;
        let service = self.into_service()?;
        let config = Config {
            listener,
            behind_proxy,
            service,
        };
        MockServer::serve(config).await
    }

    fn into_service(self) -> Result<Service, StateError> {
        let mut world = self.world.unwrap_or_else(|| World::new(self.seed));
        if let Some(clock) = self.clock {
            world.set_clock(clock);
        }
        if let Some(dialect) = self.dialect {
            world.set_dialect(dialect);
        }
        let service = match self.state_file {
            None => Service::in_memory(world),
            Some(path) => Service::in_file(StateFile::new(path), world)?,
        };
        Ok(service.with_journal_limits(self.journal_limits))
    }
}

/// Everything that a server needs to start.
pub(super) struct Config {
    /// Where clients connect.
    pub(super) listener: TcpListener,
    /// Where wiremock listens when a front stands before it.
    pub(super) behind_proxy: Option<TcpListener>,
    pub(super) service: Service,
}

fn free_port() -> Result<TcpListener, StartError> {
    TcpListener::bind("127.0.0.1:0").map_err(StartError::Listen)
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no free port on 127.0.0.1.
    #[error("no port of 127.0.0.1 can be had: {0}")]
    Listen(#[source] io::Error),
    /// The front that faults on the wire need cannot be started.
    #[error("the front for faults on the wire cannot be started: {0}")]
    Proxy(#[source] io::Error),
    /// The state file cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
}
