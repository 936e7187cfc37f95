//! The file config.toml, which people may edit by hand.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

use super::SettingName;
use crate::environment::Environment;
use crate::failure::Failure;

/// config.toml as it was read; a file that is not there is an empty one.
pub(crate) struct ConfigFile {
    path: PathBuf,
    pub(super) document: DocumentMut,
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
            Err(error) => Err(Failure::of_file("read", &path, &error)),
        }
    }

    /// The file of this path with nothing read of it.
    pub(super) fn unread(environment: &Environment) -> Self {
        let directory = environment.config_directory().unwrap_or_default();
        Self::empty(directory.join("config.toml"))
    }

    fn empty(path: PathBuf) -> Self {
        Self {
            path,
            document: DocumentMut::new(),
        }
    }

    pub(super) fn parse(path: PathBuf, text: &str) -> Result<Self, Failure> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            // The parser's own text shows the line, which may hold what nobody should see.
            let before = error.span().map_or("", |span| &text[..span.start]);
            let line = before.matches('\n').count() + 1;
            let reason = error.message().lines().collect::<Vec<_>>().join("; ");
            let message = format!("{}:{line} is not TOML: {reason}", path.display());
            Failure::usage(message).hint("fix the line, or remove the file")
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

    /// What is wrong with the names in the file, in words.
    pub(crate) fn unknown_settings(&self) -> Vec<String> {
        let names = self.document.iter().map(|(name, _)| name);
        let unknown = names.filter(|name| *name != "accounts" && !SettingName::is_name(name));
        unknown
            .map(|name| {
                let path = self.path.display();
                format!("{path}: {}", SettingName::refusal(name))
            })
            .collect()
    }

    /// What is stored of an account, by the field's name.
    pub(crate) fn account_text(&self, account: &str, field: &str) -> Option<String> {
        let account = self.document.get("accounts")?.get(account)?;
        text(account.get(field)?)
    }

    /// Fails unless there is an account of this name.
    pub(crate) fn check_account(&self, name: &str) -> Result<(), Failure> {
        let known = self.accounts();
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let message = format!("there is no account {name:?}");
        let hint = match known.is_empty() {
            true => "`profile auth login` stores one".to_owned(),
            false => format!("the accounts are {}", known.join(", ")),
        };
        Err(Failure::usage(message).hint(hint))
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
