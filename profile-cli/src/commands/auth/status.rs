//! The command `profile auth status`: the account, its permissions, and problems of settings and
//! connection.

use std::path::PathBuf;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use profile_sdk::{Call, ErrorKind, RetryPolicy};

use super::facts::Facts;
use crate::commands::config;
use crate::outcome::{self, Failure, NextCommand, Report, Result, failure};
use crate::session::Session;
use crate::settings::{Setting, Settings};
use crate::system::{environment, private_file};
use crate::terminal::SafeUrl;

pub(crate) const HELP: &str = "\
Sends GET /me, once, and checks config.toml, the permissions of files with secrets, the key, the base \
URL, the proxy, the connection and the clock. Problems and advice are printed to stderr. At most the \
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
        ask_service(&mut facts, session)?;
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
    match settings.sources.base_url() {
        Ok(base_url) => {
            if is_missing {
                facts.push(failure::without_key(Failure::default()));
            }
            facts.base_url = Some(base_url.value.to_string());
            match check_connection(base_url, &mut facts, session) {
                Ok(()) => facts.can_connect = true,
                Err(failure) => facts.push(failure),
            }
        }
        Err(_) if is_missing && !has_accounts => {
            facts.push(failure::without_key(Failure::default()))
        }
        // An account in the file may have one.
        Err(_) if !is_readable => {}
        Err(failure) => facts.push(failure),
    }
    facts
}

/// Checks the proxy and the other settings of the client.
fn check_connection(
    base_url: &Setting<SafeUrl>,
    facts: &mut Facts,
    session: &Session<'_>,
) -> Result<()> {
    let proxy = session.settings.sources.proxy(&base_url.value)?;
    facts.proxy = proxy.map(|proxy| format!("{} ({})", proxy.value, proxy.source));
    session.client().map(drop)
}

/// Reads the profile; without a key, the counters of the site, which require none.
fn ask_service(facts: &mut Facts, session: &Session<'_>) -> Result<()> {
    let client = session.client()?;
    if facts.key.is_some() {
        facts.profile = answer(client.me(), facts, session)?;
    } else {
        answer(client.site_stats(), facts, session)?;
    }
    Ok(())
}

/// Sends a call once, and returns the data of the response.
fn answer<T>(call: Call<T>, facts: &mut Facts, session: &Session<'_>) -> Result<Option<T>> {
    // Reports the first error, instead of waiting for minutes.
    let answer = session.send(call.retry(RetryPolicy::new().max_retries(0)), None)?;
    let date = match &answer {
        Ok(response) => response.header("date"),
        Err(error) => error.header("date"),
    };
    facts.warnings.extend(date.and_then(clock_warning));
    match answer {
        Ok(response) => {
            let milliseconds = response.elapsed().as_millis();
            let status = response.status();
            facts.service = Some(format!("status {status} after {milliseconds} ms"));
            Ok(Some(response.into_data()))
        }
        Err(error) => {
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
