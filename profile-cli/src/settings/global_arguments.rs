//! The global options.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use clap::{ArgAction, Args, ColorChoice, ValueEnum};

use super::{SECONDS, Setting, SettingName, Source, name_of, seconds};

/// The options of every command. Of those that select no account and no service, the last one wins, so that
/// aliases can be overridden.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArguments {
    #[arg(short, long, global = true, value_enum, hide_possible_values = true)]
    #[arg(value_name = "FORMAT", help = SettingName::Output.help(), overrides_with = "output")]
    pub(crate) output: Option<Format>,

    /// Print the `data` of the response as JSON; same as `--output json`
    #[arg(long, global = true, overrides_with = "json")]
    pub(crate) json: bool,

    /// Filter the JSON with a jq expression, evaluated by jaq; strings are printed without quotes
    #[cfg_attr(not(feature = "jq"), arg(skip))]
    #[cfg_attr(
        feature = "jq",
        arg(long, global = true, value_name = "EXPR", overrides_with = "jq")
    )]
    pub(crate) jq: Option<String>,

    /// Skip requests for confirmation
    #[arg(short, long, global = true, overrides_with = "yes")]
    pub(crate) yes: bool,

    #[arg(long, global = true, help = SettingName::NoInput.help(), overrides_with = "no_input")]
    pub(crate) no_input: bool,

    /// Suppress warnings, hints and progress
    #[arg(short, long, global = true, overrides_with = "quiet")]
    pub(crate) quiet: bool,

    /// Log requests and responses to stderr; -vv adds response headers and attempts, -vvv
    /// request headers and bodies
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    #[arg(long, global = true, value_name = "NAME", help = SettingName::Account.help())]
    pub(crate) account: Option<String>,

    #[arg(long, global = true, value_name = "URL", help = SettingName::BaseUrl.help())]
    pub(crate) base_url: Option<String>,

    #[arg(long, global = true, value_name = "SECONDS", value_parser = timeout)]
    #[arg(help = SettingName::Timeout.help(), overrides_with = "timeout")]
    pub(crate) timeout: Option<Duration>,

    #[arg(long, global = true, value_name = "N", overrides_with = "retries")]
    #[arg(help = SettingName::Retries.help())]
    pub(crate) retries: Option<u32>,

    #[arg(long, global = true, value_enum, hide_possible_values = true)]
    #[arg(value_name = "WHEN", help = SettingName::Color.help(), overrides_with = "color")]
    pub(crate) color: Option<ColorChoice>,

    /// Use a sample profile on this machine; needs no account and no network
    #[cfg_attr(not(feature = "sandbox"), arg(skip))]
    #[cfg_attr(
        feature = "sandbox",
        arg(long, global = true, overrides_with = "sandbox")
    )]
    pub(crate) sandbox: bool,
}

fn timeout(text: &str) -> Result<Duration, String> {
    seconds(text).map_err(|_| format!("expected {SECONDS}"))
}

impl GlobalArguments {
    /// Returns the text of a setting that an option overrides.
    pub(crate) fn setting(&self, name: SettingName) -> Option<Setting<String>> {
        let (option, text) = match name {
            SettingName::Account => ("--account", self.account.clone()),
            SettingName::BaseUrl => ("--base-url", self.base_url.clone()),
            SettingName::Color => ("--color", self.color.as_ref().map(name_of)),
            SettingName::NoInput => ("--no-input", self.no_input.then(|| "true".to_owned())),
            SettingName::Output => match (&self.output, self.json) {
                (Some(format), _) => ("--output", Some(name_of(format))),
                (None, true) => ("--json", Some("json".to_owned())),
                (None, false) => ("--jq", self.jq.as_ref().map(|_| "json".to_owned())),
            },
            SettingName::Retries => ("--retries", self.retries.map(|count| count.to_string())),
            SettingName::Timeout => {
                let seconds = self.timeout.map(|timeout| timeout.as_secs_f64());
                ("--timeout", seconds.map(|seconds| seconds.to_string()))
            }
            SettingName::Editor | SettingName::Proxy => return None,
        };
        Some(Setting::new(text?, Source::Option(option)))
    }

    /// Returns `true` if an invalid jq expression is reported as JSON: not to people, unless they ask
    /// for it.
    pub(crate) fn wants_jq_errors_as_json(&self) -> bool {
        let is_for_programs = self.jq.is_some() && !io::stderr().is_terminal();
        is_for_programs || self.json || self.output.is_some_and(Format::is_json)
    }
}

/// An output format, for `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Cards, tables and bars
    Table,
    /// One JSON document: `data` as the service sent it
    Json,
    /// Comma-separated values with a header
    Csv,
    /// Tab-separated values without a header
    Tsv,
}

impl Format {
    pub(crate) fn is_json(self) -> bool {
        self == Self::Json
    }
}
