//! Input from files, stdin and prompts.

pub(crate) mod hidden_prompt;
pub(crate) mod profile_changes;
pub(crate) mod prompt;
pub(crate) mod typed_color;
pub(crate) mod typed_text;

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::outcome::failure::Failure;

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
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let name = self.to_string();
        match self {
            Self::Stdin => read_all(io::stdin().lock(), &name),
            Self::File(path) => {
                let cannot_be_read =
                    |error| Failure::usage(format!("{name} cannot be read: {error}"));
                read_all(File::open(path).map_err(cannot_be_read)?, &name)
            }
        }
    }
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
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::Input;

    #[test]
    fn only_a_hyphen_is_stdin() {
        assert_eq!(Input::from(OsString::from("-")), Input::Stdin);
        for path in ["a b", "@a", "--", "./-"] {
            assert_eq!(Input::from(OsString::from(path)), Input::File(path.into()));
        }
    }
}
