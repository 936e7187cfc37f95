//! `profile version`: the version and the build features.

use clap::Args;
use serde_json::json;

use crate::outcome::report::{Report, View};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile version
  profile version --json")]
pub(crate) struct VersionArguments {}

pub(crate) fn run() -> Report {
    let (features, listed) = features();
    Report::new(
        json!({"version": VERSION, "features": features}),
        View::Text(format!("profile {VERSION}\nfeatures: {listed}")),
    )
}

/// Returns the version and the features in one line.
pub(crate) fn summary() -> String {
    format!("profile {VERSION}, features: {}", features().1)
}

/// Returns the names of the build features, as a list and as text.
fn features() -> (Vec<&'static str>, String) {
    let features: Vec<_> = [
        ("jq", cfg!(feature = "jq")),
        ("keyring", cfg!(feature = "keyring")),
        ("sandbox", cfg!(feature = "sandbox")),
        ("webhook", cfg!(feature = "webhook")),
    ]
    .into_iter()
    .filter_map(|(name, is_built_in)| is_built_in.then_some(name))
    .collect();
    let listed = match features.is_empty() {
        true => "none".to_owned(),
        false => features.join(" "),
    };
    (features, listed)
}
