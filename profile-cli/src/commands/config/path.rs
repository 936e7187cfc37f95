//! `profile config path`: the path of config.toml.

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::system::environment;

pub(crate) const HELP: &str = "\
Its directory is PROFILE_CONFIG_DIR, otherwise $XDG_CONFIG_HOME/profile or ~/.config/profile. The
file may not exist yet.

Examples:
  profile config path
  $EDITOR \"$(profile config path)\"";

pub(crate) fn run() -> Result<Report, Failure> {
    let directory = environment::config_directory()?;
    let path = directory.join("config.toml");
    Ok(Report::text(path.to_string_lossy(), "path"))
}
