//! The secret that deliveries are signed with.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bytes_in_json::BytesInJson;

/// The bytes that a webhook signs with; never empty. `Debug` hides them.
///
/// They can be written to a state file, whose reader has to sign on, and are shown nowhere else.
///
/// ```
/// use mock_server::WebhookSecret;
///
/// let secret = WebhookSecret::new("whsec_test")?;
/// assert_eq!(format!("{secret:?}"), "WebhookSecret(hidden)");
/// assert!(WebhookSecret::new("").is_err());
/// # Ok::<(), mock_server::EmptySecret>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BytesInJson", into = "BytesInJson")]
pub struct WebhookSecret(Vec<u8>);

impl WebhookSecret {
    /// Takes the bytes as they are, without trimming.
    ///
    /// # Errors
    ///
    /// [`EmptySecret`] when there are none.
    ///
    /// ```
    /// assert!(mock_server::WebhookSecret::new([0xff, 0x00]).is_ok());
    /// ```
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, EmptySecret> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            return Err(EmptySecret);
        }
        Ok(Self(bytes))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WebhookSecret(hidden)")
    }
}

/// A secret without a byte, with which anybody could sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the webhook secret is empty; give at least one byte")]
pub struct EmptySecret;

impl TryFrom<BytesInJson> for WebhookSecret {
    type Error = EmptySecret;

    fn try_from(BytesInJson(bytes): BytesInJson) -> Result<Self, EmptySecret> {
        Self::new(bytes)
    }
}

impl From<WebhookSecret> for BytesInJson {
    fn from(secret: WebhookSecret) -> Self {
        Self(secret.0)
    }
}
