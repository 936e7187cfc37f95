//! `profile sandbox reset`: discards all changes in the sandbox.

use clap::Args;
use serde_json::json;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile sandbox reset
  profile sandbox reset --yes")]
pub(crate) struct ResetArguments {}

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    session.confirm("Discard all changes in the sandbox?")?;
    let path = crate::session::sandbox::reset()?;
    Ok(Report::new(
        json!({"result": "reset", "path": path.to_string_lossy()}),
        View::Sentence(format!("Reset the sandbox in {}.", path.display())),
    )
    .of_change())
}
