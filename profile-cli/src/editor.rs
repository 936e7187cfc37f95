//! Opens a text in the user's editor, in a private file of this process, and sends it.
//!
//! | after the editor or an answer | the first time | later |
//! |---|---|---|
//! | unchanged, at once, on a terminal | keeps the file, names it | asks again |
//! | unchanged | deletes the file | asks again |
//! | accepted | sends, deletes the file | the same |
//! | accepted, but not returned | sends, keeps the file | the same |
//! | invalid | keeps the file, asks: edit again, stop | the same |
//! | a conflict, a rejection | keeps the file, asks: edit again, send mine, stop | the same |
//! | the same after a write with an unknown outcome | keeps the file, asks: edit again, stop | the same |
//! | another failure, or one of the editor | keeps a changed file, ends | keeps the file, ends |
//! | `--dry-run` | sends nothing, keeps the file | the same |
//!
//! Only what is accepted was sent. *Edit again* opens the whole text, and *send mine* sends it without the editor:
//! after a conflict, against the value that was shown. *Stop*, Ctrl-C and the end of input keep the file. Off a
//! terminal and with `--no-input`, nothing is asked, which is *stop*.

use std::fmt::Display;
use std::fs::File;
use std::io::ErrorKind::{FileTooLarge, InvalidData, NotFound};
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use profile_sdk::internal::quoted;

use crate::input::{Input, prompt};
use crate::outcome::{Failure, FailureKind, KeptText, Report, Result, WriteOutcome, word};
use crate::profile_file;
use crate::session::Session;
use crate::settings::{SettingName, Settings, Source};
use crate::system::{
    Text, command_words, environment, find_program, interruption, private_file, text_file,
    written_file,
};
use crate::terminal::escaped;

/// A text, and what is done with it after the editor has exited.
pub(crate) trait EditedText {
    /// Start of the file's name.
    const PREFIX: &'static str;

    /// End of the file's name, by which editors recognize the format.
    const SUFFIX: &'static str;

    /// Sends the text. The user has seen a failure of this kind, if any, and has answered with a changed text or with
    /// *send mine*.
    fn finish(&mut self, text: &str, after: Option<FailureKind>) -> Result<Finished>;

    /// Describes the commands that send the file at this path, perhaps with a key of the environment.
    fn commands(path: &str, with_key: &str) -> String;
}

