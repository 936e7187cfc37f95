//! The properties of an output stream.

#[cfg(unix)]
use std::io;

use anstyle::{RgbColor, Style};

/// Width if it is unknown.
const DEFAULT_WIDTH: usize = 80;

/// An output stream: a terminal, file or pipe.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) is_terminal: bool,
    pub(crate) color: bool,
    /// In columns.
    pub(crate) width: usize,
}

impl Screen {
    /// Returns a stream that is not a terminal.
    pub(crate) fn plain() -> Self {
        Self {
            is_terminal: false,
            color: false,
            width: DEFAULT_WIDTH,
        }
    }

    /// Returns a stream of this width, or of the terminal's width.
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

    /// Applies a style to the text, if the stream has colors.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        match self.color {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    /// Applies a background color to the text, if the stream has colors.
    pub(crate) fn on_color(&self, [red, green, blue]: [u8; 3], text: &str) -> String {
        let style = Style::new().bg_color(Some(RgbColor(red, green, blue).into()));
        self.styled(style, text)
    }
}

/// Returns the width of the terminal.
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
