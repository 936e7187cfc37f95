//! The words before the cursor.

use std::ffi::OsString;

use clap::{Command, FromArgMatches as _};

use crate::settings::{GlobalArguments, RequiredSettings, Settings};

/// The words up to the cursor.
pub(super) struct TypedWords {
    program: fn() -> Command,
    complete: Vec<OsString>,
    last: String,
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

    /// Returns the words before the one that is completed.
    pub(super) fn complete_words(&self) -> &[OsString] {
        &self.complete
    }

    /// Returns the word that is completed, which may be empty.
    pub(super) fn last(&self) -> &str {
        &self.last
    }

    /// Returns the settings of the typed options, the environment and config.toml.
    pub(super) fn settings(&self, required: RequiredSettings) -> Option<Settings> {
        let settings = Settings::load(&self.options(), required);
        settings.ok()
    }

    /// Returns the typed global options. The command may be incomplete.
    pub(super) fn options(&self) -> GlobalArguments {
        let command = (self.program)().ignore_errors(true);
        let matches = command.try_get_matches_from(self.complete_words()).ok();
        let options = matches.and_then(|typed| GlobalArguments::from_arg_matches(&typed).ok());
        options.unwrap_or_default()
    }
}
