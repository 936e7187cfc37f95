//! The API key, and the URLs to which it can be sent.

use reqwest::Url;
use reqwest::header::HeaderValue;
use serde_json::Value;
use url::Host;

/// The text in place of the key and of other private texts.
pub(super) const HIDDEN: &str = "…";

/// A key that no service accepts.
pub(super) const WRONG_KEY: &str = "wrong-key-of-mock-server-learn";

/// An API key, which is never printed.
pub(crate) struct Key(String);

impl Key {
    /// Checks a key.
    pub(crate) fn new(text: &str) -> Result<Self, &'static str> {
        match text.trim() {
            "" => Err("the API key is empty"),
            key if !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err("the API key contains spaces or characters that are not ASCII")
            }
            key => Ok(Self(key.to_owned())),
        }
    }

    /// Returns the value of `Authorization`.
    pub(super) fn authorization(&self) -> HeaderValue {
        let value = format!("Bearer {}", self.0);
        let mut value: HeaderValue = value.parse().expect("a key consists of visible ASCII");
        value.set_sensitive(true);
        value
    }

    /// Replaces the key.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }

    pub(super) fn redact_json(&self, json: Value) -> Value {
        match json {
            Value::String(text) => self.redact(&text).into(),
            Value::Array(all) => all.into_iter().map(|one| self.redact_json(one)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.redact(&name), self.redact_json(value)))
                .collect(),
            other => other,
        }
    }
}

/// Parses a base URL to which the key can be sent.
pub(crate) fn base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; expected https://HOST"))?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_plain = !has_user && url.query().is_none() && url.fragment().is_none();
    if !is_plain || !matches!(url.scheme(), "http" | "https") {
        return Err("expected https://HOST without user name, query and fragment".to_owned());
    }
    if url.path().trim_end_matches('/').ends_with("/api/v1") {
        return Err("remove /api/v1, which is added to it".to_owned());
    }
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if url.scheme() == "http" && !is_loopback {
        return Err("the key would be sent unencrypted; use https://".to_owned());
    }
    Ok(url)
}
