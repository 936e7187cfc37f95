//! The command `profile auth login`: checks a key with the service and stores it.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};

use clap::Args;
use profile_sdk::{ApiKey, Profile};
use serde_json::json;

use crate::commands::auth::accounts::override_warning;
use crate::input::{Input, prompt};
use crate::outcome::{Failure, FailureKind, Report, Result, View, push_field};
use crate::session::Session;
use crate::settings::{
    AccountName, ConfigEdit, ConfigFile, KEY_STORE, KeyStore, SettingName, complete_url,
};
use crate::terminal::{SafeUrl, redact_key};

/// The place of keys, in the help.
const KEY_PLACE: &str = match (cfg!(feature = "keyring"), cfg!(windows)) {
    (true, _) => "the keyring of the system, or without one in a file",
    (false, true) => "a file with the permissions of its directory, which are not checked",
    (false, false) => "a file that only you can read",
};

#[derive(Debug, Args)]
#[command(after_help = format!("\
Asks for the base URL and the API key, which the operator of the service gives you. The key is not accepted as \
an argument, which other users could read, and is not shown while you type it. It is stored only if `GET /me` \
succeeds with it.

Without a scheme, a base URL such as profiles.example gets https://, or http:// for this machine. The \
account is named after your handle, or HANDLE@HOST if another service has an account of this name; \
--account NAME sets another name. Replacing the key of an account asks first, or requires --yes. The account \
becomes the selected one. The key is stored in {}. To rename an account, log in with the new name and log \
out of the old one.

Examples:
  profile auth login
  profile auth login --account work --base-url https://profiles.example
  profile auth login --with-token --base-url https://profiles.example < key.txt", KEY_PLACE))]
pub(crate) struct LoginArguments {
    /// Read the key from standard input, which must not be a terminal
    #[arg(long)]
    with_token: bool,

    /// Rejected without repeating it, since it is probably a key
    #[arg(hide = true)]
    unexpected: Vec<OsString>,
}

/// Returns the failure of an argument that is probably a key, without the argument.
pub(crate) fn unexpected_key() -> Failure {
    let message = "unexpected argument; a key is not accepted as an argument, which other users \
                   could read";
    Failure::usage(message).hint(
        "redirect a file with `--with-token < FILE`, or pipe the output of a password manager",
    )
}

pub(crate) fn run(arguments: &LoginArguments, session: &Session<'_>) -> Result<Report> {
    if let Some(unexpected) = arguments.unexpected.first() {
        let is_url = unexpected.to_string_lossy().contains("://");
        return Err(match is_url {
            true => unexpected_key().hint("pass the URL of the service with --base-url"),
            false => unexpected_key(),
        });
    }
    check_input(arguments.with_token, session)?;
    let given = given_name(session)?;
    let base_url = find_base_url(arguments.with_token, given.as_ref(), session)?;
    let (key, profile) = read_key(arguments.with_token, &base_url, session)?;
    let name = match given {
        Some(name) => name,
        None => name_of(&profile, &base_url, session)?,
    };
    store(&name, &base_url, &profile, &key, session)
}

/// Reads the key from stdin, or asks for it until the service accepts one.
fn read_key(
    with_token: bool,
    base_url: &SafeUrl,
    session: &Session<'_>,
) -> Result<(String, Profile)> {
    loop {
        let entered = match with_token {
            true => Input::Stdin.read_text()?,
            false => prompt::ask_hidden("API key (not shown): ")?.into(),
        };
        session.output.note_all(entered.note("the key"));
        let key = entered.key();
        match check_with_service(base_url, key, session) {
            Ok(profile) => return Ok((key.to_owned(), profile)),
            Err(failure) if !with_token && is_wrong_key(&failure) => {
                session.output.warn(&failure.message);
            }
            Err(failure) => return Err(failure),
        }
    }
}

/// Returns `true` if another key may be accepted: this one is not well-formed, or is unknown.
fn is_wrong_key(failure: &Failure) -> bool {
    match failure.kind {
        FailureKind::Unauthorized => true,
        FailureKind::Usage => failure.field == Some("API key"),
        _ => false,
    }
}

