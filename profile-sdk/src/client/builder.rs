//! How a client is builder before it is made.

use std::env;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Shared, environment};
use crate::pacing::Pacing;
use crate::pacing::clock::SystemClock;
use crate::pacing::rate_limiter::RateLimiter;
use crate::pacing::shared_rate_limit::SharedRateLimit;
use crate::retry::budget::RetryBudget;
use crate::retry::jitter::Jitter;
use crate::retry::timeouts::Timeouts;
use crate::transport::base_url::BaseUrl;
use crate::transport::default_headers::default_headers;
use crate::transport::proxy::Proxy;
use crate::transport::{Settings, Transport};
use crate::{ApiKey, Client, Clock, Error, ErrorKind, InvalidValue, RetryPolicy, Tls};

/// Describes a [`Client`]: where the service is, with which key and with how much
/// timeouts.
///
/// ```
/// use std::time::Duration;
///
/// use profile_sdk::{ApiKey, Client};
///
/// let client = Client::builder()
///     .base_url("https://profiles.example/some/prefix/")
///     .api_key(ApiKey::new("the-key")?)
///     .attempt_timeout(Duration::from_secs(10))
///     .default_header("x-tenant", "blue")
///     .build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct ClientBuilder {
    pub(crate) base_url: Option<String>,
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) user_agent: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) proxy: Option<String>,
    pub(crate) tls: Option<Tls>,
    pub(crate) root_certificates: Vec<Vec<u8>>,
    pub(crate) connect_timeout: Duration,
    pub(crate) timeouts: Timeouts,
    pub(crate) retry_budget: u32,
    pub(crate) request_interval: Duration,
    pub(crate) max_response_bytes: usize,
    pub(crate) plain_http_allowed: bool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) jitter: Jitter,
}

impl ClientBuilder {
    /// How long a connection may take to be made, unless set.
    pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

