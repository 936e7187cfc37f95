//! Why a delivery is not to be trusted, in the words of somebody who types commands.

use webhook_verify::{KindError, Rejection, Verified, VerifyError};

/// Why a signature is refused.
pub(super) fn reason(error: &VerifyError) -> String {
    match error {
        VerifyError::LooksLikeBase64 => "X-Service-Signature holds a digest in base64, and hex is \
             expected: if the service signs so, add --encoding base64"
            .to_owned(),
        VerifyError::LooksLikeHex => "X-Service-Signature holds a digest in hex, and base64 is \
             expected: if the service signs so, add --encoding hex"
            .to_owned(),
        VerifyError::Mismatch { body_length, .. } => format!(
            "X-Service-Signature is not that of this body ({body_length} bytes) under the secret"
        ),
        VerifyError::TooLarge { length, limit } => {
            format!("the body has {length} bytes or more; at most {limit} are taken (--max-body)")
        }
        other => other.to_string(),
    }
}

/// Returns why a request is refused.
pub(super) fn of_request(refusal: &Rejection) -> String {
    match refusal {
        Rejection::NotVerified(error) => reason(error),
        other => other.to_string(),
    }
}

/// What to say of an authentic body that names another kind than the header beside it.
pub(super) fn other_kind<B: AsRef<[u8]>>(verified: &Verified<B>) -> Option<String> {
    let Err(KindError::Mismatch { payload }) = verified.confirm_kind_in("type") else {
        return None;
    };
    let header = verified.event_kind().ok()?;
    Some(format!(
        "X-Service-Event says {header}, which is not signed; the signed body says {payload}"
    ))
}
