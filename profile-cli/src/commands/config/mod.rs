//! `profile config`: the settings that are stored in config.toml.

mod get;
mod list;
pub(crate) mod listed_setting;
mod path;
mod set;
mod unset;

use clap::Subcommand;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;

/// Show and change the settings
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Options override the environment, the environment overrides config.toml, and config.toml overrides
the defaults.

Examples:
  profile config list
  profile config set output json")]
pub(crate) enum ConfigCommand {
    /// Print the path of config.toml
    #[command(after_help = path::HELP)]
    Path,
    /// List all settings with their values and sources
    #[command(visible_alias = "ls", after_help = list::HELP)]
    List,
    /// Print the effective value of a setting
    Get(get::GetArguments),
    /// Store a setting in config.toml
    Set(set::SetArguments),
    /// Remove a setting from config.toml
    Unset(unset::UnsetArguments),
}

pub(crate) fn run(command: &ConfigCommand, session: &Session<'_>) -> Result<Report, Failure> {
    match command {
        ConfigCommand::Path => path::run(),
        ConfigCommand::List => list::run(session),
        ConfigCommand::Get(arguments) => get::run(arguments, session),
        ConfigCommand::Set(arguments) => set::run(arguments),
        ConfigCommand::Unset(arguments) => unset::run(arguments),
    }
}
