//! Stores the keys of accounts: in the system keyring if this build supports it, otherwise in files.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{AccountName, ConfigFile, KEY_STORE, Source, shown};
use crate::outcome::{Failure, FailureKind, Result};
use crate::system::{Rules, Text, environment, private_file, text_file, written_file};
use crate::terminal::escaped;

/// The store of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyStore {
    File,
    Keyring,
}

/// The location of a key that was stored.
pub(crate) struct KeyLocation {
    pub(crate) store: KeyStore,
    /// Description of the location.
    pub(crate) place: String,
    pub(crate) warning: Option<String>,
}

impl KeyStore {
    /// Returns the name of the store in config.toml.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Keyring => "keyring",
        }
    }

    /// Returns the store of an account's key, as recorded in config.toml.
    pub(crate) fn of_account(config: &ConfigFile, account: &str) -> Result<Self> {
        match config.account_text(account, KEY_STORE)?.as_deref() {
            None | Some("file") => Ok(Self::File),
            Some("keyring") => Ok(Self::Keyring),
            Some(other) => {
                let path = escaped(config.path());
                let other = shown(other);
                let message = format!(
                    "{path}: accounts.{account}.{KEY_STORE} is {other}; expected file or keyring"
                );
                Err(Failure::usage(message))
            }
        }
    }

    /// Stores an account's key in the keyring, if available, otherwise in a file.
    pub(crate) fn store(account: &AccountName, key: &str) -> Result<KeyLocation> {
        let path = key_file(account.as_str())?;
        if !cfg!(feature = "keyring") {
            return store_in_file(&path, key, None);
        }
        if let Err(reason) = keyring::store(account.as_str(), key) {
            let warning = format!(
                "the system keyring is unavailable ({reason}); the key is stored in a file"
            );
            return store_in_file(&path, key, Some(warning));
        }
        // Remove the key file that an earlier login may have left.
        remove_file(&path)?;
        Ok(KeyLocation {
            store: Self::Keyring,
            place: format!("the system keyring (profile-cli, {account})"),
            warning: None,
        })
    }

    /// Returns `true` if an account, which may be unknown, has a key in a file.
    pub(crate) fn has_file(account: &str) -> bool {
        key_file(account).is_ok_and(|path| path.is_file())
    }

    /// Removes an account's key, and returns a description of its location if there was one.
    pub(crate) fn remove(self, account: &str) -> Result<Option<String>> {
        if self == Self::Keyring {
            let removed = keyring::remove(account);
            let removed = removed.map_err(|reason| keyring_failure("removed from", &reason))?;
            return Ok(removed.then(|| "the system keyring".to_owned()));
        }
        let path = key_file(account)?;
        Ok(remove_file(&path)?.then(|| path.display().to_string()))
    }

    /// Returns an account's key, with at most one warning about unsafe permissions.
    pub(super) fn read(config: &ConfigFile, account: &str) -> Result<Text> {
        let missing = |message| {
            let failure = Failure::new(FailureKind::Unauthorized, message);
            failure.hint(Source::Account(account.to_owned()).advice())
        };
        if Self::of_account(config, account)? == Self::Keyring {
            let read = keyring::read(account);
            let read = read.map_err(|reason| keyring_failure("read from", &reason))?;
            let message = format!("the system keyring has no key of account {account}");
            return read.map(Text::from).ok_or_else(|| missing(message));
        }
        let path = key_file(account)?;
        let (file, safety) = private_file::open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let path = escaped(&path);
                let message = format!("account {account} has no key: {path} does not exist");
                missing(message)
            }
            _ => Failure::of_file("read", &path, &error),
        })?;
        let of_group = safety.map_err(Failure::usage)?;
        let read = text_file::read(file, &path);
        let mut text = read.map_err(|error| Failure::of_file("read", &path, &error))?;
        if text.warnings.is_empty() {
            text.warnings.extend(directory_warning(&path).or(of_group));
        }
        Ok(text)
    }
}

/// Returns the path of the file for an account's key.
fn key_file(account: &str) -> Result<PathBuf> {
    let account = AccountName::parse(account)
        .map_err(|reason| Failure::usage(format!("the account's name {reason}")))?;
    let directory = environment::config_directory()?;
    Ok(directory.join("keys").join(account.as_str()))
}

/// Returns a warning if others can access the directory of the file.
fn directory_warning(path: &Path) -> Option<String> {
    let directory = path.parent()?;
    let metadata = directory.metadata().ok()?;
    private_file::is_accessible_to_others(&metadata)
        .then(|| private_file::exposed_warning(directory))
}

fn store_in_file(path: &Path, key: &str, warning: Option<String>) -> Result<KeyLocation> {
    let of_group = private_file::check(path, None).map_err(Failure::usage)?;
    remove_temporary_files(private_file::parent(path));
    let written = written_file::write(path, format!("{key}\n").as_bytes(), Rules::Private);
    written.map_err(|error| Failure::of_file("written", path, &error))?;
    Ok(KeyLocation {
        store: KeyStore::File,
        place: path.display().to_string(),
        warning: warning.or_else(|| directory_warning(path)).or(of_group),
    })
}

/// Removes what is left of writes that did not end. Others are not under way while config.toml is locked.
fn remove_temporary_files(directory: &Path) {
    for file in fs::read_dir(directory).into_iter().flatten().flatten() {
        if file.file_name().to_string_lossy().starts_with(".tmp") {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn remove_file(path: &Path) -> Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Failure::of_file("removed", path, &error)),
    }
}

fn keyring_failure(what: &str, reason: &str) -> Failure {
    let message = format!("the key could not be {what} the system keyring: {reason}");
    Failure::other(message).hint("without a keyring, set PROFILE_API_KEY")
}

/// The system keyring. Its error messages never contain keys.
#[cfg(feature = "keyring")]
mod keyring {
    use keyring::{Entry, Error};

    const SERVICE: &str = "profile-cli";

    pub(super) fn store(account: &str, key: &str) -> Result<(), String> {
        on_entry(account, |entry| entry.set_password(key)).map(drop)
    }

    pub(super) fn read(account: &str) -> Result<Option<String>, String> {
        on_entry(account, |entry| entry.get_password())
    }

    pub(super) fn remove(account: &str) -> Result<bool, String> {
        on_entry(account, |entry| entry.delete_credential()).map(|removed| removed.is_some())
    }

    /// Returns the result of an operation, or `None` if there is no entry for the account.
    fn on_entry<T>(
        account: &str,
        operation: impl FnOnce(Entry) -> Result<T, Error>,
    ) -> Result<Option<T>, String> {
        Entry::store_status().as_ref().map_err(Error::to_string)?;
        match Entry::new(SERVICE, account).and_then(operation) {
            Ok(result) => Ok(Some(result)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Stand-in for builds without the keyring.
#[cfg(not(feature = "keyring"))]
mod keyring {
    const UNSUPPORTED: &str = "this build does not support the system keyring";

    pub(super) fn store(_: &str, _: &str) -> Result<(), String> {
        Err(UNSUPPORTED.to_owned())
    }

    pub(super) fn read(_: &str) -> Result<Option<String>, String> {
        Err(UNSUPPORTED.to_owned())
    }

    pub(super) fn remove(_: &str) -> Result<bool, String> {
        Err(UNSUPPORTED.to_owned())
    }
}
