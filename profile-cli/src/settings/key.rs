//! Finds the API key.

use profile_sdk::ApiKey;

use super::{Account, DEFAULT_TIMEOUT, KeyStore, Setting, Settings, Source};
use crate::outcome::{Failure, NextCommand, Result};
use crate::system::{Text, environment, text_file};
use crate::terminal::add_secret;

const KEY: &str = "PROFILE_API_KEY";
const KEY_FILE: &str = "PROFILE_API_KEY_FILE";

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

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn shows_only_the_end_of_long_keys() {
        assert_eq!(masked("0123456789abcdef"), "********cdef");
        assert_eq!(masked("0123456789abcde"), "********");
    }
}
