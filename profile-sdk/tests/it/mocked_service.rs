//! A service that a test can put its own mocks before.

use std::ops::Deref;

use mock_server::ServiceHandle;
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{self, Mock, ResponseTemplate};

/// The service and its base URL.
pub(crate) trait Service: Deref<Target = ServiceHandle> {
    fn base_url(&self) -> String;
}

impl Service for mock_server::MockServer {
    fn base_url(&self) -> String {
        self.uri().to_owned()
    }
}

/// A service behind the mocks of a test. Requests that match none of them reach the service.
pub(crate) struct MockServer {
    service: ServiceHandle,
    mocks: wiremock::MockServer,
}

impl MockServer {
    pub(crate) async fn start() -> Self {
        let service = mock_server::MockServer::builder().build().unwrap();
        let mocks = wiremock::MockServer::start().await;
        let all = Mock::given(any()).respond_with(service.clone());
        all.with_priority(255).mount(&mocks).await;
        Self { service, mocks }
    }

    /// Starts a service that responds to every request with a template.
    pub(crate) async fn responding(response: ResponseTemplate) -> Self {
        let service = Self::start().await;
        respond_to_all(&service, response).await;
        service
    }

    pub(crate) fn wiremock(&self) -> &wiremock::MockServer {
        &self.mocks
    }

    pub(crate) fn uri(&self) -> String {
        self.mocks.uri()
    }
}

impl Deref for MockServer {
    type Target = ServiceHandle;

    fn deref(&self) -> &ServiceHandle {
        &self.service
    }
}

impl Service for MockServer {
    fn base_url(&self) -> String {
        self.uri()
    }
}

/// Makes the service respond to every request with a template.
pub(crate) async fn respond_to_all(service: &MockServer, response: ResponseTemplate) {
    let all = Mock::given(any()).respond_with(response);
    all.mount(service.wiremock()).await;
}
