//! The operating system: environment variables, private files and signals.

pub(crate) mod environment;
pub(crate) mod interruption;
pub(crate) mod private_file;
