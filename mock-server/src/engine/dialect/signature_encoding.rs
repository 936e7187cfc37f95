//! The encoding of the digest in `X-Service-Signature`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::settings::SignatureEncoding;

impl SignatureEncoding {
    /// Encodes a digest, without the prefix `sha256=`.
    ///
    /// ```
    /// use mock_server::dialect::SignatureEncoding;
    ///
    /// assert_eq!(SignatureEncoding::Hex.encode(&[0xfb, 0xff]), "fbff");
    /// assert_eq!(SignatureEncoding::Base64.encode(&[0xfb, 0xff]), "+/8=");
    /// ```
    pub fn encode(self, digest: &[u8]) -> String {
        match self {
            Self::Hex => hex::encode(digest),
            Self::Base64 => STANDARD.encode(digest),
        }
    }
}
