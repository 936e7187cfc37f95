//! `profile webhook replay`: sends recorded deliveries again.

use std::path::{Path, PathBuf};

use clap::Args;
use reqwest::Url;

use super::delivery::Delivery;
use super::encoding::Encoding;
use super::recording;
use super::secret::WebhookSecret;
use super::sender::destination;
use super::sending::send_all;
use crate::input;
use crate::outcome::failure::Failure;
use crate::session::Session;

/// Send recorded deliveries again, with the bytes and headers that were recorded
#[derive(Debug, Args)]
#[command(after_help = "\
The files are those of `profile webhook listen --record`, and are sent in the order given. All are
read before the first is sent. The signature is the recorded one, so no secret is needed, unless
--resign is given: then it is taken from PROFILE_WEBHOOK_SECRET or the file that
PROFILE_WEBHOOK_SECRET_FILE names.

Each answer is told: in a pipe a line with the kind, the status, the milliseconds, the file and the
error, separated by tabs; with --json an object a line. Exits with 0 if all were 2xx, with 8 if nothing was answered
and with 1 otherwise.

Examples:
  profile webhook replay deliveries/*.http --to http://127.0.0.1:8080/hooks
  profile webhook replay deliveries/*.http --to http://127.0.0.1:8080/hooks --resign")]
pub(crate) struct WebhookReplayArguments {
    /// The recorded deliveries
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where the receiver is
    #[arg(long, value_name = "URL", value_parser = destination)]
    to: Url,

    /// Sign anew with the webhook secret
    #[arg(long)]
    resign: bool,

    #[command(flatten)]
    encoding: Encoding,
}

pub(crate) fn run(
    arguments: &WebhookReplayArguments,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let secret = match arguments.resign {
        true => Some(WebhookSecret::load(session)?.secret()?),
        false => None,
    };
    let mut deliveries = Vec::new();
    for file in &arguments.files {
        let recorded = read(file)?;
        let delivery = match &secret {
            Some(secret) => recorded.signed(secret, arguments.encoding.of_digest()),
            None => recorded,
        };
        deliveries.push((file.display().to_string(), delivery));
    }
    let deliveries = deliveries
        .iter()
        .map(|(file, delivery)| (file.as_str(), delivery));
    send_all(deliveries, &arguments.to, session)
}

fn read(file: &Path) -> Result<Delivery, Failure> {
    let bytes = input::read_file(file)?;
    recording::read(&bytes).map_err(|reason| {
        let message = format!("{} is no recorded delivery: {reason}", file.display());
        Failure::usage(message).hint("`profile webhook listen --record DIRECTORY` records them")
    })
}
