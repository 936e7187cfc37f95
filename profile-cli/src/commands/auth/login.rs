//! `profile auth login`: checks a key with the service and stores it.

use std::io::{self, IsTerminal as _};

use clap::Args;
use profile_sdk::{ApiKey, Profile};
use serde_json::json;

use super::override_warning::override_warning;
use crate::input::Input;
use crate::input::hidden_prompt;
use crate::input::prompt;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View, push_field};
use crate::session::Session;
use crate::session::curl;
use crate::settings::{
    AccountName, ConfigEdit, KEY_STORE, KeyStore, SettingName, is_same_service, without_login,
};
use crate::system::interruption::InterruptGuard;

/// Check an API key with the service, and store it with the base URL
#[derive(Debug, Args)]
#[command(after_help = "\
Asks for the base URL and the API key. The key is not accepted as an argument, which other users
could read, and is not shown while you type it. It is stored only if `GET /me` succeeds with it.

The account is named after the host of the base URL, or \"default\" if the host is not a valid file
name; --account NAME sets another name. Logging in again replaces the key. The account becomes the
selected one. The key is stored in the keyring of the system if the program was built with it (see
`profile version`), otherwise in a file that only you can read.

Examples:
  profile auth login
  profile auth login --account work --base-url https://profiles.example
  profile auth login --with-token --base-url https://profiles.example < key.txt")]
pub(crate) struct AuthLoginArguments {
    /// Read the key from standard input, which must not be a terminal
    #[arg(long)]
    with_token: bool,
}

pub(crate) fn run(
    arguments: &AuthLoginArguments,
    session: &Session<'_>,
) -> Result<Report, Failure> {
    check_input(arguments.with_token, session)?;
    let given = given_name(session)?;
    let base_url = base_url(arguments.with_token, given.as_ref(), session)?;
    if session.settings.curl {
        return as_curl(&base_url, session);
    }
    let is_given = given.is_some();
    let name = given.unwrap_or_else(|| AccountName::of_service(&base_url));
    if !is_given {
        check_not_another(&name, &base_url, session)?;
    }
    let key = match arguments.with_token {
        true => from_stdin()?,
        false => hidden_prompt::ask("API key (not shown): ")?,
    };
    let key = key.trim();
    let profile = check_with_service(&base_url, key, session)?;
    store(&name, &base_url, key, &profile, session)
}

/// Checks that the key can be read.
fn check_input(with_token: bool, session: &Session<'_>) -> Result<(), Failure> {
    let settings = &session.settings;
    if settings.sandbox {
        return Err(Failure::usage("the sandbox requires no login").hint("omit --sandbox"));
    }
    if settings.curl {
        return Ok(());
    }
    if with_token {
        return match io::stdin().is_terminal() {
            false => Ok(()),
            true => Err(
                Failure::usage("--with-token cannot read the key from a terminal")
                    .hint("omit it to be asked, or redirect a file: `--with-token < FILE`"),
            ),
        };
    }
    let message = match settings.no_input {
        true => "the API key is missing, and --no-input disables prompts",
        false if !prompt::is_interactive() => {
            "the API key is missing, and there is no terminal to ask on"
        }
        false => return Ok(()),
    };
    Err(Failure::usage(message)
        .hint("add --with-token to read the key from stdin: `--with-token < FILE`"))
}

/// Returns the account name of --account or PROFILE_ACCOUNT. The name in config.toml is ignored: it
/// is the previously selected account.
fn given_name(session: &Session<'_>) -> Result<Option<AccountName>, Failure> {
    let given = session.settings.override_for_run(SettingName::Account)?;
    let parse = |text: &str| {
        AccountName::parse(text)
            .map_err(|reason| Failure::usage(format!("the account name {reason}")))
    };
    given.map(|given| parse(&given.value)).transpose()
}

