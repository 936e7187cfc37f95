//! The command line.

use clap::Parser;

use crate::commands::Command;
use crate::settings::GlobalArguments;
use crate::settings::RequiredSettings;

/// Read and edit your profile, links and posts, and read your statistics
#[derive(Debug, Parser)]
#[command(name = "profile", bin_name = "profile", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArguments,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Arguments {
    /// Returns the settings that have to be valid for the command.
    pub(crate) fn required_settings(&self) -> RequiredSettings {
        self.command
            .as_ref()
            .map_or(RequiredSettings::None, Command::required_settings)
    }
}
