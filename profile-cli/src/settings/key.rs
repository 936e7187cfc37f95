//! Finds the API key that the settings choose.

use std::io::ErrorKind;
use std::path::Path;

use profile_sdk::ApiKey;

use super::{Setting, Settings, Source};
use crate::failure::{Failure, FailureKind};
use crate::private_file;

/// A key, and what a person should know of how it is kept.
pub(crate) struct Key {
    pub(crate) key: Setting<ApiKey>,
    pub(crate) warning: Option<String>,
}

impl Settings {
    /// The key: that of `--account`, PROFILE_API_KEY, PROFILE_API_KEY_FILE or that of the account
    /// which the other settings name, in this order.
    pub(crate) fn key(&self) -> Result<Option<Key>, Failure> {
        if self.account.is_none()
            && let Some(key) = self.key_of_environment()?
        {
            return Ok(Some(key));
        }
        let Some(account) = self.account()? else {
            return Ok(None);
        };
        let source = Source::Account(account.name.clone());
        let key = self.key_of_file(&self.key_file(&account.name)?, source)?;
        if key.is_some() {
            self.check_destination(account.base_url.as_deref())?;
        }
        Ok(key)
    }

    fn key_of_environment(&self) -> Result<Option<Key>, Failure> {
        const KEY: &str = "PROFILE_API_KEY";
        const KEY_FILE: &str = "PROFILE_API_KEY_FILE";
        if let Some(text) = self.environment.text(KEY)? {
            return key(text, Source::Environment(KEY), None).map(Some);
        }
        let Some(path) = self.environment.path(KEY_FILE) else {
            return Ok(None);
        };
        let found = self.key_of_file(&path, Source::Environment(KEY_FILE))?;
        let missing = || Failure::usage(format!("{KEY_FILE}: there is no {}", path.display()));
        found.map(Some).ok_or_else(missing)
    }

    fn key_of_file(&self, path: &Path, source: Source) -> Result<Option<Key>, Failure> {
        let (text, exposed) = match private_file::read(path) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let message = format!("{} cannot be read: {error}", path.display());
                return Err(Failure::new(FailureKind::Other, message));
            }
        };
        let path = path.display();
        let warning = exposed.then(|| {
            format!("others may read the key in {path}; close it with `chmod 600 {path}`")
        });
        key(text, source, warning).map(Some)
    }

    /// An account's key goes to that account's service, unless somebody types another.
    fn check_destination(&self, stored: Option<&str>) -> Result<(), Failure> {
        let base_url = self.base_url()?;
        let same = |a: &str, b: &str| a.trim_end_matches('/') == b.trim_end_matches('/');
        let is_typed = matches!(base_url.source, Source::Flag(_));
        if is_typed || stored.is_none_or(|stored| same(stored, &base_url.value)) {
            return Ok(());
        }
        let stored = stored.unwrap_or_default();
        let message = format!(
            "the account's key belongs to {stored}, but {} says {}",
            base_url.source, base_url.value
        );
        Err(Failure::usage(message).hint("set PROFILE_API_KEY, or name another --account"))
    }
}

fn key(text: String, source: Source, warning: Option<String>) -> Result<Key, Failure> {
    let refused = |invalid| {
        let failure = Failure::from(invalid);
        failure.hint(format!("check the key of {source}"))
    };
    Ok(Key {
        key: Setting::new(ApiKey::new(text).map_err(refused)?, source.clone()),
        warning,
    })
}
