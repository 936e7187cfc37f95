//! `profile auth rename`: renames an account.

use clap::Args;
use serde_json::json;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;
use crate::settings::{AccountName, ConfigEdit, KEY_STORE, KeyStore, SettingName};
use crate::system::interruption::InterruptGuard;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  profile auth rename profiles.example work")]
pub(crate) struct RenameArguments {
    /// Name of the account; `profile auth list` shows the names
    #[arg(value_name = "NAME")]
    name: String,

    /// New name
    #[arg(value_name = "NEW")]
    new: String,
}

pub(crate) fn run(arguments: &RenameArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let settings = &session.settings;
    let RenameArguments { name, new } = arguments;
    let invalid = |reason| Failure::usage(format!("the new name {reason}"));
    let new = AccountName::parse(new).map_err(invalid)?;
    let _guard = InterruptGuard::new();
    let mut edit = ConfigEdit::begin()?;
    edit.file().check_account(name)?;
    edit.check_free(&new)?;
    // The old key is removed last, so that an error loses nothing.
    let stored = KeyStore::copy(settings, name, &new)?;
    edit.rename_account(name, &new);
    let mut warning = None;
    if let Some(stored) = stored {
        edit.set_account(&new, KEY_STORE, stored.store.as_str())?;
        warning = stored.warning;
    }
    if edit.file().text(SettingName::Account)?.as_deref() == Some(name) {
        edit.set(SettingName::Account, new.as_str());
    }
    edit.finish()?;
    KeyStore::remove(settings, name)?;
    let sentence = View::Sentence(format!("Renamed account {name} to {new}."));
    let json = json!({"result": "renamed", "account": new.as_str(), "from": name});
    Ok(Report::new(json, sentence).warning(warning).of_change())
}
