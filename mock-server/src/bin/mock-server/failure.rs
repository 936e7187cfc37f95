//! Errors that end the program.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use mock_server::{InvalidInput, StateError};

use crate::exit_code;
use crate::server_options::Address;

/// An error that ends the program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("cannot listen on {addr}: {reason}; choose another address with --addr")]
    Listen { addr: Address, reason: io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error("cannot read the {what} file {}: {reason}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        reason: io::Error,
    },
    #[error("invalid fault file {}: {reason}", path.display())]
    Fault { path: PathBuf, reason: InvalidInput },
    #[error("invalid dialect file {}: {reason}", path.display())]
    Dialect { path: PathBuf, reason: InvalidInput },
    #[error("invalid webhook secret file {}: {reason}", path.display())]
    Secret { path: PathBuf, reason: InvalidInput },
    #[error("invalid --cors: {0}")]
    Cors(InvalidInput),
    #[error("invalid --allow-host: {0}")]
    Host(InvalidInput),
    #[error("invalid control token file {}: {reason}", path.display())]
    Token { path: PathBuf, reason: InvalidInput },
    #[error("cannot wait for signals: {0}")]
    Signal(io::Error),
    #[error("cannot print the address: {0}")]
    Print(io::Error),
    #[error("cannot serve: {0}")]
    Serve(io::Error),
    #[error(
        "cannot run {}: {reason}; expected a program in PATH or the path of one", program.display()
    )]
    Command {
        program: OsString,
        reason: io::Error,
    },
    #[error("unknown name {name:?}; expected one of {}", expected.join(", "))]
    Name {
        name: String,
        expected: Vec<&'static str>,
    },
    #[error("no mutants to test: --skip names all that are selected; omit a name from --skip")]
    NoMutant,
    #[error("cannot wait for the command: {0}")]
    Wait(io::Error),
    #[error("cannot write the report {}: {reason}", path.display())]
    Report { path: PathBuf, reason: io::Error },
}

impl Failure {
    /// Returns the exit code of a subcommand that runs a command, as in `env` and `timeout`.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Command { reason, .. } if reason.kind() == io::ErrorKind::NotFound => 127,
            Self::Command { .. } => 126,
            _ => exit_code::FAILURE,
        }
    }
}
