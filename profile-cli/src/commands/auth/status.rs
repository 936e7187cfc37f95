//! `profile auth status`: the account, its permissions and the settings.

use clap::Args;
use profile_sdk::{Profile, RateLimit, Scopes};
use serde_json::{Value, json};

use super::permissions::{self, Permissions};
use crate::commands::config::listed_setting::{self, ListedSetting};
use crate::drawing::rate;
use crate::outcome::failure::{Failure, FailureKind, LOG_IN_HINT, sandbox_hint};
use crate::outcome::report::{Report, View, push_field};
use crate::session::Session;
use crate::settings::{Key, Source, without_credentials};

#[derive(Debug, Args)]
#[command(after_help = "\
Sends GET /me. At most the last four characters of the key are shown, and only if it has at least
sixteen. On a terminal, settings with their defaults are omitted; `profile config list` prints all.
Also works with PROFILE_API_KEY. Without a key, the exit code is 4.

Examples:
  profile auth status
  profile auth status --json")]
pub(crate) struct StatusArguments {}

/// The local part of the status.
struct Login {
    account: Option<String>,
    base_url: Option<String>,
    key: String,
    key_source: String,
    settings: Vec<ListedSetting>,
}

/// The status, including the data of the service.
struct Status<'a> {
    login: Login,
    handle: Option<String>,
    scopes: Option<&'a Scopes>,
    rate_limit: Option<&'a RateLimit>,
    permissions: Option<Permissions>,
}

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    // A missing key is reported before a missing base URL.
    let login = login(session)?;
    let tried = login.tried();
    let status = session.read_or_curl(session.client()?.me(), |response| {
        Ok(report(login, response.data()))
    });
    status.map_err(|failure| Failure {
        message: format!("{}; tried {tried}", failure.message),
        ..failure
    })
}

fn report(login: Login, profile: &Profile) -> Report {
    let key = profile.key.as_ref();
    let scopes = permissions::known(key.and_then(|key| key.scopes.as_ref()));
    let permissions = scopes.map(permissions::of);
    let rate_limit = key.and_then(|key| key.rate_limit.as_ref());
    let status = Status {
        login,
        handle: profile.handle.as_ref().map(ToString::to_string),
        scopes,
        rate_limit,
        permissions,
    };
    let shown = View::split(
        View::Fields(status.terminal_fields()),
        View::Fields(status.pipe_fields()),
    );
    Report::new(status.document(), shown)
}

fn login(session: &Session<'_>) -> Result<Login, Failure> {
    let settings = &session.settings;
    let listed = listed_setting::all(settings).0.into_iter();
    if settings.sandbox {
        return Ok(Login {
            account: None,
            base_url: None,
            key: "sample".to_owned(),
            key_source: "--sandbox".to_owned(),
            settings: listed.filter(|one| !one.names_the_service()).collect(),
        });
    }
    let Some(key) = Key::find(settings)? else {
        let failure = Failure::new(FailureKind::Unauthorized, "no API key is set");
        return Err(failure.hint(format!("{LOG_IN_HINT}{}", sandbox_hint())));
    };
    Ok(Login {
        // A key from the environment does not belong to the selected account.
        account: match &key.key.source {
            Source::Account(name) => Some(name.clone()),
            _ => None,
        },
        base_url: Some(settings.base_url()?.value),
        key: key.masked,
        key_source: key.key.source.to_string(),
        settings: listed.collect(),
    })
}

impl Login {
    /// Describes the key and the service, for errors.
    fn tried(&self) -> String {
        let Self {
            key_source,
            base_url,
            ..
        } = self;
        match base_url {
            Some(base_url) => format!(
                "the key of {key_source} at {}",
                without_credentials(base_url)
            ),
            None => "the sandbox".to_owned(),
        }
    }
}

impl Status<'_> {
    /// Returns the fields for the terminal.
    fn terminal_fields(&self) -> Vec<(String, String)> {
        let login = &self.login;
        let key = format!("{} ({})", login.key, login.key_source);
        let mut fields = Vec::new();
        let account = login.account.as_deref().unwrap_or("none");
        push_field(&mut fields, "account", Some(account));
        let base_url = login.base_url.as_deref().unwrap_or("the sandbox");
        push_field(&mut fields, "base_url", Some(base_url));
        push_field(&mut fields, "key", Some(key));
        push_field(&mut fields, "handle", self.handle.as_ref());
        let scopes = self
            .scopes
            .map_or_else(unknown, |scopes| names(scopes).join(" "));
        let scopes = if scopes.is_empty() {
            "none".to_owned()
        } else {
            scopes
        };
        push_field(&mut fields, "scopes", Some(scopes));
        let rate_limit = self.rate_limit.map_or_else(unknown, rate);
        push_field(&mut fields, "rate_limit", Some(rate_limit));
        let permissions = self.permissions.as_ref();
        let allowed = permissions.map_or_else(unknown, |one| one.allowed.join(", "));
        push_field(&mut fields, "allowed", Some(allowed));
        let denied = permissions.iter().flat_map(|one| &one.denied);
        let denied = denied.map(|(command, scope)| format!("{command} (needs {scope})"));
        let denied = denied.collect::<Vec<_>>().join(", ");
        push_field(
            &mut fields,
            "not allowed",
            Some(denied).filter(|list| !list.is_empty()),
        );
        fields.extend(login.settings.iter().filter_map(ListedSetting::as_field));
        fields
    }

    /// Returns the known fields, with single values.
    fn pipe_fields(&self) -> Vec<(String, String)> {
        let login = &self.login;
        let mut fields = Vec::new();
        push_field(&mut fields, "account", login.account.as_ref());
        push_field(&mut fields, "base_url", login.base_url.as_ref());
        push_field(&mut fields, "key.masked", Some(&login.key));
        push_field(&mut fields, "key.source", Some(&login.key_source));
        push_field(&mut fields, "handle", self.handle.as_ref());
        let scopes = self.scopes.map(|scopes| names(scopes).join(" "));
        push_field(&mut fields, "scopes", scopes);
        let rate_limit = self.rate_limit.map(RateLimit::raw);
        push_field(&mut fields, "rate_limit", rate_limit);
        if let Some(permissions) = &self.permissions {
            for command in &permissions.allowed {
                push_field(&mut fields, format!("commands.{command}"), Some("allowed"));
            }
            for (command, scope) in &permissions.denied {
                let value = format!("needs {scope}");
                push_field(&mut fields, format!("commands.{command}"), Some(value));
            }
        }
        for setting in &login.settings {
            setting.push_fields(&mut fields);
        }
        fields
    }

    fn document(&self) -> Value {
        let permissions = self.permissions.as_ref();
        let denied = permissions.map(|permissions| {
            let denied = permissions.denied.iter();
            let denied = denied.map(|(command, scope)| json!({"command": command, "needs": scope}));
            denied.collect::<Value>()
        });
        let login = &self.login;
        json!({
            "account": login.account,
            "base_url": login.base_url,
            "handle": self.handle,
            "key": {"masked": login.key, "source": login.key_source},
            "scopes": self.scopes.map(names),
            "rate_limit": self.rate_limit.map(RateLimit::raw),
            "commands": {"allowed": permissions.map(|one| &one.allowed), "denied": denied},
            "settings": login.settings.iter().map(ListedSetting::as_json).collect::<Value>(),
        })
    }
}

fn names(scopes: &Scopes) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

fn unknown() -> String {
    "unknown".to_owned()
}
