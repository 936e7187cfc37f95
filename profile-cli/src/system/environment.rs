//! Reads environment variables, and the directories that depend on them.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use etcetera::BaseStrategy as _;

use crate::outcome::failure::{Failure, FailureKind};

/// The environment variables.
pub(crate) struct Environment {
    read: fn(&str) -> Option<OsString>,
}

impl Environment {
    pub(crate) fn of_process() -> Self {
        Self {
            read: |name| env::var_os(name),
        }
    }

    /// Returns the text of a variable. Empty variables count as unset.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let text = value.into_string();
        text.map(Some)
            .map_err(|_| Failure::usage(format!("{name} is not valid UTF-8")))
    }

    /// Returns the path in a variable. Empty variables count as unset.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    /// Returns `true` if a variable is set to anything but an empty string, `0` or `false`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.value(name)
            .is_some_and(|value| value != "0" && value != "false")
    }

    fn value(&self, name: &str) -> Option<OsString> {
        (self.read)(name).filter(|value| !value.is_empty())
    }

    /// Returns the directory of the settings and stored keys.
    pub(crate) fn config_directory(&self) -> Result<PathBuf, Failure> {
        match self.path("PROFILE_CONFIG_DIR") {
            Some(directory) => Ok(directory),
            None => Ok(base_directories()?.config_dir().join("profile")),
        }
    }

    /// Returns the directory of the program's state, such as drafts and the sandbox.
    pub(crate) fn state_directory() -> Result<PathBuf, Failure> {
        let directories = base_directories()?;
        // Windows has no state directory.
        let directory = directories
            .state_dir()
            .unwrap_or_else(|| directories.cache_dir());
        Ok(directory.join("profile"))
    }

    /// Returns the directory of files that can be fetched again.
    pub(crate) fn cache_directory() -> Result<PathBuf, Failure> {
        Ok(base_directories()?.cache_dir().join("profile"))
    }
}

fn base_directories() -> Result<impl etcetera::BaseStrategy, Failure> {
    etcetera::choose_base_strategy().map_err(|error| {
        let message = format!("cannot locate the directories for settings and state: {error}");
        Failure::new(FailureKind::Other, message).hint("set HOME to your home directory")
    })
}
