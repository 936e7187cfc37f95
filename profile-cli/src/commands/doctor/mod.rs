//! `profile doctor`: checks the settings, the connection to the service, and the key.

mod check;
mod local;
mod service;

use clap::Args;
use serde_json::Value;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

use check::Check;

#[derive(Debug, Args)]
#[command(after_help = "\
Checks the version, config.toml, the permissions of files with secrets, the key, the base URL, the
proxy, DNS, the connection, TLS, the response of the service, the clock and the scopes of the key. Each
line is ok, a warning or a problem, with advice. Checks that depend on a failed check are skipped.
Sends one GET request. The exit code is 1 if there is a problem.

Examples:
  profile doctor
  profile doctor --account work --json")]
pub(crate) struct DoctorArguments {}

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    if session.settings.sandbox {
        let failure = Failure::usage("the sandbox requires no settings and no network");
        return Err(failure.hint("omit --sandbox"));
    }
    let mut checks = local::checks(session);
    checks.extend(service::checks(session)?);
    let json: Value = checks.iter().map(Check::as_json).collect();
    let view = View::Table {
        columns: vec!["check", "state", "finding", "advice"],
        rows: checks.iter().map(Check::row).collect(),
        empty: "",
    };
    let has_problem = checks.iter().any(Check::is_problem);
    Ok(Report {
        exit_code: u8::from(has_problem),
        ..Report::new(json, view)
    })
}