/// Checks that the key can be read.
fn check_input(with_token: bool, session: &Session<'_>) -> Result<()> {
    let settings = &session.settings;
    match with_token {
        true if io::stdin().is_terminal() => {
            let failure = Failure::usage("--with-token cannot read the key from a terminal");
            Err(failure.hint("omit it to be asked, or redirect a file: `--with-token < FILE`"))
        }
        false if !session.can_ask() => {
            let reason = prompt::why_not_interactive(settings.no_input);
            let failure = Failure::usage(format!("the API key is missing, and {reason}"));
            Err(failure.hint("add --with-token to read the key from stdin: `--with-token < FILE`"))
        }
        true | false => Ok(()),
    }
}

fn check_with_service(base_url: &SafeUrl, key: &str, session: &Session<'_>) -> Result<Profile> {
    let nothing_stored = |failure: Failure| {
        // The URL and the key may be those that were entered.
        let mut failure = match failure.kind {
            FailureKind::Unauthorized => failure.hint("check the key"),
            FailureKind::NotFound => failure.hint("check the base URL"),
            FailureKind::NoResponse => {
                failure.hint("check the network, the base URL and the proxy")
            }
            _ => failure,
        };
        failure.hints.insert(0, "nothing was stored".to_owned());
        failure
    };
    let key = ApiKey::new(key).map_err(|invalid| nothing_stored(invalid.into()))?;
    let client = session
        .client_for(base_url, Some(key))
        .map_err(nothing_stored)?;
    let response = session.read(client.me()).map_err(nothing_stored)?;
    Ok(response.into_data())
}

/// Returns the base URL of the options, the account or config.toml, or asks for it. The default is
/// that of the selected account.
fn find_base_url(
    with_token: bool,
    name: Option<&AccountName>,
    session: &Session<'_>,
) -> Result<SafeUrl> {
    let settings = &session.settings;
    if let Some(given) = settings.sources.override_for_run(SettingName::BaseUrl)? {
        let invalid = |reason| Failure::usage(format!("{}: the base URL {reason}", given.source));
        return checked_base_url(&given.value).map_err(invalid);
    }
    // Others may have written the URL, and the key must not be sent to it.
    settings.sources.config.check_owner()?;
    let stored = name.map(|name| settings.sources.config.base_url_of(name.as_str()));
    let text = settings.sources.config.text(SettingName::BaseUrl)?;
    let known = text.map(|text| SafeUrl::new(complete_url(text)));
    let known = stored.transpose()?.flatten().or(known);
    if with_token {
        let known = known.ok_or_else(|| {
            Failure::usage("no base URL is set")
                .hint("add --base-url, for example --base-url https://profiles.example")
        })?;
        let invalid = |reason| Failure::usage(format!("the base URL {reason}"));
        return checked_base_url(known.expose()).map_err(invalid);
    }
    let known = known.or_else(|| of_selected_account(&settings.sources.config));
    let question = match &known {
        Some(known) => format!("Base URL [{known}]: "),
        None => "Base URL, for example https://profiles.example: ".to_owned(),
    };
    loop {
        let entered = prompt::ask(&question)?;
        let checked = match &known {
            Some(known) if entered.is_empty() => checked_base_url(known.expose()),
            _ => checked_base_url(&entered),
        };
        match checked {
            Ok(base_url) => return Ok(base_url),
            Err(reason) => session.output.warn(&format!("the base URL {reason}")),
        }
    }
}

fn of_selected_account(config: &ConfigFile) -> Option<SafeUrl> {
    let name = config.text(SettingName::Account).ok()??;
    config.base_url_of(&name).ok()?
}

/// Returns the base URL with a scheme, or the reason why it is invalid.
fn checked_base_url(entered: &str) -> Result<SafeUrl, String> {
    if entered.is_empty() {
        return Err("is empty; expected one such as https://profiles.example".to_owned());
    }
    let base_url = complete_url(entered.to_owned());
    SettingName::BaseUrl.check(&base_url)?;
    Ok(SafeUrl::new(base_url))
}

/// Asks before an account is replaced. Returns `true` if there is one.
fn confirm_replacement(
    name: &AccountName,
    base_url: &SafeUrl,
    session: &Session<'_>,
) -> Result<bool> {
    let config = &session.settings.sources.config;
    if !config.accounts().contains(&name.to_string()) {
        return Ok(false);
    }
    let stored = config.base_url_of(name.as_str())?;
    let question = match stored.filter(|stored| !stored.is_same_service(base_url)) {
        Some(stored) => format!("Replace account {name} of {stored} and its key?"),
        None => format!("Replace the key of account {name}?"),
    };
    let confirmed = session.confirm(&question).map(|()| true);
    confirmed.map_err(|failure| match failure.kind {
        FailureKind::Usage => {
            failure.hint("add --yes to replace the key, or --account NAME to add an account")
        }
        _ => failure,
    })
}

