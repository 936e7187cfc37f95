//! The supported shells and their completion scripts.

use clap::ValueEnum;
use clap_complete::env::{EnvCompleter, Fish, Powershell, Zsh};

use super::{OsStr, PROGRAM, VARIABLE, bash};

/// A shell that can complete.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
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
            Self::Powershell => "_profile.ps1",
        }
    }

    /// Returns the script that completes with this program.
    pub(crate) fn script(self) -> String {
        let Some(adapter) = self.adapter() else {
            return bash::script();
        };
        let mut script = Vec::new();
        let written = adapter.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script);
        written.expect("a Vec accepts any bytes");
        let script = String::from_utf8_lossy(&script);
        match self {
            Self::Zsh => format!("{script}{ZSH_AUTOLOAD}"),
            _ => script.trim().to_owned(),
        }
    }

    /// Returns clap's adapter, or `None` for bash, which has its own.
    pub(super) fn adapter(self) -> Option<&'static dyn EnvCompleter> {
        match self {
            Self::Bash => None,
            Self::Zsh => Some(&Zsh),
            Self::Fish => Some(&Fish),
            Self::Powershell => Some(&Powershell),
        }
    }
}
