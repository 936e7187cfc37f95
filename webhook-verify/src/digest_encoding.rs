//! How the digest in `X-Service-Signature` is written.

use core::fmt;

/// How the digest after `sha256=` is written.
///
/// The specification does not show it (section Authentication). A verifier
/// takes hex unless [`Verifier::encoding`](crate::Verifier::encoding) asks for
/// base64, and never both: a digest in the other encoding is refused with an
/// error that says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DigestEncoding {
    /// 64 hex digits; written in lower case and read in either.
    #[default]
    Hex,
    /// 44 characters of base64: the standard alphabet (RFC 4648, section 4), with padding.
    Base64,
}

/// Shows what is expected: `64 hex digits` or `44 characters of base64`.
impl fmt::Display for DigestEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hex => "64 hex digits",
            Self::Base64 => "44 characters of base64",
        })
    }
}
