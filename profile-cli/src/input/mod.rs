//! Input from arguments, files and stdin.

pub(crate) mod profile_changes;
pub(crate) mod prompt;

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, io};

use crate::outcome::{Failure, Result};
use crate::output::Output;
use crate::system::text_file::{SAVE_AS_UTF_8, Text, read_at_most};
use crate::terminal::{Blocking, escaped};

/// Maximum size of an input.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The source of an input: a path, or `-` for stdin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// Reads the input.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        let read = match self {
            Self::Stdin => read_at_most(MAX_BYTES, Blocking(io::stdin().lock())),
            Self::File(path) => File::open(path).and_then(|file| read_at_most(MAX_BYTES, file)),
        };
        read.map_err(|error| {
            let reason = match error.kind() {
                ErrorKind::FileTooLarge => format!("is larger than {} MiB", MAX_BYTES >> 20),
                _ => format!("cannot be read: {error}"),
            };
            let hint = file_of(&self.to_string()).map(|path| format!("omit the @: {path}"));
            Failure::usage(format!("{self} {reason}")).optional_hint(hint)
        })
    }

    /// Reads the input as text.
    pub(crate) fn read_text(&self) -> Result<Text> {
        let advice = match self {
            Self::Stdin => "send UTF-8",
            Self::File(_) => SAVE_AS_UTF_8,
        };
        let text = Text::new(self.read()?);
        text.map_err(|reason| Failure::usage(format!("{self} {reason}; {advice}")))
    }
}

impl From<OsString> for Input {
    fn from(text: OsString) -> Self {
        match text == "-" {
            true => Self::Stdin,
            false => Self::File(text.into()),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("stdin"),
            Self::File(path) => f.write_str(&escaped(path)),
        }
    }
}

/// Text given directly, or its source.
#[derive(Debug, Clone)]
pub(crate) enum TextArgument {
    Text(String),
    Input(Input),
}

impl TextArgument {
    /// Returns the text, reading it from its source if necessary.
    pub(crate) fn read(self, argument: &str, output: &Output) -> Result<String> {
        let input = match self {
            Self::Text(text) => return Ok(text),
            Self::Input(input) => input,
        };
        let invalid = |reason: &str| Failure::usage(format!("{argument}: {reason}"));
        if input == Input::Stdin && io::stdin().is_terminal() {
            let end = match cfg!(windows) {
                true => "Ctrl-Z and Enter",
                false => "Ctrl-D",
            };
            output.note(&format!("type the text, then press {end} on an empty line"));
        }
        let text = input.read_text();
        let Text { text, had_mark, .. } = text.map_err(|failure| invalid(&failure.message))?;
        if text.is_empty() && !had_mark {
            return Err(invalid(&format!("{input} is empty; expected a text")));
        }
        Ok(entered_text(&text, &input, output))
    }
}

/// Returns a text of a file or of stdin: without a line break at its end, which editors and shells add, and with the
/// line breaks of Unix.
pub(crate) fn entered_text(text: &str, source: impl fmt::Display, output: &Output) -> String {
    let text = &text[..length_without_last_break(text.as_bytes())];
    if text.contains("\r\n") {
        output.note(&format!("{source}: the line breaks \\r\\n are sent as \\n"));
    }
    text.replace("\r\n", "\n")
}

impl FromStr for TextArgument {
    type Err = String;

    /// Parses a text or its source. Fails if a text was probably meant as the path of a file.
    fn from_str(entered: &str) -> Result<Self, String> {
        const STARTS: [&str; 6] = ["./", "../", "/", r".\", r"..\", r"\"];
        let starts = &STARTS[..if cfg!(windows) { 6 } else { 3 }];
        let has_drive =
            |path: &str| matches!(path.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z', b':', ..]);
        let is_path = |path: &&str| {
            starts.iter().any(|start| path.starts_with(start)) || cfg!(windows) && has_drive(path)
        };
        match entered.strip_prefix('@').filter(is_path) {
            Some(path) => Ok(Self::Input(Input::File(path.into()))),
            None if entered == "-" => Ok(Self::Input(Input::Stdin)),
            None => match file_of(entered) {
                Some(path) => Err(format!(
                    "@{path} is the name of a file; read it with @./PATH or @/PATH, or send this text through \
                     stdin with -"
                )),
                None => Ok(Self::Text(entered.to_owned())),
            },
        }
    }
}

/// Returns the path in a text that consists of @ and the path of a file. Any other text with @ is
/// probably a mention, such as `@grace thanks!`.
pub(crate) fn file_of(text: &str) -> Option<&str> {
    let has_tilde = |path: &str| path.starts_with("~/") || cfg!(windows) && path.starts_with(r"~\");
    let is_file = |path: &&str| has_tilde(path) || Path::new(path).is_file();
    text.strip_prefix('@').filter(is_file)
}

/// Returns the length of the text without a line break at its end.
pub(crate) fn length_without_last_break(text: &[u8]) -> usize {
    let line = text.strip_suffix(b"\n");
    line.map_or(text.len(), |line| {
        line.strip_suffix(b"\r").unwrap_or(line).len()
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Input, TextArgument, length_without_last_break};

    #[test]
    fn only_a_hyphen_is_stdin() {
        assert_eq!(Input::from(OsString::from("-")), Input::Stdin);
        for path in ["a b", "@a", "--", "./-"] {
            assert_eq!(Input::from(OsString::from(path)), Input::File(path.into()));
        }
    }

    #[test]
    fn paths_after_an_at_sign_are_those_of_the_system() {
        for (text, on_unix) in [
            ("@./x", true),
            ("@../x", true),
            ("@/x", true),
            (r"@.\x", false),
            (r"@..\x", false),
            (r"@\x", false),
            (r"@\\server\share\x", false),
            (r"@C:\x", false),
            ("@C:/x", false),
            ("@C:x", false),
        ] {
            let is_path = matches!(text.parse(), Ok(TextArgument::Input(_)));
            assert_eq!(is_path, on_unix || cfg!(windows), "{text}");
        }
        for text in ["@.", "@..", "@é:b", "@", "@grace: hi", r"a@.\x"] {
            assert!(matches!(text.parse(), Ok(TextArgument::Text(_))), "{text}");
        }
    }

    #[test]
    fn removes_at_most_one_line_break() {
        for (text, expected) in [
            ("a", "a"),
            ("a\n", "a"),
            ("a\r\n", "a"),
            ("a\n\n", "a\n"),
            ("a\r", "a\r"),
            ("\n", ""),
            ("", ""),
        ] {
            let length = length_without_last_break(text.as_bytes());
            assert_eq!(&text[..length], expected);
        }
    }
}
