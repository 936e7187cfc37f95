//! `profile webhook probe`: sends genuine and forged deliveries to a receiver.

mod bodies;
mod case;
mod cases;
mod results;
mod signer;

use std::time::Duration;

use clap::Args;
use reqwest::Url;
use url::Host;

use self::case::Case;
use self::results::CaseResult;
use self::signer::Signer;
use super::encoding::Encoding;
use super::secret::{self, WebhookSecret};
use super::sender::{Sender, destination, redacted};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::session::Session;
use crate::terminal::progress::Progress;

/// The pause after each delivery, which limits the rate to 100 per second.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct ProbeArguments {
    /// URL of the receiver, on this machine unless --allow-remote is given
    #[arg(value_parser = destination)]
    url: Url,

    /// Allow a receiver on another machine
    #[arg(long)]
    allow_remote: bool,

    #[command(flatten)]
    encoding: Encoding,
}

fn after_help() -> String {
    format!(
        "\
The receiver must use the same secret. It acts on the deliveries that it accepts, so the command asks
first unless --yes is given; their payload contains \"probe\": true. Deliveries are sent one after the
other, at most 100 per second and 1 MiB each. Redirects are not followed.

A status code of 2xx counts as accepted, 4xx as rejected, and anything else as inconclusive. For a
genuine delivery, 5xx also counts as rejected. Results marked as informational, such as repeated
deliveries, are neither right nor wrong. Exits with 1 if the receiver accepts a forged delivery,
rejects a genuine one, or accepts or rejects none, and with 8 if it does not
respond to the first. Inconclusive results do not change the exit code.
{}

Examples:
  profile webhook probe http://127.0.0.1:8080/hooks
  profile webhook probe http://127.0.0.1:8080/hooks --yes --json",
        secret::HELP
    )
}

pub(crate) fn run(arguments: &ProbeArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let url = &arguments.url;
    if !arguments.allow_remote && !is_loopback(url) {
        let message = format!("{} is not on this machine", redacted(url));
        let hint = "add --allow-remote if the receiver is yours";
        return Err(Failure::usage(message).hint(hint));
    }
    let secret = WebhookSecret::load(session)?;
    secret.secret()?;
    let cases = cases::all(&Signer::new(secret.bytes(), arguments.encoding.digest));
    session.confirm(&format!(
        "Send {} deliveries to {}? The receiver acts on those that it accepts.",
        cases.len(),
        redacted(url)
    ))?;
    results::report(&send(cases, url, session)?)
}

/// Returns `true` if the URL names a loopback address.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Sends the deliveries in order. Fails if the first does not get a response.
fn send(cases: Vec<Case>, url: &Url, session: &Session<'_>) -> Result<Vec<CaseResult>, Failure> {
    let sender = Sender::new(url, session)?;
    let mut progress = Progress::begin("probing", cases.len(), session.output.is_quiet());
    let mut results = Vec::new();
    for case in cases {
        tracing::info!("POST {} to {}", case.name, redacted(url));
        let outcome = session.block_on(async {
            let outcome = sender.post(&case.delivery).await;
            tokio::time::sleep(PAUSE).await;
            outcome
        })?;
        if let (Err(reason), true) = (&outcome.response, results.is_empty()) {
            let hint = format!("check that a receiver listens at {}", redacted(url));
            let message = format!("the receiver did not respond: {reason}");
            return Err(Failure::new(FailureKind::NoResponse, message).hint(hint));
        }
        let response = outcome.response;
        results.push(CaseResult { case, response });
        progress.advance();
    }
    Ok(results)
}
