//! The builder of a client.

use std::env::VarError;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fmt};

#[cfg(feature = "tower")]
use bytes::Bytes;
use reqwest::header::USER_AGENT;
#[cfg(feature = "tower")]
use tower::ServiceExt as _;

use crate::client::{CallSettings, Client, Shared};
use crate::error::Error;
use crate::pacing::{Clock, Pacing, PacingSettings, SystemClock, Wait, YEAR};
use crate::request::default_headers;
use crate::retry::{RetryPolicy, random_fraction};
#[cfg(feature = "tower")]
use crate::transport::http_service::{BoxError, BoxService, HttpService, ResponseBody, to_error};
use crate::transport::{BaseUrl, Settings, Tls, Transport};
use crate::values::{ApiKey, InvalidValue};

/// A builder for a [`Client`].
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
    api_key: Option<ApiKey>,
    user_agent: String,
    headers: Vec<(String, String)>,
    call_settings: CallSettings,
    pacing: PacingSettings,
    pub(super) transport: Settings,
}

impl ClientBuilder {
    /// The default timeout for establishing a connection.
    pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

    /// The default timeout for one attempt.
    pub const DEFAULT_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);

    /// The default timeout for a call, including all attempts and waits.
    pub const DEFAULT_TOTAL_TIMEOUT: Duration = Duration::from_secs(60);

    /// The default number of retries that a client, its clones and its clients of other accounts can
    /// make while their calls keep failing.
    pub const DEFAULT_RETRY_BUDGET: u32 = 100;

    /// The default maximum size of a response after decompression: 8 MiB.
    pub const DEFAULT_MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;

    pub(crate) fn new() -> Self {
        Self {
            api_key: None,
            user_agent: concat!("profile-sdk/", env!("CARGO_PKG_VERSION")).to_owned(),
            headers: Vec::new(),
            call_settings: CallSettings {
                attempt_timeout: Self::DEFAULT_ATTEMPT_TIMEOUT,
                total_timeout: Self::DEFAULT_TOTAL_TIMEOUT,
                deadline: None,
                retry: RetryPolicy::new(),
            },
            pacing: PacingSettings {
                clock: Arc::new(SystemClock),
                jitter: Arc::new(random_fraction),
                on_wait: None,
                request_interval: Duration::ZERO,
                shared_request_interval: Duration::ZERO,
                retry_budget: Self::DEFAULT_RETRY_BUDGET,
            },
            transport: Settings {
                connect_timeout: Self::DEFAULT_CONNECT_TIMEOUT,
                max_response_bytes: Self::DEFAULT_MAX_RESPONSE_BYTES,
                ..Settings::default()
            },
        }
    }

    /// Creates a builder with the base URL in `PROFILE_BASE_URL` and the key in `PROFILE_API_KEY`.
    /// A variable that is not set or is empty is ignored.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if a variable has an invalid value.
    /// The message names the variable.
    ///
    /// # Examples
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
        builder_from(|name| env::var(name))
    }

    /// Sets the base URL of the service, without `/api/v1`. It may have a path prefix and a
    /// trailing slash. Required.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.transport.base_url = Some(base_url.into());
        self
    }

    /// Sets the API key. Without a key, only [`badges`](crate::Client::badges),
    /// [`site_stats`](crate::Client::site_stats) and [raw calls](crate::Client::raw_call) can be
    /// sent; other calls return
    /// [`ErrorKind::KeyMissing`](crate::ErrorKind::KeyMissing).
    pub fn api_key(mut self, api_key: ApiKey) -> Self {
        self.api_key = Some(api_key);
        self
    }

    /// Sets the `User-Agent` header. Default: `profile-sdk/` and the version of this crate.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Adds a header to every request, replacing an earlier one with the same name. Headers that
    /// the client sets itself, such as `Authorization` and `Content-Type`, are rejected by
    /// [`build`](Self::build). `Debug` does not print the values.
    pub fn default_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sends all requests through an HTTP or HTTPS proxy. By default, no proxy is used; proxy
    /// environment variables are ignored.
    ///
    /// The URL can contain a user name and a password for the proxy, which `Debug` and errors do
    /// not show. HTTPS is tunneled through the proxy. Plain HTTP, even to this machine, requires
    /// [`allow_plain_http`](Self::allow_plain_http), because the proxy can read it.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.transport.proxy = Some(url.into());
        self
    }

    /// Sets the TLS implementation. Default: the first variant of [`Tls`] whose feature is enabled.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.transport.tls = Some(tls);
        self
    }

    /// Adds a trusted root certificate, for a service behind a private certificate authority. The
    /// PEM text may contain several certificates. It is only parsed if the base URL or the proxy is
    /// HTTPS.
    ///
    /// ```no_run
    /// let builder = profile_sdk::Client::builder()
    ///     .base_url("https://profiles.internal")
    ///     .root_certificate_pem(std::fs::read("/etc/ssl/our-own-root.pem")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn root_certificate_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.transport.root_certificates.push(pem.into());
        self
    }

    /// Sets the timeout for establishing a connection. Default: 10 seconds.
    /// [`Call::attempt_timeout`](crate::Call::attempt_timeout) limits it too.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.transport.connect_timeout = timeout;
        self
    }

    /// Sets the timeout for one attempt, from connecting to the last byte of the response. Default:
    /// 30 seconds. [`Call::attempt_timeout`](crate::Call::attempt_timeout) sets it for one call.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.call_settings.attempt_timeout = timeout;
        self
    }

    /// Sets the timeout for a call, including all attempts and waits. Default: 60 seconds.
    /// [`Call::total_timeout`](crate::Call::total_timeout) sets it for one call.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.call_settings.total_timeout = timeout;
        self
    }

    /// Sets the number of retries and the waits between them. See [`RetryPolicy`] for the defaults.
    /// [`Call::retry`](crate::Call::retry) sets it for one call.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.call_settings.retry = policy;
        self
    }

    /// Sets the number of retries that the client, its clones and its clients of other accounts can
    /// make while their calls keep failing. Default: 100. Every ten successful calls restore one retry.
    /// Retries after a 429 do not count.
    pub fn retry_budget(mut self, retries: u32) -> Self {
        self.pacing.retry_budget = retries;
        self
    }

    /// Sets a minimum interval between the starts of two requests of the client and its clones, to
    /// stay below the rate limit of the key. Default: none. A call whose turn does not come
    /// before its total timeout fails with
    /// [`ErrorKind::RateLimited`](crate::ErrorKind::RateLimited).
    ///
    /// ```
    /// # use std::time::Duration;
    /// // At most ten requests a second.
    /// let builder = profile_sdk::Client::builder().request_interval(Duration::from_millis(100));
    /// ```
    pub fn request_interval(mut self, interval: Duration) -> Self {
        self.pacing.request_interval = interval;
        self
    }

    /// Sets a minimum interval between the starts of two requests of the client, its clones and all its
    /// [clients of other accounts](Client::with_api_key), for a rate limit that the accounts share, for
    /// example that of an IP address. Default: none.
    ///
    /// The accounts take turns, however many calls each of them has. A call that waits for another
    /// limit of its account or is canceled takes no turn. Otherwise, this is like
    /// [`request_interval`](Self::request_interval), and can be combined with it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// // At most five requests a second, of all accounts together.
    /// let builder = profile_sdk::Client::builder().shared_request_interval(Duration::from_millis(200));
    /// ```
    pub fn shared_request_interval(mut self, interval: Duration) -> Self {
        self.pacing.shared_request_interval = interval;
        self
    }

    /// Sets the clock that measures total timeouts and waits between attempts. For tests.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.pacing.clock = Arc::new(clock);
        self
    }

    /// Sets the source of the random part of waits, which returns numbers from 0 to 1. For tests.
    /// Pass an `Arc<dyn Fn() -> f64>` as `move || source()`.
    pub fn jitter(mut self, source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.pacing.jitter = Arc::new(source);
        self
    }

    /// Sets a function that is called before each wait for another attempt or for the rate limit, for
    /// example to show it. It must not block. A pause after a 429 is only reported by the call that received
    /// it, if that waits.
    ///
    /// ```
    /// let builder = profile_sdk::Client::builder().on_wait(|wait| {
    ///     println!("{}: next attempt in {:?}", wait.reason, wait.duration);
    /// });
    /// ```
    pub fn on_wait(mut self, report: impl Fn(Wait) + Send + Sync + 'static) -> Self {
        self.pacing.on_wait = Some(Arc::new(report));
        self
    }

    /// Sets the maximum size of a response after decompression, in bytes. Default: 8 MiB.
    ///
    /// A response can have at most 100 headers (HTTP/1.1), of together 300 kB, which is not a setting.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.transport.max_response_bytes = bytes;
        self
    }

    /// Allows plain HTTP to hosts other than `localhost` and loopback addresses. Default: `false`,
    /// because others could read the requests and the key.
    pub fn allow_plain_http(mut self, allowed: bool) -> Self {
        self.transport.plain_http_allowed = allowed;
        self
    }

    /// Adds a tower layer around the network, for example for metrics, trace propagation or a cache,
    /// or one that replaces the network in a test. Feature `tower`.
    ///
    /// The layer runs once per attempt, below retries and the rate limit. It wraps the layers added
    /// before it. Requests have their final headers, including `Authorization`, which is marked as
    /// sensitive. The timeout of the attempt, decompression and the maximum size of a response
    /// apply to what the layer returns.
    ///
    /// A layer that waits should do so in `poll_ready`, as the limits of tower do: until it is ready, nothing
    /// was sent, and only the total timeout of the call ends the wait. A wait in `call` is a part of the
    /// attempt and its timeout, after which a write may have been applied. To space the requests of all
    /// accounts, use [`shared_request_interval`](Self::shared_request_interval).
    ///
    /// If the layer returns an [`Error`], it is the error of the attempt; [`Error::not_sent`] is that of a
    /// layer that refuses a request. Any other error counts as
    /// [`ErrorKind::ResponseLost`](crate::ErrorKind::ResponseLost), because it does not show whether
    /// the request was sent. The client removes the key from its text, but layers that wrap this one
    /// receive the text as it is.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use bytes::Bytes;
    /// use profile_sdk::{Client, Error, HttpService};
    /// use tower::layer::layer_fn;
    /// use tower::service_fn;
    ///
    /// let fake = layer_fn(|_network: HttpService| {
    ///     service_fn(|request: http::Request<Bytes>| async move {
    ///         assert_eq!(request.uri().path(), "/api/v1/badges");
    ///         Ok::<_, Error>(http::Response::new(r#"{"data": []}"#.to_owned()))
    ///     })
    /// });
    /// let client = Client::builder()
    ///     .base_url("https://profiles.example")
    ///     .layer(fake)
    ///     .build()?;
    /// assert_eq!(client.badges().await?, []);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "tower")]
    pub fn layer<L, B>(mut self, layer: L) -> Self
    where
        L: tower::Layer<HttpService> + Send + Sync + 'static,
        L::Service: tower::Service<
                http::Request<Bytes>,
                Response = http::Response<B>,
                Error: Into<BoxError>,
                Future: Send,
            > + Clone
            + Send
            + Sync
            + 'static,
        B: http_body::Body<Data: bytes::Buf, Error: Into<BoxError>> + Send + 'static,
    {
        let add = move |inner: HttpService| {
            let service = layer.layer(inner.clone());
            let service = service
                .map_response(|response: http::Response<B>| response.map(ResponseBody::new))
                .map_err(|error| to_error(error.into()));
            inner.within(BoxService::new(service))
        };
        self.transport.layers.push(Arc::new(add));
        self
    }

    /// Creates the client. Sends nothing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if
    ///
    /// - no base URL is set, or it is not an HTTP or HTTPS URL or contains a user name, password,
    ///   query or fragment,
    /// - the base URL or the proxy requires [`allow_plain_http`](Self::allow_plain_http),
    /// - the proxy is not an HTTP or HTTPS URL,
    /// - a timeout or the maximum size of a response is zero, or a request interval is longer than a year,
    /// - the user agent or a header is invalid, or the client sets the header itself,
    /// - HTTPS is needed, and TLS cannot be set up, a root certificate is invalid or no TLS feature
    ///   is enabled,
    /// - the program has installed no crypto provider, with the feature `rustls-no-provider`.
    pub fn build(self) -> Result<Client, Error> {
        self.check()?;
        let headers = default_headers(&self.headers, &self.user_agent, self.api_key.as_ref())?;
        let user_agent = headers[USER_AGENT].clone();
        let calls = self.call_settings;
        let timeout = calls.attempt_timeout.min(calls.total_timeout);
        let transport = Transport::new(self.transport, user_agent, timeout)?;
        let shared = Arc::new(Shared {
            transport: Arc::new(transport),
            headers,
            api_key: self.api_key,
            call_settings: calls,
            pacing: Arc::new(Pacing::new(self.pacing)),
            applying: Arc::default(),
            until: None,
        });
        Ok(Client { shared })
    }

    /// Checks the base URL, the proxy, the timeouts and the other bounds without creating a client, which
    /// loads the root certificates for HTTPS.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`build`](Self::build) for these settings.
    ///
    /// ```
    /// let builder = profile_sdk::Client::builder().base_url("ftp://host");
    /// assert_eq!(builder.check().unwrap_err().invalid_value().unwrap().field(), "base URL");
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        const POSITIVE: &str = "is zero; expected a positive duration";
        const BYTE: &str = "is zero; expected at least 1 byte";
        const SHORTER: &str = "is longer than a year; expected at most 365 days";
        let (calls, pacing, transport) = (&self.call_settings, &self.pacing, &self.transport);
        let connect_timeout = transport.connect_timeout;
        let max_bytes = transport.max_response_bytes;
        let interval = pacing.request_interval;
        let shared_interval = pacing.shared_request_interval;
        let bounds = [
            ("connect_timeout", connect_timeout.is_zero(), POSITIVE),
            ("attempt_timeout", calls.attempt_timeout.is_zero(), POSITIVE),
            ("total_timeout", calls.total_timeout.is_zero(), POSITIVE),
            ("max_response_bytes", max_bytes == 0, BYTE),
            ("request_interval", interval > YEAR, SHORTER),
            ("shared_request_interval", shared_interval > YEAR, SHORTER),
        ];
        if let Some((field, _, reason)) = bounds.into_iter().find(|(_, is_broken, _)| *is_broken) {
            return Err(InvalidValue::new(field, reason).into());
        }
        self.transport.parse_urls().map(drop)
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Header values may be secret.
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        // An invalid base URL may contain a key or a password.
        let base_url = self.transport.base_url.as_deref();
        let base_url = base_url.and_then(|text| BaseUrl::parse(text, true).ok());
        f.debug_struct("ClientBuilder")
            .field("base_url", &base_url)
            .field("api_key", &self.api_key)
            .field("user_agent", &self.user_agent)
            .field("headers", &headers)
            .field("call_settings", &self.call_settings)
            .finish_non_exhaustive()
    }
}

