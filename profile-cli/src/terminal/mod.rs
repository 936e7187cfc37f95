//! The terminal: its size and colors, its streams, which may not block, and progress lines. `printable` makes text
//! safe to print on it.

mod printable;
mod safe_url;

use std::cell::RefCell;
use std::env;
use std::io::{self, IsTerminal as _, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsFd;

use anstyle::{Color, RgbColor, Style};
use profile_sdk::internal::longest_start;
use unicode_width::UnicodeWidthStr as _;

#[cfg(feature = "webhook")]
pub(crate) use printable::add_webhook_secret;
pub(crate) use printable::{
    add_secret, argument, csv_field, escaped, json_text, printable, redact_body, redact_cut,
    redact_key, redact_misplaced, redact_values, secrets, tsv_field,
};
pub(crate) use safe_url::SafeUrl;

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

/// A standard stream that waits where a non-blocking one fails. Node.js, SSH servers and event loops create such streams:
/// the flag belongs to the pipe or terminal, and is shared with the programs that they start.
pub(crate) struct Blocking<S>(pub(crate) S);

impl<S: Read + AsFd> Read for Blocking<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.repeat(true, |stream| stream.read(buffer))
    }
}

impl<S: Write + AsFd> Write for Blocking<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.repeat(false, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.repeat(false, Write::flush)
    }
}

impl<S: AsFd> Blocking<S> {
    /// Repeats an operation until it does not have to wait.
    fn repeat<T>(
        &mut self,
        reads: bool,
        mut operation: impl FnMut(&mut S) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match operation(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(&self.0, reads)?,
                result => return result,
            }
        }
    }
}

/// Waits until a stream can be read or written.
#[cfg(unix)]
fn wait(stream: &impl AsFd, reads: bool) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let event = if reads { PollFlags::IN } else { PollFlags::OUT };
    match poll(&mut [PollFd::new(stream, event)], None) {
        // A signal that does not end the program.
        Err(rustix::io::Errno::INTR) | Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// On other systems, standard streams always block.
#[cfg(not(unix))]
fn wait(_: &impl AsFd, _: bool) -> io::Result<()> {
    Err(io::ErrorKind::WouldBlock.into())
}

/// The progress of work on several items, if stderr can replace lines.
pub(crate) struct Progress {
    label: &'static str,
    total: usize,
    done: usize,
    line: Option<StatusLine>,
}

impl Progress {
    /// Starts showing progress, unless there is only one item or `quiet` is set.
    pub(crate) fn begin(label: &'static str, total: usize, quiet: bool) -> Self {
        let shown = total > 1 && !quiet && replaces_lines();
        let progress = Self {
            label,
            total,
            done: 0,
            line: shown.then(StatusLine::default),
        };
        progress.show();
        progress
    }

    /// Counts one item as done.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        self.show();
    }

    /// Runs a function that prints above the progress line.
    #[cfg(feature = "webhook")]
    pub(crate) fn above<T>(&self, print: impl FnOnce() -> T) -> T {
        if let Some(line) = &self.line {
            line.show("");
        }
        let printed = print();
        self.show();
        printed
    }

    fn show(&self) {
        if let Some(line) = &self.line {
            line.show(&format!("{}: {} of {}", self.label, self.done, self.total));
        }
    }
}

/// A line on stderr, which is cleared when dropped.
#[derive(Default)]
pub(crate) struct StatusLine(RefCell<String>);

impl StatusLine {
    /// Replaces the text of the line, if it changes, and cuts it off at the width of the terminal.
    pub(crate) fn show(&self, text: &str) {
        let columns = measured_width().unwrap_or(DEFAULT_WIDTH);
        let text = fitting(text, columns);
        if *self.0.borrow() == text {
            return;
        }
        let mut stderr = Blocking(io::stderr().lock());
        // There is no other place to report an error.
        let _ = write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush());
        self.0.replace(text);
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.show("");
    }
}

/// Returns `true` if stderr is a terminal on which a line can be replaced.
pub(crate) fn replaces_lines() -> bool {
    io::stderr().is_terminal() && understands_sequences()
}

/// Returns the start of the text that is narrower than the columns.
fn fitting(text: &str, columns: usize) -> String {
    longest_start(&printable(text), |start| start.width() < columns).to_owned()
}

#[cfg(test)]
impl Screen {
    /// Returns a stream that is not a terminal.
    pub(crate) fn plain() -> Self {
        Self::new(false, None, None)
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn a_status_line_with_wide_characters_does_not_wrap() {
        assert_eq!(fitting("waiting", 80), "waiting");
        assert_eq!(fitting("waiting", 7), "waitin");
        assert_eq!(fitting("日本語", 6), "日本");
        assert_eq!(fitting("☁\u{fe0f}☁\u{fe0f}", 4), "☁\u{fe0f}");
        assert_eq!(fitting("e\u{301}e\u{301}", 2), "e\u{301}");
        assert_eq!(
            fitting("👩\u{200d}👩\u{200d}👧x", 3),
            "👩\u{200d}👩\u{200d}👧"
        );
        assert_eq!(fitting("a", 0), "");
    }
}
