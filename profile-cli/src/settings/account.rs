//! Stored logins: a base URL in config.toml and a key in a file of its own.

use std::path::PathBuf;

use super::{SettingName, Settings};
use crate::failure::Failure;

/// A stored login.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) base_url: Option<String>,
}

impl Settings {
    /// The account that the settings choose.
    pub(crate) fn account(&self) -> Result<Option<Account>, Failure> {
        let Some(chosen) = self.given(SettingName::Account)? else {
            return Ok(None);
        };
        let name = chosen.value;
        let known = self.config.accounts();
        if !known.contains(&name) {
            let source = chosen.source;
            let message = format!("there is no account {name:?}, which {source} names");
            let hint = match known.is_empty() {
                true => "`profile auth login` stores one".to_owned(),
                false => format!("the accounts are {}", known.join(", ")),
            };
            return Err(Failure::usage(message).hint(hint));
        }
        Ok(Some(Account {
            base_url: self.config.account_text(&name, "base_url"),
            name,
        }))
    }

    /// The file that holds an account's key.
    pub(crate) fn key_file(&self, account: &str) -> Result<PathBuf, Failure> {
        let directory = self.environment.config_directory()?;
        Ok(directory.join("keys").join(account))
    }
}
