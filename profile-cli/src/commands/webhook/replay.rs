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
use crate::input::Input;
use crate::outcome::failure::Failure;
use crate::session::Session;

const HINT: &str = "record deliveries with `profile webhook listen --record DIRECTORY`";

#[derive(Debug, Args)]
#[command(after_help = "\
`profile webhook listen --record` writes the files. In a directory, all files whose names end in .http
are read, and sorted by name, which is the order of arrival. Nothing is sent unless all files are
valid. The recorded signatures are sent, so no secret is needed. With --resign, the secret is read from
PROFILE_WEBHOOK_SECRET, or from the file that PROFILE_WEBHOOK_SECRET_FILE names.

Prints a line for each response: in a pipe, the kind, the status code, the milliseconds, the file and
the error, separated by tabs; with --json, an object. Exits with 0 if all status codes were 2xx, with
8 if there was no response at all, and otherwise with 1.

Examples:
  profile webhook replay deliveries --to http://127.0.0.1:8080/hooks
  profile webhook replay deliveries/*.http --to URL --resign")]
pub(crate) struct ReplayArguments {
    /// Files of the recorded deliveries, or directories with such files
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,

    /// URL of the receiver
    #[arg(long, value_name = "URL", value_parser = destination)]
    to: Url,

    /// Replace the signature with one made with the webhook secret
    #[arg(long)]
    resign: bool,

    #[command(flatten)]
    encoding: Encoding,
}

pub(crate) fn run(arguments: &ReplayArguments, session: &Session<'_>) -> Result<(), Failure> {
    let secret = match arguments.resign {
        true => Some(WebhookSecret::load(session)?.secret()?),
        false => None,
    };
    let mut deliveries = Vec::new();
    let files = arguments.files.iter().map(|path| in_directory(path));
    for file in files.collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
        let recorded = read(&file)?;
        let delivery = match &secret {
            Some(secret) => recorded.signed(secret, arguments.encoding.digest),
            None => recorded,
        };
        deliveries.push((file.display().to_string(), delivery));
    }
    let deliveries = deliveries
        .iter()
        .map(|(file, delivery)| (file.as_str(), delivery));
    send_all(deliveries, &arguments.to, session)
}

/// Returns the recorded deliveries in a directory, sorted by name, or the path of a file.
fn in_directory(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |error| Failure::usage(format!("{} cannot be read: {error}", path.display()));
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let files = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "http")
    });
    files.sort();
    match files.is_empty() {
        true => {
            Err(Failure::usage(format!("{} contains no .http files", path.display())).hint(HINT))
        }
        false => Ok(files),
    }
}

fn read(file: &Path) -> Result<Delivery, Failure> {
    let bytes = Input::File(file.to_owned()).read()?;
    recording::read(&bytes).map_err(|reason| {
        let message = format!("{} is not a recorded delivery: {reason}", file.display());
        Failure::usage(message).hint(HINT)
    })
}
