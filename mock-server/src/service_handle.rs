//! The handle to a service for Rust tests, with or without a server.

use std::sync::Arc;

use crate::engine::{Dialect, Keys, Report, Scope, World};
use crate::faults::FaultRule;
use crate::input::InvalidInput;
use crate::journal::{Expect, Journal, RequestPattern};
use crate::service::{Service, StateError};
use crate::webhook::WebhookHandle;

/// A handle to a mock of the service: its world, faults, webhook, journal and report. Clones share
/// the same service.
///
/// A [`MockServer`](crate::MockServer) dereferences to the handle of its service:
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
}

impl ServiceHandle {
    pub(crate) fn new(service: Service) -> Self {
        let service = Arc::new(service);
        Self { service }
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
    /// service was created with [`MockServerBuilder::build`](crate::MockServerBuilder::build).
    pub fn add_fault(&self, rule: FaultRule) -> Result<(), InvalidInput> {
        self.service.add_fault(rule)
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

#[cfg(feature = "wiremock")]
#[cfg_attr(docsrs, doc(cfg(feature = "wiremock")))]
impl wiremock::Respond for ServiceHandle {
    fn respond(&self, request: &wiremock::Request) -> wiremock::ResponseTemplate {
        crate::transport::respond_on_wiremock(self.service.clone(), request)
    }
}
