//! `profile auth switch`: selects another account.

use clap::Args;
use serde_json::json;

use super::override_warning::override_warning;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::settings::{ConfigEdit, SettingName};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile auth switch work
  profile show --account work      for one command only")]
pub(crate) struct SwitchArguments {
    /// Name of the account; `profile auth list` shows the names
    #[arg(value_name = "NAME")]
    name: String,
}

pub(crate) fn run(arguments: &SwitchArguments) -> Result<Report, Failure> {
    let name = &arguments.name;
    let mut edit = ConfigEdit::begin()?;
    edit.file().check_account(name)?;
    edit.set(SettingName::Account, name);
    edit.finish()?;
    let mut report = Report::new(
        json!({"result": "switched", "account": name}),
        View::Sentence(format!("Switched to account {name}.")),
    )
    .of_change();
    report.warnings.extend(override_warning());
    Ok(report)
}
