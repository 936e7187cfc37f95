//! Errors that end the program, exit codes, and warnings on stderr. Subcommands that run a command have
//! the exit codes of `env` and `timeout`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use mock_server::{InvalidInput, SafeUrl, StateError, printable};

/// An error that ends the program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(
        "cannot listen on {}: {reason}; choose another address with --addr",
        SafeUrl(addr)
    )]
    Listen { addr: String, reason: io::Error },
    #[error("no server accepts connections at {}: {reason}", SafeUrl(addr))]
    Health { addr: String, reason: io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error("invalid {what} file {}: {reason}", path.display())]
    Content {
        what: &'static str,
        path: PathBuf,
        reason: InvalidInput,
    },
    #[error("invalid {option}: {reason}")]
    Option {
        option: &'static str,
        reason: InvalidInput,
    },
    #[error("cannot {action}: {reason}")]
    System { action: String, reason: io::Error },
    #[error(
        "cannot run {}: {reason}; expected a program in PATH, or the path of one, in quotes if it has spaces",
        SafeUrl(&program.to_string_lossy())
    )]
    Command {
        program: OsString,
        reason: io::Error,
    },
    #[error("unknown name \"{}\"; expected one of {}", SafeUrl(name), expected.join(", "))]
    Name {
        name: String,
        expected: Vec<&'static str>,
    },
    #[error("ended by signal {0} before the server was ready")]
    Signal(u8),
    #[error("no mutants to test: --skip names all that are selected; omit a name from --skip")]
    NoMutant,
}

impl Failure {
    pub(crate) fn listen(addr: impl ToString, reason: io::Error) -> Self {
        let addr = addr.to_string();
        Self::Listen { addr, reason }
    }

    /// Returns the failure of this action.
    pub(crate) fn of(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |reason| Self::System { action, reason }
    }

    /// Returns the failure of starting this program.
    pub(crate) fn of_command(program: &OsStr) -> impl FnOnce(io::Error) -> Self {
        let program = program.to_owned();
        move |reason| {
            // For a missing program, the system reports a directory of PATH that cannot be read.
            let directories = env::var_os("PATH").unwrap_or_default();
            let is_missing = reason.kind() == io::ErrorKind::PermissionDenied
                && Path::new(&program).file_name() == Some(&program)
                && !env::split_paths(&directories).any(|path| path.join(&program).exists());
            let reason = match reason.kind() {
                _ if is_missing => io::Error::new(io::ErrorKind::NotFound, "not found in PATH"),
                io::ErrorKind::InvalidInput if cfg!(windows) => {
                    io::Error::other("an argument of a batch file contains a line break")
                }
                _ => reason,
            };
            Self::Command { program, reason }
        }
    }

    /// Returns the failure for a file with invalid content.
    pub(crate) fn in_file(what: &'static str, path: &Path) -> impl FnOnce(InvalidInput) -> Self {
        let path = path.to_owned();
        move |reason| Self::Content { what, path, reason }
    }

    /// Returns the failure for an option with an invalid value.
    pub(crate) fn in_option(option: &'static str) -> impl FnOnce(InvalidInput) -> Self {
        move |reason| Self::Option { option, reason }
    }

    /// Returns the exit code of the server, 2 for an invalid value of an option as for other usage errors, or of
    /// a subcommand, for one that runs a command as in `env` and `timeout`.
    pub(crate) fn exit_code(&self, is_server: bool) -> u8 {
        match self {
            Self::Signal(number) => 128 + number,
            Self::Health { .. } => 1,
            Self::Command { reason, .. } if reason.kind() == io::ErrorKind::NotFound => 127,
            Self::Command { .. } => 126,
            Self::Option { .. } if is_server => 2,
            _ if is_server => 1,
            _ => FAILURE,
        }
    }
}

/// The program failed before or after the command.
const FAILURE: u8 = 125;

/// The subcommands that run a command.
const COMMANDS: [&str; 3] = ["run", "matrix", "mutants"];

/// Prints a usage error or the help. The exit code 2 could be that of a command.
pub(crate) fn exit_code_of_usage(error: &mut clap::Error) -> u8 {
    for kind in [
        ContextKind::InvalidValue,
        ContextKind::InvalidArg,
        ContextKind::InvalidSubcommand,
    ] {
        if let Some(ContextValue::String(text)) = error.get(kind) {
            let shown = ContextValue::String(printable(&SafeUrl(text).to_string()));
            error.insert(kind, shown);
        }
    }
    // Ignore a closed stream.
    let _ = error.print();
    let is_command = |argument: OsString| COMMANDS.iter().any(|command| argument == *command);
    let mut own = env::args_os().take_while(|argument| argument != "--");
    let runs_command = own.any(is_command);
    match error.use_stderr() {
        true if runs_command => FAILURE,
        true => 2,
        false => 0,
    }
}

/// Prints a warning to stderr.
pub(crate) fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "mock-server: {}", printable(message));
}
