//! The names of the settings in config.toml.

use std::fmt;
use std::io::IsTerminal as _;
use std::path::Path;

use clap::builder::PossibleValue;
use clap::{ColorChoice, ValueEnum};
use profile_sdk::Client;
use toml_edit::{Item, Value};

use super::value::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, choice, count, seconds, switch};
use super::{AccountName, Format, without_credentials};

/// Description of a string in TOML.
pub(super) const STRING: &str = "a string in quotes";

/// The name of a setting in config.toml.
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
    SandboxDialect,
    Timeout,
}

impl SettingName {
    pub(crate) const ALL: [Self; 10] = [
        Self::Account,
        Self::BaseUrl,
        Self::Color,
        Self::Editor,
        Self::NoInput,
        Self::Output,
        Self::Proxy,
        Self::Retries,
        Self::SandboxDialect,
        Self::Timeout,
    ];

    /// Returns the name in config.toml.
    pub(crate) const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Returns the environment variable that takes precedence over config.toml.
    pub(crate) fn variable(self) -> Option<&'static str> {
        self.row().1
    }

    const fn row(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Account => ("account", Some("PROFILE_ACCOUNT")),
            Self::BaseUrl => ("base_url", Some("PROFILE_BASE_URL")),
            Self::Color => ("color", None),
            Self::Editor => ("editor", Some("PROFILE_EDITOR")),
            Self::NoInput => ("no_input", Some("PROFILE_NO_INPUT")),
            Self::Output => ("output", Some("PROFILE_OUTPUT")),
            Self::Proxy => ("proxy", None),
            Self::Retries => ("retries", None),
            Self::SandboxDialect => ("sandbox_dialect", Some("PROFILE_SANDBOX_DIALECT")),
            Self::Timeout => ("timeout", None),
        }
    }

    /// Parses a name; hyphens count as underscores.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let name = text.replace('-', "_");
        let found = Self::ALL.into_iter().find(|known| known.as_str() == name);
        found.ok_or_else(|| Self::unknown_message(text))
    }

    /// Returns the error message for an unknown name.
    pub(super) fn unknown_message(text: &str) -> String {
        let shown: String = text.chars().take(40).collect();
        if matches!(
            shown.to_lowercase().replace('-', "_").as_str(),
            "api_key" | "key" | "token"
        ) {
            return format!(
                "{shown} is not a setting: config.toml does not hold API keys; \
                 store one with `profile auth login`, or set PROFILE_API_KEY"
            );
        }
        let names = Self::ALL.map(Self::as_str).join(", ");
        format!("unknown setting {shown:?}; expected one of {names}")
    }

    /// Returns common environment variables, over which config.toml takes precedence.
    pub(super) fn common_variables(self) -> &'static [&'static str] {
        match self {
            Self::Editor => &["VISUAL", "EDITOR"],
            Self::Proxy => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
            _ => &[],
        }
    }

    /// Checks that the text is a valid value.
    pub(crate) fn check(self, text: &str) -> Result<(), String> {
        match self {
            Self::Account => AccountName::parse(text).map(drop),
            Self::BaseUrl => base_url(&complete_base_url(text.to_owned())),
            Self::Editor if text.trim().is_empty() => {
                Err("is empty; expected a command such as vi".to_owned())
            }
            Self::Editor => Ok(()),
            Self::Color => choice::<ColorChoice>(text).map(drop),
            Self::NoInput => switch(text).map(drop),
            Self::Output => choice::<Format>(text).map(drop),
            Self::Proxy => proxy(text),
            Self::Retries => count(text).map(drop),
            #[cfg(feature = "sandbox")]
            Self::SandboxDialect => super::value::dialect(text).map(drop),
            #[cfg(not(feature = "sandbox"))]
            Self::SandboxDialect => Ok(()),
            Self::Timeout => seconds(text).map(drop),
        }
    }

    /// Returns the values of a setting that has only a few.
    pub(crate) fn known_values(self) -> Vec<PossibleValue> {
        match self {
            Self::Color => possible_values::<ColorChoice>(),
            Self::Output => possible_values::<Format>(),
            Self::NoInput => vec![PossibleValue::new("true"), PossibleValue::new("false")],
            _ => Vec::new(),
        }
    }

    /// Returns `true` if the TOML value has the right type.
    pub(super) fn accepts(self, item: &Item) -> bool {
        match self {
            Self::NoInput => item.is_bool(),
            Self::Retries => item.is_integer(),
            Self::Timeout => item.is_integer() || item.is_float(),
            _ => item.is_str(),
        }
    }

    /// Describes the expected value, for errors.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::NoInput => "true or false",
            Self::Retries => "a whole number such as 3",
            Self::Timeout => "a number of seconds greater than 0, such as 10 or 0.5",
            _ => STRING,
        }
    }

    /// Returns the text of the default.
    pub(crate) fn default_text(self) -> Option<String> {
        let text = match self {
            Self::Account | Self::BaseUrl | Self::Proxy => return None,
            Self::SandboxDialect => "default",
            Self::Color => "auto",
            // Installed by default.
            Self::Editor if cfg!(windows) => "notepad",
            Self::Editor => "vi",
            Self::NoInput => "false",
            Self::Output if std::io::stdout().is_terminal() => "table",
            Self::Output => "tsv",
            Self::Retries => return Some(DEFAULT_RETRIES.to_string()),
            Self::Timeout => return Some(DEFAULT_TIMEOUT.as_secs().to_string()),
        };
        Some(text.to_owned())
    }

    /// Returns the value for output, without the password that a URL may contain.
    pub(crate) fn without_password(self, value: &str) -> String {
        match self {
            Self::BaseUrl | Self::Proxy => without_credentials(value),
            _ => value.to_owned(),
        }
    }

    /// Converts valid text to a TOML value of the right type.
    pub(super) fn value(self, text: &str) -> Value {
        let typed = match self {
            Self::NoInput => switch(text).ok().map(Value::from),
            Self::Retries => count(text).ok().map(|count| Value::from(i64::from(count))),
            Self::Timeout => match text.parse::<i64>() {
                Ok(seconds) => Some(Value::from(seconds)),
                Err(_) => text.parse::<f64>().ok().map(Value::from),
            },
            // A path that is valid in every directory.
            Self::SandboxDialect if Path::new(text).exists() => {
                let path = std::path::absolute(text).ok();
                path.and_then(|path| path.to_str().map(Value::from))
            }
            _ => None,
        };
        typed.unwrap_or_else(|| Value::from(text))
    }
}

