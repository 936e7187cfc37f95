//! Defaults and parsers of settings.

use std::time::Duration;

use clap::ValueEnum;
use profile_sdk::ClientBuilder;

/// Maximum number of retries.
pub(crate) const DEFAULT_RETRIES: u32 = 3;

/// Timeout for each attempt.
pub(crate) const DEFAULT_TIMEOUT: Duration = ClientBuilder::DEFAULT_ATTEMPT_TIMEOUT;

/// Parses a number of seconds, which may have a fraction.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            format!("is {text:?}; expected a number of seconds greater than 0, such as 10 or 0.5")
        })
}

/// Parses `true` or `false`.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("is {text:?}; expected true or false")),
    }
}

/// Parses one of a few names.
pub(crate) fn choice<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, false).map_err(|_| {
        let names: Vec<_> = T::value_variants().iter().map(name_of).collect();
        format!("is {text:?}; expected one of {}", names.join(", "))
    })
}

/// Returns the name of a value.
pub(crate) fn name_of<T: ValueEnum>(value: &T) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Parses a whole number.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        let is_large = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match is_large {
            true => format!("is {text}; the maximum is {}", u32::MAX),
            false => format!("is {text:?}; expected a whole number such as 3"),
        }
    })
}
