//! The client for the service in the settings.

use std::time::Duration;

use profile_sdk::{ApiKey, Client, ClientBuilder, RetryPolicy};

use super::Session;
#[cfg(feature = "sandbox")]
use super::sandbox::Sandbox;
use crate::outcome::failure::Failure;
use crate::settings::{
    DEFAULT_RETRIES, DEFAULT_TIMEOUT, Found, Key, SettingName, Settings, base_url_message,
    check_characters,
};

/// Time for the delays between attempts, added to the total timeout of a call.
const RETRY_DELAYS: Duration = Duration::from_secs(30);

pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) base_url: String,
    pub(super) has_key: bool,
    #[cfg(feature = "sandbox")]
    _sandbox: Option<Sandbox>,
}

impl Connection {
    /// Creates the client, and starts the sandbox if it is selected. Sends nothing.
    pub(super) fn new(session: &Session<'_>) -> Result<Self, Failure> {
        let settings = &session.settings;
        #[cfg(feature = "sandbox")]
        if settings.sandbox {
            let sandbox = session.block_on(Sandbox::start())??;
            let base_url = sandbox.base_url();
            let builder = builder(&base_url, settings)?.api_key(sandbox.api_key()?);
            let builder = report_waits(builder, session);
            return Ok(Self {
                client: builder.build()?,
                base_url,
                has_key: true,
                _sandbox: Some(sandbox),
            });
        }
        let base_url = settings.base_url()?;
        let mut builder = builder(&base_url.value, settings)?;
        let key = match Key::find_any(settings)? {
            Found::Key(key) => Some(key),
            // Calls that require no key work without it; others fail with the reason.
            Found::Withheld(_) | Found::Nothing => None,
        };
        builder = report_waits(builder, session);
        let has_key = key.is_some();
        if let Some(key) = key {
            if let Some(warning) = key.warning {
                session.output.warn(&warning);
            }
            builder = builder.api_key(key.key.value);
        }
        // The key is already validated, so only the base URL can be invalid.
        let client = builder.build().map_err(|error| {
            let failure = Failure::usage(base_url_message(&error));
            failure.hint(format!("check the base URL from {}", base_url.source))
        })?;
        Ok(Self {
            client,
            base_url: base_url.value,
            has_key,
            #[cfg(feature = "sandbox")]
            _sandbox: None,
        })
    }
}

fn report_waits(builder: ClientBuilder, session: &Session<'_>) -> ClientBuilder {
    match session.waits.clone() {
        Some(waits) => builder.on_wait(move |wait| waits.record(wait)),
        None => builder,
    }
}

/// Creates a client for another base URL and key, with the other settings unchanged.
pub(crate) fn client_for(
    base_url: &str,
    key: Option<ApiKey>,
    settings: &Settings,
) -> Result<Client, Failure> {
    let builder = builder(base_url, settings)?;
    let builder = match key {
        Some(key) => builder.api_key(key),
        None => builder,
    };
    let built = builder.build();
    built.map_err(|error| Failure::usage(base_url_message(&error)))
}

fn builder(base_url: &str, settings: &Settings) -> Result<ClientBuilder, Failure> {
    check_characters(base_url)
        .map_err(|reason| Failure::usage(format!("the base URL {reason}")))?;
    let mut builder = Client::builder()
        .base_url(base_url)
        .user_agent(concat!("profile-cli/", env!("CARGO_PKG_VERSION")));
    if let Some(proxy) = settings.proxy(base_url)? {
        let check = SettingName::Proxy.check(&proxy.value);
        let place = settings.location(SettingName::Proxy, &proxy.source);
        check.map_err(|reason| Failure::usage(format!("{place}: the proxy {reason}")))?;
        builder = builder.proxy(proxy.value);
    }
    if settings.timeout.is_none() && settings.retries.is_none() {
        return Ok(builder);
    }
    let timeout = settings.timeout.unwrap_or(DEFAULT_TIMEOUT);
    let retries = settings.retries.unwrap_or(DEFAULT_RETRIES);
    let total = timeout
        .saturating_mul(retries.saturating_add(1))
        .saturating_add(RETRY_DELAYS);
    Ok(builder
        .connect_timeout(timeout.min(ClientBuilder::DEFAULT_CONNECT_TIMEOUT))
        .attempt_timeout(timeout)
        .total_timeout(total)
        .retry(RetryPolicy::new().max_retries(retries)))
}
