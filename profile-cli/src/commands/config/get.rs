//! `profile config get`: one setting's value.

use clap::Args;

use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::session::Session;
use crate::settings::SettingName;

/// Print a setting's value as it goes, wherever it comes from
#[derive(Debug, Args)]
#[command(after_help = "\
Prints the default where nothing is set. A setting without a value and a default is exit code 1.

Examples:
  profile config get output
  profile config get base_url")]
pub(crate) struct ConfigGetArguments {
    /// Which setting, as `profile config list` names it
    #[arg(value_name = "NAME")]
    name: String,
}

pub(crate) fn run(
    arguments: &ConfigGetArguments,
    session: &Session<'_>,
) -> Result<Report, Failure> {
    let name = SettingName::parse(&arguments.name).map_err(Failure::usage)?;
    let Some(setting) = session.settings.effective(name)? else {
        let message = format!("{name} is not set, and has no default");
        let hint = format!("set it with `profile config set {name} …`");
        return Err(Failure::new(FailureKind::Other, message).hint(hint));
    };
    Ok(Report::text(setting.value, name.as_str()))
}
