//! `profile config set`: stores a setting.

use clap::Args;
use serde_json::json;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::settings::{ConfigEdit, SettingName};
use crate::system::environment;

#[derive(Debug, Args)]
#[command(after_help = "\
The value is validated first. The comments and the order of the file are preserved. API keys are not
settings; `profile auth login` stores them.

Examples:
  profile config set output json
  profile config set retries 5")]
pub(crate) struct SetArguments {
    /// Name of the setting; `profile config list` shows the names
    #[arg(value_name = "NAME")]
    name: String,

    /// New value
    #[arg(value_name = "VALUE", allow_negative_numbers = true)]
    value: String,
}

pub(crate) fn run(arguments: &SetArguments) -> Result<Report, Failure> {
    let name = SettingName::parse(&arguments.name).map_err(Failure::usage)?;
    let value = &arguments.value;
    name.check(value)
        .map_err(|reason| Failure::usage(format!("{name} {reason}")))?;
    let mut edit = ConfigEdit::begin()?;
    if name == SettingName::Account {
        edit.file().check_account(value)?;
    }
    edit.set(name, value);
    let path = edit.file().path().to_string_lossy().into_owned();
    edit.finish()?;
    let value = name.without_password(value);
    let mut report = Report::new(
        json!({"result": "updated", "name": name.as_str(), "value": value, "path": path}),
        View::Sentence(format!("Set {name} to {value} in {path}.")),
    )
    .of_change();
    let variable = name.variable();
    if let Some(variable) = variable.filter(|name| environment::is_set(name)) {
        let warning = format!("{variable} is set and overrides config.toml");
        report.warnings.push(warning);
    }
    Ok(report)
}
