//! Diagnosis of rejected deliveries.

mod body;
mod fix;
mod json_layout;
mod parsed_signature;

pub use fix::Fix;

use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;

use self::parsed_signature::ParsedSignature;
use crate::{DigestEncoding, Headers, VerifyError};

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

/// Diagnoses why a delivery was rejected.
///
/// Checks common problems: whitespace around the secret or the signature, an added or missing
/// newline, JSON that was formatted again, a missing prefix, base64, SHA-1, and a different secret.
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
        hint: body::hint(body),
        diagnoses: fewest_fixes(diagnoses),
    }
}

impl ParsedSignature {
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
        let matching = body::variants(body)
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
