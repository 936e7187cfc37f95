//! Why the program ends early, with exit code 1.

use std::io;
use std::path::PathBuf;

use mock_server::{InvalidInput, StateError};

use crate::arguments::Address;

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("cannot listen on {addr}: {source}; choose another address with --addr")]
    Listen { addr: Address, source: io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error("the {what} file {} cannot be read: {source}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("the fault file {} cannot be followed: {source}", path.display())]
    Fault { path: PathBuf, source: InvalidInput },
    #[error("the dialect file {} cannot be followed: {source}", path.display())]
    Dialect { path: PathBuf, source: InvalidInput },
    #[error("the webhook secret file {} has no secret: {source}", path.display())]
    Secret { path: PathBuf, source: InvalidInput },
    #[error("cannot wait for signals: {0}")]
    Signal(io::Error),
    #[error("cannot print the address: {0}")]
    Print(io::Error),
    #[error("cannot serve: {0}")]
    Serve(io::Error),
}
