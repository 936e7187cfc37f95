//! Checks of this machine: the version, the settings, files with secrets, and the key.

use std::io;
use std::path::PathBuf;

use super::check::Check;
use crate::commands::config::listed_setting;
use crate::commands::version;
use crate::outcome::failure::{Failure, LOG_IN_HINT};
use crate::session::Session;
use crate::settings::{Key, Settings};
use crate::system::{environment, private_file};

pub(super) fn checks(session: &Session<'_>) -> Vec<Check> {
    let settings = &session.settings;
    let mut checks = vec![Check::ok("version", version::summary())];
    checks.extend(of_settings(settings));
    checks.extend(of_files(settings));
    checks.push(match Key::find(settings) {
        Ok(Some(key)) => Check::ok("key", format!("{} ({})", key.masked, key.key.source)),
        Ok(None) => Check::problem("key", "no API key is set".to_owned(), LOG_IN_HINT),
        Err(failure) => Check::failed("key", failure),
    });
    checks
}

fn of_settings(settings: &Settings) -> Vec<Check> {
    let (_, wrong) = listed_setting::all(settings);
    let advice = "correct it; `profile config list` shows each setting with its source";
    let problem = |finding| Check::problem("settings", finding, advice);
    let mut checks: Vec<_> = wrong.into_iter().map(problem).collect();
    let unknown = settings.config.unknown_settings().into_iter();
    checks.extend(unknown.map(|finding| {
        let advice = "correct the name, or remove the line".to_owned();
        Check::warning("settings", finding, advice)
    }));
    if checks.is_empty() {
        let path = settings.config.path();
        let state = if path.exists() { "" } else { " does not exist" };
        checks.push(Check::ok("settings", format!("{}{state}", path.display())));
    }
    checks
}

/// Checks that only the user can access files with secrets.
fn of_files(settings: &Settings) -> Vec<Check> {
    let files = match files_with_secrets(settings) {
        Ok(files) => files,
        Err(failure) => return vec![Check::failed("files", failure)],
    };
    let mut checks = Vec::new();
    for path in files {
        match private_file::is_exposed(&path) {
            Ok(false) => {}
            Ok(true) => {
                let advice = format!("run `{}`", private_file::restriction(&path));
                let finding = format!("others can access {}", path.display());
                checks.push(Check::warning("files", finding, advice));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let failure = Failure::of_file("read", &path, &error);
                checks.push(Check::failed("files", failure));
            }
        }
    }
    if checks.is_empty() {
        let finding = "only you can access your keys and settings";
        checks.push(Check::ok("files", finding));
    }
    checks
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
