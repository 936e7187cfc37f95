//! The commands, each in the file of its name: `profile link add` is `link/add.rs`.

pub(crate) mod analytics;
pub(crate) mod badge;
mod deletion;
pub(crate) mod edit;
pub(crate) mod link;
mod listing;
pub(crate) mod post;
#[cfg(feature = "sandbox")]
pub(crate) mod sandbox;
pub(crate) mod set;
mod several;
pub(crate) mod show;
pub(crate) mod site;
mod start;
pub(crate) mod stats;

use crate::arguments::Command;
use crate::report::Report;
use crate::session::Session;
use crate::stop::Stop;

/// Runs a command; without one, says how to start.
pub(crate) fn run(command: Option<Command>, session: &Session<'_>) -> Result<Report, Stop> {
    let Some(command) = command else {
        return Ok(start::run());
    };
    let result = match command {
        Command::Show(arguments) => show::run(arguments, session),
        Command::Set(arguments) => set::run(arguments, session),
        Command::Edit(arguments) => edit::run(&arguments, session),
        Command::Link(command) => link::run(command, session),
        Command::Post(command) => post::run(command, session),
        Command::Stats(arguments) => stats::run(arguments, session),
        Command::Analytics(arguments) => analytics::run(arguments, session),
        Command::Badge(command) => badge::run(command, session),
        Command::Site(arguments) => site::run(arguments, session),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(command) => sandbox::run(&command, session),
    };
    #[cfg(feature = "sandbox")]
    if session.settings.sandbox {
        return result.map_err(|stop| stop.map_failure(crate::sandbox::advise));
    }
    result
}
