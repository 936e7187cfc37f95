//! The command `profile auth status`: the account, its permissions, and problems of settings and
//! connection.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use profile_sdk::{Call, Profile, RateLimit, RetryPolicy, Scopes};
use serde_json::{Value, json};

use super::permissions::{self, Permissions};
use crate::commands::config;
use crate::drawing::rate;
use crate::editor;
use crate::outcome;
use crate::outcome::failure::{Failure, FailureKind, LOG_IN_HINT, sandbox_hint};
use crate::outcome::report::{Report, View, push_field};
use crate::session::{Session, requests};
use crate::settings::{
    ConfigFile, Key, Setting, SettingName, Settings, Source, without_credentials,
};
use crate::system::{environment, private_file};

pub(crate) const HELP: &str = "\
Sends GET /me, once, and checks config.toml, the permissions of files with secrets, the key, the base
URL, the proxy, the connection and the clock. Problems and advice are printed to stderr. At most the
last four characters of the key are shown, and only if it has at least sixteen.

The exit code is that of the worst problem: 4 without a key, 8 without a response.

Examples:
  profile auth status
  profile auth status --account work --json";

/// The problems that were found so far.
#[derive(Default)]
struct Findings {
    failures: Vec<Failure>,
    warnings: Vec<String>,
}

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    if session.settings.curl {
        return session.as_curl(&requests(&[session.client()?.me()])?);
    }
    let mut findings = Findings::default();
    let mut facts = match session.settings.sandbox {
        true => Facts::of_sandbox(),
        false => local(session, &mut findings),
    };
    if facts.can_connect {
        ask_service(&mut facts, &mut findings, session)?;
    }
    findings.warnings.extend(editor::unsent_note());
    let report = facts.report(findings.warnings);
    outcome::of_batch(Some(report), findings.failures)
}

/// Checks this machine: the settings, files with secrets, the key and the base URL.
fn local(session: &Session<'_>, findings: &mut Findings) -> Facts {
    let settings = &session.settings;
    check_settings(settings, findings);
    check_files(settings, findings);
    let mut facts = Facts::default();
    let mut is_missing = false;
    match Key::find(settings) {
        Ok(Some(key)) => facts.set_key(&key),
        Ok(None) => is_missing = true,
        Err(failure) => findings.push(failure),
    }
    let has_accounts = !settings.config.accounts().is_empty();
    match settings.base_url() {
        Ok(base_url) => {
            if is_missing {
                findings.push(no_key());
            }
            facts.base_url = Some(without_credentials(&base_url.value));
            match check_connection(&base_url, &mut facts, session) {
                Ok(()) => facts.can_connect = true,
                Err(failure) => findings.push(failure),
            }
        }
        Err(_) if is_missing && !has_accounts => findings.push(no_key()),
        Err(failure) => findings.push(failure),
    }
    facts
}

fn no_key() -> Failure {
    let failure = Failure::new(FailureKind::Unauthorized, "no API key is set");
    failure.hint(format!("{LOG_IN_HINT}{}", sandbox_hint()))
}

/// Checks the base URL, the proxy and the other settings of the client.
fn check_connection(
    base_url: &Setting<String>,
    facts: &mut Facts,
    session: &Session<'_>,
) -> Result<(), Failure> {
    if let Err(reason) = SettingName::BaseUrl.check(&base_url.value) {
        let failure = Failure::usage(format!("the base URL {reason}"));
        let advice = format!("check the base URL from {}", base_url.source);
        return Err(failure.hint(advice));
    }
    let proxy = session.settings.proxy(&base_url.value)?;
    facts.proxy = proxy.map(|proxy| shown(&proxy));
    session.client().map(drop)
}

fn shown(setting: &Setting<String>) -> String {
    let Setting { value, source } = setting;
    format!("{} ({source})", without_credentials(value))
}

/// Reads the profile; without a key, the counters of the site, which require none.
fn ask_service(
    facts: &mut Facts,
    findings: &mut Findings,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let client = session.client()?;
    if facts.key.is_some() {
        facts.profile = answer(client.me(), facts, findings, session)?;
    } else {
        answer(client.site_stats(), facts, findings, session)?;
    }
    Ok(())
}

