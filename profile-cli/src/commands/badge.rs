//! The command `profile badge list`: the badges that profiles can have.

use clap::Subcommand;
use profile_sdk::{Badge, Response};

use crate::drawing::Drawing;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

/// List the badges that profiles can have
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Example:
  profile badge list")]
pub(crate) enum BadgeCommand {
    /// List all badges; requires no key
    #[command(visible_alias = "ls", after_help = LIST_HELP)]
    List,
}

pub(crate) fn run(command: BadgeCommand, session: &Session<'_>) -> Result<Report, Failure> {
    match command {
        BadgeCommand::List => list(session),
    }
}

const LIST_HELP: &str = "\
In a pipe, each line is an ID, a name, a kind, a color and a description, separated by tabs.

Examples:
  profile badge list
  profile badge list --json";

fn list(session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.badges(), |response| Ok(report(&response)))
}

fn report(response: &Response<Vec<Badge>>) -> Report {
    let columns = View::Columns {
        names: &["id", "name", "kind", "color", "description"],
        empty: "There are no badges.",
    };
    let drawing = Drawing::Badges(response.data().clone());
    Report::read(response, columns).for_people(View::Drawing(drawing))
}
