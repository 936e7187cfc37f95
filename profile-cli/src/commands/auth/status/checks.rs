//! Checks of the settings, of files with secrets, and of the clock.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::Findings;
use crate::commands::config::listed_setting;
use crate::outcome::failure::Failure;
use crate::settings::{ConfigFile, Settings};
use crate::system::{environment, private_file};

/// Maximum difference between the clocks of the service and of this machine, in seconds.
const MAX_SKEW: i64 = 60;

/// Checks config.toml and all values.
pub(super) fn settings(settings: &Settings, findings: &mut Findings) {
    // The settings of this run ignore an invalid file.
    if let Err(failure) = ConfigFile::load() {
        findings.push(failure);
    }
    for message in listed_setting::all(settings).1 {
        let advice = "correct it; `profile config list` shows each setting with its source";
        findings.push(Failure::usage(message).hint(advice));
    }
    findings.warnings.extend(settings.config.unknown_settings());
}

/// Checks that only the user can access files with secrets.
pub(super) fn files(settings: &Settings, findings: &mut Findings) {
    let files = match files_with_secrets(settings) {
        Ok(files) => files,
        Err(failure) => return findings.push(failure),
    };
    if let Err(failure) = settings.config.check_owner() {
        findings.push(failure);
    }
    for path in files {
        match private_file::is_exposed(&path) {
            Ok(true) => {
                let warning = private_file::exposed_warning(&path);
                findings.warnings.push(warning);
            }
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
pub(super) fn clock(date: &str) -> Option<String> {
    let service = rfc2822::parse(date).ok()?.timestamp();
    let ahead = Timestamp::now().as_second() - service.as_second();
    let seconds = Some(ahead.abs()).filter(|seconds| *seconds > MAX_SKEW)?;
    let direction = if ahead > 0 { "ahead of" } else { "behind" };
    Some(format!(
        "this clock is {seconds} seconds {direction} that of the service; synchronize it, since \
         certificates and delays depend on it"
    ))
}
