//! `profile completion`: completion scripts.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum as _};
use serde_json::json;

use crate::completion::Shell;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::output;

#[derive(Debug, Args)]
#[command(after_help = "\
The scripts run `profile` to complete commands, options, accounts, settings and their values, kinds of
events, and the IDs of your links and posts; zsh and fish show their titles. The shell completes names
of files. `profile` waits at most one second for the IDs. It offers no IDs if the key is in a keyring
or --base-url is typed, and omits IDs with unusual characters. Install the script again when you update
the program.

Examples:
  source <(profile completion bash)                   in this session
  profile completion bash > ~/.local/share/bash-completion/completions/profile
  profile completion zsh > ~/.zfunc/_profile          with ~/.zfunc in $fpath
  profile completion fish > ~/.config/fish/completions/profile.fish
  profile completion --dir dist                       for packaging")]
pub(crate) struct CompletionArguments {
    /// Name of the shell
    #[arg(value_enum, value_name = "SHELL", required_unless_present = "dir")]
    shell: Option<Shell>,

    /// Write the script of SHELL, or of all shells, to this directory; it is created if needed
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &CompletionArguments) -> Result<Report, Failure> {
    match (&arguments.dir, arguments.shell) {
        (Some(directory), None) => write(Shell::value_variants(), directory),
        (Some(directory), Some(shell)) => write(&[shell], directory),
        (None, shell) => {
            let shell = shell.expect("the parser asks for one of the two");
            Ok(Report::text(shell.script().trim_end(), "script"))
        }
    }
}

/// Writes each script under the file name that its shell expects.
fn write(shells: &[Shell], directory: &Path) -> Result<Report, Failure> {
    let names: Vec<_> = shells.iter().map(|shell| shell.file_name()).collect();
    let created = fs::create_dir_all(directory);
    created.map_err(|error| Failure::of_file("written to", directory, &error))?;
    for (shell, name) in shells.iter().zip(&names) {
        output::write_file(&directory.join(name), shell.script().as_bytes())?;
    }
    let shown = format!("Wrote {} to {}.", names.join(", "), directory.display());
    Ok(Report::new(
        json!({"result": "written", "dir": directory.to_string_lossy(), "scripts": names}),
        View::Sentence(shown),
    )
    .of_change())
}
