//! Values of settings: their sources, defaults and parsers.

use std::fmt;
use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use profile_sdk::ClientBuilder;

use crate::terminal::{argument, escaped};

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
            Self::Option(name) | Self::Environment(name) => f.write_str(name),
            Self::Account(name) => write!(f, "account {name}"),
            Self::File(path) => f.write_str(&escaped(path)),
            Self::Default => f.write_str("default"),
        }
    }
}

/// Maximum number of retries.
pub(crate) const DEFAULT_RETRIES: u32 = 3;

/// Timeout for each attempt.
pub(crate) const DEFAULT_TIMEOUT: Duration = ClientBuilder::DEFAULT_ATTEMPT_TIMEOUT;

/// Returns what an error may show of a value, in quotation marks.
pub(super) fn shown(text: &str) -> String {
    format!("\"{}\"", argument(text.as_bytes()))
}

/// Description of a number of seconds.
pub(super) const SECONDS: &str = "a number of seconds greater than 0, such as 10 or 0.5";

/// Parses a number of seconds, which may have a fraction.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| format!("is {}; expected {SECONDS}", shown(text)))
}

/// Parses `true` or `false`.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("is {}; expected true or false", shown(text))),
    }
}

/// Parses one of a few names.
pub(crate) fn choice<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, false).map_err(|_| {
        let names: Vec<_> = T::value_variants().iter().map(name_of).collect();
        format!("is {}; expected one of {}", shown(text), names.join(", "))
    })
}

/// Returns the name of a value.
pub(crate) fn name_of<T: ValueEnum>(value: &T) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Parses a whole number.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => format!("is {text}; the maximum is {}", u32::MAX),
            _ => format!("is {}; expected a whole number such as 3", shown(text)),
        })
}
