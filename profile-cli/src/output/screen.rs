//! What is known of the place that results are printed to.

use std::io::{self, IsTerminal as _};

use anstyle::{RgbColor, Style};
use clap::ValueEnum;

use crate::environment::Environment;
use crate::settings::Settings;

/// The width of a terminal that does not tell its own.
const DEFAULT_WIDTH: usize = 80;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal that can show them
    #[default]
    Auto,
    /// Even in a pipe
    Always,
    /// Not at all
    Never,
}

/// A place to print to.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) is_terminal: bool,
    pub(crate) color: bool,
    /// In columns.
    pub(crate) width: usize,
}

impl ColorChoice {
    /// Reads the name of a choice.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::from_str(text, false)
            .map_err(|_| format!("is {text:?}; expected auto, always or never"))
    }

    fn decide(self, is_terminal: bool, environment: &Environment) -> bool {
        let is_set = |name| environment.path(name).is_some();
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if is_set("NO_COLOR") => false,
            Self::Auto if environment.is_on("CLICOLOR_FORCE") => true,
            Self::Auto => {
                is_terminal && environment.path("TERM").is_none_or(|term| *term != *"dumb")
            }
        }
    }
}

impl Screen {
    pub(crate) fn of_stdout(settings: &Settings) -> Self {
        Self::new(io::stdout().is_terminal(), settings)
    }

    pub(crate) fn of_stderr(settings: &Settings) -> Self {
        Self::new(io::stderr().is_terminal(), settings)
    }

    /// A place that is no terminal.
    pub(crate) fn plain() -> Self {
        Self {
            is_terminal: false,
            color: false,
            width: DEFAULT_WIDTH,
        }
    }

    fn new(is_terminal: bool, settings: &Settings) -> Self {
        let environment = &settings.environment;
        let columns = environment.text("COLUMNS").ok().flatten();
        let columns = columns.and_then(|columns| columns.parse().ok());
        Self {
            is_terminal,
            color: settings.color.decide(is_terminal, environment),
            width: columns
                .or_else(|| measured_width().filter(|_| is_terminal))
                .unwrap_or(DEFAULT_WIDTH)
                .max(20),
        }
    }

    /// The text in a style, where there are colours.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        match self.color {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    /// The text on a background of this colour, where there are colours.
    pub(crate) fn on_color(&self, [red, green, blue]: [u8; 3], text: &str) -> String {
        let style = Style::new().bg_color(Some(RgbColor(red, green, blue).into()));
        self.styled(style, text)
    }
}

/// The columns that the terminal tells, however many rows it has.
#[cfg(unix)]
fn measured_width() -> Option<usize> {
    use rustix::termios::tcgetwinsize;
    let size = tcgetwinsize(io::stdout()).or_else(|_| tcgetwinsize(io::stderr()));
    let columns = usize::from(size.ok()?.ws_col);
    (columns > 0).then_some(columns)
}

#[cfg(not(unix))]
fn measured_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
