//! `profile auth list`: the stored accounts.

use serde_json::{Value, json};

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View, cell};
use crate::session::Session;
use crate::settings::{KeyStore, SettingName, without_credentials};

pub(crate) const HELP: &str = "\
In a pipe, each line is an account name, \"selected\" or nothing, a base URL and the store of the key,
separated by tabs.

Examples:
  profile auth list
  profile auth list --json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let settings = &session.settings;
    let selected = settings.configured(SettingName::Account)?;
    let mut rows = Vec::new();
    let mut document = Vec::new();
    for name in settings.config.accounts() {
        let is_selected = selected
            .as_ref()
            .is_some_and(|selected| selected.value == name);
        let base_url = settings.config.account_text(&name, "base_url")?;
        let key_store = KeyStore::of_account(&settings.config, &name)?.as_str();
        let base_url = base_url.as_deref().map(without_credentials);
        document.push(json!({
            "account": name,
            "selected": is_selected,
            "base_url": base_url,
            "key_store": key_store,
        }));
        rows.push(vec![
            name,
            if is_selected { "selected" } else { "" }.to_owned(),
            cell(base_url.as_ref()),
            key_store.to_owned(),
        ]);
    }
    let view = View::Table {
        columns: vec!["account", "selected", "base_url", "key_store"],
        rows,
        empty: "There are no accounts; `profile auth login` stores one.",
    };
    Ok(Report::new(Value::Array(document), view))
}
