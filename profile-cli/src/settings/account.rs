//! The account of this run with its service and its API key, and the names of accounts, which are also file names.

use std::fmt;

use profile_sdk::ApiKey;

use super::{
    DEFAULT_TIMEOUT, KeyStore, Setting, SettingName, Settings, Source, Sources, complete_url,
};
use crate::drawing::text::shortened;
use crate::outcome::{Failure, NextCommand, Result, sandbox_hint, word};
use crate::system::{Text, environment, text_file};
use crate::terminal::{SafeUrl, add_secret, argument};

const KEY: &str = "PROFILE_API_KEY";
const KEY_FILE: &str = "PROFILE_API_KEY_FILE";

/// A stored login: a base URL in config.toml, and a key that is stored elsewhere.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) base_url: Option<SafeUrl>,
}

impl Account {
    /// Returns the failure for an account without a base URL, as it may be written by hand.
    fn lacks_base_url(&self) -> Failure {
        let name = &self.name;
        let failure = Failure::usage(format!("account {name} has no base_url in config.toml"));
        failure.hint(Source::Account(name.clone()).advice())
    }
}

impl Sources {
    /// Returns the base URL of the service.
    pub(crate) fn base_url(&self) -> Result<&Setting<SafeUrl>> {
        let found = self.base_url.get_or_init(|| self.find_base_url());
        found.as_ref().map_err(Clone::clone)
    }

    fn find_base_url(&self) -> Result<Setting<SafeUrl>> {
        if let Some(set) = self.configured(SettingName::BaseUrl)? {
            let text = complete_url(set.value);
            let checked = SettingName::BaseUrl.check(&text);
            checked.map_err(|reason| self.invalid(SettingName::BaseUrl, &set.source, &reason))?;
            return Ok(Setting::new(SafeUrl::new(text), set.source));
        }
        if let Some(account) = self.account()? {
            return Err(account.lacks_base_url());
        }
        let accounts = self.config.accounts().join(", ");
        if !accounts.is_empty() {
            let hint = format!("select one of {accounts} with `profile auth switch NAME`");
            return Err(Failure::usage("no account is selected").hint(hint));
        }
        let (login, sandbox) = (NextCommand("profile auth login"), sandbox_hint());
        let hint =
            format!("log in with {login}, pass --base-url, or set PROFILE_BASE_URL{sandbox}");
        Err(Failure::usage("no base URL is set").hint(hint))
    }

    /// Returns the selected account.
    pub(crate) fn account(&self) -> Result<Option<Account>> {
        let Some(chosen) = self.configured(SettingName::Account)? else {
            return Ok(None);
        };
        let name = chosen.value;
        let checked = self.config.check_account(&name);
        checked.map_err(|failure| Failure {
            message: format!("{} (from {})", failure.message, chosen.source),
            ..failure
        })?;
        let base_url = self.config.base_url_of(&name)?;
        Ok(Some(Account { name, base_url }))
    }

    /// Returns the options that select the account and the service of this run, for a command that the
    /// user runs next, perhaps with another environment or after `auth switch`.
    pub(crate) fn selection(&self) -> String {
        if self.arguments.sandbox {
            return " --sandbox".to_owned();
        }
        // The option would replace a key of the environment.
        let is_used = self.account_is_option() || !Key::is_in_environment();
        let account = self.configured(SettingName::Account).ok().flatten();
        let account = account.map(|account| account.value);
        let account = account.filter(|name| is_used && self.config.accounts().contains(name));
        let base_url = self.arguments.setting(SettingName::BaseUrl);
        let base_url = base_url.map(|url| SafeUrl::new(url.value).to_string());
        // It may be the key.
        let base_url = base_url.map(|url| argument(url.as_bytes()));
        let options = [("--account", account), ("--base-url", base_url)];
        let options =
            options.map(|(name, value)| Some(format!(" {name} {}", word(&value?, "VALUE"))));
        options.into_iter().flatten().collect()
    }

    /// Returns `true` if an option or a variable selects the account, the key or the service of this run.
    pub(crate) fn is_account_chosen(&self) -> Result<bool> {
        let account = self.override_for_run(SettingName::Account)?;
        let base_url = self.override_for_run(SettingName::BaseUrl)?;
        Ok(self.arguments.sandbox || account.or(base_url).is_some() || Key::is_in_environment())
    }

    /// Returns `true` if `--account` is given, which takes precedence over the environment.
    pub(super) fn account_is_option(&self) -> bool {
        self.arguments.setting(SettingName::Account).is_some()
    }

    pub(super) fn base_url_of_account(&self) -> Result<Option<Setting<String>>> {
        let Some(account) = self.account()? else {
            return Ok(None);
        };
        let source = Source::Account(account.name);
        let base_url = account.base_url;
        Ok(base_url.map(|url| Setting::new(url.expose().to_owned(), source)))
    }
}

/// An API key with its source, and the text in which it was found.
pub(crate) struct Key {
    pub(crate) key: Setting<ApiKey>,
    pub(crate) text: Text,
}

impl Key {
    /// Returns `true` if an environment variable has a key or names its file.
    pub(super) fn is_in_environment() -> bool {
        [KEY, KEY_FILE].into_iter().any(environment::is_set)
    }