impl fmt::Display for SettingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn possible_values<T: ValueEnum>() -> Vec<PossibleValue> {
    let values = T::value_variants().iter();
    values.filter_map(T::to_possible_value).collect()
}

/// Returns a base URL with its scheme, which may be omitted.
///
/// Text that does not look like a host is unchanged, and then rejected: it may be the key.
pub(crate) fn complete_base_url(text: String) -> String {
    let is_host = text.contains(['.', ':']) || text.starts_with("localhost");
    if text.contains(":/") || !is_host {
        return text;
    }
    // Plain HTTP is only valid on this machine.
    let plain = format!("http://{text}");
    match base_url(&plain) {
        Ok(()) => plain,
        Err(_) => format!("https://{text}"),
    }
}

/// Checks a base URL.
fn base_url(text: &str) -> Result<(), String> {
    let built = Client::builder().base_url(text).build();
    built.map(drop).map_err(|error| {
        let reason = base_url_message(&error);
        let reason = reason.strip_prefix("base URL ").unwrap_or(&reason);
        reason.to_owned()
    })
}

/// Checks the URL of a proxy.
fn proxy(text: &str) -> Result<(), String> {
    let client = Client::builder().base_url("https://localhost");
    let built = client.proxy(with_scheme(text)).build();
    built.map(drop).map_err(|error| {
        let reason = error.to_string();
        reason.strip_prefix("proxy ").unwrap_or(&reason).to_owned()
    })
}

/// Returns the URL of a proxy, which may be written without `http://`, as for curl.
pub(super) fn with_scheme(proxy: &str) -> String {
    match proxy.contains("://") {
        true => proxy.to_owned(),
        false => format!("http://{proxy}"),
    }
}

/// Returns the library's message about a base URL, without the part for programmers.
pub(crate) fn base_url_message(error: &impl fmt::Display) -> String {
    error
        .to_string()
        .replace(", or call ClientBuilder::allow_plain_http", "")
}
