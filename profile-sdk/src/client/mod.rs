//! The client: connections to one service, with or without a key.

mod builder;

pub use builder::ClientBuilder;

use std::borrow::Cow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fmt};

use futures_util::FutureExt as _;
use futures_util::future::{self, Either};
use reqwest::header::HeaderMap;
use tokio::sync::Mutex;

use crate::error::{Effect, Error, ErrorKind};
use crate::pacing::{Pacing, RateLimitStatus};
use crate::request::{Request, set_key};
use crate::retry::RetryPolicy;
use crate::text::one_line;
use crate::transport::Transport;
use crate::values::ApiKey;

/// A client of the profile service.
///
/// Each endpoint has a method that returns a [`Call`](crate::Call), which is sent when it is
/// awaited. Clones are cheap; the [guide](crate::guide#clones-and-accounts) lists what they share.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use profile_sdk::{ApiKey, Client, ProfileUpdate};
///
/// # let service = mock_server::MockServer::start().await;
/// # let (base_url, key) = (service.uri(), service.key());
/// let client = Client::new(base_url, ApiKey::new(key)?)?;
/// client
///     .update_profile(&ProfileUpdate::new().display_name("Ada".parse()?))
///     .await?;
/// assert_eq!(client.me().await?.display_name.as_deref(), Some("Ada"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// The future that ends the calls of a client. The calls poll it; each has its own waker.
pub(crate) type Signal = future::Shared<Pin<Box<dyn Future<Output = ()> + Send>>>;

#[derive(Clone)]
pub(crate) struct Shared {
    /// Shared with the clients of other keys.
    pub(crate) transport: Arc<Transport>,
    /// The headers of all requests, including the key.
    pub(crate) headers: HeaderMap,
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) call_settings: CallSettings,
    pub(crate) pacing: Arc<Pacing>,
    /// Locked while a plan is applied.
    pub(crate) applying: Arc<Mutex<()>>,
    /// Ends the calls.
    pub(crate) until: Option<Signal>,
}

impl Client {
    /// Creates a client with default settings. Sends nothing.
    ///
    /// # Errors
    ///
    /// See [`ClientBuilder::build`].
    pub fn new(base_url: impl Into<String>, api_key: ApiKey) -> Result<Self, Error> {
        Self::builder().base_url(base_url).api_key(api_key).build()
    }

    /// Returns a builder for a client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Creates a client with the base URL in `PROFILE_BASE_URL`, the key in `PROFILE_API_KEY`, if
    /// it is set, and default settings. An empty variable counts as not set. Use
    /// [`ClientBuilder::from_env`] to change other settings.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`] if `PROFILE_BASE_URL` is not set or a variable has an invalid
    /// value. The message names the variable. See also [`ClientBuilder::build`].
    ///
    /// # Examples
    ///
    /// ```
    /// use profile_sdk::Client;
    ///
    /// match Client::from_env() {
    ///     Ok(client) => println!("{client:?}"),
    ///     Err(error) => assert!(error.to_string().starts_with("PROFILE_")),
    /// }
    /// ```
    pub fn from_env() -> Result<Self, Error> {
        builder::client_from(|name| env::var(name))
    }

