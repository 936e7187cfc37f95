//! Bytes that come from a file or from stdin: `@FILE` or `-`.

pub(crate) mod hidden_prompt;
pub(crate) mod prompt;
pub(crate) mod typed_color;
pub(crate) mod typed_text;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::outcome::failure::Failure;

/// Far more than any service takes, and little enough to be held.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Where bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// All bytes, exactly as they are there.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Stdin => read_all(io::stdin().lock(), "stdin"),
            Self::File(path) => read_file(path),
        }
    }
}

/// All bytes of a file that the arguments name.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display().to_string();
    let file = File::open(path);
    let file = file.map_err(|error| Failure::usage(format!("{shown} cannot be read: {error}")))?;
    read_all(file, &shown)
}

/// Reads to the end, which something like /dev/zero does not have.
fn read_all(source: impl Read, shown: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::usage(format!("{shown} cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES / (1024 * 1024);
        return Err(Failure::usage(format!("{shown} is larger than {most} MiB")));
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
    fn a_file_has_a_name_after_the_at_sign() {
        assert_eq!("@a b".parse(), Ok(Input::File("a b".into())));
        assert_eq!("@-".parse(), Ok(Input::File("-".into())));
        assert_eq!("-".parse(), Ok(Input::Stdin));
        for text in ["", "@", "a", "--"] {
            assert!(text.parse::<Input>().is_err(), "{text}");
        }
    }
}
