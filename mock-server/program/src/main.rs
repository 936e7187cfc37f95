//! The program `mock-server`, a local mock of the profile service for clients in any language.

mod arguments;
mod commands;
mod control_options;
mod exit_code;
mod failure;
mod log;
mod mock;
mod printable;
mod server_options;
mod settings;
mod setup;
mod signals;
mod summary;
mod trial;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use commands::{health, matrix, mutants, run, serve};
use setup::warn;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Arguments {
        command,
        server,
        control,
    } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit_code::of_usage(&error),
    };
    let ended = match command {
        None => serve::serve(server, control)
            .await
            .map(|()| 0)
            .map_err(|error| (error.exit_code_of_server(), error)),
        Some(command) => {
            let ended = match command {
                Command::Run(options) => run::run(*options).await,
                Command::Matrix(options) => matrix::run(options).await,
                Command::Mutants(options) => mutants::run(options).await,
                Command::Health(options) => health::run(&options),
            };
            ended.map_err(|error| (error.exit_code(), error))
        }
    };
    let code = ended.unwrap_or_else(|(code, error)| {
        warn(&error.to_string());
        code
    });
    code.into()
}
