//! `profile webhook sign`: the signature of a body.

use clap::{Args, ValueHint};
use webhook_verify::sign_as;

use super::encoding::Encoding;
use super::secret::{self, WebhookSecret};
use crate::input::Input;
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;

#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct SignArguments {
    /// Body, byte for byte as it will be sent; - reads stdin
    #[arg(long, value_name = "PATH|-", value_hint = ValueHint::FilePath)]
    body: Input,

    #[command(flatten)]
    encoding: Encoding,
}

fn after_help() -> String {
    format!(
        "\
{}

Examples:
  profile webhook sign --body body.json
  printf '{{}}' | profile webhook sign --body - --json",
        secret::HELP
    )
}

pub(crate) fn run(arguments: &SignArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let secret = WebhookSecret::load(session)?.secret()?;
    let body = arguments.body.read()?;
    let signature = sign_as(arguments.encoding.digest, &secret, body);
    Ok(Report::text(signature, "signature"))
}
