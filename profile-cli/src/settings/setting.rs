//! The value of a setting with its source.

use std::fmt;
use std::path::PathBuf;

/// A value with its source.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Option(&'static str),
    Environment(&'static str),
    /// The stored account of this name.
    Account(String),
    File(PathBuf),
    Default,
}

impl<T> Setting<T> {
    pub(crate) fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(option) => f.write_str(option),
            Self::Environment(variable) => f.write_str(variable),
            Self::Account(name) => write!(f, "account {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}
