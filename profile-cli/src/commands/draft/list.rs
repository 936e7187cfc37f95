//! `profile draft list`: the names and paths of the drafts.

use clap::Args;
use serde_json::{Value, json};

use crate::drafts::draft::Draft;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};

#[derive(Debug, Args)]
#[command(after_help = "\
In a pipe, each line is a name and a path, separated by a tab.

Examples:
  profile draft list
  profile draft list --json")]
pub(crate) struct ListArguments {}

pub(crate) fn run() -> Result<Report, Failure> {
    let drafts = Draft::all()?;
    let rows: Vec<_> = drafts
        .iter()
        .map(|draft| vec![draft.name(), draft.path().display().to_string()])
        .collect();
    let json: Value = rows
        .iter()
        .map(|row| json!({"name": row[0], "path": row[1]}))
        .collect();
    let shown = View::Table {
        columns: vec!["name", "path"],
        rows,
        empty: "There are no drafts.",
    };
    Ok(Report::new(json, shown))
}
