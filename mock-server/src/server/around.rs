//! What a test has around the world: faults before it, the webhook behind it, and what was seen of
//! the client.

use super::MockServer;
use crate::engine::Verdicts;
use crate::faults::FaultRule;
use crate::invalid_input::InvalidInput;
use crate::journal::{Expect, Journal};
use crate::webhook::WebhookHandle;

impl MockServer {
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
        if self.front.is_none() {
            rule.fault.check_without_front()?;
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
    /// assert_eq!(server.webhook().failures_in_row()?, 0);
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
    /// println!("never called: {:?}", verdicts.coverage.untouched().endpoints);
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
}
