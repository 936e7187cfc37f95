//! The words before the cursor.

use std::ffi::OsString;

use clap::{Command, FromArgMatches as _};

use crate::settings::GlobalArguments;

/// The words up to the cursor.
pub(super) struct TypedWords {
    program: fn() -> Command,
    /// The words before the one that is completed.
    pub(super) complete: Vec<OsString>,
    /// The word that is completed, which may be empty.
    pub(super) last: String,
}

impl TypedWords {
    /// Creates the words from those of the line and the index of the one that is completed.
    pub(super) fn new(program: fn() -> Command, words: &[OsString], index: usize) -> Self {
        let last = words.get(index).and_then(|word| word.to_str());
        Self {
            program,
            complete: words[..index.min(words.len())].to_vec(),
            last: last.unwrap_or_default().to_owned(),
        }
    }

    /// Returns the typed global options. The command may be incomplete.
    pub(super) fn options(&self) -> GlobalArguments {
        let command = (self.program)().ignore_errors(true);
        let matches = command.try_get_matches_from(&self.complete).ok();
        let options = matches.and_then(|typed| GlobalArguments::from_arg_matches(&typed).ok());
        options.unwrap_or_default()
    }
}
