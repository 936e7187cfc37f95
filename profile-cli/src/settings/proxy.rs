//! Finds the proxy for a service.

use hyper_util::client::proxy::matcher::Matcher;
use url::Url;

use super::setting_name::with_scheme;
use super::{Setting, SettingName, Settings, Source};
use crate::outcome::failure::Failure;
use crate::system::environment;

impl Settings {
    /// Returns the proxy for a base URL: that of config.toml, or that of the environment variables
    /// that curl reads, unless NO_PROXY names the host.
    ///
    /// Both are ignored for plain HTTP, which only this machine may use: a proxy could read
    /// the key, and could not reach the service.
    pub(crate) fn proxy(&self, base_url: &str) -> Result<Option<Setting<String>>, Failure> {
        // Parsed, since a scheme may be in upper case.
        let Some(base_url) = Url::parse(base_url)
            .ok()
            .filter(|url| url.scheme() == "https")
        else {
            return Ok(None);
        };
        let proxy = self.configured(SettingName::Proxy)?;
        let Some(mut proxy) = proxy.filter(|proxy| !proxy.value.is_empty()) else {
            return Ok(None);
        };
        proxy.value = with_scheme(&proxy.value);
        if matches!(proxy.source, Source::File(_)) {
            return Ok(Some(proxy));
        }
        let text = environment::text;
        let excluded = match text("no_proxy")? {
            Some(hosts) => Some(hosts),
            None => text("NO_PROXY")?,
        };
        let matcher = Matcher::builder()
            .https("http://proxy")
            .no(excluded.unwrap_or_default())
            .build();
        let uri = base_url.as_str().parse::<http::Uri>().ok();
        let is_used = uri.is_some_and(|uri| matcher.intercept(&uri).is_some());
        Ok(Some(proxy).filter(|_| is_used))
    }
}
