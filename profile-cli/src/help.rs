//! The help on a command: its own options, and a line that says where those of all commands are.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _};

use crate::arguments::Arguments;

/// What the parser puts together for a command, with the line after the options.
const TEMPLATE: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}

{all-args}

Every command takes the global options too, --json and --account among them: see `profile --help`.\
{after-help}";

/// The same answer of the parser, where it is help with no global options in that on a command.
pub(crate) fn shortened(
    error: clap::Error,
    arguments: impl IntoIterator<Item = OsString>,
) -> clap::Error {
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if !is_help {
        return error;
    }
    // Only the parser knows which command the help is for.
    let parsed = without_global_options().try_get_matches_from(arguments);
    parsed.err().unwrap_or(error)
}

/// The program with the global options in its own help alone.
fn without_global_options() -> Command {
    let whole = Arguments::command().render_help();
    hidden_globals(Arguments::command())
        .mut_subcommands(with_template)
        .override_help(whole)
}

fn with_template(command: Command) -> Command {
    command
        .help_template(TEMPLATE)
        .mut_subcommands(with_template)
}

/// The command without those of its options in help and pages that every command takes.
pub(crate) fn hidden_globals(command: Command) -> Command {
    command.mut_args(|argument| match argument.is_global_set() {
        true => argument.hide(true),
        false => argument,
    })
}
