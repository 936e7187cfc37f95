//! The warning that the environment comes before the chosen account.

use crate::session::Session;

/// What is set in the environment and comes before the account that config.toml chooses.
pub(super) fn override_warning(session: &Session<'_>) -> Option<String> {
    let variables = ["PROFILE_API_KEY", "PROFILE_API_KEY_FILE", "PROFILE_ACCOUNT"];
    let is_set = |variable: &&str| session.settings.environment.path(variable).is_some();
    let set = variables.into_iter().find(is_set)?;
    Some(format!("{set} is set and overrides the selected account"))
}
