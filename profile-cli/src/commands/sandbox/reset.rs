//! `profile sandbox reset`: starts the sandbox anew.

use clap::Args;
use serde_json::json;

use crate::report::{Report, Shown};
use crate::session::Session;
use crate::stop::Stop;

/// Start anew: forget all that was changed in the sandbox
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  profile sandbox reset")]
pub(crate) struct SandboxResetArguments {}

pub(crate) fn run(_: &Session<'_>) -> Result<Report, Stop> {
    let path = crate::sandbox::reset()?;
    Ok(Report::new(
        json!({"result": "reset", "path": path.to_string_lossy()}),
        Shown::Sentence(format!("The sandbox is new: {}", path.display())),
    )
    .of_change())
}
