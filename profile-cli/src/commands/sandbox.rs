//! The command `profile sandbox reset`: discards all changes in the sandbox.

use clap::Subcommand;
use serde_json::json;

use crate::outcome::{Report, Result};
use crate::session::Session;
use crate::terminal::escaped;

/// Manage the sample profile of --sandbox
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile --sandbox show
  profile sandbox reset")]
pub(crate) enum SandboxCommand {
    /// Discard all changes in the sandbox; asks first unless --yes is given
    #[command(after_help = RESET_HELP)]
    Reset,
}

const RESET_HELP: &str = "\
Examples:
  profile sandbox reset
  profile sandbox reset --yes";

pub(crate) fn run(command: &SandboxCommand, session: &Session<'_>) -> Result<Report> {
    let SandboxCommand::Reset = command;
    session.confirm("Discard all changes in the sandbox?")?;
    let path = crate::session::sandbox::reset(session.output)?;
    let json = json!({"result": "reset", "path": path.to_string_lossy()});
    let sentence = format!("Reset the sandbox in {}.", escaped(&path));
    Ok(Report::changed(json, sentence))
}
