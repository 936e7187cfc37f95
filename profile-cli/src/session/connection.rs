//! The client for the service in the settings.

use std::time::Duration;

use profile_sdk::{ApiKey, Client, ClientBuilder, RetryPolicy};

use super::Session;
#[cfg(feature = "sandbox")]
use super::sandbox;
use crate::outcome::{Failure, Result};
use crate::settings::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, SettingName, Settings};
use crate::system::interruption;
use crate::terminal::{SafeUrl, add_secret};

/// Time for the delays between attempts, added to the total timeout of a call.
const RETRY_DELAYS: Duration = Duration::from_secs(30);

pub(super) struct Connection {
    pub(super) client: Client,
    #[cfg(feature = "sandbox")]
    _sandbox: Option<mock_server::MockServer>,
}

impl Connection {
    /// Creates the client, and starts the sandbox if it is selected. Sends nothing.
    pub(super) fn new(session: &Session<'_>) -> Result<Self> {
        let settings = &session.settings;
        #[cfg(feature = "sandbox")]
        if settings.sandbox {
            let server = session.block_on(sandbox::start(session.output))??;
            let key = ApiKey::new(server.key())?;
            return Ok(Self {
                client: client_for(&SafeUrl::new(server.uri()), Some(key), session)?,
                _sandbox: Some(server),
            });
        }
        let base_url = settings.sources.base_url()?;
        // Calls that require no key work without it; others fail with the reason.
        let key = settings.key().ok().flatten();
        let warnings = key.iter().flat_map(|key| &key.text.warnings);
        session.output.warn_all(warnings);
        let key = key.map(|key| key.key.value.clone());
        Ok(Self {
            client: client_for(&base_url.value, key, session)?,
            #[cfg(feature = "sandbox")]
            _sandbox: None,
        })
    }
}

/// Creates a client for a base URL and a key, with the other settings. Its key is redacted from now on.
pub(crate) fn client_for(
    base_url: &SafeUrl,
    key: Option<ApiKey>,
    session: &Session<'_>,
) -> Result<Client> {
    key.iter().for_each(add_secret);
    session.base_url.replace(Some(base_url.clone()));
    let builder = builder(base_url, session)?;
    let builder = match key {
        Some(key) => builder.api_key(key),
        None => builder,
    };
    // The base URL and the key are valid, so TLS cannot be set up.
    let client = builder.build();
    let client = client.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(client.until(async { _ = interruption::next().await }))
}

fn builder(base_url: &SafeUrl, session: &Session<'_>) -> Result<ClientBuilder> {
    let settings = &session.settings;
    let mut builder = Client::builder()
        .base_url(base_url.expose())
        .user_agent(concat!("profile-cli/", env!("CARGO_PKG_VERSION")));
    let waits = session.waits.clone();
    builder = builder.on_wait(move |wait| waits.record(wait));
    if let Some(proxy) = proxy(base_url, settings)? {
        builder = builder.proxy(proxy.expose());
    }
    if settings.timeout.is_none() && settings.retries.is_none() {
        return Ok(builder);
    }
    let timeout = settings.timeout.unwrap_or(DEFAULT_TIMEOUT);
    let retries = settings.retries.unwrap_or(DEFAULT_RETRIES);
    let attempts = timeout.saturating_mul(retries.saturating_add(1));
    Ok(builder
        .connect_timeout(connect_timeout(timeout))
        .attempt_timeout(timeout)
        .total_timeout(attempts.saturating_add(RETRY_DELAYS))
        .retry(RetryPolicy::new().max_retries(retries)))
}

/// Returns the time limit of a connection. It is shorter than that of a request, so that the error says that
/// nothing was sent.
pub(crate) fn connect_timeout(timeout: Duration) -> Duration {
    (timeout.mul_f32(0.9)).min(ClientBuilder::DEFAULT_CONNECT_TIMEOUT)
}

/// Returns the valid proxy for a URL, if the settings name one.
pub(crate) fn proxy(url: &SafeUrl, settings: &Settings) -> Result<Option<SafeUrl>> {
    let sources = &settings.sources;
    let Some(proxy) = sources.proxy(url)? else {
        return Ok(None);
    };
    sources.read(SettingName::Proxy, |text| SettingName::Proxy.check(text))?;
    Ok(Some(proxy.value))
}
