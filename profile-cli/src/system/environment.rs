//! Environment variables, and the directories that depend on them. Empty variables count as unset.

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use crate::outcome::{Failure, Result};
use crate::terminal::{argument, escaped};

/// The default directory of the settings and stored keys, in help texts.
pub(crate) const CONFIG_DEFAULT: &str = match cfg!(windows) {
    true => r"%APPDATA%\profile",
    false => "$XDG_CONFIG_HOME/profile or ~/.config/profile",
};

/// The variable with the parent directory of the state, and its default, in help texts.
pub(crate) const STATE: [&str; 2] = match cfg!(windows) {
    true => ["LOCALAPPDATA", r"AppData\Local"],
    false => ["XDG_STATE_HOME", "~/.local/state"],
};

/// Returns the text of a variable.
pub(crate) fn text(name: &str) -> Result<Option<String>> {
    let text = value(name).map(OsString::into_string).transpose();
    text.map_err(|_| Failure::usage(format!("{name} is not valid UTF-8")))
}

/// Returns the path in a variable.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    value(name).map(PathBuf::from)
}

/// Returns the failure of reading the file that a variable names. The value may be the secret.
pub(crate) fn unreadable_file(variable: &str, path: &Path, error: &io::Error) -> Failure {
    let path = argument(path.as_os_str().as_encoded_bytes());
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::InvalidFilename => {
            let failure = Failure::usage(format!("{variable}: {path} does not exist"));
            failure.hint(format!("create the file, or unset {variable}"))
        }
        _ => Failure::usage(format!("{variable}: {path} cannot be read: {error}")),
    }
}

/// Returns `true` if a variable is set.
pub(crate) fn is_set(name: &str) -> bool {
    value(name).is_some()
}

fn value(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the directory of the settings and stored keys.
pub(crate) fn config_directory() -> Result<PathBuf> {
    match path("PROFILE_CONFIG_DIR") {
        Some(directory) if directory.starts_with("~") => Err(Failure::usage(format!(
            "PROFILE_CONFIG_DIR is {}; expected a path without ~, which only a shell replaces",
            escaped(&directory)
        ))),
        Some(directory) => Ok(directory),
        None => Ok(base_directories()?.config_dir().join("profile")),
    }
}

/// Returns the directory of the program's state: the sandbox, and texts that were not sent.
pub(crate) fn state_directory() -> Result<PathBuf> {
    let directories = base_directories()?;
    let directory = directories.state_dir();
    // Windows has none.
    let directory = directory.unwrap_or_else(|| directories.cache_dir());
    Ok(directory.join("profile"))
}

fn base_directories() -> Result<impl etcetera::BaseStrategy> {
    etcetera::choose_base_strategy().map_err(|error| {
        let message = format!("cannot locate the directories for settings and state: {error}");
        Failure::other(message).hint("set HOME to your home directory")
    })
}
