//! The client: connections to one service, with or without a key.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::response::RawResponse;
use crate::transport::Transport;
use crate::{ApiKey, ClientBuilder, Error, ErrorKind, Request};

/// A client of the profile service.
///
/// Clones are cheap and share their connections. Each endpoint is a method that gives a
/// [`Call`](crate::Call), which is sent when it is awaited.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use profile_sdk::{ApiKey, Client, ProfileUpdate};
///
/// # let service = mock_server::MockServer::start().await;
/// # let (base_url, key) = (service.uri(), service.key());
/// let client = Client::builder()
///     .base_url(base_url)
///     .api_key(ApiKey::new(key)?)
///     .build()?;
/// client
///     .update_profile(&ProfileUpdate::new().display_name("Ada".parse()?))
///     .await?;
/// assert_eq!(client.me().await?.display_name.as_deref(), Some("Ada"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    transport: Transport,
    api_key: Option<ApiKey>,
    timeout: Duration,
}

impl Client {
    /// Starts to describe a client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    pub(crate) fn new(transport: Transport, api_key: Option<ApiKey>, timeout: Duration) -> Self {
        Self {
            shared: Arc::new(Shared {
                transport,
                api_key,
                timeout,
            }),
        }
    }

    /// Sends a request, and gives its answer if that is a 2xx.
    pub(crate) async fn exchange(
        &self,
        request: &Request,
        timeout: Option<Duration>,
    ) -> Result<RawResponse, Error> {
        let operation = request.operation();
        if operation.needs_key() && self.shared.api_key.is_none() {
            let reason = "this call needs an API key and the client has none; \
                          give it one with ClientBuilder::api_key";
            return Err(Error::new(ErrorKind::KeyMissing, reason).during(operation));
        }
        let timeout = timeout.unwrap_or(self.shared.timeout);
        let answered = self.shared.transport.exchange(request, timeout).await;
        match answered {
            Ok(answer) if (200..300).contains(&answer.status) => Ok(answer),
            Ok(answer) => Err(self.error_of(answer, Error::refused).during(operation)),
            Err(error) => Err(error.during(operation)),
        }
    }

    /// The error that an answer makes, without the key, which a service may echo in it.
    pub(crate) fn error_of(
        &self,
        answer: RawResponse,
        make: impl FnOnce(RawResponse) -> Error,
    ) -> Error {
        match &self.shared.api_key {
            Some(key) => make(answer.without(key)).without(key),
            None => make(answer),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.shared.transport.base_url().to_string())
            .field("api_key", &self.shared.api_key)
            .field("timeout", &self.shared.timeout)
            .finish_non_exhaustive()
    }
}
