//! Names and stores the account of a login.

use profile_sdk::Profile;
use serde_json::json;

use crate::commands::auth::override_warning::override_warning;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View, push_field};
use crate::session::Session;
use crate::settings::{
    AccountName, ConfigEdit, KEY_STORE, KeyStore, SettingName, is_same_service, without_credentials,
};
use crate::system::interruption::InterruptGuard;

/// A login that the service has accepted.
pub(super) struct Login {
    pub(super) name: AccountName,
    pub(super) base_url: String,
    pub(super) profile: Profile,
}

impl Login {
    /// Asks before an account is replaced. Returns `true` if there is one.
    pub(super) fn confirm_replacement(&self, session: &Session<'_>) -> Result<bool, Failure> {
        let Self { name, base_url, .. } = self;
        let config = &session.settings.config;
        if !config.accounts().contains(&name.to_string()) {
            return Ok(false);
        }
        let stored = config.account_text(name.as_str(), "base_url")?;
        let question = match stored.filter(|stored| !is_same_service(stored, base_url)) {
            Some(stored) => format!(
                "Replace account {name} of {} and its key?",
                without_credentials(&stored)
            ),
            None => format!("Replace the key of account {name}?"),
        };
        session
            .confirm(&question)
            .map_err(|failure| match failure.kind {
                FailureKind::Usage => failure
                    .hint("add --yes to replace the key, or --account NAME to add an account"),
                _ => failure,
            })?;
        Ok(true)
    }

    /// Stores the key and the account, and selects it.
    pub(super) fn store(&self, key: &str, replaces: bool) -> Result<Report, Failure> {
        let Self {
            name,
            base_url,
            profile,
        } = self;
        let _guard = InterruptGuard::new();
        let mut edit = ConfigEdit::begin()?;
        if !replaces {
            // Another process may have added an account with this name during the prompts.
            edit.check_free(name)?;
        }
        edit.check_writable()?;
        let replaced = edit.file().account_text(name.as_str(), "base_url")?;
        if replaced.is_some_and(|replaced| !is_same_service(&replaced, base_url)) {
            // No error may leave the new key with the old base URL.
            edit.write_without(name)?;
        }
        let stored = match KeyStore::store(name, key) {
            Ok(stored) => stored,
            // The old key is still there, and so is the account once the edit is written.
            Err(failure) => return Err(edit.finish().err().unwrap_or(failure)),
        };
        edit.set_account(name, "base_url", base_url)?;
        edit.set_account(name, KEY_STORE, stored.store.as_str())?;
        edit.set(SettingName::Account, name.as_str());
        let path = edit.file().path().to_string_lossy().into_owned();
        edit.finish()?;
        let mut fields = vec![("account".to_owned(), name.to_string())];
        push_field(&mut fields, "handle", profile.handle.as_ref());
        push_field(&mut fields, "base_url", Some(base_url));
        push_field(&mut fields, "account_stored_in", Some(&path));
        push_field(&mut fields, "key_stored_in", Some(&stored.place));
        let document = json!({
            "result": "logged_in",
            "account": name.as_str(),
            "handle": profile.handle.as_ref().map(ToString::to_string),
            "base_url": base_url,
            "account_stored_in": path,
            "key_stored_in": stored.place,
            "key_store": stored.store.as_str(),
        });
        let mut report = Report::new(document, View::Fields(fields)).of_change();
        report.warnings.extend(stored.warning);
        report.warnings.extend(override_warning());
        Ok(report)
    }
}

/// Returns the account name of --account or PROFILE_ACCOUNT. The name in config.toml is ignored: it
/// is the previously selected account.
pub(super) fn given_name(session: &Session<'_>) -> Result<Option<AccountName>, Failure> {
    let given = session.settings.override_for_run(SettingName::Account)?;
    let parse = |text: &str| {
        AccountName::parse(text)
            .map_err(|reason| Failure::usage(format!("the account name {reason}")))
    };
    given.map(|given| parse(&given.value)).transpose()
}

/// Returns the name for an account without a given one: the handle, with the host if another service
/// has an account of this name.
pub(super) fn name_of(
    profile: &Profile,
    base_url: &str,
    session: &Session<'_>,
) -> Result<AccountName, Failure> {
    let host = AccountName::of_service(base_url);
    let handle = profile.handle.as_ref().map(ToString::to_string);
    let names = handle.map(|handle| [format!("{handle}@{host}"), handle]);
    let names = names.into_iter().flatten();
    let mut names: Vec<_> = names
        .filter_map(|name| AccountName::parse(&name).ok())
        .collect();
    if names.is_empty() {
        names.push(host);
    }
    let mut taken = String::new();
    while let Some(name) = names.pop() {
        let stored = session
            .settings
            .config
            .account_text(name.as_str(), "base_url")?;
        let Some(stored) = stored.filter(|stored| !is_same_service(stored, base_url)) else {
            return Ok(name);
        };
        let stored = without_credentials(&stored);
        taken = format!("account {name} already exists with the base URL {stored}");
    }
    Err(Failure::usage(taken).hint("choose another name with --account NAME"))
}