/// The end of an edit.
pub(crate) enum Finished {
    /// There is nothing left to send.
    Done(Report),
    /// Nothing was sent because of `--dry-run`, or the service did not return the text, which is kept. The
    /// advice replaces the commands that send it.
    Kept(Report, Option<&'static str>),
}

/// Nobody edits a text in this time: the editor did not wait.
const AT_ONCE: Duration = Duration::from_secs(2);

/// The age of a text without changes that no editor has open any more.
const UNUSED: Duration = Duration::from_secs(24 * 60 * 60);

/// The next step of an edit.
enum Step {
    /// The editor opens, perhaps again because of a failure.
    Open(Option<Failure>),
    /// The text is sent as it is after a failure of this kind.
    Send(FailureKind),
}

/// Opens a text in the editor and sends it, as in the table above.
///
/// The file belongs to this process. It stays if the text was not sent, and the failure names it.
pub(crate) fn edit<T: EditedText>(
    edited: &mut T,
    initial: &str,
    editor: &Editor,
    session: &Session<'_>,
) -> Result<Report> {
    session.output.note_all(unsent_note());
    // Once a write is unknown, so is the outcome of the command, unless a later one succeeds.
    let mut outcome = WriteOutcome::NotDone;
    let edited = edit_until_sent(edited, initial, editor, session, &mut outcome);
    edited.map_err(|failure| match failure.is_unknown() {
        true => failure,
        false => Failure { outcome, ..failure },
    })
}

fn edit_until_sent<T: EditedText>(
    edited: &mut T,
    initial: &str,
    editor: &Editor,
    session: &Session<'_>,
    outcome: &mut WriteOutcome,
) -> Result<Report> {
    let file = KeptText::create::<T>(initial, session.key_source())?;
    let path = escaped(&file.path);
    let mut before = Ok(initial.to_owned());
    let mut step = Step::Open(None);
    loop {
        let started = Instant::now();
        let (opened, earlier, sent_after) = match step {
            Step::Open(earlier) => (editor.open(&file.path), earlier, None),
            Step::Send(after) => (Ok(()), None, Some(after)),
        };
        let after = sent_after.or(earlier.as_ref().map(|failure| failure.kind));
        let text = file.text()?;
        let is_initial = |text: &Result<String, _>| text.as_deref() == Ok(initial);
        let is_at_once = is_initial(&text) && started.elapsed() < AT_ONCE;
        let is_repeated = earlier.is_some() && opened.is_ok() && text == before;
        let finished = opened.and_then(|()| match earlier {
            Some(failure) if is_repeated => Err(failure),
            _ => edited.finish(text.as_ref().map_err(Failure::usage)?, after),
        });
        let failure = match finished {
            Ok(Finished::Done(report)) => {
                match is_at_once && prompt::is_interactive() {
                    true => session.output.status(&format!(
                        "if the editor still has {path} open, add an option such as `--wait` to its command"
                    )),
                    false => file.delete(),
                }
                return Ok(report);
            }
            Ok(Finished::Kept(report, advice)) => {
                let advice = advice.unwrap_or(&file.commands);
                let kept = format!("your text is saved in {path}; {advice}");
                session.output.status(&kept);
                return Ok(report);
            }
            Err(failure) if is_initial(&text) => {
                file.delete();
                return Err(failure);
            }
            Err(failure) => file.saved(failure),
        };
        if failure.is_unknown() {
            *outcome = failure.outcome.clone();
        }
        let is_unknown = matches!(outcome, WriteOutcome::Unknown(_));
        step = next_step(failure, is_repeated, is_unknown, session)?;
        before = text;
    }
}

/// Asks what to do with a text that was not sent, if another one may help. The failure means to stop.
fn next_step(
    failure: Failure,
    is_repeated: bool,
    is_unknown: bool,
    session: &Session<'_>,
) -> Result<Step> {
    use FailureKind::{Conflict, Rejected, Usage};
    if !matches!(failure.kind, Usage | Rejected | Conflict) || !session.can_ask() {
        return Err(failure);
    }
    let can_send = failure.kind != Usage && !is_unknown;
    let choice = if can_send { " send mine (s)," } else { "" };
    // With the location of the text, since Ctrl-C exits the program.
    session.output.status(&match is_repeated {
        true => "Nothing was changed.".to_owned(),
        false => format!("error: {}", failure.text()),
    });
    session.end_write();
    let question = format!("Edit again (y),{choice} or stop and keep the text (n)? [y] ");
    loop {
        let answer = match prompt::ask(&question) {
            Ok(answer) => answer.to_ascii_lowercase(),
            // The failure of the text has its location, and the outcome.
            Err(Failure { kind, message, .. }) => {
                return Err(Failure {
                    kind,
                    message,
                    ..failure
                });
            }
        };
        match answer.as_str() {
            "" | "y" | "yes" => return Ok(Step::Open(Some(failure))),
            "n" | "no" => return Err(failure),
            "s" if can_send => return Ok(Step::Send(failure.kind)),
            _ => {}
        }
    }
}

/// Deletes a file that was sent, but not to the sandbox, if it is in the folder of the texts that were not sent.
pub(crate) fn delete_sent(
    input: &Input,
    session: &Session<'_>,
    is_stored: impl FnOnce() -> Result<bool>,
) {
    let Input::File(path) = input else {
        return;
    };
    let real = |folder: &Path| fs::canonicalize(folder).ok();
    let unsent = unsent_directory().ok().and_then(|unsent| real(&unsent));
    if !session.settings.sandbox
        && unsent.is_some()
        && unsent == real(private_file::parent(path))
        && is_stored().unwrap_or(false)
        && let Err(error) = fs::remove_file(path)
    {
        let path = escaped(&path);
        session.output.warn(&format!(
            "{path} was sent, but cannot be deleted: {error}; delete it, so that it is not sent again"
        ));
    }
}

/// Returns a note about the texts that were not sent, if there are any. Those without changes do not count, and are
/// deleted if they are old.
fn unsent_note() -> Option<String> {
    let directory = unsent_directory().ok()?;
    let files = fs::read_dir(&directory).ok()?.flatten();
    let (unchanged, unsent): (Vec<_>, Vec<_>) = files
        .map(|file| file.path())
        .partition(|path| is_unchanged(path));
    let age = |path: &PathBuf| path.metadata().ok()?.modified().ok()?.elapsed().ok();
    for path in unchanged {
        if age(&path) > Some(UNUSED) {
            let _ = fs::remove_file(path);
        }
    }
    let shown = escaped(&directory);
    let note = format!("texts that were not sent are kept in {shown}");
    (!unsent.is_empty()).then_some(note)
}

/// Returns `true` for an empty text, and for one with the fields that the editor showed.
fn is_unchanged(path: &Path) -> bool {
    let read = private_file::open(path).and_then(|(file, _)| text_file::read(file, path));
    read.is_ok_and(|Text { text, .. }| {
        let parsed = profile_file::parse("", &text);
        let is_as_shown = parsed.is_ok_and(|(new, base)| base.is_some() && new.profile.is_empty());
        text.is_empty() || is_as_shown
    })
}

fn unsent_directory() -> Result<PathBuf> {
    Ok(environment::state_directory()?.join("unsent"))
}

// A file that only this process writes.
impl KeptText {
    /// Creates a file with a text, which is deleted if it cannot be written.
    fn create<T: EditedText>(text: &str, key: Option<&Source>) -> Result<Self> {
        let directory = unsent_directory()?;
        // Others must not replace the file with a link.
        private_file::check(&directory, None).map_err(Failure::usage)?;
        let created = private_file::create_directory(&directory).and_then(|()| {
            // The directory may exist with other permissions, which some file systems do not support.
            let _ = File::open(&directory).and_then(private_file::restricted_to_owner);
            let _deferred = interruption::defer();
            let mut builder = tempfile::Builder::new();
            let file = builder.prefix(T::PREFIX).suffix(T::SUFFIX);
            let file = file.tempfile_in(&directory);
            let mut file = file.map_err(written_file::without_path)?;
            file.as_file_mut().write_all(text.as_bytes())?;
            Ok(file.into_temp_path().keep()?)
        });
        let path = created.map_err(|error: io::Error| {
            let [state, _] = environment::STATE;
            let hint = format!("make it writable, or set {state} to another directory");
            Failure::of_file("written", &directory, &error).hint(hint)
        })?;
        let variable = key.filter(|key| matches!(key, Source::Environment(_)));
        let with_key = variable.map_or_else(String::new, |key| format!(" with the key of {key}"));
        let commands = T::commands(&word(&path, "FILE"), &with_key);
        Ok(Self { path, commands })
    }

