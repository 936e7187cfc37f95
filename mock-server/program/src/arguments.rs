//! The command line.

use clap::{Parser, Subcommand};

use crate::commands::health::HealthOptions;
use crate::commands::matrix::MatrixOptions;
use crate::commands::mutants::MutantsOptions;
use crate::commands::run::RunOptions;
use crate::control_options::ControlOptions;
use crate::server_options::ServerOptions;

/// Runs a mock of the profile service until Ctrl-C or SIGTERM.
///
/// When the server is ready, it prints one line of JSON to stdout: the base URL, API keys by scope,
/// and the URL of the control API.
#[derive(Debug, Parser)]
#[command(
    name = "mock-server",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  mock-server\n  mock-server --addr 127.0.0.1:8080 --state state.json\n  mock-server --dialect minimal --fault faults.json --log\n  mock-server run -- pytest"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
    #[command(flatten)]
    pub(crate) control: ControlOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Box<RunOptions>),
    Matrix(MatrixOptions),
    Mutants(MutantsOptions),
    Health(HealthOptions),
}
