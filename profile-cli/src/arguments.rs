//! What can be typed after `profile`.

use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand};

use crate::commands::{
    analytics, api, auth, badge, completion, config, draft, edit, link, man, post, set, show, site,
    stats, version,
};
use crate::output::Format;
use crate::output::screen::ColorChoice;
use crate::settings::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, Need};

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

/// What every command takes.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArguments {
    /// How to print the result: table, json, ndjson, csv or tsv; a table on a terminal and TSV in a
    /// pipe unless given
    #[arg(short, long, global = true, value_enum, hide_possible_values = true)]
    #[arg(value_name = "FORMAT")]
    pub(crate) output: Option<Format>,

    /// Print JSON: what the service sent under `data`; the same as `--output json`
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print what this jq expression makes of the JSON; texts are printed without quotes
    #[cfg(feature = "jq")]
    #[arg(long, global = true, value_name = "EXPR")]
    pub(crate) jq: Option<String>,

    /// Answer yes to every question
    #[arg(long, global = true)]
    pub(crate) yes: bool,

    /// Never ask; fail where a question would be needed
    #[arg(long, global = true)]
    pub(crate) no_input: bool,

    /// Print no warnings, hints or progress, just results and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Tell on stderr what is sent and answered; -vv tells every attempt and wait too
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Print the curl command that does the same, and send nothing
    #[arg(long, global = true)]
    pub(crate) curl: bool,

    /// Which stored account to use
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) account: Option<String>,

    #[arg(long, global = true, value_name = "URL")]
    #[arg(help = "Where the service is, for example https://profiles.example")]
    pub(crate) base_url: Option<String>,

    #[arg(long, global = true, value_name = "SECONDS", value_parser = crate::settings::seconds)]
    #[arg(help = format!("How long one attempt may take, {} unless set", DEFAULT_TIMEOUT.as_secs()))]
    pub(crate) timeout: Option<Duration>,

    #[arg(long, global = true, value_name = "N")]
    #[arg(help = format!("How often to repeat what can be repeated, {DEFAULT_RETRIES} unless set"))]
    pub(crate) retries: Option<u32>,

    /// When to use colours: auto, always or never; auto also minds NO_COLOR, CLICOLOR_FORCE and TERM
    #[arg(
        long,
        global = true,
        value_enum,
        hide_possible_values = true,
        value_name = "WHEN"
    )]
    pub(crate) color: Option<ColorChoice>,

    /// Work on a made-up profile kept on this machine; needs no account and no network
    #[cfg(feature = "sandbox")]
    #[arg(long, global = true)]
    pub(crate) sandbox: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show(show::ShowArguments),
    Set(set::SetArguments),
    Edit(edit::EditArguments),
    #[command(visible_alias = "drafts", subcommand)]
    Draft(draft::DraftCommand),
    #[command(visible_alias = "links", subcommand)]
    Link(link::LinkCommand),
    #[command(visible_alias = "posts", subcommand)]
    Post(post::PostCommand),
    Stats(stats::StatsArguments),
    Analytics(analytics::AnalyticsArguments),
    #[command(visible_alias = "badges", subcommand)]
    Badge(badge::BadgeCommand),
    Site(site::SiteArguments),
    #[command(subcommand)]
    Auth(auth::AuthCommand),
    #[command(subcommand)]
    Config(config::ConfigCommand),
    Api(api::ApiArguments),
    #[cfg(feature = "webhook")]
    #[command(visible_alias = "webhooks", subcommand)]
    Webhook(crate::commands::webhook::WebhookCommand),
    #[cfg(feature = "sandbox")]
    #[command(subcommand)]
    Sandbox(crate::commands::sandbox::SandboxCommand),
    Completion(completion::CompletionArguments),
    Man(man::ManArguments),
    Version(version::VersionArguments),
}

impl Arguments {
    /// How much of the settings the command needs to be right.
    pub(crate) fn need(&self) -> Need {
        match &self.command {
            None | Some(Command::Completion(_) | Command::Man(_) | Command::Version(_)) => {
                Need::Nothing
            }
            Some(Command::Config(command)) => command.need(),
            Some(_) => Need::All,
        }
    }
}

impl GlobalArguments {
    /// Whether the arguments alone ask for JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.json || self.jq().is_some() || self.output.is_some_and(Format::is_json)
    }

    /// The jq expression, where this build has jq and one is given.
    pub(crate) fn jq(&self) -> Option<&str> {
        #[cfg(feature = "jq")]
        return self.jq.as_deref();
        #[cfg(not(feature = "jq"))]
        None
    }

    /// Whether to work on the sandbox, where this build has one.
    pub(crate) fn sandbox(&self) -> bool {
        #[cfg(feature = "sandbox")]
        return self.sandbox;
        #[cfg(not(feature = "sandbox"))]
        false
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
