//! Diagnosis of rejected deliveries.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;

use self::changes::{BODY_CHANGES, Change, SECRET_CHANGES, tokens, without_quotes};
use crate::headers::Headers;
use crate::signature::{self, DigestEncoding, VerifyError};

mod changes;

/// The result of [`explain`]. The `Display` output is for people and does not contain secrets,
/// digests or the body.
#[derive(Debug, Clone)]
pub struct Explanation {
    header_error: Option<VerifyError>,
    hint: Option<&'static str>,
    diagnoses: Vec<Diagnosis>,
}

/// A set of fixes with which the delivery would verify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    secret_index: usize,
    fixes: Vec<Fix>,
}

/// Defines [`Fix`]: a row for each, with a clause to follow "the delivery would verify if".
macro_rules! fixes {
    ($($(#[$doc:meta])* $name:ident => $clause:literal,)*) => {
        /// A condition that must change for a rejected delivery to verify.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Fix {
            $($(#[$doc])* $name,)*
        }

        /// Writes a clause to follow "the delivery would verify if".
        impl fmt::Display for Fix {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$name => $clause,)*
                })
            }
        }
    };
}

fixes! {
    /// The signature, without the whitespace or the quotes around it.
    SignatureTrimmed => "the header value had no whitespace or quotes around it",
    /// The signature, without the whitespace within it.
    SignatureJoined => "the header value had no whitespace within it",
    /// The signature, with the prefix `sha256=`.
    Prefix => "the header value started with exactly sha256=",
    /// The digest is in base64, but the receiver accepts hex.
    Base64 => "the receiver accepted base64",
    /// The digest is in hex, but the receiver accepts base64.
    Hex => "the receiver accepted hex",
    /// The digest is HMAC-SHA1, which is never accepted.
    Sha1 => "the sender used SHA-256 instead of SHA-1",
    /// The secret, without the byte order mark before it.
    SecretWithoutMark => "the secret had no byte order mark before it",
    /// The secret, without leading and trailing whitespace, such as a no-break or zero-width space.
    SecretTrimmed => "the secret had no leading or trailing whitespace",
    /// The secret, without the name of a variable and `=` before it.
    SecretWithoutName => "the secret had no NAME= before it",
    /// The secret, without the quotes around it.
    SecretUnquoted => "the secret had no quotes around it",
    /// The bytes that the secret encodes in hex.
    SecretFromHex => "the secret was decoded from hex",
    /// The bytes that the secret encodes in base64.
    SecretFromBase64 => "the secret was decoded from base64",
    /// The body, without the byte order mark before it.
    BodyWithoutMark => "the body had no byte order mark before it",
    /// The body of the recorded request, without the head.
    BodyOfRecording => "the body did not include the head of the request",
    /// The body in UTF-8; it is in UTF-16.
    BodyFromUtf16 => "the body was in UTF-8 instead of UTF-16",
    /// The field `payload` of the body, which is a form.
    BodyFromForm => "the body was the decoded field payload of the form",
    /// The bytes that the body encodes in base64.
    BodyFromBase64 => "the body was decoded from base64",
    /// The body, which is UTF-8 that was decoded as Latin-1.
    BodyToLatin1 => "the body had not been decoded as Latin-1",
    /// The body in UTF-8; it is in Latin-1.
    BodyFromLatin1 => "the body was in UTF-8 instead of Latin-1",
    /// The body, without the newline (or `\r\n`) at the end.
    BodyWithoutNewline => "the body did not end with a newline",
    /// The body, followed by a newline.
    BodyWithNewline => "the body ended with a newline",
    /// The body, with `\n` for each `\r\n`.
    BodyWithLf => "the lines of the body ended with \\n instead of \\r\\n",
    /// The body, with `\r\n` for each `\n`.
    BodyWithCrlf => "the lines of the body ended with \\r\\n instead of \\n",
    /// The body's JSON, without whitespace between tokens.
    JsonCompact => "the body's JSON had no whitespace between tokens",
    /// The body's JSON, with one space after each comma and colon, as Python writes it.
    JsonSpaced => "the body's JSON had one space after each comma and colon",
    /// The body's JSON, with each member and element on an indented line.
    JsonIndented => "the body's JSON was indented",
    /// The body, with characters in place of `\u` escapes, as in `é` and `&`.
    EscapesDecoded => "the body's \\u escapes were the characters themselves",
    /// The body, with an escape such as `\u00e9` for each character outside of ASCII.
    NonAsciiEscaped => "the body's characters outside of ASCII were \\u escapes",
    /// The body, with an escape such as `\u0026` for each `&`, `<` and `>`.
    HtmlEscaped => "characters of the body such as &, < and ' were \\u escapes",
    /// The body, with `/` for each `\/`.
    SlashesDecoded => "the body's slashes had no backslash before them",
    /// The body, with `\/` for each `/`, as PHP writes it.
    SlashesEscaped => "the body's slashes had a backslash before them",
}

