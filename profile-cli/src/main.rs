//! The program `profile`: reads and edits a profile, its links, posts and statistics.

mod arguments;
mod commands;
mod confirmation;
mod connection;
mod failure;
mod output;
mod printable;
mod report;
#[cfg(feature = "sandbox")]
mod sandbox;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;
use crate::output::Output;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return Output::of_usage_error(&error),
    };
    let output = Output::new(arguments.global.json);
    match commands::run(arguments) {
        Ok(report) => output.report(&report),
        Err(failure) => output.failure(&failure),
    }
}
