//! What can be typed after `profile`.

use clap::{Args, Parser, Subcommand};

use crate::commands::{analytics, badge, link, post, set, show, site, stats};

/// Read and edit your profile, its links, posts and statistics
#[derive(Debug, Parser)]
#[command(
    name = "profile",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(after_help = after_help())]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArguments,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArguments {
    /// Print JSON: the data as the service sent it
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Answer yes to every question
    #[arg(long, global = true)]
    pub(crate) yes: bool,

    /// Where the service is; without it, PROFILE_BASE_URL says so
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Work on a made-up profile kept on this machine; needs no account and no network
    #[cfg(feature = "sandbox")]
    #[arg(long, global = true)]
    pub(crate) sandbox: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show(show::ShowArguments),
    Set(set::SetArguments),
    #[command(visible_alias = "links", subcommand)]
    Link(link::LinkCommand),
    #[command(visible_alias = "posts", subcommand)]
    Post(post::PostCommand),
    Stats(stats::StatsArguments),
    Analytics(analytics::AnalyticsArguments),
    #[command(visible_alias = "badges", subcommand)]
    Badge(badge::BadgeCommand),
    Site(site::SiteArguments),
    #[cfg(feature = "sandbox")]
    #[command(subcommand)]
    Sandbox(crate::commands::sandbox::SandboxCommand),
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

Settings:
  PROFILE_BASE_URL   where the service is, for example https://profiles.example
  PROFILE_API_KEY    your key; it is never taken as an argument

Exit codes:
  0 done, 1 another failure, 2 wrong usage or a value that was refused before anything was sent,
  3 not found, 4 no key or key refused, 5 the key lacks the scope, 6 content refused,
  7 rate limited, 8 network, TLS or time-out: the outcome may be unknown, and the message says so"
    )
}
