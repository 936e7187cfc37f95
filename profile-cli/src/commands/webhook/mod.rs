//! `profile webhook`: receives, verifies, signs and sends deliveries. Also the webhook secret and the option
//! `--encoding`, which most of its commands share.
//!
//! `delivery` has the client that `send`, `probe` and `listen` use.

mod delivery;
mod listen;
mod probe;
mod send;
mod verify;

use std::fs::File;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use webhook_verify::{DigestEncoding, Secret, SecretError};

use crate::input::length_without_last_break;
use crate::outcome::{Failure, Result};
use crate::session::Session;
use crate::system::{environment, text_file};
use crate::terminal::add_webhook_secret;

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
    Replay(send::ReplayArguments),
    /// Send genuine and forged deliveries to a receiver, and report mistakes
    Probe(probe::ProbeArguments),
}

pub(crate) fn run(command: WebhookCommand, session: &Session<'_>) -> Result<ExitCode> {
    let report = match command {
        WebhookCommand::Listen(arguments) => return listen::run(&arguments, session),
        WebhookCommand::Verify(arguments) => verify::verify(&arguments, session),
        WebhookCommand::Sign(arguments) => verify::sign(&arguments, session),
        WebhookCommand::Send(arguments) => return send::send(&arguments, session),
        WebhookCommand::Replay(arguments) => return send::replay(&arguments, session),
        WebhookCommand::Probe(arguments) => return probe::run(&arguments, session),
    };
    report.map(|report| session.output.report(&report))
}

const SECRET: &str = "PROFILE_WEBHOOK_SECRET";

const SECRET_FILE: &str = "PROFILE_WEBHOOK_SECRET_FILE";

/// The sentence about the secret in the help of commands.
const SECRET_HELP: &str =
    "The secret is read from PROFILE_WEBHOOK_SECRET or a file; see `profile help environment`.";

/// The webhook secret.
struct WebhookSecret {
    bytes: Vec<u8>,
    /// For signing and verifying.
    secret: Secret,
}

impl WebhookSecret {
    /// Reads the secret. Warns if other users can read its file.
    fn load(session: &Session<'_>) -> Result<Self> {
        if let Some(text) = environment::text(SECRET)? {
            return Self::new(text.into_bytes(), SECRET, session);
        }
        let Some(path) = environment::path(SECRET_FILE) else {
            let hint = format!("set {SECRET}, or {SECRET_FILE} to a file that contains it");
            return Err(Failure::usage("no webhook secret is set").hint(hint));
        };
        let read = File::open(&path).and_then(|file| text_file::read_bytes(file, &path));
        let unreadable = |error| environment::unreadable_file(SECRET_FILE, &path, &error);
        let (mut bytes, warning) = read.map_err(unreadable)?;
        session.output.warn_all(warning);
        // Editors add a line break that is not part of the secret.
        bytes.truncate(length_without_last_break(&bytes));
        Self::new(bytes, SECRET_FILE, session)
    }

    /// Removes a byte order mark, which editors and shells add, and rejects UTF-16.
    fn new(mut bytes: Vec<u8>, source: &str, session: &Session<'_>) -> Result<Self> {
        if text_file::is_utf_16(&bytes) {
            let message = format!("the webhook secret in {source} is UTF-16; expected UTF-8");
            return Err(Failure::usage(message).hint("save the file as UTF-8"));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
            session.output.note(&text_file::mark_note(source));
        }
        add_webhook_secret(&bytes);
        let secret = Secret::new(bytes.as_slice()).map_err(|error| {
            let reason = match error {
                SecretError::Empty => "is empty",
                SecretError::OnlyNul => "consists of NUL bytes",
                SecretError::OnlyWhitespace => "consists of whitespace",
                _ => "starts or ends with whitespace",
            };
            let message = format!("the webhook secret in {source} {reason}");
            Failure::usage(message).hint("copy it exactly as the service shows it")
        })?;
        Ok(Self { bytes, secret })
    }
}

// Not a doc comment, which clap would print as the description of each command.
// The option of all commands that create or verify signatures.
#[derive(Debug, Clone, Copy, Args)]
struct Encoding {
    /// Encoding of the digest after `sha256=`: hex, or base64 with padding
    #[arg(long = "encoding", default_value = "hex", hide_possible_values = true)]
    #[arg(value_name = "ENCODING", value_parser = encoding_parser())]
    digest: DigestEncoding,
}

fn encoding_parser() -> impl TypedValueParser<Value = DigestEncoding> {
    PossibleValuesParser::new(["hex", "base64"]).map(|name| match name.as_str() {
        "base64" => DigestEncoding::Base64,
        _ => DigestEncoding::Hex,
    })
}
