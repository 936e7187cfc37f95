//! `profile webhook`: receives, verifies, signs and sends deliveries.

mod attempt;
mod delivery;
mod listen;
mod probe;
mod recording;
mod secret;
mod send;
mod verify;

use std::process::ExitCode;

use clap::Subcommand;

use crate::outcome::Result;
use crate::session::Session;

use attempt::{Attempt, SECRET_HINT};
use delivery::{Delivery, Sender, destination, send_all};
use secret::{Encoding, SECRET_HELP, WebhookSecret};

/// Receive, verify, sign, send and replay webhook deliveries
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
The webhook secret is read from PROFILE_WEBHOOK_SECRET or PROFILE_WEBHOOK_SECRET_FILE.

Examples:
  profile webhook listen --forward-to http://127.0.0.1:8080/hooks
  profile webhook send post.liked --to http://127.0.0.1:8080/hooks")]
pub(crate) enum WebhookCommand {
    /// Receive deliveries, verify their signatures and print them
    Listen(listen::ListenArguments),
    /// Verify the signature of a body
    Verify(verify::VerifyArguments),
    /// Print the signature of a body, as in X-Service-Signature
    Sign(verify::SignArguments),
    /// Send a signed event to a receiver, as the service would
    Send(send::SendArguments),
    /// Send recorded deliveries again, with the same headers and bytes
    Replay(recording::ReplayArguments),
    /// Send genuine and forged deliveries to a receiver, and report mistakes
    Probe(probe::ProbeArguments),
}

pub(crate) fn run(command: WebhookCommand, session: &Session<'_>) -> Result<ExitCode> {
    let report = match command {
        WebhookCommand::Verify(arguments) => verify::verify(&arguments, session),
        WebhookCommand::Sign(arguments) => verify::sign(&arguments, session),
        // The others print more than a report.
        WebhookCommand::Probe(arguments) => return probe::run(&arguments, session),
        WebhookCommand::Listen(arguments) => {
            return listen::run(&arguments, session).map(ExitCode::from);
        }
        WebhookCommand::Send(arguments) => {
            return send::run(&arguments, session).map(|()| ExitCode::SUCCESS);
        }
        WebhookCommand::Replay(arguments) => {
            return recording::replay(&arguments, session).map(|()| ExitCode::SUCCESS);
        }
    };
    report.map(|report| session.output.report(&report))
}
