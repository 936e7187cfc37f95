//! The operating system: programs, environment variables, files and signals.

pub(crate) mod command;
pub(crate) mod environment;
pub(crate) mod interruption;
pub(crate) mod private_file;
pub(crate) mod text_file;
pub(crate) mod written_file;

pub(crate) use text_file::Text;
pub(crate) use written_file::Rules;
