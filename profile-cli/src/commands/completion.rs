//! `profile completion`: scripts that complete what is typed.

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory as _, ValueEnum};
use clap_complete::Shell as Generator;
use clap_complete::generate;
#[cfg(feature = "webhook")]
use profile_sdk::EventKind;

use crate::arguments::Arguments;
use crate::report::Report;
use crate::settings::SettingName;

/// A static, since the parser takes names that live as long as the program.
#[cfg(feature = "webhook")]
static KINDS: [EventKind; 7] = EventKind::KNOWN;

/// Print a script that completes commands and options in your shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(profile completion bash)                                         for this session
  profile completion bash > ~/.local/share/bash-completion/completions/profile
  profile completion zsh > ~/.zfunc/_profile                                with ~/.zfunc in $fpath
  profile completion fish > ~/.config/fish/completions/profile.fish
  profile completion powershell | Out-String | Invoke-Expression")]
pub(crate) struct CompletionArguments {
    /// Which shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// A shell that can complete.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

pub(crate) fn run(arguments: &CompletionArguments) -> Report {
    let shell = match arguments.shell {
        Shell::Bash => Generator::Bash,
        Shell::Zsh => Generator::Zsh,
        Shell::Fish => Generator::Fish,
        Shell::Powershell => Generator::PowerShell,
    };
    let mut script = Vec::new();
    generate(shell, &mut command(), "profile", &mut script);
    Report::text(String::from_utf8_lossy(&script).trim_end(), "script")
}

/// The program with the values that are known of arguments which take others too.
fn command() -> Command {
    let settings =
        |command: Command| known(command, "name", SettingName::ALL.map(SettingName::as_str));
    let command = Arguments::command().mut_subcommand("config", |config| {
        let config = config.mut_subcommand("get", settings);
        let config = config.mut_subcommand("set", settings);
        config.mut_subcommand("unset", settings)
    });
    #[cfg(feature = "webhook")]
    let command = command.mut_subcommand("webhook", |webhook| {
        webhook.mut_subcommand("send", |send| {
            known(send, "kind", KINDS.each_ref().map(EventKind::as_str))
        })
    });
    command
}

fn known(
    command: Command,
    argument: &str,
    values: impl IntoIterator<Item = &'static str>,
) -> Command {
    let values = PossibleValuesParser::new(values);
    command.mut_arg(argument, |argument| argument.value_parser(values))
}
