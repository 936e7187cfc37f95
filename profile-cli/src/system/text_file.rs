//! Reads texts: a byte order mark is removed, and UTF-16 is rejected.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::private_file;

/// Maximum size of a file of the program, such as a key.
const MAX_BYTES: u64 = 1024 * 1024;

/// The advice after the reason why a file is not a text.
pub(crate) const SAVE_AS_UTF_8: &str = "save it as UTF-8";

/// A text without the byte order mark that editors and shells on Windows write. It may be a key.
#[derive(Clone)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) had_mark: bool,
    /// Warnings about unsafe permissions of its file.
    pub(crate) warnings: Vec<String>,
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let unmarked = text.strip_prefix('\u{feff}').map(str::to_owned);
        let had_mark = unmarked.is_some();
        let text = unmarked.unwrap_or(text);
        Self {
            text,
            had_mark,
            warnings: Vec::new(),
        }
    }
}

impl Text {
    /// Returns the key that the text contains, without the white space around it.
    pub(crate) fn key(&self) -> &str {
        self.text.trim()
    }

    /// Returns a note if the source starts with a byte order mark.
    pub(crate) fn note(&self, source: impl Display) -> Option<String> {
        self.had_mark.then(|| mark_note(source))
    }

    /// Decodes a text. An error completes a sentence that starts with the name of the source.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, String> {
        if is_utf_16(&bytes) {
            return Err("is UTF-16".to_owned());
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            format!("is not valid UTF-8: invalid byte at offset {offset}")
        })?;
        Ok(text.into())
    }
}

/// Returns `true` for UTF-16, with or without a byte order mark.
pub(crate) fn is_utf_16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xff, 0xfe, ..]
            | [0xfe, 0xff, ..]
            | [0, 1..=255, 0, 1..=255, ..]
            | [1..=255, 0, 1..=255, 0, ..]
    )
}

/// Returns the note about a byte order mark.
pub(crate) fn mark_note(source: impl Display) -> String {
    format!("{source} starts with a byte order mark, which is not used")
}

/// Reads a source to its end. If it is larger, as /dev/zero is, the kind of the error is `FileTooLarge`.
pub(crate) fn read_at_most(max: u64, source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(max + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max {
        true => {
            let reason = format!("it is larger than {} MiB", max >> 20);
            Err(io::Error::new(ErrorKind::FileTooLarge, reason))
        }
        false => Ok(bytes),
    }
}

/// Reads a small file, with a warning if others can access it.
pub(crate) fn read_bytes(file: File, path: &Path) -> io::Result<(Vec<u8>, Option<String>)> {
    let metadata = file.metadata()?;
    // A pipe or a device has no permissions to repair.
    let exposed = metadata.is_file() && private_file::is_accessible_to_others(&metadata);
    let warning = exposed.then(|| private_file::exposed_warning(path));
    Ok((read_at_most(MAX_BYTES, file)?, warning))
}

/// Reads a small file as text.
pub(crate) fn read(file: File, path: &Path) -> io::Result<Text> {
    let (bytes, warning) = read_bytes(file, path)?;
    let text = Text::new(bytes).map_err(|reason| {
        let reason = format!("it {reason}; {SAVE_AS_UTF_8}");
        io::Error::new(ErrorKind::InvalidData, reason)
    })?;
    let warnings = warning.into_iter().collect();
    Ok(Text { warnings, ..text })
}

/// Reads a file that the user names, as `read` does. It may be a pipe to which nobody writes.
pub(crate) fn read_within(path: &Path, timeout: Duration) -> io::Result<Text> {
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    thread::spawn(move || sender.send(File::open(&path).and_then(|file| read(file, &path))));
    let read = receiver.recv_timeout(timeout);
    read.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}
