//! A service for Rust tests, on one port of this machine and a thread of its own, and the handle to it, which
//! does not need a server.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use http::Request;
use hyper::body::Incoming;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::engine::{self, BODY_LIMIT, Clock, Dialect, Keys, Report, Scope, World};
use crate::faults::{Fault, FaultRule, Phase};
use crate::input::InvalidInput;
use crate::journal::{Expect, Journal, JournalLimits, RequestPattern};
use crate::service::{Cors, Service, StateError, StateFile};
use crate::transport::{Handler, Responded, answer, receive, serve};
use crate::webhook::WebhookHandle;

/// A profile service that runs in this process until it is dropped, which closes its port and its
/// connections. It dereferences to a [`ServiceHandle`], which has the methods for its world, faults,
/// webhook, journal and report.
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
    address: SocketAddr,
    handle: ServiceHandle,
    /// Stops the thread when dropped, and the thread; `None` once it is stopped.
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
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
        let started = Self::builder().start_blocking();
        started.unwrap_or_else(|error| panic!("{error}"))
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
        self.address
    }

    /// Stops the server, like a drop: when this returns, its port and its connections are closed.
    pub async fn stop(self) {}

    /// Starts a server that accepts requests as soon as this returns.
    fn serve(listener: TcpListener, service: Service) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let handle = ServiceHandle::new(service, true);
        let service = handle.service.clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let (sender, receiver) = mpsc::channel::<(Runtime, _)>();
        let thread = thread::Builder::new()
            .name("mock-server".to_owned())
            .spawn(move || {
                // Fails if the runtime cannot be created.
                let Ok((runtime, listener)) = receiver.recv() else {
                    return;
                };
                let serving = serve(listener, service.clone(), &service.ended, async {
                    // Completes when the sender is dropped.
                    let _ = stopped.await;
                });
                runtime.block_on(serving);
                // Does not wait for the lock of a state file.
                runtime.shutdown_background();
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
            uri: format!("http://{address}"),
            address,
            handle,
            running: Some((stop, thread)),
        })
    }
}

impl Drop for MockServer {
    /// Closes the port and the connections.
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // A panic of the thread has already been printed.
            let _ = thread.join();
        }
    }
}

impl Deref for MockServer {
    type Target = ServiceHandle;

    /// Returns the handle of the service.
    fn deref(&self) -> &ServiceHandle {
        &self.handle
    }
}

/// A handle to a mock of the service: its world, faults, webhook, journal and report. Clones share
/// the same service.
///
/// A [`MockServer`] dereferences to the handle of its service:
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mock_server::journal::RequestPattern;
/// use mock_server::{Dialect, Fault, FaultRule, MockServer, Scope};
///
/// let server = MockServer::start().await;
/// assert_eq!(server.key(), server.keys().all);
/// let key = server.create_key("grace", &[Scope::LinksWrite, Scope::SocialWrite])?;
/// server.update(|world| world.add_account("ada").profile.bio = "Hello".to_owned())?;
/// server.set_dialect(Dialect::minimal())?;
/// server.webhook().use_built_in_receiver("200", "whsec_test")?;
///
/// let second_post = FaultRule::new(Fault::status(503))
///     .matching(RequestPattern::new("POST", "/me/posts"))
///     .skip(1)
///     .times(1);
/// server.add_fault(second_post)?;
/// // … the client under test runs …
/// server.clear_faults();
///
/// let links = &server.world()?.account("demo").unwrap().links;
/// assert_eq!(server.journal().requests().len(), 0);
/// server.expect("DELETE", "/me/links/{id}").never();
/// let edit = RequestPattern::new("PATCH", "/me/profile").status(422);
/// server.expect_matching(edit).never();
/// println!("never called: {:?}", server.report().coverage.uncovered().endpoints);
/// server.assert_no_violations();
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// With the feature `wiremock`, it implements `wiremock::Respond`, so that a test mounts the whole
/// service on its own wiremock server, after its own mocks:
///
#[cfg_attr(feature = "wiremock", doc = "```")]
#[cfg_attr(not(feature = "wiremock"), doc = "```ignore")]
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use mock_server::MockServer;
/// use mock_server::wiremock::matchers::{any, path};
/// use mock_server::wiremock::{self, Mock, ResponseTemplate};
///
/// let service = MockServer::builder().seed(7).build()?;
/// let server = wiremock::MockServer::start().await;
/// Mock::given(path("/api/v1/badges"))
///     .respond_with(ResponseTemplate::new(503))
///     .mount(&server)
///     .await;
/// Mock::given(any()).respond_with(service.clone()).mount(&server).await;
/// // … the client under test runs with `server.uri()` and `service.key()` …
/// service.assert_no_violations();
/// # Ok::<(), mock_server::StateError>(()) }).unwrap();
/// ```
///
/// There, a request is carried out at once and a delay only delays its response; an entry of the journal
/// says [`HandedOver`](crate::journal::RequestOutcome::HandedOver), since a responder does not see that
/// a client disconnects. Limits of sizes and the form of paths are those of wiremock, and the journal
/// does not contain the requests that other mocks answer.
#[derive(Debug, Clone)]
pub struct ServiceHandle {
    pub(crate) service: Arc<Service>,
    /// `false` if the service has no connections of its own, but passes its responses to wiremock.
    has_connection: bool,
}

