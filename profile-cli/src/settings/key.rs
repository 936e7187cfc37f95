//! Finds the API key.

use profile_sdk::ApiKey;

use super::key_store::StoredKey;
use super::{KeyStore, Setting, Settings, Source};
use crate::outcome::failure::Failure;
use crate::system::environment::Environment;

/// An API key with its source.
pub(crate) struct Key {
    pub(crate) key: Setting<ApiKey>,
    /// The key with all but its end hidden.
    pub(crate) masked: String,
    /// A warning about unsafe permissions.
    pub(crate) warning: Option<String>,
}

impl Key {
    /// Returns the key of `--account`, of PROFILE_API_KEY, of PROFILE_API_KEY_FILE, or of the
    /// account in the other settings, in this order.
    pub(crate) fn find(settings: &Settings) -> Result<Option<Self>, Failure> {
        if !settings.account_is_flag()
            && let Some(key) = Self::of_environment(&settings.environment)?
        {
            return Ok(Some(key));
        }
        let Some(account) = settings.account()? else {
            return Ok(None);
        };
        let source = Source::Account(account.name.clone());
        let Some(kept) = KeyStore::read(settings, &account.name)? else {
            return Ok(None);
        };
        check_destination(settings, account.base_url.as_deref())?;
        Self::new(kept.text, source, kept.warning).map(Some)
    }

    fn of_environment(environment: &Environment) -> Result<Option<Self>, Failure> {
        const KEY: &str = "PROFILE_API_KEY";
        const KEY_FILE: &str = "PROFILE_API_KEY_FILE";
        if let Some(text) = environment.text(KEY)? {
            return Self::new(text, Source::Environment(KEY), None).map(Some);
        }
        let Some(path) = environment.path(KEY_FILE) else {
            return Ok(None);
        };
        let missing = || Failure::usage(format!("{KEY_FILE}: {} does not exist", path.display()));
        let kept = StoredKey::of_file(&path)?.ok_or_else(missing)?;
        Self::new(kept.text, Source::Environment(KEY_FILE), kept.warning).map(Some)
    }

    fn new(text: String, source: Source, warning: Option<String>) -> Result<Self, Failure> {
        let invalid = |invalid| {
            let failure = Failure::from(invalid);
            failure.hint(format!("check the key from {source}"))
        };
        let masked = masked(text.trim_end());
        Ok(Self {
            key: Setting::new(ApiKey::new(text).map_err(invalid)?, source.clone()),
            masked,
            warning,
        })
    }
}

/// Returns `true` if the base URLs are equal, apart from trailing slashes.
pub(crate) fn is_same_service(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// Returns the base URL with the user name and password hidden.
pub(crate) fn without_login(base_url: &str) -> String {
    let hidden = base_url.split_once("://").and_then(|(scheme, rest)| {
        let authority = rest.split(['/', '?', '#']).next()?;
        let host = authority.rfind('@')?;
        Some(format!("{scheme}://***{}", &rest[host..]))
    });
    hidden.unwrap_or_else(|| base_url.to_owned())
}

/// Rejects sending an account's key to a different service, unless `--base-url` is given.
fn check_destination(settings: &Settings, stored: Option<&str>) -> Result<(), Failure> {
    let base_url = settings.base_url()?;
    let is_typed = matches!(base_url.source, Source::Flag(_));
    if is_typed || stored.is_none_or(|stored| is_same_service(stored, &base_url.value)) {
        return Ok(());
    }
    let stored = stored.unwrap_or_default();
    let message = format!(
        "the account's key is for {stored}, but {} sets {}",
        base_url.source, base_url.value
    );
    Err(Failure::usage(message).hint("set PROFILE_API_KEY, or pass a different --account"))
}

/// Masks the key, except for the last four characters of long keys.
fn masked(key: &str) -> String {
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
