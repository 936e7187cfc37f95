//! The command `profile auth status`: the account, its permissions, and problems of settings and
//! connection.

use std::path::PathBuf;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use profile_sdk::{Call, ErrorKind, Profile, RateLimit, RetryPolicy, Scopes};
use serde_json::{Value, json};

use super::permissions::{self, Permissions};
use crate::commands::config;
use crate::drawing::{rate, scope_names};
use crate::outcome::{self, Failure, NextCommand, Report, Result, View, failure, push_field};
use crate::session::Session;
use crate::settings::{Key, Settings, Source, masked};
use crate::system::{environment, private_file};

pub(crate) const HELP: &str = "\
Sends GET /me (GET /stats without a key) once, and checks config.toml, the permissions of secret files, \
the key, base URL, proxy, connection and clock. Problems and advice are printed to stderr. At most the \
last four characters of the key are shown, and only if it has at least sixteen.

Of several problems, the highest exit code counts: 4 without a key, 8 without a response.

Examples:
  profile auth status
  profile auth status --account work --json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report> {
    let mut facts = match session.settings.sandbox {
        true => Facts::of_sandbox(),
        false => local(session),
    };
    if facts.can_connect {
        let client = session.client()?;
        if facts.key.is_some() {
            facts.profile = answer(client.me(), &mut facts, session)?;
        } else {
            // These counters require no key.
            answer(client.site_stats(), &mut facts, session)?;
        }
    }
    outcome::of_batch(Some(facts.report()), facts.failures)
}

/// Checks this machine: the settings, files with secrets, the key and the base URL.
fn local(session: &Session<'_>) -> Facts {
    let settings = &session.settings;
    let mut facts = Facts::default();
    let is_readable = check_settings(settings, &mut facts);
    let mut is_missing = false;
    match settings.key() {
        Ok(Some(key)) => {
            let source = format!("the key from {}", key.key.source);
            session.output.note_all(key.text.note(source));
            facts.set_key(key);
        }
        Ok(None) => is_missing = is_readable,
        Err(failure) => facts.push(failure),
    }
    check_files(settings, &mut facts);
    let has_accounts = !settings.sources.config.accounts().is_empty();
    let base_url = settings.sources.base_url();
    let needs_login = is_missing && !has_accounts;
    if needs_login || (is_missing && base_url.is_ok()) {
        facts.push(failure::without_key(Failure::default()));
    }
    match base_url {
        Ok(base_url) => {
            facts.base_url = Some(base_url.value.to_string());
            // The proxy and the other settings of the client.
            let proxy = settings.sources.proxy(&base_url.value);
            let client = proxy.and_then(|proxy| {
                facts.proxy = proxy.map(|proxy| format!("{} ({})", proxy.value, proxy.source));
                session.client()
            });
            match client {
                Ok(_) => facts.can_connect = true,
                Err(failure) => facts.push(failure),
            }
        }
        // An account in the file may have one.
        Err(_) if needs_login || !is_readable => {}
        Err(failure) => facts.push(failure),
    }
    facts
}

/// Sends a call once, and returns the data of the response.
fn answer<T>(call: Call<T>, facts: &mut Facts, session: &Session<'_>) -> Result<Option<T>> {
    // Reports the first error, instead of waiting for minutes.
    let answer = session.send(call.retry(RetryPolicy::new().max_retries(0)), None)?;
    let mut check_clock = |date: Option<&str>| facts.warnings.extend(date.and_then(clock_warning));
    match answer {
        Ok(response) => {
            check_clock(response.header("date"));
            let milliseconds = response.elapsed().as_millis();
            let status = response.status();
            facts.service = Some(format!("status {status} after {milliseconds} ms"));
            Ok(Some(response.into_data()))
        }
        Err(error) => {
            check_clock(error.header("date"));
            facts.service = error.status().map(|status| format!("status {status}"));
            // It may have been sent without a key.
            if facts.key.is_some() || error.kind() != ErrorKind::Unauthorized {
                facts.push(session.failure(&error, |error| error.into()));
            }
            Ok(None)
        }
    }
}

