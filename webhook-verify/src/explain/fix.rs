//! Fixes for rejected deliveries.

use core::fmt;

/// A condition that must change for a rejected delivery to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fix {
    /// The signature, without the whitespace around it.
    SignatureTrimmed,
    /// The signature, with the prefix `sha256=`.
    Prefix,
    /// The digest is in base64, but the receiver accepts hex.
    Base64,
    /// The digest is in hex, but the receiver accepts base64.
    Hex,
    /// The digest is HMAC-SHA1, which is never accepted.
    Sha1,
    /// The secret, without leading and trailing whitespace.
    SecretTrimmed,
    /// The body, without the newline (or `\r\n`) at the end.
    BodyWithoutNewline,
    /// The body, followed by a newline.
    BodyWithNewline,
    /// The body's JSON, without whitespace between tokens.
    JsonCompact,
    /// The body's JSON, with one space after each comma and colon, as Python writes it.
    JsonSpaced,
}

/// Writes a clause to follow "the delivery would verify if".
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignatureTrimmed => "the header value had no whitespace around it",
            Self::Prefix => "the header value started with exactly sha256=",
            Self::Base64 => "the receiver accepted base64",
            Self::Hex => "the receiver accepted hex",
            Self::Sha1 => "the sender used SHA-256 instead of SHA-1",
            Self::SecretTrimmed => "the secret had no leading or trailing whitespace",
            Self::BodyWithoutNewline => "the body did not end with a newline",
            Self::BodyWithNewline => "the body ended with a newline",
            Self::JsonCompact => "the body's JSON had no whitespace between tokens",
            Self::JsonSpaced => "the body's JSON had one space after each comma and colon",
        })
    }
}
