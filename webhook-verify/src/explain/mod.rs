//! Diagnosis of rejected deliveries.

mod body;
mod fix;
mod json_layout;
mod parsed_signature;
mod secret;

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
/// Checks common problems: added or missing whitespace in the secret or the body, changed line
/// breaks, JSON that was parsed and serialized again, base64, SHA-1, and a different secret.
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
    let secrets: Vec<_> = secrets
        .into_iter()
        .map(|secret| secret::variants(secret.as_ref()))
        .collect();
    let diagnoses =
        signature.map_or_else(Vec::new, |signature| signature.diagnoses(&secrets, body));
    Explanation {
        header_error,
        hint: body::hint(body),
        diagnoses: fewest_fixes(diagnoses),
    }
}

/// A modified secret, with the fixes that were applied.
type Variant = (Vec<Fix>, Vec<u8>);

impl ParsedSignature {
    /// Returns, for each variant of a secret that matches, the variant of the body with the fewest
    /// fixes.
    fn diagnoses(&self, secrets: &[Vec<Variant>], body: &[u8]) -> Vec<Diagnosis> {
        let mut keys: Vec<_> = secrets
            .iter()
            .enumerate()
            .flat_map(|(index, variants)| {
                variants.iter().map(move |variant| (index, variant, None))
            })
            .collect();
        body::for_each_variant(body, &mut |body_fixes, body| {
            for (secret_index, (secret_fixes, secret), diagnosis) in &mut keys {
                let fixes = [&self.fixes[..], secret_fixes, body_fixes].concat();
                let is_as_short = |known: &Diagnosis| known.fixes.len() <= fixes.len();
                if !diagnosis.as_ref().is_some_and(is_as_short) && self.matches(secret, body) {
                    *diagnosis = Some(Diagnosis {
                        secret_index: *secret_index,
                        fixes,
                    });
                }
            }
        });
        keys.into_iter()
            .filter_map(|(.., diagnosis)| diagnosis)
            .collect()
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
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{DigestEncoding, Headers, explain};
    ///
    /// let headers = Headers::new([("X-Service-Signature", "sha256=00")]);
    /// assert!(explain(DigestEncoding::Hex, headers, b"", ["s3cret"]).diagnoses().is_empty());
    /// ```
    #[must_use]
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.diagnoses
    }

    /// Returns the error in the signature header if no digest can be parsed from it, however
    /// leniently.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{DigestEncoding, Headers, VerifyError, explain};
    ///
    /// let headers = Headers::new([("", ""); 0]);
    /// let explanation = explain(DigestEncoding::Hex, headers, b"", ["s3cret"]);
    /// assert_eq!(explanation.header_error(), Some(VerifyError::SignatureMissing));
    /// ```
    #[must_use]
    pub fn header_error(&self) -> Option<VerifyError> {
        self.header_error
    }
}

impl Diagnosis {
    /// Returns the index of the secret that signed the delivery, counted from 0.
    ///
    /// # Examples
    ///
    /// ```
    /// fn uses_old_secret(diagnosis: &webhook_verify::Diagnosis) -> bool {
    ///     diagnosis.secret_index() == 1
    /// }
    /// ```
    #[must_use]
    pub fn secret_index(&self) -> usize {
        self.secret_index
    }

    /// Returns the fixes with which the delivery verifies; empty if it verifies without any.
    ///
    /// # Examples
    ///
    /// ```
    /// fn is_untrimmed_secret(diagnosis: &webhook_verify::Diagnosis) -> bool {
    ///     diagnosis.fixes().contains(&webhook_verify::Fix::SecretTrimmed)
    /// }
    /// ```
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
