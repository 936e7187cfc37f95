//! The warning about environment variables that override the selected account.

use crate::system::environment::is_set;

/// Returns a warning if an environment variable overrides the account in config.toml.
pub(super) fn override_warning() -> Option<String> {
    let variables = ["PROFILE_API_KEY", "PROFILE_API_KEY_FILE", "PROFILE_ACCOUNT"];
    let set = variables.into_iter().find(|name| is_set(name))?;
    Some(format!("{set} is set and overrides the selected account"))
}
