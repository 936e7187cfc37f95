//! The global options.

use std::time::Duration;

use clap::{ArgAction, Args, ColorChoice};

use super::value::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, name_of, seconds};
use super::{Format, Setting, SettingName, Source};

/// The options of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArguments {
    /// Output format: table, json, ndjson, csv or tsv [default: table on a terminal, tsv elsewhere]
    #[arg(short, long, global = true, value_enum, hide_possible_values = true)]
    #[arg(value_name = "FORMAT")]
    pub(crate) output: Option<Format>,

    /// Print the `data` of the response as JSON; same as `--output json`
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Filter the JSON with a jq expression; strings are printed without quotes
    #[cfg(feature = "jq")]
    #[arg(long, global = true, value_name = "EXPR")]
    pub(crate) jq: Option<String>,

    /// Answer yes to every prompt
    #[arg(long, global = true)]
    pub(crate) yes: bool,

    /// Never prompt; fail where input is required
    #[arg(long, global = true)]
    pub(crate) no_input: bool,

    /// Suppress warnings, hints and progress
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Log requests and responses to stderr; -vv adds headers and attempts, -vvv bodies
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Print the equivalent curl command and send nothing
    #[arg(long, global = true)]
    pub(crate) curl: bool,

    /// Name of the stored account to use
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) account: Option<String>,

    #[arg(long, global = true, value_name = "URL")]
    #[arg(help = "Base URL of the service, for example https://profiles.example")]
    pub(crate) base_url: Option<String>,

    #[arg(long, global = true, value_name = "SECONDS", value_parser = timeout)]
    #[arg(help = format!("Timeout for each attempt, in seconds [default: {}]", DEFAULT_TIMEOUT.as_secs()))]
    pub(crate) timeout: Option<Duration>,

    #[arg(long, global = true, value_name = "N")]
    #[arg(help = format!("Maximum number of retries [default: {DEFAULT_RETRIES}]"))]
    pub(crate) retries: Option<u32>,

    /// When to use color: auto, always or never; `auto` honors NO_COLOR, CLICOLOR_FORCE and TERM
    #[arg(
        long,
        global = true,
        value_enum,
        hide_possible_values = true,
        value_name = "WHEN"
    )]
    pub(crate) color: Option<ColorChoice>,

    /// Use a sample profile on this machine; needs no account and no network
    #[cfg(feature = "sandbox")]
    #[arg(long, global = true)]
    pub(crate) sandbox: bool,
}

fn timeout(text: &str) -> Result<Duration, String> {
    let expected = SettingName::Timeout.expected();
    seconds(text).map_err(|_| format!("expected {expected}"))
}

impl GlobalArguments {
    /// Returns the text of a setting that an option overrides.
    pub(super) fn setting(&self, name: SettingName) -> Option<Setting<String>> {
        let (option, text) = match name {
            SettingName::Account => ("--account", self.account.clone()),
            SettingName::BaseUrl => ("--base-url", self.base_url.clone()),
            SettingName::Color => ("--color", self.color.as_ref().map(name_of)),
            SettingName::NoInput => ("--no-input", self.no_input.then(|| "true".to_owned())),
            SettingName::Output if self.output.is_some() => {
                ("--output", self.output.as_ref().map(name_of))
            }
            SettingName::Output if self.json => ("--json", Some("json".to_owned())),
            SettingName::Output => ("--jq", self.jq().map(|_| "json".to_owned())),
            SettingName::Retries => ("--retries", self.retries.map(|count| count.to_string())),
            SettingName::Timeout => {
                let seconds = self.timeout.map(|timeout| timeout.as_secs_f64());
                ("--timeout", seconds.map(|seconds| seconds.to_string()))
            }
            SettingName::Editor | SettingName::Proxy | SettingName::SandboxDialect => return None,
        };
        Some(Setting::new(text?, Source::Option(option)))
    }

    /// Returns `true` if the arguments select JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.json || self.jq().is_some() || self.output.is_some_and(Format::is_json)
    }

    /// Returns the jq expression, if this build supports jq.
    pub(crate) fn jq(&self) -> Option<&str> {
        #[cfg(feature = "jq")]
        return self.jq.as_deref();
        #[cfg(not(feature = "jq"))]
        None
    }

    /// Returns `true` if `--sandbox` is given and this build supports it.
    pub(crate) fn sandbox(&self) -> bool {
        #[cfg(feature = "sandbox")]
        return self.sandbox;
        #[cfg(not(feature = "sandbox"))]
        false
    }
}
