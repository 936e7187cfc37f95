//! `profile auth switch`: selects another account.

use clap::Args;
use serde_json::json;

use super::override_warning::override_warning;
use crate::input::prompt;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;
use crate::settings::{ConfigEdit, SettingName};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile auth switch
  profile auth switch work
  profile show --account work      for one command only")]
pub(crate) struct SwitchArguments {
    /// Name of the account; omit it to be asked
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(crate) fn run(arguments: &SwitchArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => ask(session)?,
    };
    let name = name.as_str();
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

/// Asks for the name of an account until there is one.
fn ask(session: &Session<'_>) -> Result<String, Failure> {
    let settings = &session.settings;
    let known = settings.config.accounts().join(", ");
    if settings.no_input || !prompt::is_interactive() || known.is_empty() {
        let message = "the name of the account is missing";
        return Err(Failure::usage(message).hint(match known.is_empty() {
            true => "add an account with `profile auth login`".to_owned(),
            false => format!("add one of {known}"),
        }));
    }
    loop {
        let name = prompt::ask(&format!("Account ({known}): "))?;
        match settings.config.check_account(&name) {
            Ok(()) => return Ok(name),
            Err(failure) => session.output.warn(&failure.message),
        }
    }
}
