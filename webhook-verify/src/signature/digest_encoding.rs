//! Encodings of the digest.

use core::fmt;

/// The encoding of the digest after `sha256=`.
///
/// The specification (section Authentication) does not define it. A verifier accepts exactly one
/// encoding, hex by default; see [`Verifier::encoding`](crate::Verifier::encoding).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DigestEncoding {
    /// 64 hex digits. Signing writes lower case; verification accepts both cases.
    #[default]
    Hex,
    /// 44 characters of base64 in the standard alphabet (RFC 4648, section 4), with padding.
    Base64,
}

/// Writes the expected format: `64 hex digits` or `44 characters of base64`.
impl fmt::Display for DigestEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hex => "64 hex digits",
            Self::Base64 => "44 characters of base64",
        })
    }
}
