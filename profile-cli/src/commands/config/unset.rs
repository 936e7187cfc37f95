//! `profile config unset`: removes a setting from config.toml.

use clap::Args;
use serde_json::json;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::settings::{ConfigEdit, SettingName};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  profile config unset output")]
pub(crate) struct UnsetArguments {
    /// Name of the setting; `profile config list` shows the names
    #[arg(value_name = "NAME")]
    name: String,
}

pub(crate) fn run(arguments: &UnsetArguments) -> Result<Report, Failure> {
    let name = SettingName::parse(&arguments.name).map_err(Failure::usage)?;
    let mut edit = ConfigEdit::begin()?;
    let path = edit.file().path().to_string_lossy().into_owned();
    let was_set = edit.unset(name)?;
    if was_set {
        edit.finish()?;
    }
    let (result, sentence) = match was_set {
        true => ("deleted", format!("Removed {name} from {path}.")),
        false => ("unchanged", format!("{name} is not set in {path}.")),
    };
    Ok(Report::new(
        json!({"result": result, "name": name.as_str(), "path": path}),
        View::Sentence(sentence),
    )
    .of_change())
}
