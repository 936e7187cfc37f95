//! The secret that deliveries are signed with.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::input::InvalidInput;
use crate::input::bytes_in_json::BytesInJson;

/// The secret that deliveries are signed with; never empty. `Debug` hides it.
///
/// It is written only to state files.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BytesInJson", into = "BytesInJson")]
pub(crate) struct WebhookSecret(Vec<u8>);

impl WebhookSecret {
    /// Takes the bytes as they are, without trimming.
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, InvalidInput> {
        let bytes = bytes.into();
        if bytes.is_empty() {
            let message = "the webhook secret is empty; expected at least 1 byte";
            return Err(InvalidInput::new("empty_secret", message));
        }
        Ok(Self(bytes))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(hidden)")
    }
}

impl TryFrom<BytesInJson> for WebhookSecret {
    type Error = InvalidInput;

    fn try_from(BytesInJson(bytes): BytesInJson) -> Result<Self, InvalidInput> {
        Self::new(bytes)
    }
}

impl From<WebhookSecret> for BytesInJson {
    fn from(secret: WebhookSecret) -> Self {
        Self(secret.0)
    }
}
