//! The baseline: the same calls written by hand with `reqwest` and `serde_json`, with the same
//! features.

use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A client with two calls.
#[derive(Clone)]
pub(crate) struct HandWritten {
    http: reqwest::Client,
    base_url: String,
    key: String,
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
pub(crate) struct Me {
    handle: String,
    display_name: String,
    bio: String,
    location: String,
    accent_color: String,
    text_color: String,
    background_color: String,
    pub(crate) links: Vec<Link>,
    email: String,
    api_visible: bool,
    key: Key,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
pub(crate) struct Link {
    id: String,
    title: String,
    url: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
struct Key {
    scopes: Vec<String>,
    rate_limit: RateLimit,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
struct RateLimit {
    limit: u64,
    window_seconds: u64,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
pub(crate) struct UserStats {
    total_views: u64,
    period: Period,
    pub(crate) daily: Vec<Daily>,
    devices: Devices,
    countries: Vec<Country>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
struct Period {
    days: u64,
    views: u64,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
pub(crate) struct Daily {
    date: String,
    views: u64,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
struct Devices {
    desktop: u64,
    mobile: u64,
    tablet: u64,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only decoding is measured")]
struct Country {
    code: String,
    views: u64,
}

impl HandWritten {
    /// Creates a client without root certificates, because the service is on the local machine.
    pub(crate) fn new(base_url: &str, key: &str) -> Self {
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring supports the default TLS versions")
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        // As the feature `gzip` of reqwest does. The service does not compress.
        let gzip = (ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let http = reqwest::Client::builder()
            .default_headers(HeaderMap::from_iter([gzip]))
            .user_agent("hand-written")
            .connect_timeout(Duration::from_secs(10))
            .timeout(Duration::from_secs(30))
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .tls_backend_preconfigured(tls)
            .build()
            .expect("a valid client");
        Self {
            http,
            base_url: base_url.to_owned(),
            key: key.to_owned(),
        }
    }

    pub(crate) fn with_key(&self, key: &str) -> Self {
        Self {
            key: key.to_owned(),
            ..self.clone()
        }
    }

    pub(crate) async fn me(&self) -> reqwest::Result<Me> {
        self.read(format!("{}/api/v1/me", self.base_url)).await
    }

    pub(crate) async fn user_stats(&self, handle: &str, days: u16) -> reqwest::Result<UserStats> {
        let base_url = &self.base_url;
        self.read(format!(
            "{base_url}/api/v1/users/{handle}/stats?days={days}"
        ))
        .await
    }

    async fn read<T: DeserializeOwned>(&self, url: String) -> reqwest::Result<T> {
        let response = self.http.get(url).bearer_auth(&self.key).send();
        let body = response.await?.error_for_status()?.bytes().await?;
        let envelope: Envelope<T> =
            serde_json::from_slice(&body).expect("a response of the canned service");
        Ok(envelope.data)
    }
}
