//! What is known of the place that results are printed to.

#[cfg(unix)]
use std::io;

use anstyle::{RgbColor, Style};

/// The width of a terminal that does not tell its own.
const DEFAULT_WIDTH: usize = 80;

/// A place to print to.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) is_terminal: bool,
    pub(crate) color: bool,
    /// In columns.
    pub(crate) width: usize,
}

impl Screen {
    /// A place that is no terminal.
    pub(crate) fn plain() -> Self {
        Self {
            is_terminal: false,
            color: false,
            width: DEFAULT_WIDTH,
        }
    }

    /// A place of this width, or of that which a terminal tells.
    pub(crate) fn new(is_terminal: bool, color: bool, width: Option<usize>) -> Self {
        Self {
            is_terminal,
            color,
            width: width
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