/// Sends a call once, and returns the data of the response.
fn answer<T>(
    call: Call<T>,
    facts: &mut Facts,
    findings: &mut Findings,
    session: &Session<'_>,
) -> Result<Option<T>, Failure> {
    // Reports the first error, instead of waiting for minutes.
    let answer = session.send(call.retry(RetryPolicy::new().max_retries(0)))?;
    let date = match &answer {
        Ok(response) => response.header("date"),
        Err(error) => error.header("date"),
    };
    findings.warnings.extend(date.and_then(clock_warning));
    match answer {
        Ok(response) => {
            let milliseconds = response.elapsed().as_millis();
            let status = response.status();
            facts.service = Some(format!("status {status} after {milliseconds} ms"));
            Ok(Some(response.into_data()))
        }
        Err(error) => {
            findings.push(Failure::from(error));
            Ok(None)
        }
    }
}

impl Findings {
    /// Adds a failure, unless another check has found it too.
    fn push(&mut self, failure: Failure) {
        let is_known = |known: &Failure| {
            let is_same_field = known.field.is_some() && known.field == failure.field;
            is_same_field || known.message == failure.message
        };
        if !self.failures.iter().any(is_known) {
            self.failures.push(failure);
        }
    }
}

/// Maximum difference between the clocks of the service and of this machine, in seconds.
const MAX_SKEW: i64 = 60;

/// Checks config.toml and all values.
fn check_settings(settings: &Settings, findings: &mut Findings) {
    // The settings of this run ignore an invalid file.
    if let Err(failure) = ConfigFile::load() {
        findings.push(failure);
    }
    for failure in config::listed_settings(settings).1 {
        let advice = "correct it; `profile config list` shows each setting with its source";
        findings.push(failure.hint(advice));
    }
    findings.warnings.extend(settings.config.unknown_settings());
}

/// Checks that only the user can access files with secrets.
fn check_files(settings: &Settings, findings: &mut Findings) {
    let files = match files_with_secrets(settings) {
        Ok(files) => files,
        Err(failure) => return findings.push(failure),
    };
    if let Err(failure) = settings.config.check_owner() {
        findings.push(failure);
    }
    for path in files {
        match private_file::is_exposed(&path) {
            Ok(true) => findings.warnings.push(private_file::exposed_warning(&path)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                findings.push(Failure::of_file("read", &path, &error));
            }
            Ok(false) | Err(_) => {}
        }
    }
}

fn files_with_secrets(settings: &Settings) -> Result<Vec<PathBuf>, Failure> {
    let directory = environment::config_directory()?;
    let keys = directory.join("keys");
    let accounts = settings.config.accounts();
    let mut files = vec![directory.join("config.toml"), keys.clone()];
    files.extend(accounts.iter().map(|account| keys.join(account)));
    let variables = ["PROFILE_API_KEY_FILE", "PROFILE_WEBHOOK_SECRET_FILE"];
    files.extend(variables.into_iter().filter_map(environment::path));
    Ok(files)
}

/// Returns a warning if the clock of this machine differs from the date of a response.
fn clock_warning(date: &str) -> Option<String> {
    let service = rfc2822::parse(date).ok()?.timestamp();
    let ahead = Timestamp::now().as_second() - service.as_second();
    let seconds = Some(ahead.abs()).filter(|seconds| *seconds > MAX_SKEW)?;
    let direction = if ahead > 0 { "ahead of" } else { "behind" };
    Some(format!(
        "this clock is {seconds} seconds {direction} that of the service; synchronize it, since \
         certificates and delays depend on it"
    ))
}

/// The account and the service, as far as they are known.
#[derive(Default)]
struct Facts {
    account: Option<String>,
    base_url: Option<String>,
    proxy: Option<String>,
    /// The key with all but its end hidden, and its source.
    key: Option<(String, String)>,
    key_warnings: Vec<String>,
    /// The status and duration of the response.
    service: Option<String>,
    profile: Option<Profile>,
    /// `true` if the settings permit a request.
    can_connect: bool,
}

impl Facts {
    fn of_sandbox() -> Self {
        Self {
            key: Some(("sample".to_owned(), "--sandbox".to_owned())),
            can_connect: true,
            ..Self::default()
        }
    }

    fn set_key(&mut self, key: &Key) {
        // A key from the environment does not belong to the selected account.
        if let Source::Account(name) = &key.key.source {
            self.account = Some(name.clone());
        }
        self.key = Some((key.masked.clone(), key.key.source.to_string()));
        self.key_warnings.clone_from(&key.warnings);
    }

