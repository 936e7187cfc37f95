//! Completes a command line: a script in the shell runs the program, which prints the candidates.

mod values;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::process::ExitCode;
use std::{env, io};

use clap::{Command, ValueEnum, ValueHint};
use clap_complete::engine::{self, ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use crate::terminal::Blocking;
use values::{CommandLine, LINE};

#[cfg(feature = "webhook")]
pub(crate) use values::event_kinds;
pub(crate) use values::{accounts, links, posts, setting_values, settings};

/// The program, which the scripts run by its name.
const PROGRAM: &str = "profile";

/// Variable that a script sets to the name of its shell.
const VARIABLE: &str = "PROFILE_COMPLETE";

/// Variable that the script for zsh sets to the index of the word that is completed.
const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";

/// The only candidate of a value that may be a path: the shell completes and quotes file names.
const FILES: &str = "\n";

/// Prints the candidates if a completion script asks for them, otherwise returns `None`. Fails if
/// the shell should complete file names. Prints no errors, which would appear in the middle of the
/// command line.
pub(crate) fn complete(program: fn() -> Command, words: &[OsString]) -> Option<ExitCode> {
    let name = env::var_os(VARIABLE).filter(|name| !name.is_empty())?;
    let name = name.to_str().unwrap_or_default();
    let shell = Shell::from_str(name, false).ok();
    let Some(text) = shell.and_then(|shell| candidates(shell, program, words)) else {
        return Some(ExitCode::FAILURE);
    };
    // The shell may have stopped reading.
    let _ = Blocking(io::stdout()).write_all(text.as_bytes());
    Some(ExitCode::SUCCESS)
}

/// Returns the candidates as the script expects them, or `None` if file names fit.
fn candidates(shell: Shell, program: fn() -> Command, words: &[OsString]) -> Option<String> {
    let arguments = words.iter().map(|word| word.to_string_lossy().into_owned());
    let arguments: Vec<_> = arguments.skip_while(|word| word != "--").skip(1).collect();
    let words = shell.words(&arguments)?;
    let (last, before) = words.split_last()?;
    let before = before.to_vec();
    let position = before.len();
    LINE.get_or_init(|| CommandLine {
        program,
        before,
        all: arguments.clone(),
    });
    let mut command = program().mut_arg("account", |argument| argument.add(accounts()));
    // Adds the arguments of the subcommands, --help and the global options.
    command.build();
    let mut command = with_files(command);
    let line = words.iter().map(Into::into).collect();
    let mut found = engine::complete(&mut command, line, position, None).unwrap_or_default();
    let value =
        |candidate: &CompletionCandidate| candidate.get_value().to_string_lossy().into_owned();
    let is_path = |candidate: &CompletionCandidate| value(candidate).ends_with(FILES);
    if found.iter().any(is_path) {
        return None;
    }
    found.retain(|candidate| last.starts_with('-') || !value(candidate).starts_with('-'));
    let global = command.get_arguments().filter(|it| it.is_global_set());
    let global: Vec<_> = global.filter_map(|argument| argument.get_long()).collect();
    found.sort_by_key(|candidate| global.contains(&value(candidate).trim_start_matches('-')));
    // Bash replaces only the part of a word after `:` or `=`.
    let part = arguments.get(1).filter(|_| shell == Shell::Bash);
    let kept = part.and_then(|part| last.strip_suffix(part.as_str()));
    let kept = kept.unwrap_or_default();
    let texts = found.iter().map(|candidate| shell.text(candidate, kept));
    Some(texts.collect())
}

/// Marks the values that may be paths. An option is not one; in a text, only a word with `@` is one.
fn with_files(command: Command) -> Command {
    let files_if = |is_path: fn(&str) -> bool| {
        ArgValueCompleter::new(move |word: &OsStr| {
            let files = is_path(&word.to_string_lossy()).then_some(FILES);
            files.into_iter().map(CompletionCandidate::new).collect()
        })
    };
    let command = command.mut_args(|argument| match argument.get_value_hint() {
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath => {
            argument.add(files_if(|word| !word.starts_with('-')))
        }
        _ => match argument.get_value_names() {
            Some([name]) if name.contains('@') => {
                argument.add(files_if(|word| word.starts_with('@')))
            }
            _ => argument,
        },
    });
    command.mut_subcommands(with_files)
}

/// Splits a line of bash; the last word may be empty, or have an open quote.
fn split(line: &str) -> Option<Vec<String>> {
    let ends = ["_", "_'", "_\""];
    let mut split = ends.iter().map(|end| shlex::split(&format!("{line}{end}")));
    let mut words = split.find_map(|words| words)?;
    words.last_mut()?.pop();
    Some(words)
}

/// A shell that can complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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
    /// Returns the words up to the cursor from the arguments of the script.
    fn words(self, arguments: &[String]) -> Option<Vec<String>> {
        if self == Self::Bash {
            return split(arguments.first()?);
        }
        let mut words = arguments.to_vec();
        let index = env::var(INDEX_VARIABLE).ok();
        if let Some(index) = index.and_then(|index| index.parse::<usize>().ok()) {
            words.resize(index.min(words.len()) + 1, String::new());
        }
        let last = words.last_mut()?;
        // The quote may be open.
        *last = last.trim_start_matches(['"', '\'']).to_owned();
        Some(words)
    }

    /// Returns a candidate without the part of the word that the shell keeps.
    fn text(self, candidate: &CompletionCandidate, kept: &str) -> String {
        let value = candidate.get_value().to_string_lossy();
        let help = candidate.get_help().map(ToString::to_string);
        let help = help.as_deref().and_then(|help| help.lines().next());
        let help = help.unwrap_or_default();
        match self {
            Self::Bash => format!("{}\u{b}", value.strip_prefix(kept).unwrap_or(&value)),
            Self::Zsh => {
                let value = value.replace('\\', "\\\\").replace(':', "\\:");
                format!("{value}:{}\n", help.replace('\\', "\\\\"))
            }
            Self::Fish => format!("{value}\t{help}\n"),
        }
    }

    /// Returns clap's script, in which the shell completes file names if there are no candidates.
    pub(crate) fn script(self) -> String {
        let adapter: &dyn EnvCompleter = match self {
            Self::Bash => &Bash,
            Self::Zsh => &Zsh,
            Self::Fish => &Fish,
        };
        let mut script = Vec::new();
        let written = adapter.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script);
        written.expect("a Vec accepts any bytes");
        let script = String::from_utf8_lossy(&script);
        let mut script = script.trim().to_owned();
        for (before, after) in self.changes() {
            debug_assert!(script.contains(before), "clap_complete has changed");
            script = script.replace(before, after);
        }
        match self {
            Self::Zsh => format!("{script}\n{ZSH_AUTOLOAD}"),
            Self::Bash | Self::Fish => script,
        }
    }

    /// Returns parts of clap's script, and their replacements.
    fn changes(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Bash => &[
                // Bash splits the words of COMP_WORDS at `:` and `=`.
                (
                    "-- \"${words[@]}\"",
                    "-- \"${COMP_LINE:0:COMP_POINT}\" \"$2\"",
                ),
                (
                    "unset COMPREPLY",
                    "COMPREPLY=(); compopt -o default 2> /dev/null",
                ),
                (" -o bashdefault", ""),
            ],
            Self::Zsh => &[
                (
                    "    local completions=(",
                    "    local completions\n    completions=(",
                ),
                (
                    "    if [[ -n $completions ]]; then",
                    "    if [[ $? != 0 ]]; then\n        compset -P @; _files\n    elif [[ -n $completions ]]; then",
                ),
            ],
            Self::Fish => &[(
                "(commandline --current-token))",
                "(commandline --current-token); or __fish_complete_path (commandline --current-token))",
            )],
        }
    }
}