/// Stores the key and the account, and selects it. Asks before an account is replaced.
fn store(
    name: &AccountName,
    base_url: &SafeUrl,
    profile: &Profile,
    key: &str,
    session: &Session<'_>,
) -> Result<Report> {
    let replaces = confirm_replacement(name, base_url, session)?;
    let handle = profile.handle.as_ref().map(ToString::to_string);
    let mut edit = ConfigEdit::begin(|warning| session.output.warn(warning))?;
    if !replaces {
        // Another process may have added an account with this name during the prompts.
        edit.check_free(name)?;
    }
    edit.check_writable()?;
    let replaced = edit.file().base_url_of(name.as_str())?;
    if replaced.is_some_and(|replaced| !replaced.is_same_service(base_url)) {
        // No error may leave the new key with the old base URL.
        edit.write_without(name)?;
    }
    let stored = match KeyStore::store(name, key) {
        Ok(stored) => stored,
        // The old key is still there, and so is the account once the edit is written.
        Err(failure) => return Err(edit.finish().err().unwrap_or(failure)),
    };
    let set = edit.set_account(name, "base_url", base_url.expose());
    let set = set.and_then(|()| edit.set_account(name, KEY_STORE, stored.store.as_str()));
    edit.set(SettingName::Account, name.as_str());
    let path = edit.file().path().to_string_lossy().into_owned();
    set.and_then(|()| edit.finish()).inspect_err(|_| {
        // A key without an account would be left behind.
        if !replaces {
            let _ = stored.store.remove(name.as_str());
        }
    })?;
    let mut fields = vec![("account".to_owned(), name.to_string())];
    push_field(&mut fields, "handle", handle.as_ref());
    push_field(&mut fields, "base_url", Some(base_url));
    push_field(&mut fields, "account_stored_in", Some(&path));
    push_field(&mut fields, "key_stored_in", Some(&stored.place));
    push_field(&mut fields, "selected", Some(true));
    let document = json!({
        "result": "logged_in",
        "account": name.as_str(),
        "selected": true,
        "handle": handle,
        "base_url": base_url.to_string(),
        "account_stored_in": path,
        "key_stored_in": stored.place,
        "key_store": stored.store.as_str(),
    });
    let report = Report::new(document, View::Fields(fields)).of_change();
    let warnings = stored.warning.into_iter().chain(override_warning());
    Ok(report.warnings(warnings))
}

/// Returns the account name of --account or PROFILE_ACCOUNT. The name in config.toml is ignored: it
/// is the previously selected account.
fn given_name(session: &Session<'_>) -> Result<Option<AccountName>> {
    let sources = &session.settings.sources;
    let given = sources.override_for_run(SettingName::Account)?;
    let name = given.map(|it| AccountName::parse(&it.value)).transpose();
    name.map_err(|reason| Failure::usage(format!("the account name {reason}")))
}

/// Returns the name for an account without a given one: the handle, with the host if another service
/// has an account of this name.
fn name_of(profile: &Profile, base_url: &SafeUrl, session: &Session<'_>) -> Result<AccountName> {
    let config = &session.settings.sources.config;
    let host = AccountName::of_service(base_url);
    let handle = profile.handle.as_ref().map(ToString::to_string);
    // A service may return the key as the handle.
    let handle = handle.filter(|handle| redact_key(handle) == *handle);
    let names = handle.map(|handle| [format!("{handle}@{host}"), handle]);
    let names = names.into_iter().flatten();
    let names = names.filter_map(|name| AccountName::parse(&name).ok());
    let mut names: Vec<_> = names.collect();
    if names.is_empty() {
        names.push(host);
    }
    let mut taken = String::new();
    while let Some(name) = names.pop() {
        let stored = config.base_url_of(name.as_str())?;
        let Some(stored) = stored.filter(|stored| !stored.is_same_service(base_url)) else {
            return Ok(name);
        };
        taken = format!("account {name} already exists with the base URL {stored}");
    }
    Err(Failure::usage(taken).hint("choose another name with --account NAME"))
}
