//! The choice of when to use color.

use clap::ValueEnum;

use crate::system::environment::Environment;
use crate::terminal::screen::Palette;

/// When to use color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal that supports color
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Never
    Never,
}

impl ColorChoice {
    /// Parses the name of a choice.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::from_str(text, false)
            .map_err(|_| format!("is {text:?}; expected auto, always or never"))
    }

    /// Returns the colors of a stream, or `None` if it should not be colored.
    pub(crate) fn palette(self, is_terminal: bool, environment: &Environment) -> Option<Palette> {
        let text = |name| environment.text(name).ok().flatten().unwrap_or_default();
        let palette = match (text("COLORTERM").as_str(), text("TERM")) {
            ("truecolor" | "24bit", _) => Palette::Full,
            (_, term) if term.contains("256color") => Palette::Indexed,
            _ => Palette::Basic,
        };
        self.is_on(is_terminal, environment).then_some(palette)
    }

    fn is_on(self, is_terminal: bool, environment: &Environment) -> bool {
        let is_set = |name| environment.path(name).is_some();
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if is_set("NO_COLOR") => false,
            Self::Auto if environment.is_on("CLICOLOR_FORCE") => true,
            Self::Auto => {
                is_terminal
                    && environment
                        .path("TERM")
                        .is_none_or(|term| term.as_os_str() != "dumb")
            }
        }
    }
}