/// The text of an environment variable.
type Variable = Result<String, VarError>;

const BASE_URL: &str = "PROFILE_BASE_URL";

const API_KEY: &str = "PROFILE_API_KEY";

pub(super) fn client_from(variable: impl Fn(&str) -> Variable) -> Result<Client, Error> {
    let builder = builder_from(variable)?;
    let Some(base_url) = &builder.transport.base_url else {
        let expected = "is not set; expected the base URL of the service, such as https://host";
        return Err(Error::invalid(format!("{BASE_URL} {expected}")));
    };
    let in_variable = |invalid| invalid_variable(BASE_URL, invalid);
    BaseUrl::parse(base_url, false).map_err(in_variable)?;
    builder.build()
}

fn invalid_variable(name: &str, invalid: InvalidValue) -> Error {
    let error = Error::from(invalid);
    error.with(|error| error.reason = format!("{name}: {}", error.reason))
}

fn builder_from(variable: impl Fn(&str) -> Variable) -> Result<ClientBuilder, Error> {
    let read = |name: &str| match variable(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Error::invalid(format!("{name} is not valid UTF-8"))),
    };
    let in_variable = |name| move |invalid| invalid_variable(name, invalid);
    let mut builder = Client::builder();
    if let Some(base_url) = read(BASE_URL)? {
        // The caller may still allow plain HTTP.
        BaseUrl::parse(&base_url, true).map_err(in_variable(BASE_URL))?;
        builder = builder.base_url(base_url);
    }
    if let Some(key) = read(API_KEY)? {
        builder = builder.api_key(ApiKey::new(key).map_err(in_variable(API_KEY))?);
    }
    Ok(builder)
}

