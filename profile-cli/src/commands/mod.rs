//! The command line. Each command is in the file of its name: `profile link add` is in `link.rs`. The commands for
//! statistics share `stats.rs`; `completion` is in `crate::completion`, and `sandbox` in `crate::session::sandbox`.

mod api;
mod apply;
pub(crate) mod auth;
mod config;
mod deletion;
mod diff;
mod edit;
mod export;
mod link;
mod man;
mod post;
mod set;
mod show;
mod stats;
#[cfg(feature = "webhook")]
mod webhook;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::outcome::{Report, Result};
use crate::session::Session;
#[cfg(feature = "sandbox")]
use crate::session::sandbox;
use crate::settings::{GlobalArguments, Needs};
use crate::{completion, help};

use auth::AuthCommand;
use config::ConfigCommand;
use link::LinkCommand;
use post::PostCommand;

/// Read and edit your profile, links and posts, and read your statistics
#[derive(Debug, Parser)]
#[command(name = "profile", bin_name = "profile", version, max_term_width = help::MAX_WIDTH)]
#[command(override_help = "", disable_help_flag = true)]
#[command(mut_args = help::hidden, arg = help::flag())]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArguments,

    /// Those of [`program`].
    #[arg(skip)]
    pub(crate) command: Option<Command>,
}

/// Returns the program with all commands.
pub(crate) fn program() -> clap::Command {
    Command::augment_subcommands(Arguments::command())
}

/// Returns the program with the commands that the words name. Others would get a copy of all global options.
pub(crate) fn program_of(words: &[OsString]) -> clap::Command {
    let is_named = |command: &&mut clap::Command| {
        let mut names = command.get_all_aliases().chain([command.get_name()]);
        names.any(|name| words.iter().any(|word| word == name))
    };
    let mut all = Command::augment_subcommands(clap::Command::default());
    let named = all.get_subcommands_mut().filter(is_named);
    Arguments::command().subcommands(named.map(std::mem::take))
}

// The commands, in the order of the groups in the help. Their arguments are deferred: only those of the typed command
// are built. Not a doc comment, which would describe the program.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Show your profile
    #[command(after_help = show::HELP)]
    Show,
    /// Change fields of your profile; other fields keep their values
    Set(set::SetArguments),
    /// Edit your profile in your editor; only changed fields are sent
    Edit(edit::EditArguments),
    /// Print your profile and its links as TOML, or write them to a file
    Export(export::ExportArguments),
    /// Compare your profile with a file; show what `profile apply` would change
    Diff(diff::DiffArguments),
    /// Update your profile and links to match a file
    #[command(alias = "import")]
    Apply(apply::ApplyArguments),
    #[command(visible_alias = "links", subcommand)]
    Link(LinkCommand),
    #[command(visible_alias = "posts", subcommand)]
    Post(PostCommand),
    /// Show the views of your profile, or of another one
    Stats(stats::StatsArguments),
    /// Show views, likes and social counts of your profile
    #[command(after_help = stats::ANALYTICS_HELP)]
    Analytics,
    /// List the badges that profiles can have; requires no key
    #[command(after_help = stats::BADGES_HELP)]
    Badges,
    /// Show the numbers of users, views and links of the site; requires no key
    #[command(after_help = stats::SITE_HELP)]
    Site,
    #[command(subcommand)]
    Auth(AuthCommand),
    /// Check an API key with the service, and store it; same as `auth login`
    #[command(hide = true)]
    Login(auth::LoginArguments),
    /// Remove an account and its key; same as `auth logout`
    #[command(hide = true)]
    Logout(auth::accounts::LogoutArguments),
    /// Show the account and check the settings, the key and the connection; same as `auth status`
    #[command(hide = true, after_help = auth::status::HELP)]
    Whoami,
    #[command(subcommand)]
    Config(ConfigCommand),
    #[cfg(feature = "webhook")]
    #[command(visible_alias = "webhooks", subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Send a request to any path of the service and print the response
    Api(api::ApiArguments),
    #[cfg(feature = "sandbox")]
    #[command(subcommand)]
    Sandbox(sandbox::SandboxCommand),
    /// Print the completion script of a shell
    Completion(completion::CompletionArguments),
    /// Print the manual page of the program, or write the pages of all commands
    Man(man::ManArguments),
}

/// Runs a command and prints its report. Without a command, prints how to start.
pub(crate) fn run(command: Option<Command>, session: &Session<'_>) -> Result<ExitCode> {
    let Some(command) = command else {
        return Ok(session.output.report(&Report::text(help::start(), "help")));
    };
    let ended = dispatch(command, session);
    #[cfg(feature = "sandbox")]
    if session.settings.sandbox {
        return ended.map_err(sandbox::with_reset_hint);
    }
    ended
}

fn dispatch(command: Command, session: &Session<'_>) -> Result<ExitCode> {
    let report = match command {
        Command::Show => show::run(session),
        Command::Set(arguments) => set::run(arguments, session),
        Command::Edit(arguments) => edit::run(&arguments, session),
        Command::Export(arguments) => export::run(arguments, session),
        Command::Diff(arguments) => diff::run(&arguments, session),
        Command::Apply(arguments) => apply::run(&arguments, session),
        Command::Link(command) => link::run(command, session),
        Command::Post(command) => post::run(command, session),
        Command::Stats(arguments) => stats::stats(arguments, session),
        Command::Analytics => stats::analytics(session),
        Command::Badges => stats::badges(session),
        Command::Site => stats::site(session),
        Command::Auth(command) => auth::run(command, session),
        Command::Login(arguments) => auth::run(AuthCommand::Login(arguments), session),
        Command::Logout(arguments) => auth::run(AuthCommand::Logout(arguments), session),
        Command::Whoami => auth::run(AuthCommand::Status, session),
        Command::Config(command) => config::run(&command, session),
        Command::Completion(arguments) => Ok(completion::script(&arguments)),
        Command::Man(arguments) => man::run(&arguments, program()),
        Command::Api(arguments) => api::run(&arguments, session),
        #[cfg(feature = "webhook")]
        Command::Webhook(command) => return webhook::run(command, session),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(command) => sandbox::run(&command, session),
    };
    report.map(|report| session.output.report(&report))
}

impl Command {
    /// Returns the requirements of the command.
    pub(crate) fn needs(&self) -> Needs {
        match self {
            Self::Show | Self::Export(_) | Self::Diff(_) | Self::Stats(_) => Needs::Reads,
            Self::Analytics | Self::Badges | Self::Site | Self::Login(_) => Needs::Reads,
            Self::Set(_) | Self::Edit(_) | Self::Apply(_) => Needs::Writes,
            Self::Link(LinkCommand::List) | Self::Post(PostCommand::List) => Needs::Reads,
            Self::Link(LinkCommand::Add(_) | LinkCommand::Edit(_) | LinkCommand::Delete(_)) => {
                Needs::Writes
            }
            Self::Post(PostCommand::Create(_) | PostCommand::Delete(_)) => Needs::Writes,
            Self::Api(arguments) => arguments.needs(),
            Self::Auth(command) => command.needs(),
            Self::Whoami => AuthCommand::Status.needs(),
            Self::Config(command) => command.needs(),
            Self::Logout(_) => Needs::Settings,
            Self::Completion(_) | Self::Man(_) => Needs::Nothing,
            #[cfg(feature = "webhook")]
            Self::Webhook(_) => Needs::Settings,
            #[cfg(feature = "sandbox")]
            Self::Sandbox(_) => Needs::Settings,
        }
    }
}
