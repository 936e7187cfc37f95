//! The terminal: its size and colors; `printable` makes text safe to print on it, `progress` shows
//! progress lines, `stream` waits for non-blocking streams.

mod printable;
pub(crate) mod progress;
mod safe_url;
mod stream;

use std::env;
#[cfg(unix)]
use std::io;

use anstyle::{Color, RgbColor, Style};

#[cfg(feature = "webhook")]
pub(crate) use printable::add_webhook_secret;
pub(crate) use printable::{
    add_secret, argument, csv_field, escaped, json_text, printable, redact_body, redact_cut,
    redact_key, redact_misplaced, redact_values, secrets, tsv_field,
};
pub(crate) use progress::{Progress, StatusLine, replaces_lines};
pub(crate) use safe_url::SafeUrl;
pub(crate) use stream::Blocking;

/// Width if it is unknown.
const DEFAULT_WIDTH: usize = 80;

/// The colors that a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Palette {
    /// The 16 colors of the terminal's theme.
    Basic,
    /// 256 colors.
    Indexed,
    /// 24 bits per color.
    Full,
}

/// An output stream: a terminal, file or pipe.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) is_terminal: bool,
    /// `None` without color.
    pub(crate) palette: Option<Palette>,
    /// In columns.
    pub(crate) width: usize,
}

impl Screen {
    /// Returns a stream of this width, or of the terminal's width.
    pub(crate) fn new(is_terminal: bool, palette: Option<Palette>, width: Option<usize>) -> Self {
        Self {
            is_terminal,
            palette,
            width: width
                .or_else(|| is_terminal.then(measured_width).flatten())
                .unwrap_or(DEFAULT_WIDTH)
                .max(20),
        }
    }

    /// Applies a style to the text, if the stream has colors.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        match self.palette.is_some() {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    /// Applies a background color to the text, if the stream has colors.
    pub(crate) fn on_color(&self, rgb: [u8; 3], text: &str) -> String {
        self.styled(Style::new().bg_color(self.nearest(rgb)), text)
    }

    /// Returns the nearest color that the stream can show.
    pub(crate) fn nearest(&self, [red, green, blue]: [u8; 3]) -> Option<Color> {
        let rgb = RgbColor(red, green, blue);
        Some(match self.palette? {
            Palette::Full => rgb.into(),
            Palette::Indexed => anstyle_lossy::rgb_to_xterm(rgb).into(),
            Palette::Basic => {
                anstyle_lossy::rgb_to_ansi(rgb, anstyle_lossy::palette::DEFAULT).into()
            }
        })
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

/// Returns `true` if the terminal of stdout or stderr understands escape sequences, which Windows has to be asked
/// for.
pub(crate) fn understands_sequences() -> bool {
    #[cfg(windows)]
    for stream in [
        winapi_util::HandleRef::stdout(),
        winapi_util::HandleRef::stderr(),
    ] {
        use winapi_util::console::{mode, set_mode};
        // ENABLE_VIRTUAL_TERMINAL_PROCESSING. A pipe or a file has no mode.
        if mode(&stream).is_ok_and(|mode| set_mode(&stream, mode | 4).is_err()) {
            return false;
        }
    }
    env::var_os("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
impl Screen {
    /// Returns a stream that is not a terminal.
    pub(crate) fn plain() -> Self {
        Self::new(false, None, None)
    }
}
