//! `profile webhook verify`: verifies the signature of a body.

use clap::{Args, ValueHint};
use serde_json::json;
use webhook_verify::{EVENT_HEADER, Headers, SIGNATURE_HEADER, Verifier, VerifyError, explain};

use super::encoding::Encoding;
use super::rejection;
use super::secret::{self, WebhookSecret};
use crate::input::Input;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};
use crate::session::Session;

const EXPLAIN: &str = "add --explain to find the probable reason";

#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct VerifyArguments {
    /// Body, byte for byte as it was received; - reads stdin
    #[arg(long, value_name = "PATH|-", value_hint = ValueHint::FilePath)]
    body: Input,

    /// Value of X-Service-Signature, including sha256=
    #[arg(long, value_name = "SIGNATURE", allow_hyphen_values = true)]
    signature: String,

    /// Value of X-Service-Event; warns if the field `type` of the body differs
    #[arg(long, value_name = "KIND", allow_hyphen_values = true)]
    event: Option<String>,

    /// If the signature does not match, search for the probable reason
    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    encoding: Encoding,
}

fn after_help() -> String {
    format!(
        "\
Exits with 0 if the signature matches, and with 10 if it does not match or is malformed.
{}

Examples:
  profile webhook verify --body body.json --signature \"$SIGNATURE\"
  profile webhook verify --body - --signature \"$SIGNATURE\" --explain < body.json",
        secret::HELP
    )
}

pub(crate) fn run(arguments: &VerifyArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let secret = WebhookSecret::load(session)?;
    let verifier = Verifier::new(secret.secret()?).encoding(arguments.encoding.digest);
    let body = arguments.body.read()?;
    let event = arguments.event.iter().map(|event| (EVENT_HEADER, event));
    let headers = Headers::new(event.chain([(SIGNATURE_HEADER, &arguments.signature)]));
    let verified = match verifier.verify(headers, body.as_slice()) {
        Ok(verified) => verified,
        Err(error) => {
            let encoding = arguments.encoding.digest;
            let tried = || explain(encoding, headers, &body, [secret.bytes()]).to_string();
            return Err(mismatch(&error, arguments.explain.then(tried)));
        }
    };
    let length = verified.body_length();
    let sentence = format!("The signature matches the body (length {length}).");
    Ok(Report {
        warnings: kind_warning(arguments, &verified),
        ..Report::new(
            json!({"verified": true, "bytes": length, "event": arguments.event}),
            View::Sentence(sentence),
        )
    })
}

fn mismatch(error: &VerifyError, explanation: Option<String>) -> Failure {
    let message = format!("not verified: {}", rejection::error_reason(error));
    let hint = match (explanation, error) {
        // The explanation of a malformed signature may only repeat the message.
        (Some(explanation), _) if message.ends_with(&explanation) => None,
        (Some(explanation), _) => Some(explanation),
        (None, VerifyError::Mismatch { .. }) => Some(format!(
            "check the secret, and that the body is unchanged; {EXPLAIN}"
        )),
        (None, _) => Some(EXPLAIN.to_owned()),
    };
    Failure {
        hint,
        ..Failure::new(FailureKind::Mismatch, message)
    }
}

fn kind_warning(
    arguments: &VerifyArguments,
    verified: &webhook_verify::Verified<&[u8]>,
) -> Vec<String> {
    if arguments.event.is_none() {
        return Vec::new();
    }
    match verified.event_kind() {
        Ok(_) => rejection::kind_mismatch(verified).into_iter().collect(),
        Err(error) => vec![error.to_string()],
    }
}
