//! The commands, each in the file of its name: `profile link add` is `link/add.rs`.

pub(crate) mod analytics;
pub(crate) mod api;
pub(crate) mod auth;
pub(crate) mod badge;
pub(crate) mod completion;
pub(crate) mod config;
mod deletion;
pub(crate) mod draft;
pub(crate) mod edit;
pub(crate) mod link;
mod listing;
pub(crate) mod man;
pub(crate) mod post;
#[cfg(feature = "sandbox")]
pub(crate) mod sandbox;
pub(crate) mod set;
mod several;
pub(crate) mod show;
pub(crate) mod site;
mod start;
pub(crate) mod stats;
pub(crate) mod version;
#[cfg(feature = "webhook")]
pub(crate) mod webhook;

use crate::arguments::Command;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::session::Session;

/// Runs a command; without one, says how to start.
pub(crate) fn run(command: Option<Command>, session: &Session<'_>) -> Result<Outcome, Failure> {
    let Some(command) = command else {
        return Ok(start::run().into());
    };
    if session.settings.curl && !command.calls_the_service() {
        let message = "--curl: this command sends nothing to the service";
        return Err(Failure::usage(message));
    }
    let ended = dispatch(command, session);
    #[cfg(feature = "sandbox")]
    if session.settings.sandbox {
        return ended.map_err(crate::sandbox::advise);
    }
    ended
}

fn dispatch(command: Command, session: &Session<'_>) -> Result<Outcome, Failure> {
    let report = match command {
        Command::Show(arguments) => show::run(arguments, session),
        Command::Set(arguments) => set::run(arguments, session),
        Command::Edit(arguments) => edit::run(&arguments, session),
        Command::Draft(command) => draft::run(&command, session),
        Command::Link(command) => link::run(command, session),
        Command::Post(command) => post::run(command, session),
        Command::Stats(arguments) => stats::run(arguments, session),
        Command::Analytics(arguments) => analytics::run(arguments, session),
        Command::Badge(command) => badge::run(command, session),
        Command::Site(arguments) => site::run(arguments, session),
        Command::Auth(command) => auth::run(command, session),
        Command::Config(command) => config::run(&command, session),
        Command::Completion(arguments) => completion::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Version(_) => Ok(version::run()),
        Command::Api(arguments) => api::run(&arguments, session),
        #[cfg(feature = "webhook")]
        Command::Webhook(command) => return webhook::run(command, session),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(command) => return sandbox::run(command, session),
    };
    report.map(Outcome::Report)
}

impl Command {
    /// Whether there is a request that curl could send in its place.
    fn calls_the_service(&self) -> bool {
        match self {
            Self::Show(_) | Self::Set(_) | Self::Link(_) | Self::Post(_) | Self::Stats(_) => true,
            Self::Analytics(_) | Self::Badge(_) | Self::Site(_) | Self::Api(_) => true,
            Self::Edit(_) => true,
            Self::Auth(command) => command.calls_the_service(),
            Self::Draft(_)
            | Self::Config(_)
            | Self::Completion(_)
            | Self::Man(_)
            | Self::Version(_) => false,
            #[cfg(feature = "webhook")]
            Self::Webhook(_) => false,
            #[cfg(feature = "sandbox")]
            Self::Sandbox(_) => false,
        }
    }
}