#[cfg(test)]
mod tests {
    use std::env::VarError;

    use crate::client::builder::{builder_from, client_from};

    fn error(variables: &[(&str, &str)]) -> String {
        let made = client_from(|name| lookup(variables, name));
        made.unwrap_err().to_string()
    }

    fn lookup(variables: &[(&str, &str)], name: &str) -> Result<String, VarError> {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found
            .map(|(_, value)| (*value).to_owned())
            .ok_or(VarError::NotPresent)
    }

    #[test]
    fn the_key_is_optional() {
        let url = ("PROFILE_BASE_URL", "https://host");
        for variables in [
            &[url][..],
            &[url, ("PROFILE_API_KEY", "")],
            &[url, ("PROFILE_API_KEY", "key\n")],
        ] {
            let made = client_from(|name| lookup(variables, name));
            assert!(made.is_ok(), "{variables:?}");
        }
    }

    #[test]
    fn unset_variables_can_be_set_on_the_builder() {
        let builder = builder_from(|name| lookup(&[], name)).unwrap();
        assert!(builder.base_url("https://host").build().is_ok());
        let url = [("PROFILE_BASE_URL", "http://host")];
        let builder = builder_from(|name| lookup(&url, name)).unwrap();
        assert!(builder.clone().build().is_err());
        assert!(builder.allow_plain_http(true).build().is_ok());
        assert!(error(&url).starts_with("PROFILE_BASE_URL: base URL http://host/ would send"));
    }

