//! The arguments that every command takes.

use std::time::Duration;

use clap::{ArgAction, Args};

use super::value::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, seconds};
use super::{ColorChoice, Format};

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

    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
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