/// Diagnoses why a delivery was rejected.
///
/// Checks the changes that each [`Fix`] undoes, up to three of the secret and the body together: for
/// example whitespace around the secret or the signature, JSON that was reformatted or escaped, another
/// encoding of the body, a missing prefix, base64, SHA-1, and a different secret.
///
/// `encoding` is that of the receiver, [`DigestEncoding::Hex`] unless you set
/// [`Verifier::encoding`](crate::Verifier::encoding). `secrets` are raw bytes, because
/// [`Secret`](crate::Secret) rejects some of these problems.
///
/// **Do not use it in a server**: it is slow, and it finds matches that must be rejected. A
/// diagnosis is a reason to fix the receiver, not to accept the delivery.
///
/// # Examples
///
/// ```
/// use webhook_verify::{DigestEncoding, Fix, Headers, Secret, explain, sign};
///
/// let signature = sign(&Secret::new("s3cret")?, r#"{"type":"post.liked"}"#);
/// let headers = Headers::new([("X-Service-Signature", &signature)]);
///
/// let body = br#"{"type": "post.liked"}"#;
/// let explanation = explain(DigestEncoding::Hex, headers, body, ["other", "s3cret\n"]);
/// let diagnosis = &explanation.diagnoses()[0];
/// assert_eq!(diagnosis.secret_index(), 1);
/// assert_eq!(diagnosis.fixes(), [Fix::SecretTrimmed, Fix::JsonCompact]);
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[must_use]
pub fn explain<S: AsRef<[u8]>>(
    encoding: DigestEncoding,
    headers: Headers<'_>,
    body: &[u8],
    secrets: impl IntoIterator<Item = S>,
) -> Explanation {
    let parsed = headers
        .signature()
        .and_then(|value| ParsedSignature::parse(value, encoding));
    let mut diagnoses = Vec::new();
    let header_error = match parsed {
        Ok(signature) => {
            for (index, secret) in secrets.into_iter().enumerate() {
                diagnoses.extend(signature.diagnose(index, secret.as_ref(), body));
            }
            None
        }
        Err(error) => Some(error),
    };
    let fewest = diagnoses.iter().map(|found| found.fixes.len()).min();
    diagnoses.retain(|found| Some(found.fixes.len()) == fewest);
    Explanation {
        header_error,
        hint: body_hint(body),
        diagnoses,
    }
}

impl Explanation {
    /// Returns the diagnoses with the fewest fixes, or an empty slice if nothing matches.
    #[must_use]
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.diagnoses
    }
}

impl Diagnosis {
    /// Returns the index of the secret that signed the delivery, counted from 0.
    #[must_use]
    pub fn secret_index(&self) -> usize {
        self.secret_index
    }

    /// Returns the fixes with which the delivery verifies; empty if it verifies without any.
    #[must_use]
    pub fn fixes(&self) -> &[Fix] {
        &self.fixes
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.header_error, &self.diagnoses[..]) {
            (Some(error), _) => error.fmt(f)?,
            (None, []) => f.write_str(
                "no common problem explains the mismatch: the secret is wrong, \
                 or the body is not the one that was signed",
            )?,
            (None, diagnoses) => {
                let lines: Vec<_> = diagnoses.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))?;
            }
        }
        match self.hint {
            Some(hint) if self.diagnoses.is_empty() => write!(f, "\n{hint}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.secret_index + 1;
        let Some((first, others)) = self.fixes.split_first() else {
            return write!(
                f,
                "the delivery verifies with secret {number}, without changes"
            );
        };
        write!(
            f,
            "the delivery would verify with secret {number} if {first}"
        )?;
        others.iter().try_for_each(|fix| write!(f, ", and {fix}"))
    }
}

/// A digest of 20 (SHA-1) or 32 bytes (SHA-256), with the fixes for its format.
struct ParsedSignature {
    digest: Vec<u8>,
    fixes: Vec<Fix>,
}

impl ParsedSignature {
    /// # Errors
    ///
    /// Returns the error of the strict parser if no digest can be parsed.
    fn parse(value: &[u8], encoding: DigestEncoding) -> Result<Self, VerifyError> {
        let mut fixes = vec![];
        let trimmed = trim(value);
        if trimmed != value {
            fixes.push(Fix::SignatureTrimmed);
        }
        let encoded = without_prefix(trimmed, &mut fixes);
        let joined: Vec<_> = encoded
            .split(u8::is_ascii_whitespace)
            .flatten()
            .copied()
            .collect();
        if joined != encoded {
            fixes.push(Fix::SignatureJoined);
        }
        let base64 = || Some(signature::parse_base64(&joined).ok()?.to_vec());
        let (digest, found, fix) = match hex::decode(&joined) {
            Ok(digest) => (Some(digest), DigestEncoding::Hex, Fix::Hex),
            Err(_) => (base64(), DigestEncoding::Base64, Fix::Base64),
        };
        if found != encoding {
            fixes.push(fix);
        }
        match digest {
            Some(digest) if digest.len() == 32 => Ok(Self { digest, fixes }),
            Some(digest) if digest.len() == 20 => {
                fixes.push(Fix::Sha1);
                Ok(Self { digest, fixes })
            }
            _ => Err(signature::parse(value, encoding)
                .err()
                .unwrap_or(VerifyError::BadPrefix)),
        }
    }

