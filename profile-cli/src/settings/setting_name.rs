//! The settings: one table of their names, sources, defaults and help texts.

use std::fmt;
use std::io::IsTerminal as _;

use clap::builder::PossibleValue;
use clap::{ColorChoice, ValueEnum};
use profile_sdk::{Client, Error, internal::quoted};
use toml_edit::{Item, Value};

use super::value::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, SECONDS, choice, count, seconds, switch};
use super::{AccountName, Format};
use crate::drawing::text::shortened;
use crate::outcome::NextCommand;
use crate::system::command_words;
use crate::terminal::{SafeUrl, argument};

/// Description of a string in TOML.
pub(super) const STRING: &str = "a string in quotes";

/// The name of a setting, which is also its place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingName {
    Account,
    BaseUrl,
    Color,
    Editor,
    NoInput,
    Output,
    Proxy,
    Retries,
    Timeout,
}

/// A setting: everything that options, files, help texts and completion have to know about it.
pub(super) struct Row {
    setting: SettingName,
    /// The name in config.toml.
    name: &'static str,
    /// The environment variable that takes precedence over config.toml.
    variable: Option<&'static str>,
    /// Variables of other programs, over which config.toml takes precedence.
    pub(super) common_variables: &'static [&'static str],
    pub(super) default: fn() -> Option<String>,
    kind: Kind,
    help: &'static str,
}

/// The values of a setting.
enum Kind {
    /// Text that a function checks.
    Text(fn(&str) -> Result<(), String>),
    Url(fn(&str) -> Result<(), String>),
    /// One of a few names.
    Choice(fn(&str) -> Result<(), String>, fn() -> Vec<PossibleValue>),
    Switch,
    Count,
    Seconds,
}

impl Kind {
    /// Returns the kind of a setting whose values are the variants of an enum.
    const fn choice<T: ValueEnum>() -> Self {
        Self::Choice(
            |text| choice::<T>(text).map(drop),
            || {
                let values = T::value_variants().iter();
                values.filter_map(T::to_possible_value).collect()
            },
        )
    }
}

const ROWS: &[Row] = &[
    Row {
        setting: SettingName::Account,
        name: "account",
        variable: Some("PROFILE_ACCOUNT"),
        common_variables: &[],
        default: || None,
        kind: Kind::Text(|text| AccountName::parse(text).map(drop)),
        help: "Name of the stored account to use",
    },
    Row {
        setting: SettingName::BaseUrl,
        name: "base_url",
        variable: Some("PROFILE_BASE_URL"),
        common_variables: &[],
        default: || None,
        kind: Kind::Url(|text| base_url(&complete_url(text.to_owned()))),
        help: "Base URL of the service, for example https://profiles.example",
    },
    Row {
        setting: SettingName::Color,
        name: "color",
        variable: None,
        common_variables: &[],
        default: || Some("auto".to_owned()),
        kind: Kind::choice::<ColorChoice>(),
        help: "When to use color: auto, always or never; `auto` honors NO_COLOR, CLICOLOR_FORCE and TERM",
    },
    Row {
        setting: SettingName::Editor,
        name: "editor",
        variable: Some("PROFILE_EDITOR"),
        common_variables: &["VISUAL", "EDITOR"],
        // Installed by default.
        default: || Some(if cfg!(windows) { "notepad" } else { "vi" }.to_owned()),
        kind: Kind::Text(editor),
        help: "Editor; otherwise `editor` in config.toml, VISUAL or EDITOR",
    },
    Row {
        setting: SettingName::NoInput,
        name: "no_input",
        variable: Some("PROFILE_NO_INPUT"),
        common_variables: &[],
        default: || Some("false".to_owned()),
        kind: Kind::Switch,
        help: "Never prompt; fail where input is required",
    },
    Row {
        setting: SettingName::Output,
        name: "output",
        variable: Some("PROFILE_OUTPUT"),
        common_variables: &[],
        default: || {
            let is_terminal = std::io::stdout().is_terminal();
            Some(if is_terminal { "table" } else { "tsv" }.to_owned())
        },
        kind: Kind::choice::<Format>(),
        help: "Output format: table, json, csv or tsv",
    },
    Row {
        setting: SettingName::Proxy,
        name: "proxy",
        variable: None,
        common_variables: &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        default: || None,
        kind: Kind::Url(proxy),
        help: "Proxy for https://",
    },
    Row {
        setting: SettingName::Retries,
        name: "retries",
        variable: None,
        common_variables: &[],
        default: || Some(DEFAULT_RETRIES.to_string()),
        kind: Kind::Count,
        help: "Maximum number of retries",
    },
    Row {
        setting: SettingName::Timeout,
        name: "timeout",
        variable: None,
        common_variables: &[],
        default: || Some(DEFAULT_TIMEOUT.as_secs().to_string()),
        kind: Kind::Seconds,
        help: "Timeout for each attempt, in seconds",
    },
];

