//! The commands `profile webhook verify` and `profile webhook sign`, and the reasons of rejections.

use clap::{Args, ValueHint};
use serde_json::json;
use webhook_verify::{
    EVENT_HEADER, Headers, KindError, SIGNATURE_HEADER, Verified, Verifier, VerifyError, explain,
    sign_as,
};

use super::{Encoding, SECRET_HELP, WebhookSecret};
use crate::completion;
use crate::input::Input;
use crate::outcome::{Failure, FailureKind, Report, Result, View};
use crate::session::Session;

const EXPLAIN: &str = "add --explain to find the probable reason";

#[derive(Debug, Args)]
#[command(after_help = format!("\
Exits with 0 if the signature matches, and with 10 if it does not match or is malformed. \
{SECRET_HELP}

Examples:
  profile webhook verify --body body.json --signature \"$SIGNATURE\"
  profile webhook verify --body - --signature \"$SIGNATURE\" --explain < body.json"))]
pub(crate) struct VerifyArguments {
    /// Body, byte for byte as it was received; - reads stdin
    #[arg(long, value_name = "PATH|-", value_hint = ValueHint::FilePath)]
    body: Input,

    /// Value of X-Service-Signature, including sha256=
    #[arg(long, value_name = "SIGNATURE", allow_hyphen_values = true)]
    signature: String,

    /// Value of X-Service-Event; warns if the field `type` of the body differs
    #[arg(long, value_name = "KIND", allow_hyphen_values = true)]
    #[arg(add = completion::event_kinds())]
    event: Option<String>,

    /// If the signature does not match, search for the probable reason
    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    encoding: Encoding,
}

pub(crate) fn verify(arguments: &VerifyArguments, session: &Session<'_>) -> Result<Report> {
    let secret = WebhookSecret::load(session)?;
    let verifier = Verifier::new(secret.secret).encoding(arguments.encoding.digest);
    let body = arguments.body.read()?;
    let event = arguments.event.iter().map(|event| (EVENT_HEADER, event));
    let headers = Headers::new(event.chain([(SIGNATURE_HEADER, &arguments.signature)]));
    let verified = verifier.verify(headers, body.as_slice());
    let verified = verified.map_err(|error| {
        let encoding = arguments.encoding.digest;
        let tried = || explain(encoding, headers, &body, [&secret.bytes]).to_string();
        mismatch(&error, arguments.explain.then(tried))
    })?;
    let length = verified.body_length();
    let sentence = format!("The signature matches the body (length {length}).");
    let json = json!({"verified": true, "bytes": length, "event": arguments.event});
    let warning = match verified.event_kind() {
        Err(error) if arguments.event.is_some() => Some(error.to_string()),
        Ok(_) | Err(_) => kind_mismatch(&verified),
    };
    Ok(Report::new(json, View::Sentence(sentence)).warnings(warning))
}

fn mismatch(error: &VerifyError, explanation: Option<String>) -> Failure {
    let message = format!("not verified: {}", verify_error_reason(error));
    let failure = Failure::new(FailureKind::Mismatch, message);
    match (explanation, error) {
        // The explanation of a malformed signature may only repeat the message.
        (Some(explanation), _) if failure.message.ends_with(&explanation) => failure,
        (Some(explanation), _) => failure.hint(explanation),
        (None, VerifyError::Mismatch { .. }) => failure.hint(format!(
            "check the secret, and that the body is unchanged; {EXPLAIN}"
        )),
        (None, _) => failure.hint(EXPLAIN),
    }
}

#[derive(Debug, Args)]
#[command(after_help = format!("\
{SECRET_HELP}

Examples:
  profile webhook sign --body body.json
  printf '{{}}' | profile webhook sign --body - --json"))]
pub(crate) struct SignArguments {
    /// Body, byte for byte as it will be sent; - reads stdin
    #[arg(long, value_name = "PATH|-", value_hint = ValueHint::FilePath)]
    body: Input,

    #[command(flatten)]
    encoding: Encoding,
}

pub(crate) fn sign(arguments: &SignArguments, session: &Session<'_>) -> Result<Report> {
    let secret = WebhookSecret::load(session)?.secret;
    let body = arguments.body.read()?;
    let signature = sign_as(arguments.encoding.digest, &secret, body);
    Ok(Report::text(signature, "signature"))
}

/// Returns the reason why a signature is rejected.
pub(super) fn verify_error_reason(error: &VerifyError) -> String {
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
        VerifyError::TooLarge { length, limit } => format!(
            "the body has at least {length} bytes; at most {limit} are allowed (--max-body)"
        ),
        other => other.to_string(),
    }
}

/// Returns a warning if the kind in the body differs from the header.
pub(super) fn kind_mismatch<B: AsRef<[u8]>>(verified: &Verified<B>) -> Option<String> {
    let found = match verified.confirm_kind_in("type") {
        Err(KindError::Mismatch { payload }) => format!("the type {payload}"),
        Err(KindError::Payload(_)) => "a type that is not an event kind".to_owned(),
        // The header is reported otherwise, and a body may have no type.
        _ => return None,
    };
    let header = verified.event_kind().ok()?;
    Some(format!(
        "X-Service-Event, which is not signed, is {header}, but the signed body has {found}"
    ))
}