    /// Reads the text, or returns the reason why it is not a text. Fails if another user could change it.
    fn text(&self) -> Result<Result<String, String>> {
        let read = private_file::open(&self.path).and_then(|(file, _)| {
            // The editor may have replaced the file.
            let file = private_file::restricted_to_owner(file)?;
            let safety = private_file::check(&self.path, Some(&file.metadata()?));
            Ok((text_file::read(file, &self.path)?.text, safety))
        });
        match read {
            Ok((text, Ok(_))) => Ok(Ok(text)),
            Ok((_, Err(reason))) => {
                let message = format!("another user may have changed your text: {reason}");
                Err(self.saved(Failure::usage(message)))
            }
            Err(error) if matches!(error.kind(), InvalidData | FileTooLarge) => {
                Ok(Err(format!("the text cannot be used: {error}")))
            }
            Err(error) if error.kind() == NotFound => Err(Failure::other(
                "the editor deleted the file, so the text is lost",
            )),
            Err(error) => Err(self.saved(Failure::of_file("read", &self.path, &error))),
        }
    }

    /// Deletes the file, and the backup of an editor such as Emacs. If this fails, an unused file is left
    /// behind, which is harmless.
    fn delete(self) {
        let mut backup = self.path.clone().into_os_string();
        backup.push("~");
        let _ = (fs::remove_file(self.path), fs::remove_file(backup));
    }

