//! The server for Rust tests: one service on one port of this machine.

mod builder;
mod server_thread;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, OnceLock};

use crate::engine::{Dialect, Keys, Scope, Verdicts, World};
use crate::faults::FaultRule;
use crate::input::InvalidInput;
use crate::journal::{Expect, Journal};
use crate::service::{Service, StateError};
use crate::transport::mounted_mocks;
use crate::webhook::WebhookHandle;

pub use builder::{MockServerBuilder, StartError};
use server_thread::ServerThread;

/// A profile service that runs in this process until it is dropped.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// assert!(server.uri().starts_with("http://127.0.0.1:"));
/// # });
/// ```
#[derive(Debug)]
pub struct MockServer {
    uri: String,
    service: Arc<Service>,
    server: ServerThread,
    /// The mocks of the test; empty until the first use.
    wiremock: OnceLock<wiremock::MockServer>,
}

impl MockServer {
    /// Starts a server with the default world in memory, on a free port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// Panics if the server cannot bind a port; [`MockServerBuilder::start`] returns an error
    /// instead.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// println!("{}/api/v1/me", server.uri());
    /// # });
    /// ```
    pub async fn start() -> Self {
        match Self::builder().start().await {
            Ok(server) => server,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a builder for a server with other settings.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::builder().seed(7).start().await?;
    /// # Ok::<(), mock_server::StartError>(()) }).unwrap();
    /// ```
    pub fn builder() -> MockServerBuilder {
        MockServerBuilder::default()
    }

    /// Returns the base URL, such as `http://127.0.0.1:40123`, without `/api/v1`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// let badges = format!("{}/api/v1/badges", server.uri());
    /// # });
    /// ```
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the address of the server.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert!(server.address().ip().is_loopback());
    /// # });
    /// ```
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Returns the key of `demo` that has all scopes.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert_eq!(server.key(), server.keys().all);
    /// # });
    /// ```
    pub fn key(&self) -> &str {
        &self.keys().all
    }

    /// Returns the keys of `demo`, named after their scopes, as of the start of the server.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert_ne!(server.keys().links, server.keys().none);
    /// # });
    /// ```
    pub fn keys(&self) -> &Keys {
        self.service.keys()
    }

    /// Creates a key for `handle`, and the account if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used. A server in memory never fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{MockServer, Scope};
    ///
    /// let server = MockServer::start().await;
    /// let key = server.create_key("grace", &[Scope::LinksWrite, Scope::SocialWrite])?;
    /// # Ok::<(), mock_server::StateError>(()) }).unwrap();
    /// ```
    pub fn create_key(&self, handle: &str, scopes: &[Scope]) -> Result<String, StateError> {
        self.update(|world| world.create_key(handle, scopes))
    }

    /// Returns a copy of the current world.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used. A server in memory never fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// let links = &server.world()?.account("demo").unwrap().links;
    /// # Ok::<(), mock_server::StateError>(()) }).unwrap();
    /// ```
    pub fn world(&self) -> Result<World, StateError> {
        self.service.store().world()
    }

    /// Changes the world between two requests.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used; then nothing changes. A server in
    /// memory never fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.update(|world| world.add_account("ada").profile.bio = "Hello".to_owned())?;
    /// # Ok::<(), mock_server::StateError>(()) }).unwrap();
    /// ```
    pub fn update<T>(&self, change: impl FnOnce(&mut World) -> T) -> Result<T, StateError> {
        self.service.store().transact(|world| (change(world), true))
    }

    /// Sets the dialect, starting with the next request.
    ///
    /// # Errors
    ///
    /// Returns [`StateError`] if the state file cannot be used. A server in memory never fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{Dialect, MockServer};
    ///
    /// let server = MockServer::start().await;
    /// for (setting, alternative, dialect) in Dialect::alternatives() {
    ///     server.set_dialect(dialect)?;
    ///     // … the client under test runs with this `alternative` of `setting` …
    /// }
    /// # Ok::<(), mock_server::StateError>(()) }).unwrap();
    /// ```
    pub fn set_dialect(&self, dialect: Dialect) -> Result<(), StateError> {
        self.update(|world| world.set_dialect(dialect))
    }

    /// Returns a wiremock server for mocks, which take precedence over the profile service. The first
    /// call starts it; from then on, each request is forwarded to it first.
    ///
    /// Send requests to [`uri`](Self::uri) all the same: the address of the wiremock server has only
    /// the mocks. Use [`reset_mocks`](Self::reset_mocks) instead of two functions of wiremock:
    /// `mount_as_scoped`, which removes the wrong mock if mocks have different priorities, and
    /// `reset`, after which requests that match no mock get an empty 404 response. Recording is
    /// disabled, so `received_requests` is `None`.
    ///
    /// # Panics
    ///
    /// Panics if the wiremock server cannot bind a port.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::MockServer;
    /// use mock_server::wiremock::{Mock, ResponseTemplate, matchers::path};
    ///
    /// let server = MockServer::start().await;
    /// Mock::given(path("/api/v1/badges"))
    ///     .respond_with(ResponseTemplate::new(503))
    ///     .mount(server.wiremock())
    ///     .await;
    /// # });
    /// ```
    pub fn wiremock(&self) -> &wiremock::MockServer {
        self.wiremock.get_or_init(|| {
            let wiremock = mounted_mocks::start_wiremock();
            self.server.forward_to(*wiremock.address());
            wiremock
        })
    }

    /// Removes all mounted mocks without verifying them. The world does not change. A request that
    /// arrives during the removal may get an empty 404 response.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.reset_mocks().await;
    /// # });
    /// ```
    pub async fn reset_mocks(&self) {
        if let Some(wiremock) = self.wiremock.get() {
            wiremock.reset().await;
            mounted_mocks::mount_last(wiremock).await;
        }
    }

    /// Adds a fault rule after the existing rules. It applies to later requests, but not to those that
    /// a mounted mock answers.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the rule is invalid.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{Fault, FaultRule, MockServer};
    ///
    /// let server = MockServer::start().await;
    /// let second_post = FaultRule::new(Fault::status(503))
    ///     .method("POST")
    ///     .path("/api/v1/me/posts")
    ///     .skip(1)
    ///     .times(1);
    /// server.add_fault(second_post)?;
    /// # Ok::<(), mock_server::InvalidInput>(()) }).unwrap();
    /// ```
    pub fn add_fault(&self, rule: FaultRule) -> Result<(), InvalidInput> {
        self.service.faults().add(vec![rule])
    }

    /// Removes all fault rules.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{Fault, FaultRule, MockServer};
    ///
    /// let server = MockServer::start().await;
    /// server.add_fault(FaultRule::new(Fault::EmptyBody))?;
    /// server.clear_faults();
    /// # Ok::<(), mock_server::InvalidInput>(()) }).unwrap();
    /// ```
    pub fn clear_faults(&self) {
        self.service.faults().clear();
    }

    /// Returns a handle to the webhook, which sends events and lists deliveries.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.webhook().use_sink("200", "whsec_test")?;
    /// assert_eq!(server.webhook().consecutive_failures()?, 0);
    /// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
    /// ```
    pub fn webhook(&self) -> WebhookHandle<'_> {
        WebhookHandle::new(&self.service)
    }

    /// Returns the journal of the requests to the service. It does not contain requests to mounted
    /// mocks.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert!(server.journal().requests().is_empty());
    /// # });
    /// ```
    pub fn journal(&self) -> &Journal {
        self.service.journal()
    }

    /// Starts an expectation about the requests of the client. The path is relative to `/api/v1` and
    /// may be a template; see [`RequestPattern`](crate::journal::RequestPattern).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.expect("DELETE", "/me/links/{id}").never();
    /// # });
    /// ```
    pub fn expect(&self, method: &str, path: &str) -> Expect<'_> {
        Expect::new(self.service.journal(), method, path)
    }

