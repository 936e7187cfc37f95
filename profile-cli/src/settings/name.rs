//! The settings that config.toml may hold, by name.

use std::fmt;

use crate::output::Format;
use crate::output::screen::ColorChoice;

/// One of the settings that config.toml may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingName {
    Account,
    BaseUrl,
    Color,
    Editor,
    NoInput,
    Output,
    Retries,
    Timeout,
}

impl SettingName {
    pub(crate) const ALL: [Self; 8] = [
        Self::Account,
        Self::BaseUrl,
        Self::Color,
        Self::Editor,
        Self::NoInput,
        Self::Output,
        Self::Retries,
        Self::Timeout,
    ];

    /// The name in config.toml.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::BaseUrl => "base_url",
            Self::Color => "color",
            Self::Editor => "editor",
            Self::NoInput => "no_input",
            Self::Output => "output",
            Self::Retries => "retries",
            Self::Timeout => "timeout",
        }
    }

    /// The flag that comes before all others.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Account => "--account",
            Self::BaseUrl => "--base-url",
            Self::Color => "--color",
            // An editor is no flag of any command.
            Self::Editor => "",
            Self::NoInput => "--no-input",
            Self::Output => "--output",
            Self::Retries => "--retries",
            Self::Timeout => "--timeout",
        }
    }

    /// The variable of the environment that comes before the file.
    pub(crate) fn variable(self) -> Option<&'static str> {
        match self {
            Self::Account => Some("PROFILE_ACCOUNT"),
            Self::BaseUrl => Some("PROFILE_BASE_URL"),
            Self::Editor => Some("PROFILE_EDITOR"),
            Self::NoInput => Some("PROFILE_NO_INPUT"),
            Self::Output => Some("PROFILE_OUTPUT"),
            Self::Color | Self::Retries | Self::Timeout => None,
        }
    }

    /// Whether the text can be the setting's value.
    pub(crate) fn check(self, text: &str) -> Result<(), String> {
        match self {
            Self::Account | Self::BaseUrl | Self::Editor => Ok(()),
            Self::Color => ColorChoice::parse(text).map(drop),
            Self::NoInput => switch(text).map(drop),
            Self::Output => Format::parse(text).map(drop),
            Self::Retries => count(text).map(drop),
            Self::Timeout => super::seconds(text).map(drop),
        }
    }
}

impl fmt::Display for SettingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads on or off.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(format!("is {text:?}; expected true or false")),
    }
}

/// Reads a number of times.
pub(super) fn count(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| format!("is {text:?}; expected a whole number such as 3"))
}
