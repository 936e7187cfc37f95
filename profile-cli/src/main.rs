//! The program `profile`: reads and edits a profile, its links, posts and statistics.

#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(
    fuzzing,
    allow(dead_code, reason = "the fuzz target enters in the middle")
)]

mod arguments;
mod commands;
mod contrast;
mod curl;
mod draft;
mod drawing;
mod dry_run;
mod editor;
mod environment;
mod failed_call;
mod failure;
mod global_arguments;
mod help;
mod hidden_prompt;
mod input;
mod interruption;
mod log;
mod outcome;
mod output;
mod picture_file;
mod printable;
mod private_file;
mod progress;
mod prompt;
mod report;
#[cfg(feature = "sandbox")]
mod sandbox;
mod session;
mod settings;
mod typed_color;
mod typed_text;

use std::env;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::arguments::Arguments;
use crate::environment::Environment;
use crate::outcome::Outcome;
use crate::output::Output;
use crate::session::Session;
use crate::settings::{Need, Settings};

fn main() -> ExitCode {
    interruption::end_when_interrupted();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = help::shortened(error, Arguments::command, env::args_os());
            return output::usage_error(&error);
        }
    };
    let need = arguments.need();
    let settings = match Settings::load(&arguments.global, Environment::of_process(), need) {
        Ok(settings) => settings,
        Err(failure) => {
            return Output::for_failures(arguments.global.wants_json()).failure(&failure);
        }
    };
    let output = match Output::new(&arguments.global, &settings) {
        Ok(output) => output,
        Err(failure) => {
            return Output::for_failures(arguments.global.wants_json()).failure(&failure);
        }
    };
    if need > Need::Nothing {
        let unknown = settings.config.unknown_settings();
        unknown.iter().for_each(|warning| output.warn(warning));
    }
    log::start(&settings);
    let session = Session::new(settings, &output);
    match commands::run(arguments.command, Arguments::command, &session) {
        Ok(Outcome::Report(report)) => output.report(&report),
        #[cfg(any(feature = "sandbox", feature = "webhook"))]
        Ok(Outcome::Printed(exit_code)) => ExitCode::from(exit_code),
        Err(failure) => output.failure(&failure),
    }
}
