//! Why a state file cannot serve.

use std::io;
use std::path::PathBuf;

use crate::state_file::VERSION;

/// Why a state file cannot serve. The file is left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file is there and cannot be read.
    #[error("the state file {} cannot be read: {source}; allow reading it, or name another", path.display())]
    Unreadable {
        /// The state file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file, its lock or its directory cannot be written.
    #[error("the state file {} cannot be written: {source}; allow writing it, or name another", path.display())]
    Unwritable {
        /// The state file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What the file holds is no state, or one that no service can go on from.
    #[error(
        "the state file {} is damaged: {reason}; mend it, or delete it to start anew",
        path.display()
    )]
    Damaged {
        /// The state file.
        path: PathBuf,
        /// Where, what was found there and what is expected.
        reason: String,
    },
    /// The file was written by another version of the mock server, in another form.
    #[error(
        "the state file {} has version {version}, and this mock server reads version {VERSION}; \
         use the mock server that wrote it, or delete it to start anew",
        path.display()
    )]
    OtherVersion {
        /// The state file.
        path: PathBuf,
        /// The version that the file states.
        version: u64,
    },
}