impl SettingName {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.setting)
    }

    /// Returns the name in config.toml.
    pub(crate) fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Returns the environment variable that takes precedence over config.toml.
    pub(crate) fn variable(self) -> Option<&'static str> {
        self.row().variable
    }

    /// Describes the setting, with its default.
    pub(crate) fn help(self) -> String {
        let Row { help, default, .. } = self.row();
        match (self, default()) {
            (Self::Output, _) => format!("{help} [default: table on a terminal, tsv elsewhere]"),
            (Self::NoInput, _) | (_, None) => (*help).to_owned(),
            (_, Some(default)) => format!("{help} [default: {default}]"),
        }
    }

    pub(super) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Parses a name; hyphens count as underscores.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let name = text.replace('-', "_");
        let found = Self::all().find(|known| known.as_str() == name);
        found.ok_or_else(|| Self::unknown_message(text))
    }

    /// Returns the error message for an unknown name.
    pub(super) fn unknown_message(text: &str) -> String {
        let text = argument(text.as_bytes());
        let shown = shortened(&text);
        let name = shown.to_lowercase().replace('-', "_");
        if ["api_key", "key", "token"].contains(&&*name) {
            let login = NextCommand("profile auth login");
            return format!(
                "{shown} is not a setting: config.toml does not hold API keys; store one with {login}, or \
                 set PROFILE_API_KEY"
            );
        }
        let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
        let names = names.join(", ");
        format!("unknown setting \"{shown}\"; expected one of {names}")
    }

    /// Checks that the text is a valid value.
    pub(crate) fn check(self, text: &str) -> Result<(), String> {
        match self.row().kind {
            Kind::Text(check) | Kind::Url(check) | Kind::Choice(check, _) => check(text),
            Kind::Switch => switch(text).map(drop),
            Kind::Count => count(text).map(drop),
            Kind::Seconds => seconds(text).map(drop),
        }
    }

    /// Returns the values of a setting that has only a few.
    pub(crate) fn known_values(self) -> Vec<PossibleValue> {
        match self.row().kind {
            Kind::Choice(_, values) => values(),
            Kind::Switch => ["true", "false"].map(PossibleValue::new).into(),
            Kind::Text(_) | Kind::Url(_) | Kind::Count | Kind::Seconds => Vec::new(),
        }
    }

    /// Describes the expected value, and returns a function that checks the type of a TOML value.
    pub(super) fn expected(self) -> (&'static str, fn(&Item) -> bool) {
        match self.row().kind {
            Kind::Text(_) | Kind::Url(_) | Kind::Choice(..) => (STRING, Item::is_str),
            Kind::Switch => ("true or false", Item::is_bool),
            Kind::Count => ("a whole number such as 3", Item::is_integer),
            Kind::Seconds => (SECONDS, |item| item.is_integer() || item.is_float()),
        }
    }

    /// Returns the value for output, without the password that a URL may contain.
    pub(crate) fn without_password(self, value: &str) -> String {
        match self.row().kind {
            Kind::Url(_) => SafeUrl::new(value).to_string(),
            Kind::Text(_) | Kind::Choice(..) | Kind::Switch | Kind::Count | Kind::Seconds => {
                value.to_owned()
            }
        }
    }

    /// Converts valid text to a TOML value of the right type.
    pub(super) fn value(self, text: &str) -> Value {
        let typed = match self.row().kind {
            Kind::Text(_) | Kind::Url(_) | Kind::Choice(..) => None,
            Kind::Switch => switch(text).ok().map(Value::from),
            Kind::Count => count(text).ok().map(|count| Value::from(i64::from(count))),
            Kind::Seconds => {
                let whole = text.parse::<i64>().map(Value::from).ok();
                whole.or_else(|| text.parse::<f64>().map(Value::from).ok())
            }
        };
        typed.unwrap_or_else(|| Value::from(text))
    }
}

impl fmt::Display for SettingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns a URL with its scheme, which may be omitted: that of a service or a receiver.
///
/// Text that does not look like a host is unchanged, and then rejected: it may be the key.
pub(crate) fn complete_url(text: String) -> String {
    let is_host = text.contains(['.', ':']) || text.starts_with("localhost");
    if text.contains(":/") || !is_host {
        return text;
    }
    let plain = format!("http://{text}");
    match SafeUrl::new(&*plain).is_loopback() {
        true => plain,
        false => format!("https://{text}"),
    }
}

fn editor(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is empty; expected a command such as vi".to_owned());
    }
    let words = command_words(text).map(drop);
    words.ok_or_else(|| {
        let text = quoted(text);
        format!("is {text}, which is not a command; close all quotes")
    })
}

/// Checks a base URL.
fn base_url(text: &str) -> Result<(), String> {
    // Parsers of URLs replace or remove these, each in its own way: they could connect to different hosts.
    let is_ambiguous = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
    if let Some(c) = text.chars().find(|&c| is_ambiguous(c)) {
        return Err(format!(
            "contains {c:?}; expected a URL such as https://host"
        ));
    }
    let client = || Client::builder().base_url(text);
    client().check().map_err(|error| {
        // The library would suggest this method.
        match client().allow_plain_http(true).check() {
            Ok(()) => {
                let url = SafeUrl::new(text.trim_end_matches('/'));
                format!("{url} would send requests unencrypted to another machine; use https")
            }
            Err(_) => reason(&error),
        }
    })
}

/// Checks the URL of a proxy.
fn proxy(text: &str) -> Result<(), String> {
    let client = Client::builder().base_url("https://localhost");
    let checked = client.proxy(with_scheme(text)).check();
    checked.map_err(|error| reason(&error))
}

/// Returns the library's message about an invalid value, without the name of the value.
fn reason(error: &Error) -> String {
    let invalid = error.invalid_value();
    invalid.map_or_else(|| error.to_string(), |invalid| invalid.reason().to_owned())
}

/// Returns the URL of a proxy, which may be written without `http://`, as for curl.
pub(super) fn with_scheme(proxy: &str) -> String {
    match proxy.contains(":/") {
        true => proxy.to_owned(),
        false => format!("http://{proxy}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{ROWS, SettingName};

    #[test]
    fn names_are_places_in_the_table() {
        for row in ROWS {
            assert_eq!(row.setting.as_str(), row.name);
            assert_eq!(SettingName::parse(row.name), Ok(row.setting));
        }
    }
}
