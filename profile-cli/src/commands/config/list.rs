//! `profile config list`: all settings with their values and sources.

use serde_json::Value;

use super::listed_setting::{self, ListedSetting};
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

pub(crate) const HELP: &str = "\
In a pipe, each line is a name, a value and a source, separated by tabs; the value and the source
are empty if the setting is not set.

Examples:
  profile config list
  profile config list --json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let (listed, wrong) = listed_setting::all(&session.settings);
    let document: Value = listed.iter().map(ListedSetting::as_json).collect();
    let shown = View::Table {
        columns: vec!["name", "value", "source"],
        rows: listed.iter().map(ListedSetting::as_row).collect(),
        empty: "There are no settings.",
    };
    let mut report = Report::new(document, shown);
    report.warnings = wrong;
    Ok(report)
}