    #[test]
    fn swapped_variables_do_not_show_the_key() {
        let swapped = [
            ("PROFILE_API_KEY", "https://host"),
            ("PROFILE_BASE_URL", "hush"),
        ];
        assert_eq!(
            error(&swapped),
            "PROFILE_BASE_URL: base URL does not contain ://; expected a URL such as https://host"
        );
    }

    #[test]
    fn errors_name_the_variable_and_never_the_key() {
        for variables in [&[][..], &[("PROFILE_BASE_URL", "")]] {
            assert_eq!(
                error(variables),
                "PROFILE_BASE_URL is not set; expected the base URL of the service, such as https://host"
            );
        }
        assert_eq!(
            error(&[("PROFILE_BASE_URL", "ftp://host")]),
            "PROFILE_BASE_URL: base URL has the scheme ftp; expected https or http, as in https://host"
        );
        assert_eq!(
            error(&[
                ("PROFILE_BASE_URL", "https://host"),
                ("PROFILE_API_KEY", "hush hush")
            ]),
            "PROFILE_API_KEY: API key has whitespace or a control character at position 5; \
         expected visible ASCII only"
        );
        let not_text = |_: &str| Err(VarError::NotUnicode("x".into()));
        let error = builder_from(not_text).unwrap_err();
        assert_eq!(error.to_string(), "PROFILE_BASE_URL is not valid UTF-8");
    }

    #[test]
    fn building_without_variables_names_the_variable() {
        let builder = builder_from(|name| lookup(&[], name)).unwrap();
        assert_eq!(
            builder.build().unwrap_err().to_string(),
            "no base URL is set; call ClientBuilder::base_url, or set PROFILE_BASE_URL and use from_env"
        );
    }
}
