//! Errors that end the program with exit code 1.

use std::io;
use std::path::PathBuf;

use mock_server::{InvalidInput, StateError};

use crate::arguments::Address;

/// An error that ends the program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
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
    #[error("cannot wait for signals: {0}")]
    Signal(io::Error),
    #[error("cannot print the address: {0}")]
    Print(io::Error),
    #[error("cannot serve: {0}")]
    Serve(io::Error),
}