    /// Returns `true` if the key that `find` returns is in the system keyring.
    pub(crate) fn is_in_keyring(settings: &Settings) -> Result<bool> {
        if !settings.sources.account_is_option() && Self::is_in_environment() {
            return Ok(false);
        }
        let Some(account) = settings.sources.account()? else {
            return Ok(false);
        };
        let store = KeyStore::of_account(&settings.sources.config, &account.name)?;
        Ok(store == KeyStore::Keyring)
    }

    fn find(settings: &Settings) -> Result<Option<Self>> {
        let sources = &settings.sources;
        if !sources.account_is_option()
            && let Some(mut key) = Self::of_environment(settings)?
        {
            let base_url = sources.base_url().map(|base_url| &base_url.source);
            if matches!(base_url, Ok(Source::File(_) | Source::Account(_))) {
                key.text.warnings.extend(sources.config.check_owner()?);
            }
            return Ok(Some(key));
        }
        let Some(account) = sources.account()? else {
            return Ok(None);
        };
        let of_config = sources.config.check_owner()?;
        check_destination(settings, &account)?;
        let mut text = KeyStore::read(&sources.config, &account.name)?;
        text.warnings.extend(of_config);
        // Both may be about the same directory.
        text.warnings.dedup();
        Self::new(text, Source::Account(account.name)).map(Some)
    }

    fn of_environment(settings: &Settings) -> Result<Option<Self>> {
        if let Some(text) = environment::text(KEY)? {
            return Self::new(text.into(), Source::Environment(KEY)).map(Some);
        }
        let Some(path) = environment::path(KEY_FILE) else {
            return Ok(None);
        };
        let timeout = settings.timeout.unwrap_or(DEFAULT_TIMEOUT);
        let read = text_file::read_within(&path, timeout);
        let unreadable = |error| environment::unreadable_file(KEY_FILE, &path, &error);
        Self::new(read.map_err(unreadable)?, Source::Environment(KEY_FILE)).map(Some)
    }

    fn new(text: Text, source: Source) -> Result<Self> {
        let key = ApiKey::new(text.key()).map_err(|invalid| {
            Failure::from(invalid).hint(format!("check the key from {source}"))
        })?;
        add_secret(&key);
        let key = Setting::new(key, source);
        Ok(Self { key, text })
    }
}

impl Settings {
    /// Returns the key of `--account`, of PROFILE_API_KEY, of PROFILE_API_KEY_FILE, or of the
    /// account in the other settings, in this order. Fails if the key cannot be read, or is for another service.
    pub(crate) fn key(&self) -> Result<Option<&Key>> {
        let found = self.sources.key.get_or_init(|| Key::find(self));
        found.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}

impl Source {
    /// Returns what to do if the key from this source is missing or rejected.
    pub(crate) fn advice(&self) -> String {
        let place = match self {
            Self::Account(name) => {
                let login = NextCommand(format!("profile auth login --account {name}"));
                return format!("log in again with {login}");
            }
            Self::Environment(KEY_FILE) => format!("the file of {KEY_FILE}"),
            source => source.to_string(),
        };
        let login = NextCommand("profile auth login");
        format!("replace the key in {place}; {login} does not change it")
    }
}

/// Fails if the base URL is not that of the account.
fn check_destination(settings: &Settings, account: &Account) -> Result<()> {
    let Some(stored) = &account.base_url else {
        return Err(account.lacks_base_url());
    };
    let config = &settings.sources.config;
    let base_url = settings.sources.base_url()?;
    let (other, source) = (&base_url.value, &base_url.source);
    if stored.is_same_service(other) {
        return Ok(());
    }
    let message = format!("the account's key is for {stored}, but {source} sets {other}");
    let is_for_url = |name: &String| {
        let stored = config.base_url_of(name).ok().flatten();
        stored.is_some_and(|url| url.is_same_service(other))
    };
    let login = NextCommand(format!("profile auth login --base-url {other}"));
    let hint = match config.accounts().into_iter().find(is_for_url) {
        Some(name) => format!("add --account {name}, whose key is for this URL"),
        None if settings.sources.account_is_option() => {
            format!("log in there with {login}")
        }
        None => format!("log in there with {login}, or set PROFILE_API_KEY"),
    };
    Err(Failure::usage(message).hint(hint))
}

/// Masks a key, except for the last four characters of long keys.
pub(crate) fn masked(key: &str) -> String {
    const SHOWN: usize = 4;
    const LONG: usize = 16;
    match key.is_ascii() && key.len() >= LONG {
        true => format!("********{}", &key[key.len() - SHOWN..]),
        false => "********".to_owned(),
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
            let text = argument(text.as_bytes());
            let name = shortened(&text);
            Err(format!(
                "is \"{name}\", which {reason}; \
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
    pub(crate) fn of_service(base_url: &SafeUrl) -> Self {
        let host = base_url.parsed().and_then(url::Url::host_str);
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
    use super::{AccountName, SafeUrl, masked};

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
        let name = |url| AccountName::of_service(&SafeUrl::new(url)).to_string();
        assert_eq!(name("https://profiles.example/x"), "profiles.example");
        assert_eq!(name("http://127.0.0.1:8080"), "127.0.0.1");
        assert_eq!(name("http://[::1]:8080"), "default");
    }

    #[test]
    fn shows_only_the_end_of_long_keys() {
        assert_eq!(masked("0123456789abcdef"), "********cdef");
        assert_eq!(masked("0123456789abcde"), "********");
    }
}
