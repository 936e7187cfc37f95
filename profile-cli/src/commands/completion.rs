//! `profile completion`: completion scripts.

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, ValueEnum};
use clap_complete::{Generator as _, Shell as Generator, generate};
use serde_json::json;
#[cfg(feature = "webhook")]
use webhook_verify::EventKind;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::settings::SettingName;

const NAME: &str = "profile";

/// Print the completion script of a shell, or write the scripts of all shells
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(profile completion bash)                   in this session
  profile completion bash > ~/.local/share/bash-completion/completions/profile
  profile completion zsh > ~/.zfunc/_profile          with ~/.zfunc in $fpath
  profile completion fish > ~/.config/fish/completions/profile.fish
  profile completion powershell | Out-String | Invoke-Expression
  profile completion --dir dist                       for packaging")]
pub(crate) struct CompletionArguments {
    /// Name of the shell
    #[arg(value_enum, value_name = "SHELL", required_unless_present = "dir")]
    shell: Option<Shell>,

    /// Write the script of SHELL, or of all shells, to this directory; it is created if needed
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// A supported shell.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

impl Shell {
    fn generator(self) -> Generator {
        match self {
            Self::Bash => Generator::Bash,
            Self::Zsh => Generator::Zsh,
            Self::Fish => Generator::Fish,
            Self::Powershell => Generator::PowerShell,
        }
    }
}

pub(crate) fn run(arguments: &CompletionArguments, program: &Command) -> Result<Report, Failure> {
    match (&arguments.dir, arguments.shell) {
        (Some(directory), None) => write(Shell::value_variants(), directory, program),
        (Some(directory), Some(shell)) => write(&[shell], directory, program),
        (None, shell) => Ok(print(
            shell.expect("the parser asks for one of the two"),
            program,
        )),
    }
}

fn print(shell: Shell, program: &Command) -> Report {
    let script = script(shell, program);
    Report::text(String::from_utf8_lossy(&script).trim_end(), "script")
}

/// Writes each script under the file name that its shell expects.
fn write(shells: &[Shell], directory: &Path, program: &Command) -> Result<Report, Failure> {
    let names: Vec<_> = shells
        .iter()
        .map(|shell| shell.generator().file_name(NAME))
        .collect();
    let written = fs::create_dir_all(directory).and_then(|()| {
        let mut files = shells.iter().zip(&names);
        files.try_for_each(|(shell, name)| fs::write(directory.join(name), script(*shell, program)))
    });
    written.map_err(|error| Failure::of_file("written to", directory, &error))?;
    let shown = format!("Wrote {} to {}.", names.join(", "), directory.display());
    Ok(Report::new(
        json!({"result": "written", "dir": directory.to_string_lossy(), "scripts": names}),
        View::Sentence(shown),
    ))
}

fn script(shell: Shell, program: &Command) -> Vec<u8> {
    let mut script = Vec::new();
    generate(
        shell.generator(),
        &mut with_known_values(program),
        NAME,
        &mut script,
    );
    script
}

/// Adds the known values of arguments that also accept other values.
fn with_known_values(program: &Command) -> Command {
    let settings =
        |command: Command| with_values(command, "name", SettingName::ALL.map(SettingName::as_str));
    let command = program.clone().mut_subcommand("config", |config| {
        let config = config.mut_subcommand("get", settings);
        let config = config.mut_subcommand("set", settings);
        config.mut_subcommand("unset", settings)
    });
    #[cfg(feature = "webhook")]
    let command = command.mut_subcommand("webhook", |webhook| {
        webhook.mut_subcommand("send", |send| {
            with_values(send, "kind", EventKind::KNOWN.iter().map(EventKind::as_str))
        })
    });
    command
}

fn with_values(
    command: Command,
    argument: &str,
    values: impl IntoIterator<Item = &'static str>,
) -> Command {
    let values = PossibleValuesParser::new(values);
    command.mut_arg(argument, |argument| argument.value_parser(values))
}