impl ServiceHandle {
    fn new(service: Service, has_connection: bool) -> Self {
        let service = Arc::new(service);
        Self {
            service,
            has_connection,
        }
    }

    /// Returns the key of `demo` that has all scopes.
    pub fn key(&self) -> &str {
        &self.keys().all
    }

    /// Returns the keys of `demo`, named after their scopes, as of the start of the service.
    pub fn keys(&self) -> &Keys {
        &self.service.keys
    }

    /// Creates a key for `handle`, and the account if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used. A service in memory never fails.
    pub fn create_key(&self, handle: &str, scopes: &[Scope]) -> Result<String, StateError> {
        self.update(|world| world.create_key(handle, scopes))
    }

    /// Returns a copy of the current world.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used. A service in memory never fails.
    pub fn world(&self) -> Result<World, StateError> {
        self.service.store.world()
    }

    /// Changes the world between two requests. `change` must not call other methods of this service, which
    /// would wait forever.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used; then nothing changes. A service in
    /// memory never fails.
    pub fn update<T>(&self, change: impl FnOnce(&mut World) -> T) -> Result<T, StateError> {
        self.service.store.update(change)
    }

    /// Sets the dialect, starting with the next request. [`Dialect::alternatives`] lists dialects to run
    /// a client with.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used. A service in memory never fails.
    pub fn set_dialect(&self, dialect: Dialect) -> Result<(), StateError> {
        self.update(|world| world.set_dialect(dialect))
    }

    /// Adds a fault rule after the existing rules, starting with the next request.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the rule is invalid, or if it has a fault of the connection and the
    /// service was created with [`MockServerBuilder::build`].
    pub fn add_fault(&self, rule: FaultRule) -> Result<(), InvalidInput> {
        let is_late = matches!(rule.phase(), Phase::Late { .. });
        if !self.has_connection && (is_late || matches!(rule.fault, Fault::Wire(_))) {
            let message = format!(
                "the fault `{}` needs a connection, which a responder of wiremock does not have; use \
                 `MockServer`",
                if is_late { "late" } else { rule.fault.name() }
            );
            return Err(InvalidInput::new("no_connection", message));
        }
        self.service.add_faults(vec![rule]).map(drop)
    }

    /// Removes all fault rules.
    pub fn clear_faults(&self) {
        self.service.faults.clear();
    }

    /// Returns a handle to the webhook, which sends events and lists deliveries.
    pub fn webhook(&self) -> WebhookHandle<'_> {
        WebhookHandle::new(&self.service)
    }

    /// Returns the journal of the requests to the service.
    pub fn journal(&self) -> &Journal {
        &self.service.journal
    }

    /// Starts an expectation about the requests of the client. The path is relative to `/api/v1` and
    /// may be a template; see [`RequestPattern`].
    pub fn expect(&self, method: &str, path: &str) -> Expect<'_> {
        self.expect_matching(RequestPattern::new(method, path))
    }

    /// Starts an expectation about the requests that match a pattern.
    pub fn expect_matching(&self, pattern: RequestPattern) -> Expect<'_> {
        Expect::new(self.journal(), pattern)
    }

    /// Returns the client's violations of the specification and the coverage so far.
    pub fn report(&self) -> Report {
        self.service.report()
    }

    /// Asserts that the client has not violated the specification; see
    /// [`report`](Self::report).
    ///
    /// # Panics
    ///
    /// Panics if the client violated a rule. The message lists the violations.
    #[track_caller]
    pub fn assert_no_violations(&self) {
        self.report().assert_no_violations();
    }
}

