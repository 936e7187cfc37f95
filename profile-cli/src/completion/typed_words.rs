//! The words before the cursor.

use std::ffi::OsString;

use clap::{Command, FromArgMatches as _};

use crate::settings::{GlobalArguments, RequiredSettings, Settings};

/// The words up to the cursor; the last one is completed and may be empty.
pub(super) struct TypedWords {
    program: fn() -> Command,
    words: Vec<OsString>,
}

impl TypedWords {
    pub(super) fn new(program: fn() -> Command, words: Vec<OsString>) -> Self {
        Self { program, words }
    }

    /// Returns the words before the last one.
    pub(super) fn complete_words(&self) -> &[OsString] {
        let before = self.words.split_last();
        before.map_or(&[], |(_, before)| before)
    }

    /// Returns the word that is completed.
    pub(super) fn last(&self) -> &str {
        let last = self.words.last().and_then(|word| word.to_str());
        last.unwrap_or_default()
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
