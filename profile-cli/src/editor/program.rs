//! The program of the editor.

use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::input::prompt;
use crate::outcome::failure::{Failure, FailureKind};
use crate::settings::{SettingName, Settings, Source};
use crate::system::interruption::{self, is_interrupted};

/// Variables that are not passed to the editor.
const SECRETS: [&str; 2] = ["PROFILE_API_KEY", "PROFILE_WEBHOOK_SECRET"];

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Editor {
    words: Vec<String>,
    source: String,
}

impl Editor {
    /// Returns the editor of PROFILE_EDITOR, config.toml, VISUAL or EDITOR, in this order, or the
    /// default editor.
    pub(crate) fn find(settings: &Settings) -> Result<Self, Failure> {
        let no_terminal = || {
            let message = "no editor is set, and the default editor needs a terminal";
            Failure::usage(message).hint("set PROFILE_EDITOR")
        };
        let chosen = settings.effective(SettingName::Editor)?;
        let usable =
            chosen.filter(|editor| editor.source != Source::Default || prompt::is_interactive());
        let editor = usable.ok_or_else(no_terminal)?;
        Self::parse(&editor.value, editor.source)
    }

    /// Splits the text like a shell, unless it is the path of a file.
    fn parse(text: &str, source: impl Display) -> Result<Self, Failure> {
        let words = match Path::new(text).is_file() {
            true => Some(vec![text.to_owned()]),
            false => shlex::split(text),
        };
        match words.filter(|words| !words.is_empty()) {
            Some(words) => Ok(Self {
                words,
                source: source.to_string(),
            }),
            None => {
                let message = format!("{source}: {text:?} is not a command");
                Err(Failure::usage(message).hint("set it to a program; close all quotes"))
            }
        }
    }

    /// Opens a file and waits for the editor to exit.
    pub(crate) fn open(&self, path: &Path) -> Result<(), Failure> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).arg(path);
        // stdout may be a pipe, which is only for the result.
        if !io::stdout().is_terminal() {
            command.stdout(Stdio::from(io::stderr()));
        }
        for secret in SECRETS {
            command.env_remove(secret);
        }
        let failed = |how: String| {
            let words = shlex::try_join(self.words.iter().map(String::as_str));
            let words = words.unwrap_or_else(|_| self.words.join(" "));
            let message = format!("the editor {words} (from {}) {how}", self.source);
            Failure::new(FailureKind::Other, message)
        };
        match interruption::run_editor(&mut command) {
            Ok(status) if status.success() => Ok(()),
            Ok(status) if is_interrupted(&status) => Err(Failure::new(
                FailureKind::Interrupted,
                "the editor was interrupted",
            )),
            Ok(status) => Err(failed(format!("failed: {status}"))),
            Err(error) => Err(failed(format!("could not be started: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Editor;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let editor = Editor::parse(text, "EDITOR").unwrap();
        assert_eq!(editor.words, expected);
    }

    #[test]
    fn splits_arguments() {
        check("code --wait", &["code", "--wait"]);
        check(
            "'my editor' -f \"a b\" c\\ d",
            &["my editor", "-f", "a b", "c d"],
        );
    }

    #[test]
    fn accepts_a_path_with_spaces() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("my editor");
        std::fs::write(&program, "").unwrap();
        let program = program.to_str().unwrap();
        check(program, &[program]);
    }

    #[test]
    fn rejects_unclosed_quotes_and_blank_text() {
        for text in ["vi 'a", " "] {
            assert!(Editor::parse(text, "EDITOR").is_err(), "{text:?}");
        }
    }
}
