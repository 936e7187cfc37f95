//! A stored account, and its name, which is also a file name.

use std::fmt;

use profile_sdk::quoted;

use crate::drawing::text::shortened;
use crate::outcome::failure::Failure;
use crate::terminal::printable::redact_argument;

/// A stored login: a base URL in config.toml, and a key that is stored elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) base_url: Option<String>,
}

impl Account {
    /// Returns the failure for an account without a base URL, as it may be written by hand.
    pub(super) fn lacks_base_url(&self) -> Failure {
        let name = &self.name;
        let failure = Failure::usage(format!("account {name} has no base_url in config.toml"));
        failure.hint(format!(
            "log in again with `profile auth login --account {name}`"
        ))
    }
}

/// A name that is a valid file name on every file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountName(String);

impl AccountName {
    /// The name if the host of the service cannot be used.
    const FALLBACK: &str = "default";

    /// Maximum length of a file name.
    const MAX_LENGTH: usize = 255;

    /// Parses a name. The error completes a sentence that starts with the setting's name.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let invalid = |reason: &str| {
            let name = quoted(&shortened(redact_argument(text)));
            Err(format!(
                "is {name}, which {reason}; \
                 expected letters, digits and . _ - @, such as work or ada@profiles.example"
            ))
        };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
        if text.is_empty() {
            return invalid("is empty");
        }
        if let Some(c) = text.chars().find(|&c| !is_allowed(c)) {
            return invalid(&format!("contains {c:?}"));
        }
        if text.len() > Self::MAX_LENGTH {
            return invalid(&format!("is longer than {} characters", Self::MAX_LENGTH));
        }
        if text.starts_with(['.', '-']) || text.ends_with('.') {
            return invalid("starts with . or - or ends with .");
        }
        if is_device(text) {
            return invalid("is a reserved name on Windows");
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the default name for an account: the host of the service, if that is a valid name.
    pub(crate) fn of_service(base_url: &str) -> Self {
        let url = url::Url::parse(base_url).ok();
        let host = url.as_ref().and_then(url::Url::host_str);
        host.and_then(|host| Self::parse(host).ok())
            .unwrap_or_else(|| Self(Self::FALLBACK.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_device(text: &str) -> bool {
    let stem = text.split('.').next().unwrap_or(text).to_ascii_lowercase();
    let numbered = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || numbered.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'9']))
}

#[cfg(test)]
mod tests {
    use super::AccountName;

    #[test]
    fn accepts_only_safe_file_names() {
        for name in [
            "work",
            "127.0.0.1",
            "ada@profiles.example",
            "a_b-c",
            "common",
        ] {
            assert_eq!(AccountName::parse(name).unwrap().as_str(), name);
        }
        for name in [
            "", ".", "..", "../x", "a/b", "a\\b", "a b", "a:b", "-x", "x.", "NUL", "com1.x", "é",
        ] {
            assert!(AccountName::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn falls_back_to_default_for_unusable_hosts() {
        let name = |url| AccountName::of_service(url).to_string();
        assert_eq!(name("https://profiles.example/x"), "profiles.example");
        assert_eq!(name("http://127.0.0.1:8080"), "127.0.0.1");
        assert_eq!(name("http://[::1]:8080"), "default");
    }
}
