//! `profile auth status`: who one is to the service, and where that comes from.

use clap::Args;
use profile_sdk::{Profile, RateLimit, Scopes};
use serde_json::{Value, json};

use super::permissions::{self, Permission};
use crate::commands::config::listed::{self, Listed};
use crate::failure::{Failure, FailureKind, LOG_IN, or_sandbox};
use crate::report::{Report, Shown};
use crate::session::Session;
use crate::stop::Stop;

/// Show the account, what its key may do, and where each setting comes from
#[derive(Debug, Args)]
#[command(after_help = "\
Asks the service with GET /me. Of the key no more than its last four characters are shown, and those
only if it has sixteen or more. Works with PROFILE_API_KEY too. Without a key the exit code is 4.

Examples:
  profile auth status
  profile auth status --json")]
pub(crate) struct AuthStatusArguments {}

/// What is known without the service.
struct Login {
    account: Option<String>,
    base_url: Option<String>,
    key: String,
    key_source: String,
    settings: Vec<Listed>,
}

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Stop> {
    // Told before it matters that it is not known where the service is either.
    let login = login(session)?;
    let profile = session.read(session.client()?.me())?.into_data();
    let key = profile.key.as_ref();
    let scopes = key.and_then(|key| key.scopes.as_ref());
    // Scopes of a shape that cannot be read are not known to be none.
    let scopes = scopes.filter(|scopes| scopes.raw().is_array() || scopes.raw().is_string());
    let permissions = scopes.map(permissions::of);
    let rate_limit = key.and_then(|key| key.rate_limit.as_ref());
    let document = document(&login, &profile, permissions.as_deref());
    let mut fields = login.fields();
    if let Some(handle) = &profile.handle {
        fields.push(("handle".to_owned(), handle.to_string()));
    }
    fields.push(("scopes".to_owned(), scopes_text(scopes)));
    let rate_limit = rate_limit.map_or_else(not_told, rate_limit_text);
    fields.push(("rate_limit".to_owned(), rate_limit));
    fields.extend(permission_fields(permissions.as_deref()));
    fields.extend(login.settings.iter().map(Listed::as_field));
    Ok(Report::new(document, Shown::Fields(fields)))
}

fn login(session: &Session<'_>) -> Result<Login, Stop> {
    let settings = &session.settings;
    if settings.sandbox {
        return Ok(Login {
            account: None,
            base_url: None,
            key: "made up".to_owned(),
            key_source: "--sandbox".to_owned(),
            settings: listed::all(settings).0,
        });
    }
    let Some(key) = settings.key()? else {
        let failure = Failure::new(
            FailureKind::Unauthorized,
            "there is no key: you are logged out",
        );
        return Err(failure.hint(format!("{LOG_IN}{}", or_sandbox())).into());
    };
    Ok(Login {
        account: settings.account()?.map(|account| account.name),
        base_url: Some(settings.base_url()?.value),
        key: key.masked,
        key_source: key.key.source.to_string(),
        settings: listed::all(settings).0,
    })
}

impl Login {
    fn fields(&self) -> Vec<(String, String)> {
        let none = || "none".to_owned();
        vec![
            (
                "account".to_owned(),
                self.account.clone().unwrap_or_else(none),
            ),
            (
                "base_url".to_owned(),
                self.base_url
                    .clone()
                    .unwrap_or_else(|| "the sandbox".to_owned()),
            ),
            (
                "key".to_owned(),
                format!("{} ({})", self.key, self.key_source),
            ),
        ]
    }
}

fn document(login: &Login, profile: &Profile, permissions: Option<&[Permission]>) -> Value {
    let key = profile.key.as_ref();
    let names = |scopes: &Scopes| scopes.iter().map(ToString::to_string).collect::<Vec<_>>();
    let allowed = permissions.map(|permissions| {
        let allowed = permissions.iter().filter(|allowed| allowed.lacks.is_none());
        allowed.map(|allowed| allowed.command).collect::<Vec<_>>()
    });
    let refused = permissions.map(|permissions| {
        let refused = permissions.iter().filter(|refused| refused.lacks.is_some());
        refused
            .map(|refused| json!({"command": refused.command, "needs": refused.lacks}))
            .collect::<Vec<_>>()
    });
    json!({
        "account": login.account,
        "base_url": login.base_url,
        "handle": profile.handle.as_ref().map(ToString::to_string),
        "key": {"masked": login.key, "source": login.key_source},
        "scopes": key.and_then(|key| key.scopes.as_ref()).map(names),
        "rate_limit": key.and_then(|key| key.rate_limit.as_ref()).map(RateLimit::raw),
        "commands": {"allowed": allowed, "refused": refused},
        "settings": login.settings.iter().map(Listed::as_json).collect::<Value>(),
    })
}

fn scopes_text(scopes: Option<&Scopes>) -> String {
    let Some(scopes) = scopes else {
        return not_told();
    };
    let names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(" "),
    }
}

fn rate_limit_text(rate_limit: &RateLimit) -> String {
    match (rate_limit.limit(), rate_limit.window_seconds()) {
        (Some(limit), Some(window)) => format!("{limit} requests in {window} seconds"),
        (Some(limit), None) if rate_limit.raw().is_number() => format!("{limit} requests"),
        _ => match rate_limit.raw() {
            Value::String(text) => text.clone(),
            raw => raw.to_string(),
        },
    }
}

fn permission_fields(permissions: Option<&[Permission]>) -> Vec<(String, String)> {
    let Some(permissions) = permissions else {
        return vec![("may".to_owned(), not_told())];
    };
    let allowed = permissions.iter().filter(|allowed| allowed.lacks.is_none());
    let allowed: Vec<_> = allowed.map(|allowed| allowed.command).collect();
    let refused = permissions.iter().filter_map(|refused| {
        let scope = refused.lacks.as_ref()?;
        Some(format!("{} (needs {scope})", refused.command))
    });
    let refused: Vec<_> = refused.collect();
    let mut fields = vec![("may".to_owned(), allowed.join(", "))];
    if !refused.is_empty() {
        fields.push(("may not".to_owned(), refused.join(", ")));
    }
    fields
}

fn not_told() -> String {
    "the service does not tell".to_owned()
}
