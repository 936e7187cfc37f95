//! How a client is made from its description.

use crate::base_url::BaseUrl;
use crate::client::Shared;
use crate::default_headers::default_headers;
use crate::pacing::Pacing;
use crate::proxy::Proxy;
use crate::rate_limit::SharedRateLimit;
use crate::retry_budget::RetryBudget;
use crate::steady_rate::SteadyRate;
use crate::transport::{Settings, Transport};
use crate::{Client, ClientBuilder, Error, ErrorKind, InvalidValue};

impl ClientBuilder {
    /// Makes the client. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when the base URL is missing, is not an HTTP or HTTPS URL, holds a
    /// user name, password, query or fragment, or is plain HTTP to another machine without consent;
    /// when the proxy is not an HTTP or HTTPS URL, or would be given plain HTTP without consent; when
    /// a time-out or the most bytes of an answer are zero; when the user agent or a header cannot be
    /// sent, or is not the caller's to set; where the base URL or the proxy is HTTPS, when TLS cannot
    /// be set up, a root certificate is none, or this program was built without TLS.
    pub fn build(self) -> Result<Client, Error> {
        let Some(base_url) = &self.base_url else {
            let reason = "base URL is missing; give one with ClientBuilder::base_url";
            return Err(Error::new(ErrorKind::Invalid, reason));
        };
        self.check_bounds()?;
        let base_url = BaseUrl::parse(base_url, self.plain_http_allowed)?;
        let transport = Transport::new(Settings {
            proxy: self.read_proxy(&base_url)?,
            base_url,
            headers: default_headers(&self.headers, &self.user_agent, self.api_key.as_ref())?,
            tls: self.tls,
            root_certificates: self.root_certificates,
            connect_timeout: self.connect_timeout,
            usual_timeout: self
                .patience
                .attempt_timeout
                .min(self.patience.total_timeout),
            max_answer_bytes: self.max_answer_bytes,
        })?;
        let interval = self.request_interval;
        let pacing = Pacing {
            clock: self.clock,
            jitter: self.jitter,
            rate_limit: SharedRateLimit::default(),
            steady_rate: (!interval.is_zero()).then(|| SteadyRate::new(interval)),
            retry_budget: RetryBudget::new(self.retry_budget),
        };
        Ok(Client::new(Shared {
            transport,
            api_key: self.api_key,
            patience: self.patience,
            pacing,
        }))
    }

    /// A proxy reads all of plain HTTP, also where the base URL is on this machine.
    fn read_proxy(&self, base_url: &BaseUrl) -> Result<Option<Proxy>, InvalidValue> {
        let Some(url) = &self.proxy else {
            return Ok(None);
        };
        let proxy = Proxy::parse(url)?;
        if base_url.is_https() || self.plain_http_allowed {
            return Ok(Some(proxy));
        }
        let reason = "could read what is sent to a base URL of plain HTTP; \
                      use https, or allow plain HTTP";
        Err(InvalidValue::new("proxy", reason))
    }

    /// Nothing can be done in no time, or be read into no space.
    fn check_bounds(&self) -> Result<(), InvalidValue> {
        let times = [
            ("connect_timeout", self.connect_timeout),
            ("attempt_timeout", self.patience.attempt_timeout),
            ("total_timeout", self.patience.total_timeout),
        ];
        if let Some((field, _)) = times.into_iter().find(|(_, time)| time.is_zero()) {
            return Err(InvalidValue::new(field, "is 0 seconds; expected more"));
        }
        if self.max_answer_bytes == 0 {
            let reason = "is 0 bytes; expected more";
            return Err(InvalidValue::new("max_answer_bytes", reason));
        }
        Ok(())
    }
}