fn base_url(
    with_token: bool,
    name: Option<&AccountName>,
    session: &Session<'_>,
) -> Result<String, Failure> {
    let settings = &session.settings;
    if let Some(given) = settings.override_for_run(SettingName::BaseUrl)? {
        return Ok(given.value);
    }
    let stored = match name {
        Some(name) => settings.config.account_text(name.as_str(), "base_url")?,
        None => None,
    };
    let known = match stored {
        Some(stored) => Some(stored),
        None => settings.config.text(SettingName::BaseUrl)?,
    };
    if with_token || settings.curl {
        return known.ok_or_else(|| {
            Failure::usage("no base URL is set")
                .hint("add --base-url, for example --base-url https://profiles.example")
        });
    }
    let question = match &known {
        Some(known) => format!("Base URL [{}]: ", without_login(known)),
        None => "Base URL, for example https://profiles.example: ".to_owned(),
    };
    let typed = prompt::ask(&question)?;
    Ok(match known {
        Some(known) if typed.is_empty() => known,
        _ => typed,
    })
}

fn as_curl(base_url: &str, session: &Session<'_>) -> Result<Report, Failure> {
    let call = session.client_of(base_url, None)?.me();
    let request = call.request().map_err(Failure::unsent)?;
    let command = curl::command(base_url, request, true);
    Ok(Report::text(command, "curl"))
}

/// Checks that the account does not belong to another service on the same host.
fn check_not_another(
    name: &AccountName,
    base_url: &str,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let stored = session
        .settings
        .config
        .account_text(name.as_str(), "base_url")?;
    let Some(stored) = stored.filter(|stored| !is_same_service(stored, base_url)) else {
        return Ok(());
    };
    let stored = without_login(&stored);
    let message = format!("account {name} already exists with the base URL {stored}");
    Err(Failure::usage(message).hint("choose another name with --account NAME"))
}

fn check_with_service(
    base_url: &str,
    key: &str,
    session: &Session<'_>,
) -> Result<Profile, Failure> {
    let nothing_stored = |failure: Failure| {
        let hint = match (failure.kind, &failure.hint) {
            (FailureKind::Unauthorized, _) => "nothing was stored; check the key".to_owned(),
            (_, Some(hint)) => format!("nothing was stored; {hint}"),
            (_, None) => "nothing was stored".to_owned(),
        };
        failure.hint(hint)
    };
    let key = ApiKey::new(key).map_err(|invalid| nothing_stored(invalid.into()))?;
    let client = session
        .client_of(base_url, Some(key))
        .map_err(nothing_stored)?;
    let response = session.read(client.me()).map_err(nothing_stored)?;
    Ok(response.into_data())
}

fn store(
    name: &AccountName,
    base_url: &str,
    key: &str,
    profile: &Profile,
    session: &Session<'_>,
) -> Result<Report, Failure> {
    let settings = &session.settings;
    let _guard = InterruptGuard::new();
    let mut edit = ConfigEdit::begin(&settings.environment)?;
    check_case(name, &edit)?;
    let stored = KeyStore::store(&settings.environment, name, key)?;
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
    report.warnings.extend(override_warning(session));
    Ok(report)
}

/// Rejects names that differ only in case: some file systems do not distinguish them.
fn check_case(name: &AccountName, edit: &ConfigEdit) -> Result<(), Failure> {
    let known = edit.file().accounts();
    let is_like = |known: &&String| {
        known.eq_ignore_ascii_case(name.as_str()) && known.as_str() != name.as_str()
    };
    match known.iter().find(is_like) {
        None => Ok(()),
        Some(other) => {
            let message = format!("account {other} already exists; {name} differs only in case");
            Err(Failure::usage(message).hint("choose another name with --account NAME"))
        }
    }
}

fn from_stdin() -> Result<String, Failure> {
    let bytes = Input::Stdin.read()?;
    String::from_utf8(bytes).map_err(|_| Failure::usage("the key on stdin is not valid UTF-8"))
}
