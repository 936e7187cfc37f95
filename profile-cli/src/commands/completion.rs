//! `profile completion`: scripts that complete what is typed.

use clap::{Args, CommandFactory as _, ValueEnum};
use clap_complete::Shell as Generator;
use clap_complete::generate;

use crate::arguments::Arguments;
use crate::report::Report;

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
    generate(shell, &mut Arguments::command(), "profile", &mut script);
    Report::text(String::from_utf8_lossy(&script).trim_end(), "script")
}
