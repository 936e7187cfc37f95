//! The program `profile`: reads and edits a profile, its links and posts, and reads its statistics.
//!
//! Its modules, in reading order; each imports only later ones:
//!
//! - `usage_error`: usage errors;
//! - `commands`: the command line, with a file or folder for each command;
//! - `help`: help texts;
//! - `completion`: candidates for completion scripts of shells;
//! - `editor`: texts in the user's editor;
//! - `profile_file`: the profile as a file;
//! - `session`: the client; sends all calls;
//! - `input`: texts from arguments, files, stdin and questions;
//! - `output`: prints results, failures and warnings, and writes files;
//! - `settings`: values of options, environment and config.toml, and stored keys;
//! - `system`: environment variables, private files and signals;
//! - `outcome`: reports and failures;
//! - `drawing`: cards and charts of results;
//! - `terminal`: the screen, and texts that are safe to print on it.

#![allow(
    clippy::result_large_err,
    reason = "a report, the other variant, is as large as a failure"
)]
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(
    fuzzing,
    allow(dead_code, reason = "the fuzz target uses only a part of the program")
)]

mod commands;
mod completion;
mod drawing;
mod editor;
mod help;
mod input;
mod outcome;
mod output;
mod profile_file;
mod session;
mod settings;
mod system;
mod terminal;
mod usage_error;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::commands::{Arguments, Command};
use crate::output::Output;
use crate::session::Session;
use crate::settings::{Needs, Settings};

fn main() -> ExitCode {
    let words: Vec<_> = env::args_os().collect();
    if let Some(exit_code) = completion::complete(commands::program, &words) {
        return exit_code;
    }
    let arguments = match parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error::print(error, &words),
    };
    system::interruption::install();
    let command = arguments.command.as_ref();
    let needs = command.map_or(Needs::Nothing, Command::needs);
    let loaded = Settings::load(&arguments.global, needs)
        .and_then(|settings| Ok((Output::new(&arguments.global, &settings, needs)?, settings)));
    let (output, settings) = match loaded {
        Ok(loaded) => loaded,
        Err(failure) => return Output::for_failures(&arguments.global, needs).failure(&failure),
    };
    outcome::select_in_commands(settings.sources.selection());
    if needs >= Needs::File {
        output.warn_all(settings.sources.config.warnings());
    }
    session::activity::start_log(&settings);
    let session = Session::new(settings, &output, &words);
    let ended = commands::run(arguments.command, &session);
    let exit_code = ended.unwrap_or_else(|failure| output.failure(&failure));
    // Dropping the runtime would wait for threads that still look up a host after a timeout.
    std::mem::forget(session);
    system::interruption::end_if_pending();
    exit_code
}

/// Parses the arguments. Building all commands takes longer than all else, so it is left to usage errors, whose tips
/// may name another command.
fn parse(words: &[OsString]) -> Result<Arguments, clap::Error> {
    let parsed = parse_for(commands::program_of(words), words);
    parsed.or_else(|error| match error.use_stderr() {
        true => parse_for(commands::program(), words),
        false => Err(error),
    })
}

fn parse_for(mut program: clap::Command, words: &[OsString]) -> Result<Arguments, clap::Error> {
    let parsed = program.try_get_matches_from_mut(words);
    let parsed = parsed.and_then(|mut matches| {
        let mut arguments = Arguments::from_arg_matches_mut(&mut matches)?;
        if matches.subcommand_name().is_some() {
            arguments.command = Some(Command::from_arg_matches_mut(&mut matches)?);
        }
        Ok(arguments)
    });
    let parsed = parsed.map_err(|error| error.format(&mut program));
    // Freeing it takes a fifth of the time of a short command.
    std::mem::forget(program);
    parsed
}
