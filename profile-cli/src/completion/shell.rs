//! The supported shells and their completion scripts.

use clap::ValueEnum;
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use super::{OsStr, PROGRAM, VARIABLE};

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

    /// Returns the file name that the shell expects.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Bash => "profile.bash",
            Self::Zsh => "_profile",
            Self::Fish => "profile.fish",
        }
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
