//! How a client is described before it is made.

use std::time::Duration;

use crate::base_url::BaseUrl;
use crate::transport::{Settings, Transport};
use crate::{ApiKey, Client, Error, ErrorKind};

/// Describes a [`Client`]: where the service is, with which key and with how much patience.
///
/// ```
/// use std::time::Duration;
///
/// use profile_sdk::{ApiKey, Client};
///
/// let client = Client::builder()
///     .base_url("https://profiles.example/some/prefix/")
///     .api_key(ApiKey::new("the-key")?)
///     .timeout(Duration::from_secs(10))
///     .build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ClientBuilder {
    base_url: Option<String>,
    api_key: Option<ApiKey>,
    user_agent: String,
    connect_timeout: Duration,
    timeout: Duration,
    max_answer_bytes: usize,
    plain_http_allowed: bool,
}

impl ClientBuilder {
    /// How long a connection may take to be made, unless set.
    pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

    /// How long a call may take, unless set.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

    /// How large an answer may be after decompression, unless set: 8 MiB.
    pub const DEFAULT_MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;

    pub(crate) fn new() -> Self {
        Self {
            base_url: None,
            api_key: None,
            user_agent: concat!("profile-sdk/", env!("CARGO_PKG_VERSION")).to_owned(),
            connect_timeout: Self::DEFAULT_CONNECT_TIMEOUT,
            timeout: Self::DEFAULT_TIMEOUT,
            max_answer_bytes: Self::DEFAULT_MAX_ANSWER_BYTES,
            plain_http_allowed: false,
        }
    }

    /// Where the service is, up to but without `/api/v1`; a path prefix and a trailing slash are
    /// taken. There is no default.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// The key to authenticate with. Without one, [`badges`](Client::badges) and
    /// [`site_stats`](Client::site_stats) can be called and the rest fails before anything is sent.
    pub fn api_key(mut self, api_key: ApiKey) -> Self {
        self.api_key = Some(api_key);
        self
    }

    /// What the client calls itself in `User-Agent`; `profile-sdk/` and its version unless set.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// How long a connection may take to be made; 10 seconds unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a call may take from its first byte sent to its last byte read; 30 seconds unless
    /// set. [`Call::timeout`](crate::Call::timeout) sets it for one call.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How large an answer may be after decompression, in bytes; 8 MiB unless set.
    pub fn max_answer_bytes(mut self, bytes: usize) -> Self {
        self.max_answer_bytes = bytes;
        self
    }

    /// Whether the key may be sent over plain HTTP to a host that is not this machine. It may not
    /// unless set, since anyone on the way could read it.
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
    /// when the user agent cannot be sent in a header; when TLS cannot be set up.
    pub fn build(self) -> Result<Client, Error> {
        let Some(base_url) = self.base_url else {
            let reason = "base URL is missing; give one with ClientBuilder::base_url";
            return Err(Error::new(ErrorKind::Invalid, reason));
        };
        let transport = Transport::new(Settings {
            base_url: BaseUrl::parse(&base_url, self.plain_http_allowed)?,
            api_key: self.api_key.as_ref(),
            user_agent: self.user_agent,
            connect_timeout: self.connect_timeout,
            max_answer_bytes: self.max_answer_bytes,
        })?;
        Ok(Client::new(transport, self.api_key, self.timeout))
    }
}
