//! The commands `profile auth list`, `logout`, `switch` and `token`: the stored accounts.

use clap::Args;
use serde_json::{Value, json};

use crate::completion;
use crate::input::prompt;
use crate::outcome::{Failure, NextCommand, Report, Result, View, failure};
use crate::session::Session;
use crate::settings::{ConfigEdit, KeyStore, SettingName};
use crate::system::environment::is_set;
use crate::terminal::secrets;

pub(crate) const LIST_HELP: &str = "\
In a pipe, each line is an account name, \"selected\" or nothing, a base URL, and the store of the key, \
\"file\" or \"keyring\", separated by tabs.

Examples:
  profile auth list
  profile auth list --json";

pub(crate) fn list(session: &Session<'_>) -> Result<Report> {
    let settings = &session.settings;
    let selected = settings.sources.configured(SettingName::Account)?;
    let selected = selected.map(|selected| selected.value);
    let mut document = Vec::new();
    for name in settings.sources.config.accounts() {
        let base_url = settings.sources.config.base_url_of(&name)?;
        let key_store = KeyStore::of_account(&settings.sources.config, &name)?.as_str();
        document.push(json!({
            "account": name,
            "selected": selected.as_ref() == Some(&name),
            "base_url": base_url.map(|url| url.to_string()),
            "key_store": key_store,
        }));
    }
    let columns = View::Columns {
        names: &["account", "selected", "base_url", "key_store"],
        empty: "There are no accounts; `profile auth login` stores one.",
    };
    Ok(Report::new(Value::Array(document), columns))
}

#[derive(Debug, Args)]
#[command(after_help = "\
The key itself stays valid; only the service can revoke it.

Examples:
  profile auth logout
  profile auth logout work --yes")]
pub(crate) struct LogoutArguments {
    /// Name of the account [default: the selected one, or that of --account]
    #[arg(value_name = "NAME", conflicts_with = "account", add = completion::accounts())]
    name: Option<String>,
}

pub(crate) fn logout(arguments: LogoutArguments, session: &Session<'_>) -> Result<Report> {
    let settings = &session.settings;
    let selected = match arguments.name {
        // The key of an interrupted login has no account.
        Some(name) if KeyStore::has_file(&name) => Some(name),
        Some(name) => {
            settings.sources.config.check_account(&name)?;
            Some(name)
        }
        None => settings.sources.account()?.map(|account| account.name),
    };
    let Some(name) = selected else {
        let accounts = settings.sources.config.accounts();
        return Err(match accounts.is_empty() {
            true => Failure::usage("no account is stored")
                .hint("to stop using a key from the environment, unset PROFILE_API_KEY"),
            false => Failure::usage("no account is selected").hint(format!(
                "select one with --account: {}",
                accounts.join(", ")
            )),
        });
    };
    session.confirm(&format!("Remove account {name} and its key?"))?;
    let mut edit = ConfigEdit::begin(|warning| session.output.warn(warning))?;
    edit.check_writable()?;
    let chosen = edit.file().text(SettingName::Account)?;
    let removed_from = KeyStore::of_account(edit.file(), &name)?.remove(&name)?;
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
    let json = json!({"result": "logged_out", "account": name, "key_removed_from": removed_from});
    let sentence = format!("Removed account {name}; {key}.{next}");
    Ok(Report::changed(json, sentence).warnings(override_warning()))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile auth switch
  profile auth switch work
  profile show --account work      for one command only")]
pub(crate) struct SwitchArguments {
    /// Name of the account; omit it to be asked
    #[arg(value_name = "NAME", add = completion::accounts())]
    name: Option<String>,
}

pub(crate) fn switch(arguments: &SwitchArguments, session: &Session<'_>) -> Result<Report> {
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => ask_for_name(session)?,
    };
    let mut edit = ConfigEdit::begin(|warning| session.output.warn(warning))?;
    edit.file().check_account(&name)?;
    edit.set(SettingName::Account, &name);
    edit.finish()?;
    let json = json!({"result": "switched", "account": name});
    let report = Report::changed(json, format!("Switched to account {name}."));
    Ok(report.warnings(override_warning()))
}

/// Asks for the name of an account until there is one.
fn ask_for_name(session: &Session<'_>) -> Result<String> {
    let settings = &session.settings;
    let known = settings.sources.config.accounts().join(", ");
    if !session.can_ask() || known.is_empty() {
        let message = "the name of the account is missing";
        return Err(Failure::usage(message).hint(match known.is_empty() {
            true => format!("add an account with {}", NextCommand("profile auth login")),
            false => format!("add one of {known}"),
        }));
    }
    loop {
        let name = prompt::ask(&format!("Account ({known}): "))?;
        match settings.sources.config.check_account(&name) {
            Ok(()) => return Ok(name),
            Err(failure) => session.output.warn(&failure.message),
        }
    }
}

pub(crate) const TOKEN_HELP: &str = "\
No other command prints a key. Do not run this one where the output is recorded.

Examples:
  profile auth token
  PROFILE_API_KEY=$(profile auth token --account work) ./script";

pub(crate) fn token(session: &Session<'_>) -> Result<Report> {
    let key = session.settings.key()?;
    // The result is the key.
    secrets().clear();
    match key {
        Some(key) => Ok(Report {
            is_key: true,
            ..Report::text(key.text.key(), "token").warnings(key.text.warnings.clone())
        }),
        None => Err(failure::without_key(Failure::default())),
    }
}

/// Returns a warning if an environment variable overrides the account in config.toml.
pub(super) fn override_warning() -> Option<String> {
    let sent = "its key is sent whichever account is selected";
    let variables = [
        ("PROFILE_API_KEY", sent),
        ("PROFILE_API_KEY_FILE", sent),
        ("PROFILE_ACCOUNT", "overrides the selected account"),
    ];
    let (set, effect) = variables.into_iter().find(|(name, _)| is_set(name))?;
    Some(format!("{set} is set and {effect}"))
}