/// A builder for a [`MockServer`]; see [`MockServer::builder`].
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mock_server::journal::JournalLimits;
/// use mock_server::{Clock, Dialect, MockServer, World};
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("state.json");
/// let limits = JournalLimits { entries: 100_000, ..JournalLimits::default() };
/// let server = MockServer::builder()
///     .seed(7)
///     .clock(Clock::fixed("2026-03-01T12:00:00Z")?)
///     .dialect(Dialect::minimal())
///     .state_file(&path)
///     .journal_limits(limits)
///     .cors("http://localhost:3000")?
///     .start()
///     .await?;
/// assert!(path.exists());
/// assert_eq!(server.keys(), &World::new(7).keys());
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug, Default)]
#[must_use = "the server does not listen before `start`"]
pub struct MockServerBuilder {
    seed: u64,
    clock: Option<Clock>,
    dialect: Option<Dialect>,
    world: Option<World>,
    state_file: Option<PathBuf>,
    listener: Option<TcpListener>,
    journal_limits: JournalLimits,
    cors: Option<Cors>,
}

impl MockServerBuilder {
    /// Sets the seed of the default world, which determines its keys and statistics; 0 by default.
    /// It has no effect with [`world`](Self::world) or an existing state file.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the clock of a new world instead of the system clock. An existing state file keeps its
    /// clock.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Sets the dialect of a new world: the choices that the service makes where the specification
    /// is silent. An existing state file keeps its dialect.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// Sets the initial world instead of the default one. An existing state file keeps its world.
    pub fn world(mut self, world: World) -> Self {
        self.world = Some(world);
        self
    }

    /// Stores the world in a file, which is created if it does not exist; see [`StateFile`].
    pub fn state_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_file = Some(path.into());
        self
    }

    /// Sets the listener. Default: a free port of 127.0.0.1.
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Sets the limits of the journal instead of [`JournalLimits::default`].
    pub fn journal_limits(mut self, limits: JournalLimits) -> Self {
        self.journal_limits = limits;
        self
    }

    /// Lets web pages of this origin use the service, too, or of any origin with `*`. By default, browsers
    /// do not let pages of other origins read responses.
    ///
    /// Preflights are answered, and responses have the headers that a page needs to read them,
    /// including their other headers. Pages of the given origin, but not of `*`, may send credentials, and
    /// violations of pages of other origins count. Preflights are neither violations nor subject to faults or rate
    /// limits.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `origin` is neither `*` nor an origin such as
    /// `http://localhost:3000`.
    pub fn cors(mut self, origin: &str) -> Result<Self, InvalidInput> {
        self.cors.get_or_insert_default().add(origin)?;
        Ok(self)
    }

    /// Starts the server on its own thread. It accepts requests as soon as this returns.
    ///
    /// # Errors
    ///
    /// Returns [`StartError::Listen`] if no port can be bound, [`StartError::Thread`] if the thread
    /// of the server cannot be started, and [`StartError::State`] if the state file cannot be used;
    /// the file is not changed.
    pub async fn start(self) -> Result<MockServer, StartError> {
        self.start_blocking()
    }

    /// Starts the server like [`start`](Self::start), for tests without an async runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`start`](Self::start).
    pub fn start_blocking(mut self) -> Result<MockServer, StartError> {
        let listener = match self.listener.take() {
            Some(listener) => listener,
            None => TcpListener::bind("127.0.0.1:0").map_err(StartError::Listen)?,
        };
        let service = self.into_service()?;
        MockServer::serve(listener, service).map_err(StartError::Thread)
    }

    /// Returns the service without a server, for a responder of wiremock; see [`ServiceHandle`].
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used; the file is not changed.
    pub fn build(self) -> Result<ServiceHandle, StateError> {
        Ok(ServiceHandle::new(self.into_service()?, false))
    }

    fn into_service(self) -> Result<Service, StateError> {
        let mut world = self.world.unwrap_or_else(|| World::new(self.seed));
        if let Some(clock) = self.clock {
            world.set_clock(clock);
        }
        if let Some(dialect) = self.dialect {
            world.set_dialect(dialect);
        }
        let mut service = match self.state_file {
            None => Service::in_memory(world),
            Some(path) => Service::in_file(StateFile::new(path), world)?,
        };
        service.journal.set_limits(self.journal_limits);
        service.cors = self.cors;
        Ok(service)
    }
}

/// An error at the start of a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No port of 127.0.0.1 can be bound.
    #[error("cannot bind a port on 127.0.0.1: {0}")]
    Listen(io::Error),
    /// The thread of the server cannot be started.
    #[error("cannot start the thread of the server: {0}")]
    Thread(io::Error),
    /// The state file cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Handler for Service {
    // It never ends: the end of the runtime ends everything.
    async fn handle(self: Arc<Self>, request: Request<Incoming>) -> Responded {
        let accept = |_: &mut engine::Request| Ok::<_, Infallible>(());
        let (Ok(()), request) = receive(request, BODY_LIMIT, &self.ended, accept).await?;
        answer(self.clone(), request, &self.ended).await.0
    }
}
