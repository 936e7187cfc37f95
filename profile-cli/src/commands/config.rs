//! The commands `profile config`: the settings that are stored in config.toml.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::completion;
use crate::outcome::{Failure, Report, Result, View};
use crate::session::Session;
use crate::settings::{ConfigEdit, Needs, SettingName, Settings};
use crate::system::environment;
use crate::terminal::escaped;

/// Show and change the settings
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Options override variables named PROFILE_…, these override config.toml, and config.toml overrides \
other variables and the defaults.

Examples:
  profile config list
  profile config set output json")]
pub(crate) enum ConfigCommand {
    /// Print the path of config.toml
    #[command(after_help = PATH_HELP)]
    Path,
    /// List all settings with their values and sources
    #[command(visible_alias = "ls", after_help = LIST_HELP)]
    List,
    /// Print the effective value of a setting
    #[command(after_help = GET_HELP)]
    Get(NameArgument),
    /// Store a setting in config.toml
    Set(SetArguments),
    /// Remove a setting from config.toml
    #[command(after_help = UNSET_HELP)]
    Unset(NameArgument),
}

impl ConfigCommand {
    pub(crate) fn needs(&self) -> Needs {
        match self {
            Self::Path => Needs::Nothing,
            Self::List | Self::Get(_) | Self::Set(_) | Self::Unset(_) => Needs::File,
        }
    }
}

pub(crate) fn run(command: &ConfigCommand, session: &Session<'_>) -> Result<Report> {
    match command {
        ConfigCommand::Path => path(),
        ConfigCommand::List => list(session),
        ConfigCommand::Get(argument) => get(argument.parse()?, session),
        ConfigCommand::Set(arguments) => set(arguments, session),
        ConfigCommand::Unset(argument) => unset(argument.parse()?, session),
    }
}

// Not a doc comment, which clap would print as the description of each command.
// The setting of a command.
#[derive(Debug, Args)]
pub(crate) struct NameArgument {
    /// Name of the setting; `profile config list` shows the names
    #[arg(value_name = "NAME", add = completion::settings())]
    name: String,
}

impl NameArgument {
    fn parse(&self) -> Result<SettingName> {
        SettingName::parse(&self.name).map_err(Failure::usage)
    }
}

const PATH_HELP: &str = "\
Its directory is PROFILE_CONFIG_DIR; `profile help environment` shows the default. The file may not \
exist yet.

Examples:
  profile config path
  $EDITOR \"$(profile config path)\"";

fn path() -> Result<Report> {
    let directory = environment::config_directory()?;
    let path = directory.join("config.toml");
    Ok(Report::text(path.to_string_lossy(), "path"))
}

const LIST_HELP: &str = "\
In a pipe, each line is a name, a value and a source, separated by tabs; the value and the source \
are empty if the setting is not set.

Examples:
  profile config list
  profile config list --json";

fn list(session: &Session<'_>) -> Result<Report> {
    let (listed, wrong) = listed_settings(&session.settings);
    let columns = View::Columns {
        names: &["name", "value", "source"],
        empty: "There are no settings.",
    };
    Ok(Report::new(listed, columns).warnings(wrong.iter().map(Failure::text)))
}

const GET_HELP: &str = "\
Prints the default if the setting is not set. Exits with 1 if it has no default either.

Examples:
  profile config get output
  profile config get base_url";

fn get(name: SettingName, session: &Session<'_>) -> Result<Report> {
    let Some(setting) = session.settings.sources.effective(name)? else {
        let message = format!("{name} is not set and has no default");
        let hint = format!("set it with `profile config set {name} VALUE`");
        return Err(Failure::other(message).hint(hint));
    };
    let value = name.without_password(&setting.value);
    Ok(Report::text(value, name.as_str()))
}

#[derive(Debug, Args)]
#[command(after_help = "\
The value is validated first. The comments and the order of the file are preserved. API keys are not \
settings; `profile auth login` stores them.

Examples:
  profile config set output json
  profile config set retries 5")]
pub(crate) struct SetArguments {
    #[command(flatten)]
    name: NameArgument,

    /// New value
    #[arg(value_name = "VALUE", allow_negative_numbers = true)]
    #[arg(add = completion::setting_values())]
    value: String,
}

fn set(arguments: &SetArguments, session: &Session<'_>) -> Result<Report> {
    let (name, value) = (arguments.name.parse()?, &arguments.value);
    name.check(value)
        .map_err(|reason| Failure::usage(format!("{name} {reason}")))?;
    let mut edit = ConfigEdit::begin(|warning| session.output.warn(warning))?;
    if name == SettingName::Account {
        edit.file().check_account(value)?;
    }
    edit.set(name, value);
    let path = edit.file().path().to_string_lossy().into_owned();
    edit.finish()?;
    let value = name.without_password(value);
    let variable = name.variable().filter(|name| environment::is_set(name));
    let account = session.settings.sources.account().ok().flatten();
    let account =
        account.filter(|account| name == SettingName::BaseUrl && account.base_url.is_some());
    let account = account.map(|account| {
        let name = account.name;
        format!("the base URL of the selected account {name} is used instead; log in to add another account")
    });
    let warning = variable.map(|name| format!("{name} is set and overrides config.toml"));
    let warning = account.or(warning);
    let json = json!({"result": "updated", "name": name.as_str(), "value": value, "path": path});
    let sentence = format!("Set {name} to {value} in {}.", escaped(&path));
    Ok(Report::changed(json, sentence).warnings(warning))
}

const UNSET_HELP: &str = "\
Example:
  profile config unset output";

fn unset(name: SettingName, session: &Session<'_>) -> Result<Report> {
    let mut edit = ConfigEdit::begin(|warning| session.output.warn(warning))?;
    let path = edit.file().path().to_string_lossy().into_owned();
    let was_set = edit.unset(name)?;
    if was_set {
        edit.finish()?;
    }
    let shown = escaped(&path);
    let (result, sentence) = match was_set {
        true => ("deleted", format!("Removed {name} from {shown}.")),
        false => ("unchanged", format!("{name} is not set in {shown}.")),
    };
    let json = json!({"result": result, "name": name.as_str(), "path": path});
    Ok(Report::changed(json, sentence))
}

/// Returns all settings with their values and sources, and failures for the invalid ones.
pub(crate) fn listed_settings(settings: &Settings) -> (Value, Vec<Failure>) {
    let mut wrong = Vec::new();
    let listed = SettingName::all().map(|name| {
        if let Err(failure) = settings.sources.read(name, |text| name.check(text)) {
            match failure.field {
                None => wrong.push(failure.subject(name)),
                Some(field) if field == name.as_str() => wrong.push(failure),
                // The failure is listed with the account on which this setting depends.
                Some(_) => {}
            }
        }
        let setting = settings.sources.effective(name).ok().flatten();
        json!({
            "name": name.as_str(),
            "source": setting.as_ref().map(|setting| setting.source.to_string()),
            "value": setting.map(|setting| name.without_password(&setting.value)),
        })
    });
    let listed = listed.collect();
    let accounts = settings.sources.config.check_accounts();
    wrong.extend(accounts.err());
    wrong.extend(settings.sources.invalid_variables());
    (listed, wrong)
}
