//! `profile completion`: completion scripts.

use clap::Args;

use crate::completion::Shell;
use crate::outcome::Report;

#[derive(Debug, Args)]
#[command(after_help = "\
The scripts run `profile` to complete commands, options, accounts, settings and their values, kinds of \
events, and the IDs of your links and posts; zsh and fish show their titles. `profile` waits at most one \
second for the IDs. It sends nothing and offers no IDs if the key is in a keyring or the line has \
--account, --base-url or --sandbox, and omits IDs that a shell would interpret. Names of files after @ are \
not completed, nor in bash words with : or =. Install the script again when you update the program. There is no script for PowerShell.

Examples:
  source <(profile completion bash)                   in this session
  profile completion bash > ~/.local/share/bash-completion/completions/profile
  profile completion zsh > ~/.zfunc/_profile          with ~/.zfunc in $fpath
  profile completion fish > ~/.config/fish/completions/profile.fish")]
pub(crate) struct CompletionArguments {
    /// Name of the shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(arguments: &CompletionArguments) -> Report {
    Report::text(arguments.shell.script().trim(), "script")
}
