//! Messages about rejected deliveries that name the options of the program.

use webhook_verify::{KindError, Rejection, Verified, VerifyError};

/// Returns the reason why a signature is rejected.
pub(super) fn error_reason(error: &VerifyError) -> String {
    match error {
        VerifyError::LooksLikeBase64 => "X-Service-Signature contains a base64 digest, expected \
             hex; if the service uses base64, add --encoding base64"
            .to_owned(),
        VerifyError::LooksLikeHex => "X-Service-Signature contains a hex digest, expected base64; \
             if the service uses hex, add --encoding hex"
            .to_owned(),
        VerifyError::Mismatch { body_length, .. } => format!(
            "X-Service-Signature does not match the body (length {body_length}) and the secret"
        ),
        VerifyError::TooLarge { length, limit } => {
            format!(
                "the body has at least {length} bytes; at most {limit} are allowed (--max-body)"
            )
        }
        other => other.to_string(),
    }
}

/// Returns the reason why a request is rejected.
pub(super) fn reason(rejection: &Rejection) -> String {
    match rejection {
        Rejection::NotVerified(error) => error_reason(error),
        other => other.to_string(),
    }
}

/// Returns a warning if the kind in the body differs from the header.
pub(super) fn kind_mismatch<B: AsRef<[u8]>>(verified: &Verified<B>) -> Option<String> {
    let Err(KindError::Mismatch { payload }) = verified.confirm_kind_in("type") else {
        return None;
    };
    let header = verified.event_kind().ok()?;
    Some(format!(
        "X-Service-Event, which is not signed, is {header}, but the signed body has the type {payload}"
    ))
}