    /// Returns the base URL of the service, without a slash at its end.
    ///
    /// ```
    /// let client = profile_sdk::Client::builder()
    ///     .base_url("https://profiles.example/")
    ///     .build()?;
    /// assert_eq!(client.base_url(), "https://profiles.example");
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.shared.transport.base_url.as_str()
    }

    /// Returns the state of the key's rate limit, as reported in responses to this client and its
    /// clones.
    ///
    /// Sends nothing. The [guide](crate::guide#rate-limits) describes how calls wait for the limit.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// assert_eq!(client.rate_limit().retry_after, None);
    /// client.me().await?;
    /// if let Some(remaining) = client.rate_limit().remaining {
    ///     println!("{remaining} requests left");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn rate_limit(&self) -> RateLimitStatus {
        let pacing = &self.shared.pacing;
        pacing.rate_limiter.status(pacing.now())
    }

    /// Creates a client for another account. Much cheaper than [`builder`](Self::builder), because it
    /// shares the connections of this one. The [guide](crate::guide#clones-and-accounts) lists what
    /// else it shares.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use profile_sdk::{ApiKey, Client};
    ///
    /// # let service = mock_server::MockServer::start().await;
    /// # let keys = [service.key()];
    /// let shared = Client::builder().base_url(service.uri()).build()?;
    /// for key in keys {
    ///     let account = shared.with_api_key(ApiKey::new(key)?);
    ///     println!("{:?}", account.me().await?.handle);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_api_key(&self, api_key: ApiKey) -> Self {
        let mut shared = Shared::clone(&self.shared);
        set_key(&mut shared.headers, &api_key);
        shared.api_key = Some(api_key);
        shared.pacing = Arc::new(shared.pacing.of_another_key());
        shared.applying = Arc::default();
        let shared = Arc::new(shared);
        Self { shared }
    }

    /// Creates a client whose calls end when a future completes, for example at SIGTERM. The [guide](crate::guide#shutting-down) has an example.
    ///
    /// The calls of its clones, of clients that [`with_api_key`](Self::with_api_key) creates from it,
    /// and of [`apply`](Self::apply) and [`sync`](Self::sync) end too, and later calls end before anything is sent. They return
    /// [`ErrorKind::Canceled`](crate::ErrorKind::Canceled), and
    /// [`may_have_been_applied`](crate::Error::may_have_been_applied) is `true` only if a write may have reached the
    /// service. A write whose response has begun is read for up to half a second more, and may succeed.
    ///
    /// The client shares everything else with this one. If this one has a future already, either ends the calls.
    /// The calls poll the future; it is not polled while there is none.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use profile_sdk::ErrorKind;
    /// use tokio::sync::oneshot;
    ///
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
    /// let (end, ended) = oneshot::channel::<()>();
    /// let client = client.until(async { _ = ended.await });
    /// client.badges().await?;
    /// drop(end);
    /// let error = client.badges().await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Canceled);
    /// assert_eq!(error.attempts(), 0);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn until(&self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        let mut shared = Shared::clone(&self.shared);
        let signal: Pin<Box<dyn Future<Output = ()> + Send>> = match shared.until {
            None => Box::pin(signal),
            Some(earlier) => Box::pin(future::select(earlier, Box::pin(signal)).map(drop)),
        };
        shared.until = Some(signal.shared());
        let shared = Arc::new(shared);
        Self { shared }
    }

    /// Redacts the key of this client in a text. Use it before you print a response, because a
    /// service may echo the key. Errors never contain the key. A key of fewer than 6 bytes is a
    /// placeholder that is not redacted, since it would also occur in other words.
    ///
    /// ```
    /// use profile_sdk::{ApiKey, Client};
    ///
    /// let client = Client::builder()
    ///     .base_url("https://profiles.example")
    ///     .api_key(ApiKey::new("canary")?)
    ///     .build()?;
    /// assert_eq!(client.redact_key("you sent canary"), "you sent [redacted]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn redact_key<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let key = self.shared.api_key.as_ref();
        key.map_or(Cow::Borrowed(text), |key| key.redact_in(text))
    }

    /// Waits for a future until the signal.
    pub(crate) async fn unless_ended<F: Future>(&self, waiting: F) -> Result<F::Output, Error> {
        let Some(signal) = self.shared.until.clone() else {
            return Ok(waiting.await);
        };
        match future::select(signal, pin!(waiting)).await {
            Either::Left(_) => Err(Error::canceled(Effect::Unsent)),
            Either::Right((output, _)) => Ok(output),
        }
    }

    /// Returns an error if a request requires a key and the client has none.
    pub(crate) fn check_key(&self, request: &Request) -> Result<(), Error> {
        let operation = request.operation();
        if operation.requires_key() && self.shared.api_key.is_none() {
            let reason = "this call requires an API key; set one with ClientBuilder::api_key, \
                          or with PROFILE_API_KEY and Client::from_env";
            return Err(self.error_in(request, Error::new(ErrorKind::KeyMissing, reason)));
        }
        Ok(())
    }

    /// Adds the endpoint and the handle or ID of a request to an error, without the key.
    pub(crate) fn error_in(&self, request: &Request, error: Error) -> Error {
        let resource = request.resource();
        let resource = resource.map(|resource| self.redact_key(&resource).into_owned());
        let error = error.with_operation(request.operation());
        error.with(|error| error.resource = resource)
    }

    /// Redacts the key in an error, whose text may come from a layer, and then shortens it.
    pub(crate) fn redacted(&self, error: Error) -> Error {
        let error = error.redacted(self.shared.api_key.as_ref());
        error.with(|error| error.reason = one_line(&error.reason))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.shared.transport.base_url)
            .field("api_key", &self.shared.api_key)
            .field("call_settings", &self.shared.call_settings)
            .finish_non_exhaustive()
    }
}

/// The timeouts and the retry policy of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallSettings {
    pub(crate) attempt_timeout: Duration,
    pub(crate) total_timeout: Duration,
    /// Limits the call in addition to the total timeout.
    pub(crate) deadline: Option<Instant>,
    pub(crate) retry: RetryPolicy,
}
