//! The base URL of a login.

use crate::input::prompt;
use crate::outcome::failure::Failure;
use crate::session::Session;
use crate::settings::{
    AccountName, ConfigFile, SettingName, complete_base_url, without_credentials,
};

/// Returns the base URL of the options, the account or config.toml, or asks for it. The default is
/// that of the selected account.
pub(super) fn find(
    with_token: bool,
    name: Option<&AccountName>,
    session: &Session<'_>,
) -> Result<String, Failure> {
    let settings = &session.settings;
    if let Some(given) = settings.override_for_run(SettingName::BaseUrl)? {
        let invalid = |reason| Failure::usage(format!("{}: the base URL {reason}", given.source));
        return checked(&given.value).map_err(invalid);
    }
    let stored = match name {
        Some(name) => settings.config.account_text(name.as_str(), "base_url")?,
        None => None,
    };
    let known = match stored {
        Some(stored) => Some(stored),
        None => settings.config.text(SettingName::BaseUrl)?,
    };
    let known = known.map(complete_base_url);
    if with_token || settings.curl {
        return known.ok_or_else(|| {
            Failure::usage("no base URL is set")
                .hint("add --base-url, for example --base-url https://profiles.example")
        });
    }
    let known = known.or_else(|| of_selected_account(&settings.config));
    let question = match &known {
        Some(known) => format!("Base URL [{}]: ", without_credentials(known)),
        None => "Base URL, for example https://profiles.example: ".to_owned(),
    };
    loop {
        let typed = prompt::ask(&question)?;
        let checked = match &known {
            Some(known) if typed.is_empty() => checked(known),
            _ => checked(&typed),
        };
        match checked {
            Ok(base_url) => return Ok(base_url),
            Err(reason) => session.output.warn(&format!("the base URL {reason}")),
        }
    }
}

fn of_selected_account(config: &ConfigFile) -> Option<String> {
    let name = config.text(SettingName::Account).ok()??;
    let base_url = config.account_text(&name, "base_url").ok()??;
    Some(complete_base_url(base_url))
}

/// Returns the base URL with a scheme, or the reason why it is invalid.
fn checked(typed: &str) -> Result<String, String> {
    if typed.is_empty() {
        return Err("is empty; expected one such as https://profiles.example".to_owned());
    }
    let base_url = complete_base_url(typed.to_owned());
    SettingName::BaseUrl.check(&base_url).map(|()| base_url)
}
