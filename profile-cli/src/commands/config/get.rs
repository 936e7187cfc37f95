//! `profile config get`: the value of a setting.

use clap::Args;

use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::session::Session;
use crate::settings::SettingName;

#[derive(Debug, Args)]
#[command(after_help = "\
Prints the default if the setting is not set. Exits with 1 if it has no default either.

Examples:
  profile config get output
  profile config get base_url")]
pub(crate) struct GetArguments {
    /// Name of the setting; `profile config list` shows the names
    #[arg(value_name = "NAME")]
    name: String,
}

pub(crate) fn run(arguments: &GetArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let name = SettingName::parse(&arguments.name).map_err(Failure::usage)?;
    let Some(setting) = session.settings.effective(name)? else {
        let message = format!("{name} is not set and has no default");
        let hint = format!("set it with `profile config set {name} VALUE`");
        return Err(Failure::new(FailureKind::Other, message).hint(hint));
    };
    Ok(Report::text(
        name.without_password(&setting.value),
        name.as_str(),
    ))
}
