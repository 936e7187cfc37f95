//! The warning about environment variables that override the selected account.

use crate::session::Session;

/// Returns a warning if an environment variable overrides the account in config.toml.
pub(super) fn override_warning(session: &Session<'_>) -> Option<String> {
    let variables = ["PROFILE_API_KEY", "PROFILE_API_KEY_FILE", "PROFILE_ACCOUNT"];
    let is_set = |variable: &&str| session.settings.environment.path(variable).is_some();
    let set = variables.into_iter().find(is_set)?;
    Some(format!("{set} is set and overrides the selected account"))
}
