//! The operating system: environment variables, files and signals.

pub(crate) mod environment;
pub(crate) mod interruption;
pub(crate) mod output_file;
pub(crate) mod private_file;
