//! `profile auth token`: prints the key.

use crate::outcome::failure::{Failure, FailureKind, LOG_IN_HINT};
use crate::outcome::report::Report;
use crate::session::Session;
use crate::settings::Key;

pub(crate) const HELP: &str = "\
No other command prints a key. Do not run this one where the output is recorded.

Examples:
  profile auth token
  PROFILE_API_KEY=$(profile auth token --account work) ./script";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    if session.settings.sandbox {
        let message = "the sandbox uses its own key";
        return Err(Failure::usage(message).hint("omit --sandbox"));
    }
    match Key::find(&session.settings)? {
        Some(key) => {
            let mut report = Report::text(key.text, "token");
            report.warnings.extend(key.warnings);
            Ok(report)
        }
        None => {
            let failure = Failure::new(FailureKind::Unauthorized, "no API key is set");
            Err(failure.hint(LOG_IN_HINT))
        }
    }
}
