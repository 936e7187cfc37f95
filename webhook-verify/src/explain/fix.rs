//! Fixes for rejected deliveries.

use core::fmt;

/// A condition that must change for a rejected delivery to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fix {
    /// The signature, without the whitespace or quotes around it.
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
    /// The secret, followed by a newline.
    SecretWithNewline,
    /// The secret, without the quotes around it.
    SecretUnquoted,
    /// The secret, decoded from hex.
    SecretFromHex,
    /// The secret, decoded from base64.
    SecretFromBase64,
    /// The body, without the newline (or `\r\n`) at the end.
    BodyWithoutNewline,
    /// The body, followed by a newline.
    BodyWithNewline,
    /// The body, with all line breaks replaced with `\n`.
    LineBreaksLf,
    /// The body, with all line breaks replaced with `\r\n`.
    LineBreaksCrLf,
    /// The body's JSON, without whitespace between tokens.
    JsonCompact,
    /// The body's JSON, with one space after each comma and colon, as Python writes it.
    JsonSpaced,
    /// The body's JSON, with `\u` escapes for non-ASCII characters.
    JsonEscaped,
    /// The body's JSON, without `\u` escapes for non-ASCII characters.
    JsonUnescaped,
    /// The body's JSON, with `\/` instead of `/`, as PHP writes it.
    JsonSlashesEscaped,
    /// The body's JSON, with `/` instead of `\/`.
    JsonSlashesUnescaped,
}

/// Writes a clause to follow "the delivery would verify if".
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignatureTrimmed => "the header value had no whitespace or quotes around it",
            Self::Prefix => "the header value started with exactly sha256=",
            Self::Base64 => "the receiver accepted base64 (DigestEncoding::Base64)",
            Self::Hex => "the receiver accepted hex (DigestEncoding::Hex)",
            Self::Sha1 => "the sender used SHA-256 instead of SHA-1",
            Self::SecretTrimmed => "the secret had no leading or trailing whitespace",
            Self::SecretWithNewline => "the secret ended with a newline",
            Self::SecretUnquoted => "the secret had no quotes around it",
            Self::SecretFromHex => "the secret was decoded from hex",
            Self::SecretFromBase64 => "the secret was decoded from base64",
            _ => return self.fmt_body(f),
        })
    }
}

impl Fix {
    fn fmt_body(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BodyWithoutNewline => "the body did not end with a newline",
            Self::BodyWithNewline => "the body ended with a newline",
            Self::LineBreaksLf => r"the body's line breaks were \n",
            Self::LineBreaksCrLf => r"the body's line breaks were \r\n",
            Self::JsonCompact => "the body's JSON had no whitespace between tokens",
            Self::JsonSpaced => "the body's JSON had one space after each comma and colon",
            Self::JsonEscaped => r"the body's JSON had \u escapes for non-ASCII characters",
            Self::JsonUnescaped => r"the body's JSON had no \u escapes for non-ASCII characters",
            Self::JsonSlashesEscaped => r"the body's JSON had \/ instead of /",
            _ => r"the body's JSON had / instead of \/",
        })
    }
}