    /// Returns the client's violations of the specification and the coverage so far. Requests to
    /// mounted mocks are not included.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// // … the client under test runs …
    /// let verdicts = server.verdicts();
    /// println!("never called: {:?}", verdicts.coverage.uncovered().endpoints);
    /// # });
    /// ```
    pub fn verdicts(&self) -> Verdicts {
        self.service.verdicts()
    }

    /// Asserts that the client has not violated the specification; see
    /// [`verdicts`](Self::verdicts).
    ///
    /// # Panics
    ///
    /// Panics if the client violated a rule. The message lists the violations.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// // … the client under test runs …
    /// server.assert_no_violations();
    /// # });
    /// ```
    #[track_caller]
    pub fn assert_no_violations(&self) {
        self.verdicts().assert_no_violations();
    }

    fn serve(listener: TcpListener, service: Service) -> io::Result<Self> {
        let service = Arc::new(service);
        let server = ServerThread::start(listener, service.clone())?;
        Ok(Self {
            uri: format!("http://{}", server.address),
            service,
            server,
            wiremock: OnceLock::new(),
        })
    }
}

impl Drop for MockServer {
    /// Closes the port. Panics if an expectation of a mounted mock was not met, as wiremock does.
    fn drop(&mut self) {
        if let Some(server) = self.wiremock.take() {
            mounted_mocks::drop_at_once(server);
        }
    }
}
