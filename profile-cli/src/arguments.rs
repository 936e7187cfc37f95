//! The command line.

use clap::Parser;

use crate::commands::Command;
use crate::help::Topic;
use crate::settings::GlobalArguments;
use crate::settings::RequiredSettings;

/// Read and edit your profile, its links, posts and statistics
#[derive(Debug, Parser)]
#[command(name = "profile", bin_name = "profile", version, max_term_width = 100)]
#[command(after_help = after_help())]
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

fn after_help() -> String {
    let sandbox = if cfg!(feature = "sandbox") {
        "  profile --sandbox show             try a sample profile, without an account\n"
    } else {
        ""
    };
    let topics =
        Topic::ALL.map(|topic| format!("  profile help {:<12}  {}\n", topic.name, topic.about));
    format!(
        "\
Examples:
{sandbox}  profile set --display-name Ada     change your name
  profile link list --json           print your links for a script

Help topics:
{}",
        topics.concat().trim_end()
    )
}
