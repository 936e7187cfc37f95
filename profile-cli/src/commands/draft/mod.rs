//! `profile draft`: texts from the editor that were not sent.

mod delete;
mod list;
mod show;

use clap::Subcommand;

use crate::drafts::draft::Draft;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::session::Session;

/// List, show and delete drafts: texts from your editor that were not sent
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
`profile edit` and `profile post create --editor` save one draft each per service and handle until
the service has returned the text, and offer to resume it.

Examples:
  profile draft list
  profile draft show")]
pub(crate) enum DraftCommand {
    /// List the drafts
    #[command(visible_alias = "ls")]
    List(list::ListArguments),
    /// Print the text of a draft
    Show(show::ShowArguments),
    /// Delete a draft; asks first unless --yes is given
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArguments),
}

pub(crate) fn run(command: &DraftCommand, session: &Session<'_>) -> Result<Report, Failure> {
    match command {
        DraftCommand::List(_) => list::run(),
        DraftCommand::Show(arguments) => show::run(arguments),
        DraftCommand::Delete(arguments) => delete::run(arguments, session),
    }
}

/// Returns the draft of this name; without a name, the only draft.
fn find(name: Option<&str>) -> Result<Draft, Failure> {
    let mut drafts = Draft::all()?;
    let all: Vec<_> = drafts.iter().map(Draft::name).collect();
    if let Some(name) = name {
        drafts.retain(|draft| draft.name() == name);
    }
    match (drafts.pop(), name) {
        (Some(draft), _) if drafts.is_empty() => Ok(draft),
        (Some(_), _) => {
            let message = format!("there are several drafts: {}", all.join(", "));
            Err(Failure::usage(message).hint("pass the name of one"))
        }
        (None, Some(name)) if !all.is_empty() => {
            let message = format!("unknown draft {name:?}; expected one of {}", all.join(", "));
            Err(Failure::new(FailureKind::NotFound, message))
        }
        (None, _) => Err(Failure::new(FailureKind::NotFound, "there are no drafts")),
    }
}
