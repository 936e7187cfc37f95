//! A value with the place that it comes from.

use std::fmt;
use std::path::PathBuf;

/// A value and where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Flag(&'static str),
    Environment(&'static str),
    /// What was stored when this account logged in.
    Account(String),
    File(PathBuf),
    /// Nothing was given.
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
            Self::Flag(flag) => f.write_str(flag),
            Self::Environment(variable) => f.write_str(variable),
            Self::Account(name) => write!(f, "account {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}
