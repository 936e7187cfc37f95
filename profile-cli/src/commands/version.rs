//! `profile version`: the version and the build features.

use clap::Args;
use serde_json::json;

use crate::outcome::report::{Report, View};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Print the version and the build features
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile version
  profile version --json")]
pub(crate) struct VersionArguments {}

pub(crate) fn run() -> Report {
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
    Report::new(
        json!({"version": VERSION, "features": features}),
        View::Text(format!("profile {VERSION}\nfeatures: {listed}")),
    )
}
