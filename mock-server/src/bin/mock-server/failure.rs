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
    #[error("cannot listen on {addr}: {source}; choose another address with --addr")]
    Listen { addr: Address, source: io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error("cannot read the {what} file {}: {source}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("invalid fault file {}: {source}", path.display())]
    Fault { path: PathBuf, source: InvalidInput },
    #[error("invalid dialect file {}: {source}", path.display())]
    Dialect { path: PathBuf, source: InvalidInput },
    #[error("invalid webhook secret file {}: {source}", path.display())]
    Secret { path: PathBuf, source: InvalidInput },
    #[error("invalid --allow-host: {0}")]
    Host(InvalidInput),
    #[error("invalid control token file {}: {source}", path.display())]
    Token { path: PathBuf, source: InvalidInput },
    #[error("cannot wait for signals: {0}")]
    Signal(io::Error),
    #[error("cannot print the address: {0}")]
    Print(io::Error),
    #[error("cannot serve: {0}")]
    Serve(io::Error),
    #[error(
        "cannot run {}: {source}; expected a program in PATH or the path of one", program.display()
    )]
    Command {
        program: OsString,
        source: io::Error,
    },
    #[error("unknown name {name:?}; expected one of {}", expected.join(", "))]
    Name {
        name: String,
        expected: Vec<&'static str>,
    },
    #[error("cannot wait for the command: {0}")]
    Wait(io::Error),
    #[error("cannot write the report {}: {source}", path.display())]
    Report { path: PathBuf, source: io::Error },
}

impl Failure {
    /// Returns the exit code of a program that runs a command, as `env` and `timeout` have it.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Command { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Command { .. } => 126,
            _ => exit_code::FAILURE,
        }
    }
}
