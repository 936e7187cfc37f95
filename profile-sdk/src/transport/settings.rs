//! The settings of a transport.

use std::time::Duration;

use url::Url;

use super::base_url::BaseUrl;
#[cfg(feature = "tower")]
use super::http_service::AddLayer;
use super::proxy;
use crate::error::{Error, ErrorKind};
use crate::transport::tls::Tls;
use crate::values::InvalidValue;

#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) base_url: Option<String>,
    pub(crate) plain_http_allowed: bool,
    pub(crate) proxy: Option<String>,
    pub(crate) tls: Option<Tls>,
    /// Additional root certificates in PEM.
    pub(crate) root_certificates: Vec<Vec<u8>>,
    pub(crate) connect_timeout: Duration,
    pub(crate) max_response_bytes: usize,
    #[cfg(feature = "tower")]
    pub(crate) layers: Vec<AddLayer>,
}

impl Settings {
    pub(super) fn parse_base_url(&self) -> Result<BaseUrl, Error> {
        match &self.base_url {
            Some(base_url) => Ok(BaseUrl::parse(base_url, self.plain_http_allowed)?),
            None => {
                let reason = "no base URL is set; call ClientBuilder::base_url, or set \
                              PROFILE_BASE_URL and use from_env";
                Err(Error::new(ErrorKind::Invalid, reason))
            }
        }
    }

    /// A proxy can read all plain HTTP, even if the base URL is on this machine.
    pub(super) fn parse_proxy(&self, base_url: &BaseUrl) -> Result<Option<Url>, InvalidValue> {
        let Some(url) = &self.proxy else {
            return Ok(None);
        };
        let proxy = proxy::parse(url)?;
        if base_url.is_https() || self.plain_http_allowed {
            return Ok(Some(proxy));
        }
        let reason = "could read requests to a plain HTTP base URL; \
                      use https, or call ClientBuilder::allow_plain_http";
        Err(InvalidValue::new("proxy", reason))
    }
}
