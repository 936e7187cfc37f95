//! Diagnosis of rejected deliveries.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;

use crate::headers::Headers;
use crate::signature::{self, DigestEncoding, VerifyError};

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

/// Diagnoses why a delivery was rejected.
///
/// Checks common problems: whitespace around the secret or the signature, an added or missing
/// newline, JSON that was reformatted, a missing prefix, base64, SHA-1, and a different secret.
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
    let (header_error, signature) = match parsed {
        Ok(signature) => (None, Some(signature)),
        Err(error) => (Some(error), None),
    };
    let diagnoses = signature.map_or_else(Vec::new, |signature| {
        let secrets = secrets.into_iter().enumerate();
        let diagnoses = secrets.flat_map(|(index, secret)| {
            let diagnose = |trims| signature.diagnose(index, secret.as_ref(), trims, body);
            [false, true].map(diagnose)
        });
        diagnoses.flatten().collect()
    });
    Explanation {
        header_error,
        hint: body_hint(body),
        diagnoses: fewest_fixes(diagnoses),
    }
}

impl Explanation {
    /// Returns the diagnoses with the fewest fixes, or an empty slice if nothing matches.
    #[must_use]
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.diagnoses
    }

    /// Returns the error in the signature header if no digest can be parsed from it, however
    /// leniently.
    #[must_use]
    pub fn header_error(&self) -> Option<VerifyError> {
        self.header_error
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
            (None, diagnoses) => fmt_lines(f, diagnoses)?,
        }
        match self.hint {
            Some(hint) if self.diagnoses.is_empty() => write!(f, "\n{hint}"),
            _ => Ok(()),
        }
    }
}

