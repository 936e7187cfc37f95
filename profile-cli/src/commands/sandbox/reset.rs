//! `profile sandbox reset`: starts the sandbox anew.

use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::report::{Report, Shown};

/// Start anew: forget all that was changed in the sandbox
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  profile sandbox reset")]
pub(crate) struct SandboxResetArguments {}

pub(crate) fn run() -> Result<Report, Failure> {
    let path = crate::sandbox::reset()?;
    Ok(Report {
        json: json!({"result": "reset", "path": path.to_string_lossy()}).to_string(),
        shown: Shown::Sentence(format!("The sandbox is new: {}", path.display())),
    })
}
