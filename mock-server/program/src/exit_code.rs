//! The exit codes of subcommands that run a command, as in `env` and `timeout`.

use std::env;
use std::process::{ExitCode, ExitStatus};

/// The program failed before or after the command.
pub(crate) const FAILURE: u8 = 125;

/// The subcommands that run a command.
const COMMANDS: [&str; 3] = ["run", "matrix", "mutants"];

/// Returns the exit code of a command, or 128 and the number of the signal that ended it.
pub(crate) fn of(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| signal(status).map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Prints a usage error or the help. The exit code 2 could be that of a command.
pub(crate) fn of_usage(error: &clap::Error) -> ExitCode {
    // Ignore a closed stream.
    let _ = error.print();
    let runs_command = env::args_os()
        .nth(1)
        .is_some_and(|first| COMMANDS.iter().any(|command| first == *command));
    match error.use_stderr() {
        true if runs_command => FAILURE.into(),
        true => 2.into(),
        false => ExitCode::SUCCESS,
    }
}
