//! `profile auth logout`: removes an account and its key.

use serde_json::json;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;
use crate::settings::{ConfigEdit, KeyStore, SettingName};
use crate::system::interruption::InterruptGuard;

pub(crate) const HELP: &str = "\
Removes the selected account, or the one given by --account. The key itself stays valid; only the
service can revoke it.

Examples:
  profile auth logout
  profile auth logout --account work --yes";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let settings = &session.settings;
    let Some(account) = settings.account()? else {
        let accounts = settings.config.accounts();
        return Err(match accounts.is_empty() {
            true => Failure::usage("no account is stored")
                .hint("to stop using a key from the environment, unset PROFILE_API_KEY"),
            false => Failure::usage("no account is selected").hint(format!(
                "select one with --account: {}",
                accounts.join(", ")
            )),
        });
    };
    let name = account.name;
    session.confirm(&format!("Remove account {name} and its key?"))?;
    let _guard = InterruptGuard::new();
    let mut edit = ConfigEdit::begin()?;
    edit.check_writable()?;
    let chosen = edit.file().text(SettingName::Account)?;
    let removed_from = KeyStore::remove(settings, &name)?;
    edit.remove_account(&name);
    let was_selected = chosen.as_deref() == Some(name.as_str());
    let others = edit.file().accounts();
    if was_selected {
        match others.as_slice() {
            [other] => edit.set(SettingName::Account, other),
            _ => drop(edit.unset(SettingName::Account)?),
        }
    }
    edit.finish()?;
    let key = match &removed_from {
        Some(place) => format!("its key was deleted from {place}"),
        None => "it had no key".to_owned(),
    };
    let next = match others.as_slice() {
        [other] if was_selected => format!(" Switched to account {other}."),
        [_, ..] if was_selected => format!(
            " Select another account with `profile auth switch`: {}.",
            others.join(", ")
        ),
        _ => String::new(),
    };
    Ok(Report::new(
        json!({"result": "logged_out", "account": name, "key_removed_from": removed_from}),
        View::Sentence(format!("Removed account {name}; {key}.{next}")),
    )
    .of_change())
}
