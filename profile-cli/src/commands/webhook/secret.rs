//! The webhook secret, and the option `--encoding`: shared by the commands that create or verify
//! signatures.

use std::fs::File;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use webhook_verify::{DigestEncoding, Secret, SecretError};

use crate::input::length_without_last_break;
use crate::outcome::{Failure, Result};
use crate::output::Output;
use crate::session::Session;
use crate::system::{environment, text_file};
use crate::terminal::add_webhook_secret;

const SECRET: &str = "PROFILE_WEBHOOK_SECRET";

const SECRET_FILE: &str = "PROFILE_WEBHOOK_SECRET_FILE";

/// The sentence about the secret in the help of commands.
pub(super) const SECRET_HELP: &str =
    "The secret is read from PROFILE_WEBHOOK_SECRET or a file; see `profile help environment`.";

/// The webhook secret and its source.
pub(super) struct WebhookSecret {
    pub(super) bytes: Vec<u8>,
    source: &'static str,
}

impl WebhookSecret {
    /// Reads the secret. Warns if other users can read its file.
    pub(super) fn load(session: &Session<'_>) -> Result<Self> {
        if let Some(text) = environment::text(SECRET)? {
            return Self::new(text.into_bytes(), SECRET, session.output);
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
        Self::new(bytes, SECRET_FILE, session.output)
    }

    /// Removes a byte order mark, which editors and shells add, and rejects UTF-16.
    fn new(mut bytes: Vec<u8>, source: &'static str, output: &Output) -> Result<Self> {
        if text_file::is_utf_16(&bytes) {
            let message = format!("the webhook secret in {source} is UTF-16; expected UTF-8");
            return Err(Failure::usage(message).hint("save the file as UTF-8"));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
            output.note(&text_file::mark_note(source));
        }
        add_webhook_secret(&bytes);
        Ok(Self { bytes, source })
    }

    /// Returns the secret for signing and verifying.
    pub(super) fn secret(&self) -> Result<Secret> {
        Secret::new(self.bytes.as_slice()).map_err(|error| {
            let reason = match error {
                SecretError::Empty => "is empty",
                SecretError::OnlyNul => "consists of NUL bytes",
                SecretError::OnlyWhitespace => "consists of whitespace",
                _ => "starts or ends with whitespace",
            };
            let message = format!("the webhook secret in {} {reason}", self.source);
            Failure::usage(message).hint("copy it exactly as the service shows it")
        })
    }
}

// Not a doc comment, which clap would print as the description of each command.
// The option of all commands that create or verify signatures.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Encoding {
    /// Encoding of the digest after `sha256=`: hex, or base64 with padding
    #[arg(long = "encoding", default_value = "hex", hide_possible_values = true)]
    #[arg(value_name = "ENCODING", value_parser = encoding_parser())]
    pub(super) digest: DigestEncoding,
}

fn encoding_parser() -> impl TypedValueParser<Value = DigestEncoding> {
    PossibleValuesParser::new(["hex", "base64"]).map(|name| match name.as_str() {
        "base64" => DigestEncoding::Base64,
        _ => DigestEncoding::Hex,
    })
}
