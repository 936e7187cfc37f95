//! `profile config path`: the path of config.toml.

use clap::Args;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::system::environment;

#[derive(Debug, Args)]
#[command(after_help = "\
Its directory is PROFILE_CONFIG_DIR, otherwise $XDG_CONFIG_HOME/profile or ~/.config/profile. The
file may not exist yet.

Examples:
  profile config path
  $EDITOR \"$(profile config path)\"")]
pub(crate) struct PathArguments {}

pub(crate) fn run() -> Result<Report, Failure> {
    let directory = environment::config_directory()?;
    let path = directory.join("config.toml");
    Ok(Report::text(path.to_string_lossy(), "path"))
}
