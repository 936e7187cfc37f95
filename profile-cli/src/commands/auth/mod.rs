//! `profile auth`: the accounts that are stored on this machine.

pub(crate) mod accounts;
mod login;
pub(crate) mod permissions;
pub(crate) mod status;

use clap::Subcommand;

use crate::outcome::{Failure, Report, Result};
use crate::session::Session;
use crate::settings::Needs;

pub(crate) use login::{LoginArguments, unexpected_key};

/// Log in and out, and switch between accounts
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
An account is a stored login: a base URL in config.toml, and a key that is stored separately.

Examples:
  profile auth login
  profile auth status")]
pub(crate) enum AuthCommand {
    /// Check an API key with the service, and store it with the base URL
    Login(login::LoginArguments),
    /// Remove an account and its key; asks first unless --yes is given
    Logout(accounts::LogoutArguments),
    /// Show the account and check the settings, the key and the connection
    #[command(after_help = status::HELP)]
    Status,
    /// List the stored accounts and mark the selected one
    #[command(visible_alias = "ls", after_help = accounts::LIST_HELP)]
    List,
    /// Select the account that commands use
    Switch(accounts::SwitchArguments),
    /// Print the API key that commands use, for scripts
    #[command(after_help = accounts::TOKEN_HELP)]
    Token,
}

impl AuthCommand {
    pub(crate) fn needs(&self) -> Needs {
        match self {
            Self::Login(_) => Needs::Reads,
            Self::Status => Needs::Diagnosis,
            Self::Logout(_) | Self::List | Self::Switch(_) | Self::Token => Needs::Settings,
        }
    }
}

pub(crate) fn run(command: AuthCommand, session: &Session<'_>) -> Result<Report> {
    match command {
        AuthCommand::Status => status::run(session),
        AuthCommand::List => accounts::list(session),
        _ if session.settings.sandbox => {
            Err(Failure::usage("the sandbox has no accounts").hint("omit --sandbox"))
        }
        AuthCommand::Login(arguments) => login::run(&arguments, session),
        AuthCommand::Logout(arguments) => accounts::logout(arguments, session),
        AuthCommand::Switch(arguments) => accounts::switch(&arguments, session),
        AuthCommand::Token => accounts::token(session),
    }
}