    /// How long one attempt may take, unless set.
    pub const DEFAULT_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);

    /// How long a call may take with all its attempts and waits, unless set.
    pub const DEFAULT_TOTAL_TIMEOUT: Duration = Duration::from_secs(60);

    /// How many retries a client may make of calls that fail and fail again, unless set.
    pub const DEFAULT_RETRY_BUDGET: u32 = 100;

    /// How large a response may be after decompression, unless set: 8 MiB.
    pub const DEFAULT_MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;

    pub(crate) fn new() -> Self {
        Self {
            base_url: None,
            api_key: None,
            user_agent: concat!("profile-sdk/", env!("CARGO_PKG_VERSION")).to_owned(),
            headers: Vec::new(),
            proxy: None,
            tls: None,
            root_certificates: Vec::new(),
            connect_timeout: Self::DEFAULT_CONNECT_TIMEOUT,
            timeouts: Timeouts {
                attempt_timeout: Self::DEFAULT_ATTEMPT_TIMEOUT,
                total_timeout: Self::DEFAULT_TOTAL_TIMEOUT,
                retry: RetryPolicy::new(),
            },
            retry_budget: Self::DEFAULT_RETRY_BUDGET,
            request_interval: Duration::ZERO,
            max_response_bytes: Self::DEFAULT_MAX_RESPONSE_BYTES,
            plain_http_allowed: false,
            clock: Arc::new(SystemClock),
            jitter: Jitter::default(),
        }
    }

    /// Starts with the base URL in `PROFILE_BASE_URL` and the key in `PROFILE_API_KEY`, each if it is
    /// set and not empty.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when one of the two cannot be used; the message names the variable.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use profile_sdk::ClientBuilder;
    ///
    /// let builder = ClientBuilder::from_env()?.total_timeout(Duration::from_secs(20));
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn from_env() -> Result<Self, Error> {
        environment::builder(|name| env::var(name))
    }

    /// Where the service is, up to but without `/api/v1`; a path prefix and a trailing slash are
    /// taken. There is no default.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// The key to authenticate with. Without one, [`badges`](crate::Client::badges) and
    /// [`site_stats`](crate::Client::site_stats) can be called and the rest fails before anything is
    /// sent.
    pub fn api_key(mut self, api_key: ApiKey) -> Self {
        self.api_key = Some(api_key);
        self
    }

    /// What the client calls itself in `User-Agent`; `profile-sdk/` and its version unless set.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// A header that every request carries; of two with the same name the later. Those that follow
    /// from the key, the body or the connection cannot be given, `Authorization` among them:
    /// [`build`](Self::build) refuses them. Values are not shown by any `Debug`.
    pub fn default_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The HTTP or HTTPS proxy that every request is sent through; none unless set, since the
    /// environment's proxies are not read. A user name and a password in its URL are for the proxy, and
    /// are not shown by any `Debug` or error. HTTPS goes through the proxy unread; plain HTTP, even to
    /// this machine, needs [`allow_plain_http`](Self::allow_plain_http).
    ///
    /// ```
    /// let client = profile_sdk::Client::builder()
    ///     .base_url("https://profiles.example")
    ///     .proxy("http://user:password@proxy.internal:3128")
    ///     .build()?;
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// How HTTPS is spoken; unless set, with the first of [`Tls`] that this program was built with.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// A root certificate to trust beside those that [`Tls`] names, for a service behind a private
    /// certificate authority; as PEM text, which may hold several. It is read only where the base URL
    /// is HTTPS.
    ///
    /// ```no_run
    /// let builder = profile_sdk::Client::builder()
    ///     .base_url("https://profiles.internal")
    ///     .root_certificate_pem(std::fs::read("/etc/ssl/our-own-root.pem")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn root_certificate_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// How long a connection may take to be made; 10 seconds unless set. Since connections are
    /// shared by calls, no call has one of its own;
    /// [`Call::attempt_timeout`](crate::Call::attempt_timeout) bounds this time too.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long one attempt may take from its first byte sent to its last byte read; 30 seconds
    /// unless set. [`Call::attempt_timeout`](crate::Call::attempt_timeout) sets it for one call.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.attempt_timeout = timeout;
        self
    }

    /// How long a call may take with all its attempts and waits; 60 seconds unless set.
    /// [`Call::total_timeout`](crate::Call::total_timeout) sets it for one call.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.total_timeout = timeout;
        self
    }

    /// How often a failed call is repeated, and how long it waits in between; see [`RetryPolicy`].
    /// [`Call::retry`](crate::Call::retry) sets it for one call.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.timeouts.retry = policy;
        self
    }

    /// How many retries the client and its clones may make while nothing succeeds; 100 unless
    /// set. Ten successes bring one back, so a service that is broken is asked hardly more often
    /// than its users ask. A retry after a 429 does not count.
    pub fn retry_budget(mut self, retries: u32) -> Self {
        self.retry_budget = retries;
        self
    }

    /// The least time between the starts of two requests of the client and its clones, to stay below
    /// the key's rate limit; none unless set. A call whose turn would come after its total time fails
    /// at once, with [`ErrorKind::RateLimited`](crate::ErrorKind::RateLimited).
    ///
    /// ```
    /// # use std::time::Duration;
    /// // At most ten requests a second.
    /// let builder = profile_sdk::Client::builder().request_interval(Duration::from_millis(100));
    /// ```
    pub fn request_interval(mut self, interval: Duration) -> Self {
        self.request_interval = interval;
        self
    }

    /// The clock to wait by, in place of the machine's: for tests.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Where the random part of a wait comes from, from 0 to 1: for tests.
    pub fn jitter(mut self, source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.jitter = Jitter::new(source);
        self
    }

    /// How large a response may be after decompression, in bytes; 8 MiB unless set.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Whether requests, and the key with them, may be sent over plain HTTP to a host that is neither
    /// `localhost` nor a loopback address. They may not unless set, since anyone on the way could read
    /// them.
    pub fn allow_plain_http(mut self, allowed: bool) -> Self {
        self.plain_http_allowed = allowed;
        self
    }

    /// Makes the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when the base URL is missing, is not an HTTP or HTTPS URL, holds a
    /// user name, password, query or fragment, or is plain HTTP to another machine without consent;
    /// when the proxy is not an HTTP or HTTPS URL, or would be given plain HTTP without consent; when
    /// a timeout or the most bytes of a response are zero; when the user agent or a header cannot be
    /// sent, or is not the caller's to set; where the base URL or the proxy is HTTPS, when TLS cannot
    /// be set up, a root certificate is none, or this program was built without TLS.
    pub fn build(self) -> Result<Client, Error> {
        let Some(base_url) = &self.base_url else {
            let reason = "no base URL is set; call ClientBuilder::base_url";
            return Err(Error::new(ErrorKind::Invalid, reason));
        };
        self.check_bounds()?;
        let base_url = BaseUrl::parse(base_url, self.plain_http_allowed)?;
        let transport = Transport::new(Settings {
            proxy: self.parse_proxy(&base_url)?,
            base_url,
            headers: default_headers(&self.headers, &self.user_agent, self.api_key.as_ref())?,
            tls: self.tls,
            root_certificates: self.root_certificates,
            connect_timeout: self.connect_timeout,
            default_timeout: self
                .timeouts
                .attempt_timeout
                .min(self.timeouts.total_timeout),
            max_response_bytes: self.max_response_bytes,
        })?;
        let interval = self.request_interval;
        let pacing = Pacing {
            clock: self.clock,
            jitter: self.jitter,
            rate_limit: SharedRateLimit::default(),
            rate_limiter: (!interval.is_zero()).then(|| RateLimiter::new(interval)),
            retry_budget: RetryBudget::new(self.retry_budget),
        };
        Ok(Client::new(Shared {
            transport,
            api_key: self.api_key,
            timeouts: self.timeouts,
            pacing,
        }))
    }

    /// A proxy reads all of plain HTTP, also where the base URL is on this machine.
    fn parse_proxy(&self, base_url: &BaseUrl) -> Result<Option<Proxy>, InvalidValue> {
        let Some(url) = &self.proxy else {
            return Ok(None);
        };
        let proxy = Proxy::parse(url)?;
        if base_url.is_https() || self.plain_http_allowed {
            return Ok(Some(proxy));
        }
        let reason = "could read requests to a plain HTTP base URL; \
                      use https, or call ClientBuilder::allow_plain_http";
        Err(InvalidValue::new("proxy", reason))
    }

    /// Nothing can be done in no time, or be read into no space.
    fn check_bounds(&self) -> Result<(), InvalidValue> {
        let times = [
            ("connect_timeout", self.connect_timeout),
            ("attempt_timeout", self.timeouts.attempt_timeout),
            ("total_timeout", self.timeouts.total_timeout),
        ];
        if let Some((field, _)) = times.into_iter().find(|(_, time)| time.is_zero()) {
            return Err(InvalidValue::new(
                field,
                "is zero; expected a positive duration",
            ));
        }
        if self.max_response_bytes == 0 {
            let reason = "is zero; expected at least 1 byte";
            return Err(InvalidValue::new("max_response_bytes", reason));
        }
        Ok(())
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values of headers may be secret.
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        // What is no base URL may be a key, or hold a password.
        let base_url = self.base_url.as_deref();
        let base_url = base_url.and_then(|text| BaseUrl::parse(text, true).ok());
        f.debug_struct("ClientBuilder")
            .field("base_url", &base_url.map(|url| url.to_string()))
            .field("api_key", &self.api_key)
            .field("user_agent", &self.user_agent)
            .field("headers", &headers)
            .field("connect_timeout", &self.connect_timeout)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}
