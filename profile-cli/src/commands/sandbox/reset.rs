//! `profile sandbox reset`: discards all changes in the sandbox.

use serde_json::json;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

pub(crate) const HELP: &str = "\
Examples:
  profile sandbox reset
  profile sandbox reset --yes";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    session.confirm("Discard all changes in the sandbox?")?;
    let path = crate::session::sandbox::reset()?;
    Ok(Report::new(
        json!({"result": "reset", "path": path.to_string_lossy()}),
        View::Sentence(format!("Reset the sandbox in {}.", path.display())),
    )
    .of_change())
}
