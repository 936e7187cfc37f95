//! Input from files, stdin and prompts.

pub(crate) mod hidden_prompt;
pub(crate) mod prompt;
pub(crate) mod typed_color;
pub(crate) mod typed_text;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::outcome::failure::Failure;

/// Maximum size of an input.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The source of an input: `@FILE` or `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// Reads the input.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Stdin => read_all(io::stdin().lock(), "stdin"),
            Self::File(path) => read_file(path),
        }
    }
}

/// Reads a file that is named in the arguments.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display().to_string();
    let file = File::open(path);
    let file = file.map_err(|error| Failure::usage(format!("{shown} cannot be read: {error}")))?;
    read_all(file, &shown)
}

/// Reads up to the limit, since files such as /dev/zero never end.
fn read_all(source: impl Read, shown: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::usage(format!("{shown} cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let max = MAX_BYTES / (1024 * 1024);
        return Err(Failure::usage(format!("{shown} is larger than {max} MiB")));
    }
    Ok(bytes)
}

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix('@') {
            Some("") => Err("missing file name after @; expected @FILE, or - for stdin".to_owned()),
            Some(path) => Ok(Self::File(path.into())),
            None if text == "-" => Ok(Self::Stdin),
            None => Err(format!("expected @{text} for a file, or - for stdin")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Input;

    #[test]
    fn parses_stdin_and_file_names() {
        assert_eq!("@a b".parse(), Ok(Input::File("a b".into())));
        assert_eq!("@-".parse(), Ok(Input::File("-".into())));
        assert_eq!("-".parse(), Ok(Input::Stdin));
        for text in ["", "@", "a", "--"] {
            assert!(text.parse::<Input>().is_err(), "{text}");
        }
    }
}