/// Maximum difference between the clocks of the service and of this machine, in seconds.
const MAX_SKEW: i64 = 60;

/// Checks config.toml and all values. Returns `false` if the file cannot be read.
fn check_settings(settings: &Settings, facts: &mut Facts) -> bool {
    // The settings of this run ignore an invalid file.
    let read = settings.sources.check_config();
    let is_readable = read.is_ok();
    if let Err(failure) = read {
        facts.push(failure);
    }
    for failure in config::listed_settings(settings).1 {
        let list = NextCommand("profile config list");
        let advice = format!("correct it; {list} shows each setting with its source");
        facts.push(failure.hint(advice));
    }
    facts.warnings.extend(settings.sources.config.warnings());
    is_readable
}

/// Checks that only the user can access files with secrets.
fn check_files(settings: &Settings, facts: &mut Facts) {
    if let Err(failure) = settings.sources.config.check_owner() {
        facts.push(failure);
    }
    for path in files_with_secrets(settings) {
        match private_file::exposure(&path) {
            Ok(warning) => facts.warnings.extend(warning),
            // The directory of a missing file may not be searchable.
            Err(error) if path.symlink_metadata().is_ok() => {
                facts.push(Failure::of_file("read", &path, &error));
            }
            Err(_) => {}
        }
    }
}

fn files_with_secrets(settings: &Settings) -> Vec<PathBuf> {
    let mut files = Vec::new();
    // Without a home directory, there are no stored files.
    if let Ok(directory) = environment::config_directory() {
        let keys = directory.join("keys");
        let accounts = settings.sources.config.accounts();
        files.extend([directory.join("config.toml"), keys.clone()]);
        files.extend(accounts.iter().map(|account| keys.join(account)));
    }
    let variables = ["PROFILE_API_KEY_FILE", "PROFILE_WEBHOOK_SECRET_FILE"];
    files.extend(variables.into_iter().filter_map(environment::path));
    files
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

/// The account and the service, as far as they are known, and problems with them.
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
    failures: Vec<Failure>,
    warnings: Vec<String>,
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
        self.key = Some((masked(key.text.key()), key.key.source.to_string()));
        self.key_warnings.clone_from(&key.text.warnings);
    }

    /// Adds a failure, unless another check has found it too.
    fn push(&mut self, failure: Failure) {
        let is_known = |known: &Failure| {
            let is_same_field = known.field.is_some() && known.field == failure.field;
            // The other may start with the variable that names the file.
            is_same_field || known.message.ends_with(&failure.message)
        };
        if !self.failures.iter().any(is_known) {
            self.failures.push(failure);
        }
    }

    fn report(&self) -> Report {
        let permissions = self.scopes().map(permissions::of);
        let permissions = permissions.as_ref();
        let fields = View::Fields(self.pipe_fields(permissions));
        let people = View::Fields(self.terminal_fields(permissions));
        let mut warnings = self.warnings.clone();
        if self.can_connect {
            // The client has printed the warnings about its key.
            warnings.retain(|warning| !self.key_warnings.contains(warning));
        }
        let report = Report::new(self.document(permissions), fields).for_people(people);
        report.warnings(warnings)
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
        let scopes = self.scopes().map(scope_names);
        let scopes = scopes.map(|names| match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(" "),
        });
        let unknown = || Some("unknown".to_owned());
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
        let scopes = self.scopes().map(|scopes| scope_names(scopes).join(" "));
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

    fn document(&self, permissions: Option<&Permissions>) -> Value {
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
            "scopes": self.scopes().map(scope_names),
            "rate_limit": self.rate_limit().map(RateLimit::raw),
            "commands": {"allowed": permissions.map(|one| &one.allowed), "denied": denied},
            "warnings": self.warnings,
        })
    }
}
