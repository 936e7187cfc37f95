//! The commands, each in the file of its name: `profile link add` is `link/add.rs`.

pub(crate) mod analytics;
pub(crate) mod badge;
mod deletion;
pub(crate) mod link;
mod listing;
pub(crate) mod post;
#[cfg(feature = "sandbox")]
pub(crate) mod sandbox;
pub(crate) mod set;
pub(crate) mod show;
pub(crate) mod site;
pub(crate) mod stats;

use tokio::runtime;

use crate::arguments::{Arguments, Command};
use crate::connection::Connection;
use crate::failure::{Failure, FailureKind};
use crate::report::Report;

/// Runs the command that the arguments name.
pub(crate) fn run(arguments: Arguments) -> Result<Report, Failure> {
    #[cfg(feature = "sandbox")]
    if let Command::Sandbox(command) = &arguments.command {
        return sandbox::run(command);
    }
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(FailureKind::Other, format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let connection = Connection::open(&arguments.global).await?;
        let result = run_online(arguments.command, &connection).await;
        #[cfg(feature = "sandbox")]
        if arguments.global.sandbox {
            return result.map_err(crate::sandbox::advise);
        }
        result
    })
}

async fn run_online(command: Command, connection: &Connection) -> Result<Report, Failure> {
    match command {
        Command::Show(arguments) => show::run(arguments, connection).await,
        Command::Set(arguments) => set::run(arguments, connection).await,
        Command::Link(command) => link::run(command, connection).await,
        Command::Post(command) => post::run(command, connection).await,
        Command::Stats(arguments) => stats::run(arguments, connection).await,
        Command::Analytics(arguments) => analytics::run(arguments, connection).await,
        Command::Badge(command) => badge::run(command, connection).await,
        Command::Site(arguments) => site::run(arguments, connection).await,
        #[cfg(feature = "sandbox")]
        Command::Sandbox(command) => sandbox::run(&command),
    }
}
