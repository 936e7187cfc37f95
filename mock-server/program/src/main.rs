//! The program `mock-server`, a local mock of the profile service for clients in any language.

mod cases;
mod failure;
mod processes;
mod run;
mod serve;
mod server;
mod trials;

use std::process;

use clap::{Parser, Subcommand};

use cases::{MatrixOptions, MutantsOptions};
use failure::{exit_code_of_usage, warn};
use mock_server::Signals;
use run::RunOptions;
use serve::HealthOptions;
use server::{ControlOptions, ServerOptions};

/// Runs a mock of the profile service until Ctrl-C or SIGTERM.
///
/// When the server is ready, it prints one line of JSON to stdout: the base URL, API keys by scope,
/// and the URL of the control API.
#[derive(Debug, Parser)]
#[command(
    name = "mock-server",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  mock-server\n  mock-server --addr 127.0.0.1:9000 --state state.json\n  mock-server --dialect minimal --fault faults.json --log\n  mock-server run -- pytest"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    server: ServerOptions,
    #[command(flatten)]
    control: ControlOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<RunOptions>),
    Matrix(MatrixOptions),
    Mutants(MutantsOptions),
    Health(HealthOptions),
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    Signals::end_process_1();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(mut error) => process::exit(exit_code_of_usage(&mut error).into()),
    };
    let is_server = arguments.command.is_none();
    let ended = match arguments.command {
        None => serve::serve(arguments.server, arguments.control).await,
        Some(Command::Run(options)) => run::run(*options).await,
        Some(Command::Matrix(options)) => cases::matrix(options).await,
        Some(Command::Mutants(options)) => cases::mutants(options).await,
        Some(Command::Health(options)) => serve::health(&options),
    };
    let code = ended.unwrap_or_else(|error| {
        warn(&error.to_string());
        error.exit_code(is_server).into()
    });
    // The end of the runtime would wait for the lock of a state file.
    process::exit(code);
}
