//! What a failed delivery would have matched, told to a person.

mod body;
mod claim;
mod fix;
mod json_layout;
mod secret;

pub use fix::Fix;

use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::Sha256;

use self::claim::Claim;
use crate::{Headers, VerifyError};

/// What [`explain`] found out. Its `Display` is a text for a person; no
/// secret, digest or body is in it.
#[derive(Debug, Clone)]
pub struct Explanation {
    header_error: Option<VerifyError>,
    hints: Vec<&'static str>,
    diagnoses: Vec<Diagnosis>,
}

/// One way in which the delivery would verify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    secret_index: usize,
    fixes: Vec<Fix>,
}

/// Tries what usually goes wrong with a delivery that was refused, and tells
/// what would have matched: white space that the secret or the body gained or
/// lost, line breaks, JSON that was parsed and written again, base64, SHA-1,
/// another of the given secrets.
///
/// `secrets` are the bytes as you have them, not made into a
/// [`Secret`](crate::Secret), which refuses some of what is looked for here.
///
/// For a person at a terminal, **never for serving**: it is slow, compares in
/// variable time and looks for matches that must be refused. What it finds is a
/// reason to mend the receiver, not to take the delivery.
///
/// # Examples
///
/// ```
/// use webhook_verify::{Fix, Headers, Secret, explain, sign};
///
/// let signature = sign(&Secret::new("s3cret")?, r#"{"type":"post.liked"}"#);
/// let headers = Headers::new([("X-Service-Signature", &signature)]);
///
/// let explanation = explain(headers, br#"{"type": "post.liked"}"#, ["another", "s3cret\n"]);
/// let diagnosis = &explanation.diagnoses()[0];
/// assert_eq!(diagnosis.secret_index(), 1);
/// assert_eq!(diagnosis.fixes(), [Fix::SecretTrimmed, Fix::JsonCompact]);
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[must_use]
pub fn explain<S: AsRef<[u8]>>(
    headers: Headers<'_>,
    body: &[u8],
    secrets: impl IntoIterator<Item = S>,
) -> Explanation {
    let (header_error, claim) = match headers.signature().map(Claim::read) {
        Ok(Ok(claim)) => (None, Some(claim)),
        Ok(Err(error)) | Err(error) => (Some(error), None),
    };
    let secrets: Vec<_> = secrets
        .into_iter()
        .map(|secret| secret::variants(secret.as_ref()))
        .collect();
    let diagnoses = claim.map_or_else(Vec::new, |claim| claim.diagnoses(&secrets, body));
    Explanation {
        header_error,
        hints: body::hints(body),
        diagnoses: fewest_fixes(diagnoses),
    }
}

/// A secret, and what was changed to make it.
type Variant = (Vec<Fix>, Vec<u8>);

impl Claim {
    /// For each variant of a secret that matches, the variant of the body with the fewest changes.
    fn diagnoses(&self, secrets: &[Vec<Variant>], body: &[u8]) -> Vec<Diagnosis> {
        let mut keys: Vec<_> = secrets
            .iter()
            .enumerate()
            .flat_map(|(index, variants)| {
                variants.iter().map(move |variant| (index, variant, None))
            })
            .collect();
        body::each_variant(body, &mut |of_body, body| {
            for (secret_index, (of_secret, secret), diagnosis) in &mut keys {
                let fixes = [&self.fixes[..], of_secret, of_body].concat();
                let is_known = |known: &Diagnosis| known.fixes.len() <= fixes.len();
                if !diagnosis.as_ref().is_some_and(is_known) && self.is_of(secret, body) {
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

    /// The length of the digest says which algorithm it is.
    fn is_of(&self, secret: &[u8], body: &[u8]) -> bool {
        match self.digest.len() {
            20 => is_mac::<Hmac<Sha1>>(secret, body, &self.digest),
            _ => is_mac::<Hmac<Sha256>>(secret, body, &self.digest),
        }
    }
}

fn is_mac<M: Mac + KeyInit>(secret: &[u8], body: &[u8], digest: &[u8]) -> bool {
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
    /// What would have matched, with as few changes as possible; empty when
    /// nothing that was tried does.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Headers, explain};
    ///
    /// let headers = Headers::new([("X-Service-Signature", "sha256=00")]);
    /// assert!(explain(headers, b"", ["s3cret"]).diagnoses().is_empty());
    /// ```
    #[must_use]
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.diagnoses
    }

    /// Why no digest could be read out of the header, however liberally.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Headers, VerifyError, explain};
    ///
    /// let explanation = explain(Headers::from_values(None, None), b"", ["s3cret"]);
    /// assert_eq!(explanation.header_error(), Some(VerifyError::SignatureMissing));
    /// ```
    #[must_use]
    pub fn header_error(&self) -> Option<VerifyError> {
        self.header_error
    }
}

impl Diagnosis {
    /// Which of the given secrets signed the delivery, counted from 0.
    ///
    /// # Examples
    ///
    /// ```
    /// fn is_the_old_secret(diagnosis: &webhook_verify::Diagnosis) -> bool {
    ///     diagnosis.secret_index() == 1
    /// }
    /// ```
    #[must_use]
    pub fn secret_index(&self) -> usize {
        self.secret_index
    }

    /// What has to change for the delivery to verify; nothing when it verifies as it is.
    ///
    /// # Examples
    ///
    /// ```
    /// fn blames_the_secret(diagnosis: &webhook_verify::Diagnosis) -> bool {
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
                "nothing that was tried matches: the secret is another one, \
                 or the body is not what was signed",
            )?,
            (None, diagnoses) => fmt_lines(f, diagnoses)?,
        }
        let hints = if self.diagnoses.is_empty() {
            &self.hints[..]
        } else {
            &[]
        };
        hints.iter().try_for_each(|hint| write!(f, "\n{hint}"))
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
                "the delivery verifies as it is, with secret number {number}"
            );
        };
        write!(
            f,
            "the delivery would match secret number {number} if {first}"
        )?;
        others.iter().try_for_each(|fix| write!(f, ", and {fix}"))
    }
}
