//! Diagnosis of rejected deliveries.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;

use self::changes::{BODY_CHANGES, Change, SECRET_CHANGES};
use crate::signature::{self, DigestEncoding, Headers, VerifyError};

mod changes;

/// The result of [`explain`]. The `Display` output is for people and does not contain secrets,
/// digests or the body.
#[derive(Debug, Clone)]
pub struct Explanation {
    header_error: Option<VerifyError>,
    body_is_empty: bool,
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
    /// The signature, without whitespace.
    SignatureJoined => "the header value had no whitespace",
    /// The signature, with the prefix `sha256=`.
    Prefix => "the header value started with exactly sha256=",
    /// The digest is in base64, but the receiver accepts hex.
    Base64 => "the receiver accepted base64",
    /// The digest is in hex, but the receiver accepts base64.
    Hex => "the receiver accepted hex",
    /// The digest is HMAC-SHA1, which is never accepted.
    Sha1 => "the sender used SHA-256 instead of SHA-1",
    /// The secret, without the name of a variable and `=` before it.
    SecretWithoutName => "the secret had no NAME= before it",
    /// The secret, without leading and trailing whitespace.
    SecretTrimmed => "the secret had no leading or trailing whitespace",
    /// The secret, without the quotes around it.
    SecretUnquoted => "the secret had no quotes around it",
    /// The bytes that the secret encodes in base64.
    SecretFromBase64 => "the secret was decoded from base64",
    /// The body, which is UTF-8 that was decoded as Windows-1252 or Latin-1.
    BodyToWindows1252 => "the body had not been decoded as Windows-1252",
    /// The body's JSON, with one space after each comma and colon, as Python writes it.
    JsonSpaced => "the body's JSON had one space after each comma and colon",
    /// The body's JSON, without whitespace between tokens.
    JsonCompact => "the body's JSON had no whitespace between tokens",
    /// The body, with characters in place of escapes, as in `é`, `&` and `/`.
    EscapesDecoded => "the body's escapes were the characters themselves",
    /// The body, with an escape such as `\u00e9` for each character outside of ASCII.
    NonAsciiEscaped => "the body's characters outside of ASCII were \\u escapes",
    /// The body, with an escape such as `\u0026` for each `&`, `<` and `>`, and in the style of .NET for `\"`, too.
    HtmlEscaped => "characters of the body such as &, < and ' were \\u escapes",
    /// The body, with `\/` for each `/`, as PHP writes it.
    SlashesEscaped => "the body's slashes had a backslash before them",
    /// The body, without the newline (or `\r\n`) at the end.
    BodyWithoutNewline => "the body did not end with a newline",
    /// The body, followed by a newline.
    BodyWithNewline => "the body ended with a newline",
}

/// Diagnoses why a delivery was rejected.
///
/// Checks the changes that each [`Fix`] undoes, up to three of the secret and the body together: for
/// example whitespace around the secret, JSON that was reformatted or escaped, a missing prefix, base64,
/// SHA-1, and a different secret.
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
    let value = headers.signature();
    let parsed = value.and_then(|value| ParsedSignature::parse(value, encoding));
    let diagnose = |(index, secret): (usize, S)| {
        let signature = parsed.as_ref().ok()?;
        signature.diagnose(index, secret.as_ref(), body)
    };
    let secrets = secrets.into_iter().enumerate();
    let mut diagnoses: Vec<_> = secrets.filter_map(diagnose).collect();
    let fewest = diagnoses.iter().map(|found| found.fixes.len()).min();
    diagnoses.retain(|found| Some(found.fixes.len()) == fewest);
    Explanation {
        header_error: parsed.err(),
        body_is_empty: body.is_empty(),
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
        if self.body_is_empty && self.diagnoses.is_empty() {
            f.write_str("\nthe body is empty: it may have been read before verification")?;
        }
        Ok(())
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
        let mut fixes = Vec::new();
        let mut joined = value.to_vec();
        joined.retain(|byte| !byte.is_ascii_whitespace());
        if joined != value {
            fixes.push(Fix::SignatureJoined);
        }
        let encoded = joined.strip_prefix(b"sha256=").unwrap_or_else(|| {
            fixes.push(Fix::Prefix);
            joined.strip_prefix(b"sha1=").unwrap_or(&joined)
        });
        let base64 = || Some(signature::parse_base64(encoded).ok()?.to_vec());
        let (digest, found, fix) = match hex::decode(encoded) {
            Ok(digest) => (Some(digest), DigestEncoding::Hex, Fix::Hex),
            Err(_) => (base64(), DigestEncoding::Base64, Fix::Base64),
        };
        if found != encoding {
            fixes.push(fix);
        }
        let digest = digest.filter(|digest| matches!(digest.len(), 20 | 32));
        let error = || signature::parse(value, encoding).err();
        let digest = digest.ok_or_else(|| error().unwrap_or(VerifyError::BadPrefix))?;
        if digest.len() == 20 {
            fixes.retain(|fix| *fix != Fix::Prefix);
            fixes.push(Fix::Sha1);
        }
        Ok(Self { digest, fixes })
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
    let mut last_first = changes.iter().enumerate().rev();
    last_first.find_map(|(index, (fix, apply))| {
        let changed = apply(bytes).filter(|changed| changed != bytes)?;
        let fixes = search(&changed, &changes[index + 1..], fewer, found)?;
        Some([&[*fix][..], &fixes].concat())
    })
}
