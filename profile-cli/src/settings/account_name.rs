//! The name of an account, which is the name of a file as well.

use std::fmt;

/// A name that every file system takes as a file of the directory it is meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountName(String);

impl AccountName {
    /// What stands for an account when no better name is known.
    const FALLBACK: &str = "default";

    /// The longest name of a file.
    const MAX_LENGTH: usize = 255;

    /// Reads a name, or tells why it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let invalid = |reason: &str| {
            let name = text.chars().take(40).collect::<String>();
            Err(format!(
                "is {name:?}, which {reason}; \
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

    /// The name for a service's account: its host, where that can be a name.
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
    fn a_name_is_a_safe_file_name() {
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
        assert!(AccountName::parse(&"a".repeat(256)).is_err());
    }

    #[test]
    fn a_service_without_a_nameable_host_is_the_default() {
        let name = |url| AccountName::of_service(url).to_string();
        assert_eq!(name("https://profiles.example/x"), "profiles.example");
        assert_eq!(name("http://127.0.0.1:8080"), "127.0.0.1");
        assert_eq!(name("http://[::1]:8080"), "default");
    }
}
