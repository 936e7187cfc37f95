//! The mock server of a Rust test suite: one world behind one port of this machine.

mod builder;

use std::net::SocketAddr;
use std::sync::Arc;

use crate::engine::{Dialect, Keys, Scope, Verdicts, World};
use crate::faults::FaultRule;
use crate::invalid_input::InvalidInput;
use crate::journal::{Expect, Journal};
use crate::service::Service;
use crate::state_file::StateError;
use crate::transport::{Proxy, wiremock as respond};
use crate::webhook::WebhookHandle;

use builder::Config;
pub use builder::{MockServerBuilder, StartError};

/// A profile service that runs inside this process until it is dropped.
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
    /// Stands before wiremock where there are faults on the wire.
    proxy: Option<Proxy>,
    /// There until the server is dropped.
    wiremock: Option<wiremock::MockServer>,
}

impl MockServer {
    /// Starts a server with the default world in memory, on a free port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// When this machine has no port or file handle left; [`MockServerBuilder::start`] returns that
    /// as an error instead.
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

    /// Begins a server that differs from the default.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::builder().seed(7).start().await?;
    /// # Ok::<(), mock_server::StartError>(()) }).unwrap();
    /// ```
    pub fn builder() -> MockServerBuilder {
        MockServerBuilder::default()
    }

    /// The base URL, such as `http://127.0.0.1:40123`. The paths of the specification, which begin
    /// with `/api/v1`, follow it directly.
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

    /// The address behind [`MockServer::uri`].
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// assert!(server.address().ip().is_loopback());
    /// # });
    /// ```
    pub fn address(&self) -> SocketAddr {
        match &self.proxy {
            Some(proxy) => proxy.address,
            None => *self.wiremock().address(),
        }
    }

    /// The key of `demo` that may do everything.
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

    /// The six keys of `demo`, named by what they may do, as they were when the server started.
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

    /// Makes a further key for `handle`, and the account when there is none yet.
    ///
    /// # Errors
    ///
    /// [`StateError`] when the state file fails; a server in memory never does.
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

    /// A copy of the world as it is now.
    ///
    /// # Errors
    ///
    /// [`StateError`] when the state file fails; a server in memory never does.
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
    /// [`StateError`] when the state file fails, and then nothing changes; a server in memory never
    /// fails.
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

    /// Gives the service another dialect, from the next request on.
    ///
    /// # Errors
    ///
    /// [`StateError`] when the state file fails; a server in memory never does.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mock_server::{Dialect, MockServer};
    ///
    /// let server = MockServer::start().await;
    /// for (setting, alternative, dialect) in Dialect::alternatives() {
    ///     server.set_dialect(dialect)?;
    ///     // … the client under test runs; it survives `alternative` of `setting` …
    /// }
    /// # Ok::<(), mock_server::StateError>(()) }).unwrap();
    /// ```
    pub fn set_dialect(&self, dialect: Dialect) -> Result<(), StateError> {
        self.update(|world| world.set_dialect(dialect))
    }

    /// The wiremock server underneath. What a test mounts on it comes before the profile service,
    /// which has wiremock's lowest priority, 255.
    ///
    /// Two of wiremock's ways do not work here. `mount_as_scoped` takes away another mock than its
    /// own as soon as two mocks differ in priority, and `reset` takes the profile service away as
    /// well; [`reset_mocks`](Self::reset_mocks) stands in for both. Recording is off, so
    /// `received_requests` is `None`.
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
        self.wiremock
            .as_ref()
            .expect("the server is taken out in `drop` alone")
    }

    /// Takes away every mock that was mounted in front, unchecked. The world stays as it is. A
    /// request that arrives meanwhile can meet neither the mocks nor the service, and gets an empty
    /// 404.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let server = mock_server::MockServer::start().await;
    /// server.reset_mocks().await;
    /// # });
    /// ```
    pub async fn reset_mocks(&self) {
        self.wiremock().reset().await;
        self.mount_service().await;
    }

    /// Makes requests meet a fault from now on, after the rules that were added before.
    ///
    /// A delay of either phase comes after the write, because wiremock waits no earlier; the
    /// program waits where the phase says. Mocks that are mounted in front meet no fault.
    ///
    /// # Errors
    ///
    /// [`InvalidInput`] when the rule cannot be followed. A server that was started without
    /// [`MockServerBuilder::wire_faults`](crate::MockServerBuilder::wire_faults) refuses a fault on
    /// the wire, and a body above 256 MiB.
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
        if self.proxy.is_none() {
            rule.fault.check_without_proxy()?;
        }
        self.service.add_faults(vec![rule])
    }

    /// Takes all fault rules away.
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

    /// The webhook: where it points, what it sends, and what has come of it.
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

    /// The requests that the service has answered. What a mock mounted in front answers is not among
    /// them.
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

    /// Begins to say what the client was to send; the path is below `/api/v1` and may be a template,
    /// as [`RequestPattern`](crate::journal::RequestPattern) has it.
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

    /// What the service thinks of its client so far: the rules of the specification that it broke,
    /// and what it never tried. What a mock mounted in front answers is not in it.
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

    /// Checks that the client broke no rule of the specification so far, as far as
    /// [`verdicts`](Self::verdicts) covers it.
    ///
    /// # Panics
    ///
    /// When it broke one; the message lists the violations.
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

    /// Serves on wiremock. The listener is ours because a pooled server of wiremock's never closes
    /// its port, and recording is off because it would keep every request for ever.
    async fn serve(config: Config) -> Result<Self, StartError> {
        let Config {
            listener,
            behind_proxy,
            service,
        } = config;
        let (listener, proxy) = match behind_proxy {
            Some(behind) => (behind, Some(listener)),
            None => (listener, None),
        };
        let wiremock = wiremock::MockServer::builder()
            .listener(listener)
            .disable_request_recording()
            .start()
            .await;
        let proxy = proxy
            .map(|listener| Proxy::start(listener, *wiremock.address()))
            .transpose()
            .map_err(StartError::Proxy)?;
        let uri = match &proxy {
            Some(proxy) => format!("http://{}", proxy.address),
            None => wiremock.uri(),
        };
        let server = Self {
            uri,
            service: Arc::new(service),
            proxy,
            wiremock: Some(wiremock),
        };
        server.mount_service().await;
        Ok(server)
    }

    /// Makes the service answer what no other mock does.
    async fn mount_service(&self) {
        let proxy = self.proxy.as_ref().map(|proxy| proxy.handover.clone());
        let mock = respond::catch_all(self.service.clone(), proxy);
        self.wiremock().register(mock).await;
    }
}

impl Drop for MockServer {
    /// Closes the port, and panics when an expectation of a mounted mock was not met, as wiremock's
    /// own server does.
    fn drop(&mut self) {
        if let Some(server) = self.wiremock.take() {
            respond::drop_at_once(server);
        }
    }
}