    /// Returns the fewest changes of the secret and the body with which they match.
    fn diagnose(&self, secret_index: usize, secret: &[u8], body: &[u8]) -> Option<Diagnosis> {
        let mut counts =
            (0..=MAX_CHANGES).flat_map(|total| (0..=total).map(move |n| (n, total - n)));
        let fixes = counts.find_map(|(secret_changes, body_changes)| {
            search(secret, &SECRET_CHANGES, secret_changes, &mut |secret| {
                // Anyone could use an empty secret.
                let mut matches = |body: &[u8]| self.matches(secret, body).then(Vec::new);
                let is_secret = !secret.is_empty();
                is_secret.then(|| search(body, &BODY_CHANGES, body_changes, &mut matches))?
            })
        });
        Some(Diagnosis {
            secret_index,
            fixes: [&self.fixes[..], &fixes?].concat(),
        })
    }

    /// Chooses the algorithm by the length of the digest.
    fn matches(&self, secret: &[u8], body: &[u8]) -> bool {
        match self.digest.len() {
            20 => matches_mac::<Hmac<Sha1>>(secret, body, &self.digest),
            _ => matches_mac::<Hmac<Sha256>>(secret, body, &self.digest),
        }
    }
}

/// Removes whitespace and quotes.
fn trim(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    without_quotes(value).unwrap_or(value)
}

/// Removes a prefix: any text followed by `=` or `:`, such as the name of the header, or what `openssl dgst` prints.
fn without_prefix<'v>(value: &'v [u8], fixes: &mut Vec<Fix>) -> &'v [u8] {
    for prefix in [&b"sha256="[..], b"sha1="] {
        if let Some(encoded) = value.strip_prefix(prefix) {
            if encoded != trim(encoded) && !fixes.contains(&Fix::SignatureTrimmed) {
                fixes.push(Fix::SignatureTrimmed);
            }
            return trim(encoded);
        }
    }
    fixes.push(Fix::Prefix);
    let padding = value.iter().rev().take_while(|byte| **byte == b'=').count();
    let unpadded = &value[..value.len() - padding];
    match unpadded
        .iter()
        .rposition(|byte| matches!(byte, b'=' | b':'))
    {
        Some(end) => trim(&value[end + 1..]),
        None => value,
    }
}

fn matches_mac<M: Mac + KeyInit>(secret: &[u8], body: &[u8], digest: &[u8]) -> bool {
    let mac = <M as KeyInit>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.chain_update(body).verify_slice(digest).is_ok()
}

/// The maximum number of changes that are undone together.
const MAX_CHANGES: usize = 3;

/// Applies so many changes of the table, in all combinations that change something, until `found` returns
/// more fixes. Creates the variants one by one, since all of them would take many times the memory of the
/// body.
fn search(
    bytes: &[u8],
    changes: &[Change],
    count: usize,
    found: &mut dyn FnMut(&[u8]) -> Option<Vec<Fix>>,
) -> Option<Vec<Fix>> {
    let Some(fewer) = count.checked_sub(1) else {
        return found(bytes);
    };
    // The last ones are the most specific: a compact layout also removes a newline.
    changes
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, (fix, apply))| {
            let changed = apply(bytes).filter(|changed| changed != bytes)?;
            let fixes = search(&changed, &changes[index + 1..], fewer, found)?;
            Some([&[*fix][..], &fixes].concat())
        })
}

/// Returns a hint for a body that no fix can restore.
fn body_hint(body: &[u8]) -> Option<&'static str> {
    if body.is_empty() {
        Some("the body is empty: it may have been read before verification")
    } else if body.starts_with(&[0x1f, 0x8b]) {
        Some("the body is gzip: the service may have signed the uncompressed body")
    } else if is_cut(body) {
        Some("the body starts like a JSON object and has no end: it may have been cut")
    } else {
        None
    }
}

/// Returns `true` for an object that is not closed.
fn is_cut(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let depth = tokens(&text).fold(0_usize, |depth, token| match token {
        "{" | "[" => depth + 1,
        "}" | "]" => depth.saturating_sub(1),
        _ => depth,
    });
    text.trim_start().starts_with('{') && depth > 0
}