    /// Adds the location of the text to a failure, unless the editor has deleted the file.
    fn saved(&self, failure: Failure) -> Failure {
        let kept = self.path.exists().then(|| Box::new(self.clone()));
        Failure { kept, ..failure }
    }
}

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Editor {
    words: Vec<String>,
    source: String,
}

impl Editor {
    /// Returns the editor of PROFILE_EDITOR, config.toml, VISUAL or EDITOR, in this order, or the
    /// default editor.
    pub(crate) fn find(settings: &Settings) -> Result<Self> {
        let chosen = settings.sources.effective(SettingName::Editor)?;
        // In a pipe, nobody may expect it.
        let is_interactive = prompt::is_interactive() && io::stdin().is_terminal();
        let is_expected = is_interactive && !settings.no_input;
        let usable = chosen.filter(|editor| editor.source != Source::Default || is_expected);
        let editor = usable.ok_or_else(|| {
            let reason = match settings.no_input {
                true => "--no-input disables the default one",
                false => "the default editor needs a terminal",
            };
            Failure::usage(format!("no editor is set, and {reason}")).hint("set PROFILE_EDITOR")
        })?;
        Self::parse(&editor.value, editor.source)
    }

    fn parse(text: &str, source: impl Display) -> Result<Self> {
        let words = command_words(text).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            let message = format!("{source}: {} is not a command", quoted(text));
            Failure::usage(message).hint("set it to a program; close all quotes")
        })?;
        let source = source.to_string();
        Ok(Self { words, source })
    }

    /// Opens a file and waits for the editor to exit.
    pub(crate) fn open(&self, path: &Path) -> Result<()> {
        let failed = |how: String| {
            let words = shlex::try_join(self.words.iter().map(String::as_str));
            let words = words.unwrap_or_else(|_| self.words.join(" "));
            Failure::other(format!("the editor {words} (from {}) {how}", self.source))
        };
        let not_started = |error: io::Error| {
            let is_path = self.words[0].contains(['/', '\\']);
            let is_cut = error.kind() == NotFound && is_path && self.words.len() > 1;
            let hint = is_cut.then(|| "put a path with spaces in quotes".to_owned());
            failed(format!("could not be started: {error}")).optional_hint(hint)
        };
        let program = find_program(self.words[0].as_ref()).map_err(not_started)?;
        let mut command = Command::new(program);
        command.args(&self.words[1..]).arg(path);
        // stdout may be a pipe, which is only for the result.
        if !io::stdout().is_terminal() {
            command.stdout(Stdio::from(io::stderr()));
        }
        // stdin may be the input of a loop in a shell.
        if let Some(terminal) = prompt::other_terminal() {
            command.stdin(terminal);
        }
        for (variable, _) in env::vars_os() {
            let name = variable.to_string_lossy();
            if name == "PROFILE_API_KEY" || name.starts_with("PROFILE_WEBHOOK_SECRET") {
                command.env_remove(&variable);
            }
        }
        match interruption::run_editor(&mut command) {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) if interruption::is_interrupted(&status) => Err(Failure::new(
                FailureKind::Interrupted,
                "the editor was interrupted",
            )),
            Ok(Ok(status)) => Err(failed(format!("failed: {status}"))),
            Ok(Err(error)) => Err(failed(format!("could not be waited for: {error}"))),
            Err(error) => Err(not_started(error)),
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
        let words = ["my editor", "-f", "a b", "c d"];
        check("'my editor' -f \"a b\" 'c d'", &words);
    }

    #[test]
    fn a_backslash_is_an_escape_only_on_unix() {
        let [on_unix, on_windows] = [
            ["C:Programscode", "-a b", r"D:\x y"],
            [r"C:\Programs\code", "-a b", r"D:\x y"],
        ];
        let expected = if cfg!(windows) { on_windows } else { on_unix };
        check(r#"C:\Programs\code '-a b' "D:\x y""#, &expected);
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
