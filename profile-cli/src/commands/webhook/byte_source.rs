//! `@FILE` or `-`: where a body's bytes come from, which are taken as they are.

use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::str::FromStr;

use crate::failure::Failure;

/// A file or the standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ByteSource {
    File(PathBuf),
    Stdin,
}

impl FromStr for ByteSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix('@') {
            _ if text == "-" => Ok(Self::Stdin),
            Some(path) if !path.is_empty() => Ok(Self::File(PathBuf::from(path))),
            _ => Err("expected @ and the name of a file, or - for standard input".to_owned()),
        }
    }
}

impl ByteSource {
    pub(super) fn read(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::File(path) => {
                fs::read(path).map_err(|error| unreadable(&path.display().to_string(), &error))
            }
            Self::Stdin => {
                let mut bytes = Vec::new();
                match io::stdin().lock().read_to_end(&mut bytes) {
                    Ok(_) => Ok(bytes),
                    Err(error) => Err(unreadable("standard input", &error)),
                }
            }
        }
    }
}

/// The failure to read what the arguments name.
pub(super) fn unreadable(what: &str, error: &io::Error) -> Failure {
    Failure::usage(format!("{what} cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::ByteSource;

    #[test]
    fn a_file_has_a_name_after_the_at_sign() {
        assert_eq!("@a b".parse(), Ok(ByteSource::File("a b".into())));
        assert_eq!("@-".parse(), Ok(ByteSource::File("-".into())));
        assert_eq!("-".parse(), Ok(ByteSource::Stdin));
        for text in ["", "@", "a", "--"] {
            assert!(text.parse::<ByteSource>().is_err(), "{text}");
        }
    }
}
