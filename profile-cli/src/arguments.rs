//! The command line.

use clap::Parser;

use crate::commands::Command;
use crate::settings::GlobalArguments;

/// Read and edit your profile, links and posts, and read your statistics
#[derive(Debug, Parser)]
#[command(name = "profile", bin_name = "profile", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArguments,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}
