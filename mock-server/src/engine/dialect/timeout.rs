//! The timeout of a webhook delivery.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The timeout of a webhook delivery, 10 seconds by default. In JSON it is a number of seconds greater
/// than 0, with or without a fraction.
///
/// ```
/// use mock_server::dialect::WebhookTimeout;
/// use std::time::Duration;
///
/// assert_eq!(WebhookTimeout::default(), WebhookTimeout(Duration::from_secs(10)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookTimeout(pub Duration);

impl Default for WebhookTimeout {
    fn default() -> Self {
        Self(Duration::from_secs(10))
    }
}

impl Serialize for WebhookTimeout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(self.0.as_secs_f64()),
        }
    }
}

impl<'de> Deserialize<'de> for WebhookTimeout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        match Duration::try_from_secs_f64(seconds) {
            Ok(timeout) if !timeout.is_zero() => Ok(Self(timeout)),
            _ => Err(D::Error::custom(format!(
                "found {seconds}; expected a number of seconds, at least 0.000000001 and less than \
                 18446744073709551616"
            ))),
        }
    }
}
