//! Stored logins: a base URL in config.toml, and a key that is kept apart from it.

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
        let checked = self.config.check_account(&name);
        checked.map_err(|failure| Failure {
            message: format!("{}, which {} names", failure.message, chosen.source),
            ..failure
        })?;
        Ok(Some(Account {
            base_url: self.config.account_text(&name, "base_url")?,
            name,
        }))
    }
}