    fn report(&self, mut warnings: Vec<String>) -> Report {
        let scopes = self.scopes();
        let permissions = scopes.map(permissions::of);
        let permissions = permissions.as_ref();
        let fields = View::Fields(self.pipe_fields(permissions));
        let people = View::Fields(self.terminal_fields(permissions));
        let document = self.document(permissions, &warnings);
        if self.can_connect {
            // The client has printed the warnings about its key.
            warnings.retain(|warning| !self.key_warnings.contains(warning));
        }
        Report {
            warnings,
            ..Report::new(document, fields).for_people(people)
        }
    }

    fn handle(&self) -> Option<String> {
        let handle = self.profile.as_ref()?.handle.as_ref()?;
        Some(handle.to_string())
    }

    fn scopes(&self) -> Option<&Scopes> {
        let key = self.profile.as_ref()?.key.as_ref()?;
        permissions::known(key.scopes.as_ref())
    }

    fn rate_limit(&self) -> Option<&RateLimit> {
        self.profile.as_ref()?.key.as_ref()?.rate_limit.as_ref()
    }

    /// Returns the fields for the terminal.
    fn terminal_fields(&self, permissions: Option<&Permissions>) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        let mut push = |name: &str, value: Option<String>| push_field(&mut fields, name, value);
        push("account", self.account.clone());
        push("base_url", self.base_url.clone());
        push("proxy", self.proxy.clone());
        let key = self.key.as_ref();
        let key = key.map(|(masked, source)| format!("{masked} ({source})"));
        push("key", key);
        push("service", self.service.clone());
        if self.profile.is_none() {
            return fields;
        }
        push("handle", self.handle());
        let scopes = self.scopes().map(|scopes| match names(scopes).join(" ") {
            scopes if scopes.is_empty() => "none".to_owned(),
            scopes => scopes,
        });
        push("scopes", scopes.or_else(unknown));
        push("rate_limit", self.rate_limit().map(rate).or_else(unknown));
        let allowed = permissions.map(|one| one.allowed.join(", "));
        push("allowed", allowed.or_else(unknown));
        let denied = permissions.iter().flat_map(|one| &one.denied);
        let denied = denied.map(|(command, scope)| format!("{command} (needs {scope})"));
        let denied = denied.collect::<Vec<_>>().join(", ");
        push("not allowed", Some(denied).filter(|list| !list.is_empty()));
        fields
    }

    /// Returns the known fields, with single values.
    fn pipe_fields(&self, permissions: Option<&Permissions>) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        let mut push = |name: &str, value: Option<String>| push_field(&mut fields, name, value);
        push("account", self.account.clone());
        push("base_url", self.base_url.clone());
        push("proxy", self.proxy.clone());
        push("key.masked", self.key.as_ref().map(|key| key.0.clone()));
        push("key.source", self.key.as_ref().map(|key| key.1.clone()));
        push("handle", self.handle());
        let scopes = self.scopes().map(|scopes| names(scopes).join(" "));
        push("scopes", scopes);
        let rate_limit = self.rate_limit().map(|limit| limit.raw().to_string());
        push("rate_limit", rate_limit);
        for command in permissions.iter().flat_map(|one| &one.allowed) {
            push(&format!("commands.{command}"), Some("allowed".to_owned()));
        }
        for (command, scope) in permissions.iter().flat_map(|one| &one.denied) {
            let needs = format!("needs {scope}");
            push(&format!("commands.{command}"), Some(needs));
        }
        fields
    }

    fn document(&self, permissions: Option<&Permissions>, warnings: &[String]) -> Value {
        let denied = permissions.map(|permissions| {
            let denied = permissions.denied.iter();
            let denied = denied.map(|(command, scope)| json!({"command": command, "needs": scope}));
            denied.collect::<Value>()
        });
        let key = self.key.as_ref();
        json!({
            "account": self.account,
            "base_url": self.base_url,
            "proxy": self.proxy,
            "key": key.map(|(masked, source)| json!({"masked": masked, "source": source})),
            "handle": self.handle(),
            "scopes": self.scopes().map(names),
            "rate_limit": self.rate_limit().map(RateLimit::raw),
            "commands": {"allowed": permissions.map(|one| &one.allowed), "denied": denied},
            "warnings": warnings,
        })
    }
}

fn names(scopes: &Scopes) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

fn unknown() -> Option<String> {
    Some("unknown".to_owned())
}
