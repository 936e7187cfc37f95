//! Completes a command line: a script in the shell runs the program, which prints the candidates.

mod values;

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::ExitCode;
use std::{env, io};

use clap::{Command, ValueEnum};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use values::{CommandLine, LINE, without_files};

#[cfg(feature = "webhook")]
pub(crate) use values::event_kinds;
pub(crate) use values::{accounts, links, posts, setting_values, settings};

/// The program, which the scripts run by its name.
const PROGRAM: &str = "profile";

/// Variable that a script sets to the name of its shell.
const VARIABLE: &str = "PROFILE_COMPLETE";

/// Variable that a script for bash or zsh sets to the index of the word that is completed.
const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";

/// Prints the candidates if a completion script asks for them, otherwise returns `None`. Fails if
/// there are none, so that the shell completes file names. Prints no errors, which would appear in
/// the middle of the command line.
pub(crate) fn complete(program: fn() -> Command) -> Option<ExitCode> {
    let name = env::var_os(VARIABLE).filter(|name| !name.is_empty())?;
    let shell = Shell::of_name(&name);
    let text = shell.and_then(|shell| candidates(shell, program));
    let text = text.unwrap_or_default();
    // The shell may have stopped reading.
    let _ = io::stdout().write_all(text.as_bytes());
    Some(match text.is_empty() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

fn candidates(shell: Shell, program: fn() -> Command) -> Option<String> {
    let arguments = env::args_os().skip_while(|argument| argument != "--");
    let words: Vec<_> = arguments.skip(1).collect();
    let index = env::var(INDEX_VARIABLE)
        .ok()
        .and_then(|index| index.parse().ok());
    let index = index.unwrap_or(words.len().checked_sub(1)?);
    let line = LINE.get_or_init(|| CommandLine::new(program, &words, index));
    let mut command = program().mut_arg("account", |argument| argument.add(accounts()));
    // Adds the arguments of the subcommands, --help and the global options.
    command.build();
    let mut command = without_files(command);
    let mut text = Vec::new();
    let adapter = shell.adapter();
    let written = adapter.write_complete(&mut command, words, None, &mut text);
    written.ok()?;
    let text = String::from_utf8(text).ok()?;
    Some(match line.last.starts_with('-') {
        true => text,
        false => without_options(&text),
    })
}

/// Removes the options from the candidates, which are separated by line breaks or, for bash, by
/// vertical tabs.
fn without_options(candidates: &str) -> String {
    let candidates = candidates.split_inclusive(['\n', '\u{b}']);
    candidates
        .filter(|candidate| !candidate.starts_with('-'))
        .collect()
}

/// A shell that can complete.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Appended to the script for zsh, which runs a script in `$fpath` as the completion function.
const ZSH_AUTOLOAD: &str = "\
if [ \"$funcstack[1]\" = _profile ]; then
    _clap_dynamic_completer_profile
fi
";

impl Shell {
    pub(super) fn of_name(name: &OsStr) -> Option<Self> {
        Self::from_str(name.to_str()?, false).ok()
    }

    /// Returns clap's script, in which the shell completes file names if there are no candidates.
    pub(crate) fn script(self) -> String {
        let mut script = Vec::new();
        let written =
            self.adapter()
                .write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script);
        written.expect("a Vec accepts any bytes");
        let script = String::from_utf8_lossy(&script);
        let (before, after) = self.file_names();
        debug_assert!(
            script.contains(before),
            "clap_complete has changed its script"
        );
        let script = script.trim().replace(before, after);
        match self {
            Self::Zsh => format!("{script}\n{ZSH_AUTOLOAD}"),
            Self::Bash | Self::Fish => script,
        }
    }

    /// Returns a part of clap's script, and its replacement.
    fn file_names(self) -> (&'static str, &'static str) {
        match self {
            Self::Bash => ("-o bashdefault", "-o bashdefault -o default"),
            Self::Zsh => (
                "    if [[ -n $completions ]]; then",
                "    if [[ -z $completions ]]; then\n        compset -P @; _files\n    else",
            ),
            Self::Fish => (
                "(commandline --current-token))",
                "(commandline --current-token); or __fish_complete_path (commandline --current-token))",
            ),
        }
    }

    pub(super) fn adapter(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &Bash,
            Self::Zsh => &Zsh,
            Self::Fish => &Fish,
        }
    }
}
