//! `profile draft delete`: deletes a draft.

use clap::Args;
use serde_json::json;

use super::find;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile draft delete
  profile draft delete post-ada@profiles.example --yes")]
pub(crate) struct DeleteArguments {
    /// Name of the draft, as in `profile draft list` [default: the only draft]
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(crate) fn run(arguments: &DeleteArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let draft = find(arguments.name.as_deref())?;
    let name = draft.name();
    session.confirm(&format!("Delete draft {name}?"))?;
    draft.delete()?;
    let sentence = View::Sentence(format!("Deleted draft {name}."));
    Ok(Report::new(json!({"result": "deleted", "name": name}), sentence).of_change())
}
