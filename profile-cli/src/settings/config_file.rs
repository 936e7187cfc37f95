//! The file config.toml, which people may edit by hand.

#[cfg(fuzzing)]
mod fuzzing;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

use super::SettingName;
use crate::environment::Environment;
use crate::failure::{Failure, FailureKind};

/// config.toml as it was read; a file that is not there is an empty one.
pub(crate) struct ConfigFile {
    path: PathBuf,
    document: DocumentMut,
}

impl ConfigFile {
    pub(crate) fn load(environment: &Environment) -> Result<Self, Failure> {
        let Ok(directory) = environment.config_directory() else {
            // Without a home there is no file; who wants to write one is told.
            return Ok(Self::empty(PathBuf::new()));
        };
        let path = directory.join("config.toml");
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(path, &text),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::empty(path)),
            Err(error) => {
                let message = format!("{} cannot be read: {error}", path.display());
                Err(Failure::new(FailureKind::Other, message))
            }
        }
    }

    fn empty(path: PathBuf) -> Self {
        Self {
            path,
            document: DocumentMut::new(),
        }
    }

    fn parse(path: PathBuf, text: &str) -> Result<Self, Failure> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            let message = format!("{} is not TOML: {error}", path.display());
            Failure::usage(message.trim_end()).hint("mend the line, or remove the file")
        })?;
        Ok(Self { path, document })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A setting's value as text, whatever type it was given as.
    pub(crate) fn text(&self, name: SettingName) -> Option<String> {
        text(self.document.get(name.as_str())?)
    }

    /// What is stored of an account, by the field's name.
    pub(crate) fn account_text(&self, account: &str, field: &str) -> Option<String> {
        let account = self.document.get("accounts")?.get(account)?;
        text(account.get(field)?)
    }

    /// The names of the accounts that are stored.
    pub(crate) fn accounts(&self) -> Vec<String> {
        let accounts = self.document.get("accounts");
        let table = accounts.and_then(Item::as_table_like);
        let names = table.into_iter().flat_map(|table| table.iter());
        names.map(|(name, _)| name.to_owned()).collect()
    }
}

fn text(item: &Item) -> Option<String> {
    let value = item.as_value()?;
    match value.as_str() {
        Some(text) => Some(text.to_owned()),
        None => Some(value.clone().decorated("", "").to_string()),
    }
}