fn fmt_lines(f: &mut fmt::Formatter<'_>, diagnoses: &[Diagnosis]) -> fmt::Result {
    for (line, diagnosis) in diagnoses.iter().enumerate() {
        let start = if line == 0 { "" } else { "\n" };
        write!(f, "{start}{diagnosis}")?;
    }
    Ok(())
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
        let trimmed = value.trim_ascii();
        if trimmed != value {
            fixes.push(Fix::SignatureTrimmed);
        }
        let encoded = without_prefix(trimmed, &mut fixes);
        let base64 = || Some(signature::parse_base64(encoded).ok()?.to_vec());
        let (digest, found, fix) = match hex::decode(encoded) {
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

    /// Returns the variant of the body with the fewest fixes that matches the secret, which is
    /// optionally trimmed.
    fn diagnose(
        &self,
        secret_index: usize,
        secret: &[u8],
        trims: bool,
        body: &[u8],
    ) -> Option<Diagnosis> {
        let (secret_fix, secret) = match trims {
            true => (&[Fix::SecretTrimmed][..], secret.trim_ascii()),
            false => (&[][..], secret),
        };
        // Anyone could use an empty secret.
        let matching = body_variants(body)
            .filter(|(_, body)| !secret.is_empty() && self.matches(secret, body));
        let (body_fixes, _) = matching.min_by_key(|(fixes, _)| fixes.len())?;
        Some(Diagnosis {
            secret_index,
            fixes: [&self.fixes[..], secret_fix, &body_fixes].concat(),
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

/// Removes a prefix: any short name followed by `=` or `:`.
fn without_prefix<'v>(value: &'v [u8], fixes: &mut Vec<Fix>) -> &'v [u8] {
    for prefix in [&b"sha256="[..], b"sha1="] {
        if let Some(encoded) = value.strip_prefix(prefix) {
            return encoded;
        }
    }
    fixes.push(Fix::Prefix);
    let start = &value[..value.len().min(10)];
    match start.iter().position(|byte| matches!(byte, b'=' | b':')) {
        Some(end) => value[end + 1..].trim_ascii(),
        None => value,
    }
}

fn matches_mac<M: Mac + KeyInit>(secret: &[u8], body: &[u8], digest: &[u8]) -> bool {
    let mac = <M as KeyInit>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.chain_update(body).verify_slice(digest).is_ok()
}

fn fewest_fixes(mut diagnoses: Vec<Diagnosis>) -> Vec<Diagnosis> {
    let fewest = diagnoses
        .iter()
        .map(|diagnosis| diagnosis.fixes.len())
        .min();
    diagnoses.retain(|diagnosis| Some(diagnosis.fixes.len()) == fewest);
    diagnoses
}

/// A fix, and a function that applies it to a body if possible.
type BodyFix = (Option<Fix>, fn(&[u8]) -> Option<Vec<u8>>);

const UNCHANGED: BodyFix = (None, |body| Some(body.to_vec()));

const LAYOUTS: [BodyFix; 3] = [
    UNCHANGED,
    (Some(Fix::JsonCompact), |body| with_space(body, "")),
    (Some(Fix::JsonSpaced), |body| with_space(body, " ")),
];

const ENDS: [BodyFix; 3] = [
    UNCHANGED,
    (Some(Fix::BodyWithoutNewline), without_newline),
    (Some(Fix::BodyWithNewline), |body| {
        Some([body, b"\n"].concat())
    }),
];

/// Returns the body as it is and with its JSON in other layouts, each with other ends.
///
/// Creates the variants one by one, because all of them together would take many times the memory
/// of the body.
fn body_variants(body: &[u8]) -> impl Iterator<Item = (Vec<Fix>, Vec<u8>)> {
    LAYOUTS.iter().flat_map(move |(layout, rewrite)| {
        let rewritten = rewrite(body);
        ENDS.iter().filter_map(move |(end, change)| {
            let fixes = [*layout, *end].into_iter().flatten().collect();
            Some((fixes, change(rewritten.as_ref()?)?))
        })
    })
}

/// Returns a hint for a body that no fix can restore.
fn body_hint(body: &[u8]) -> Option<&'static str> {
    if body.is_empty() {
        Some("the body is empty: it may have been read before verification")
    } else if body.starts_with(&[0x1f, 0x8b]) {
        Some("the body is gzip: the service may have signed the uncompressed body")
    } else if body.starts_with(b"{") && !body.trim_ascii_end().ends_with(b"}") {
        Some("the body starts like a JSON object and has no end: it may have been cut")
    } else {
        None
    }
}

fn with_space(body: &[u8], space: &str) -> Option<Vec<u8>> {
    Some(rewrite_json(str::from_utf8(body).ok()?, space)?.into_bytes())
}

fn without_newline(body: &[u8]) -> Option<Vec<u8>> {
    let body = body.strip_suffix(b"\n")?;
    Some(body.strip_suffix(b"\r").unwrap_or(body).to_vec())
}

/// Returns the JSON with this text after each comma and colon and no other whitespace, or `None` if it
/// does not start like an object or array.
///
/// It does not use a JSON parser, which would lose the order of fields and the format of numbers.
fn rewrite_json(text: &str, space: &str) -> Option<String> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut written = String::with_capacity(text.len());
    let mut before = "";
    for token in tokens(text) {
        if matches!(before, "," | ":") {
            written += space;
        }
        written += token;
        before = token;
    }
    Some(written)
}

/// Splits JSON into strings, words and single punctuation characters, without whitespace.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    core::iter::from_fn(move || {
        let end = match rest.chars().next()? {
            '"' => end_of_string(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => end_of_word(rest),
        };
        let (token, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(token)
    })
}

fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return index + 1,
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    text.len()
}

fn end_of_word(text: &str) -> usize {
    let is_end = |character: char| character.is_whitespace() || "{}[],:\"".contains(character);
    text.find(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPACT: &str = r#"{"a":[1,2.50,{"b":"x, y: {\"}"}],"c":{},"d":[]}"#;

    #[test]
    fn rewriting_keeps_the_tokens() {
        let spaced = r#"{"a": [1, 2.50, {"b": "x, y: {\"}"}], "c": {}, "d": []}"#;
        assert_eq!(rewrite_json(COMPACT, " ").as_deref(), Some(spaced));
        for text in [COMPACT, spaced, &spaced.replace("}, ", "\n} ,\t")] {
            assert_eq!(rewrite_json(text, "").as_deref(), Some(COMPACT));
        }
    }

    #[test]
    fn does_not_panic_on_invalid_json() {
        for text in [
            "",
            "}",
            "[}",
            "{\"",
            "[\"\\",
            "{]]]]",
            "[\u{e9}\u{2028}",
            "word",
        ] {
            let rewritten = rewrite_json(text, " ");
            assert_eq!(rewritten.is_some(), text.starts_with(['{', '[']), "{text}");
        }
    }
}
