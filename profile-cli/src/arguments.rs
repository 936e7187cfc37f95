//! What can be typed after `profile`.

use clap::Parser;

use crate::commands::Command;
use crate::settings::GlobalArguments;
use crate::settings::RequiredSettings;

/// Read and edit your profile, its links, posts and statistics
#[derive(Debug, Parser)]
#[command(name = "profile", version, max_term_width = 100)]
#[command(after_help = after_help())]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArguments,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Arguments {
    /// How much of the settings the command needs to be right.
    pub(crate) fn required_settings(&self) -> RequiredSettings {
        self.command
            .as_ref()
            .map_or(RequiredSettings::None, Command::required_settings)
    }
}

fn after_help() -> String {
    let sandbox = if cfg!(feature = "sandbox") {
        "  profile --sandbox show             try it on a made-up profile, without an account\n"
    } else {
        ""
    };
    format!(
        "\
Examples:
{sandbox}  profile set --display-name Ada     change your name
  profile link list --json           your links, for a script

Environment, which comes after flags and before config.toml:
  PROFILE_API_KEY        your key; it is never taken as an argument
  PROFILE_API_KEY_FILE   a file that holds your key
  PROFILE_BASE_URL       where the service is, for example https://profiles.example
  PROFILE_ACCOUNT        which stored account to use
  PROFILE_OUTPUT         how to print: table, json, ndjson, csv or tsv
  PROFILE_WEBHOOK_SECRET, PROFILE_WEBHOOK_SECRET_FILE
                         the secret of your webhook, or a file that holds it
  PROFILE_EDITOR         the editor to write in
  PROFILE_CONFIG_DIR     where config.toml and stored keys are; else $XDG_CONFIG_HOME/profile or
                         ~/.config/profile
  PROFILE_LOG            what to tell on stderr: off, error, warn, info (as -v) or debug (-vv)
  PROFILE_NO_INPUT       1 to never ask

Exit codes:
  0 done, 1 another failure, 2 wrong usage or a value that was refused before anything was sent,
  3 not found, 4 no key or key refused, 5 the key lacks the scope, 6 content refused,
  7 rate limited, 8 network, TLS or time-out: the outcome may be unknown, and the message says so,
  10 the signature does not match, 130 interrupted with Ctrl-C"
    )
}
