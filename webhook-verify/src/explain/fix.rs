//! The changes that make a refused delivery match.

use core::fmt;

/// One thing that has to be otherwise for a refused delivery to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fix {
    /// The signature without the white space or quotes around it.
    SignatureTrimmed,
    /// The prefix is exactly `sha256=`.
    Prefix,
    /// The digest is read as base64, in the standard alphabet with padding.
    Base64,
    /// The digest is read as base64 without padding or in the alphabet for URLs.
    LooseBase64,
    /// The digest is HMAC-SHA1, which is never accepted.
    Sha1,
    /// The secret without the white space at its ends.
    SecretTrimmed,
    /// The secret with a newline after it.
    SecretWithNewline,
    /// The secret with a carriage return and a newline after it.
    SecretWithCrLf,
    /// The secret without the quotes around it.
    SecretUnquoted,
    /// The secret is what its hex digits stand for.
    SecretFromHex,
    /// The secret is its own bytes in lower-case hex.
    SecretAsHex,
    /// The secret is what its base64 digits stand for.
    SecretFromBase64,
    /// The body without the newline (or `\r\n`) at its end.
    BodyWithoutNewline,
    /// The body with a newline after it.
    BodyWithNewline,
    /// The body with a carriage return and a newline after it.
    BodyWithCrLf,
    /// Every line break of the body is `\n`.
    LineBreaksLf,
    /// Every line break of the body is `\r\n`.
    LineBreaksCrLf,
    /// The body without the byte order mark at its start.
    BodyWithoutByteOrderMark,
    /// The body with a byte order mark before it.
    BodyWithByteOrderMark,
    /// The body's JSON has no white space between its tokens.
    JsonCompact,
    /// The body's JSON has one space after each comma and colon, as Python writes it.
    JsonSpaced,
    /// The body's JSON is indented by two spaces.
    JsonIndentedByTwo,
    /// The body's JSON is indented by four spaces.
    JsonIndentedByFour,
    /// The body's JSON has `\u` escapes for all that is not ASCII.
    JsonEscaped,
    /// The body's JSON has the characters that its `\u` escapes stand for.
    JsonUnescaped,
    /// The body's JSON has `\/` for `/`, as PHP writes it.
    JsonSlashesEscaped,
    /// The body's JSON has `/` for `\/`.
    JsonSlashesUnescaped,
}

/// A clause that goes on after "the delivery would match if".
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignatureTrimmed => "the header had no white space or quotes around its value",
            Self::Prefix => "the header began with exactly sha256=",
            Self::Base64 => "the receiver took base64 (DigestEncoding::Base64)",
            Self::LooseBase64 => "the sender wrote standard base64 with padding, or hex",
            Self::Sha1 => "the sender signed with SHA-256 instead of SHA-1",
            Self::SecretTrimmed => "the secret had no white space at its ends",
            Self::SecretWithNewline => "the secret had a newline at its end",
            Self::SecretWithCrLf => "the secret had a carriage return and a newline at its end",
            Self::SecretUnquoted => "the secret had no quotes around it",
            Self::SecretFromHex => "the secret was decoded from hex",
            Self::SecretAsHex => "the secret was written in hex",
            Self::SecretFromBase64 => "the secret was decoded from base64",
            _ => return self.fmt_body(f),
        })
    }
}

impl Fix {
    fn fmt_body(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BodyWithoutNewline => "the body had no newline at its end",
            Self::BodyWithNewline => "the body had a newline at its end",
            Self::BodyWithCrLf => "the body had a carriage return and a newline at its end",
            Self::LineBreaksLf => r"the body's line breaks were \n",
            Self::LineBreaksCrLf => r"the body's line breaks were \r\n",
            Self::BodyWithoutByteOrderMark => "the body had no byte order mark",
            Self::BodyWithByteOrderMark => "the body had a byte order mark",
            Self::JsonCompact => "the body's JSON had no white space between its tokens",
            Self::JsonSpaced => "the body's JSON had one space after each comma and colon",
            Self::JsonIndentedByTwo => "the body's JSON was indented by two spaces",
            Self::JsonIndentedByFour => "the body's JSON was indented by four spaces",
            Self::JsonEscaped => r"the body's JSON had \u escapes for all that is not ASCII",
            Self::JsonUnescaped => r"the body's JSON had characters in place of \u escapes",
            Self::JsonSlashesEscaped => r"the body's JSON had \/ for /",
            _ => r"the body's JSON had / for \/",
        })
    }
}
