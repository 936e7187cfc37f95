//! Texts from the editor, kept until the service has accepted them.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::draft_place::{before_path, close_to_others, directory, free_path, sent_path};
use crate::editor::Editor;
use crate::failure::Failure;
use crate::private_file;
use crate::prompt;
use crate::session::Session;
use crate::settings::{Setting, SettingName, Settings, Source};

/// What is written, and with which command.
pub(crate) struct DraftKind {
    pub(crate) name: &'static str,
    /// The ending by which editors know what they edit.
    pub(crate) extension: &'static str,
    pub(crate) command: &'static str,
}

/// A text in a file that the editor opens.
pub(crate) struct Draft {
    path: PathBuf,
    /// The text as the editor first got it.
    pub(crate) before: String,
    /// The command that opens it again.
    again: String,
    /// The text as it was at first, locked for as long as the text is open here. The text itself
    /// will not do, since many an editor puts a new file in its place.
    _lock: Option<File>,
}

/// What becomes of an earlier text.
enum Choice {
    Resume,
    Leave,
    Delete,
}

impl Draft {
    /// Takes up an earlier text that was not sent, if the person wants that; else begins with a
    /// new one. Where nobody can be asked, the earlier text stays where it is, and that is told.
    pub(crate) fn open(
        kind: &DraftKind,
        new: &str,
        session: &Session<'_>,
    ) -> Result<Self, Failure> {
        let directory = directory(&session.settings)?;
        let again = again(kind, &session.settings)?;
        let mut earlier = Self::earlier(&directory, kind, &again);
        while let Some(newest) = earlier.pop() {
            match newest.choice(earlier.len(), session)? {
                Choice::Resume => return Ok(newest),
                Choice::Delete => newest.discard(),
                Choice::Leave => break,
            }
        }
        Self::begin(&directory, kind, &again, new)
    }

    /// The texts that are there, that are open nowhere else, and that differ from what their editor
    /// first got, the newest last.
    fn earlier(directory: &Path, kind: &DraftKind, again: &str) -> Vec<Self> {
        let paths = fs::read_dir(directory).into_iter().flatten().flatten();
        let paths = paths.map(|entry| entry.path()).filter(|path| {
            let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            let number = stem.strip_prefix(kind.name);
            let is_ours = number.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            is_ours && path.extension() == Some(OsStr::new(kind.extension))
        });
        let drafts = paths.filter_map(|path| {
            let before = read(&before_path(&path)).unwrap_or_default();
            let lock = File::open(before_path(&path)).ok();
            let locked = lock.as_ref().map(File::try_lock);
            if matches!(locked, Some(Err(TryLockError::WouldBlock))) {
                return None;
            }
            Some(Self {
                path,
                before,
                again: again.to_owned(),
                _lock: lock,
            })
        });
        let changed = drafts.filter(|draft| !draft.is_as_before());
        let mut changed: Vec<_> = changed.collect();
        changed.sort_by_key(|draft| draft.path.metadata().and_then(|file| file.modified()).ok());
        changed
    }

    /// What the person wants to do with this earlier text, with so many older ones beside it.
    fn choice(&self, older: usize, session: &Session<'_>) -> Result<Choice, Failure> {
        let Self { path, again, .. } = self;
        let path = path.display();
        let settings = &session.settings;
        if settings.yes {
            return Ok(Choice::Resume);
        }
        let beside = match older {
            0 => String::new(),
            _ => format!(" (beside it, {older} more)"),
        };
        if settings.no_input || !prompt::can_ask() {
            session.output.note(&format!(
                "an earlier text was not sent; `{again}` opens it: {path}{beside}"
            ));
            return Ok(Choice::Leave);
        }
        let question = format!(
            "An earlier text was not sent: {path}{beside}\n\
             Resume it? Yes, no (it stays there) or delete it [Y/n/d] "
        );
        prompt::choose(&question, |answer| match answer {
            "" | "y" | "yes" => Some(Choice::Resume),
            "n" | "no" => Some(Choice::Leave),
            "d" | "delete" => Some(Choice::Delete),
            _ => None,
        })
    }

    fn begin(directory: &Path, kind: &DraftKind, again: &str, new: &str) -> Result<Self, Failure> {
        let (path, mut lock) = free_path(directory, kind)?;
        let written = lock
            .write_all(new.as_bytes())
            .and_then(|()| private_file::write(&path, new.as_bytes()));
        written.map_err(|error| Failure::of_file("written", &path, &error))?;
        Ok(Self {
            path,
            before: new.to_owned(),
            again: again.to_owned(),
            _lock: Some(lock),
        })
    }

    /// Opens the text in the editor and waits until that has ended.
    pub(crate) fn open_in(&self, editor: &Editor) -> Result<(), Failure> {
        let ended = editor.open(&self.path);
        close_to_others(&self.path);
        ended
    }

    /// The text as it is now.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        read(&self.path).map_err(|error| Failure::of_file("read", &self.path, &error))
    }

    /// Replaces the text, for what is to be told in it.
    pub(crate) fn replace(&self, text: &str) -> Result<(), Failure> {
        let written = private_file::write(&self.path, text.as_bytes());
        written.map_err(|error| Failure::of_file("written", &self.path, &error))
    }

    /// Removes the text, which is not needed any more.
    pub(crate) fn discard(&self) {
        // What cannot be removed is offered again, which does no harm.
        let _ = fs::remove_file(&self.path).and_then(|()| fs::remove_file(before_path(&self.path)));
    }

    /// Keeps the text of which it is not known what became, where it is not offered again, since it
    /// would be sent twice. Where it is.
    pub(crate) fn put_away(&self) -> PathBuf {
        let sent = sent_path(&self.path);
        match fs::rename(&self.path, &sent) {
            Ok(()) => {
                let _ = fs::remove_file(before_path(&self.path));
                sent
            }
            Err(_) => self.path.clone(),
        }
    }

    /// Asks whether to open the editor once more; without a person to ask, the answer is no.
    pub(crate) fn edit_again(
        &self,
        session: &Session<'_>,
        failure: &Failure,
    ) -> Result<bool, Failure> {
        if session.settings.no_input || !prompt::can_ask() {
            return Ok(false);
        }
        session.output.warn(&failure.message);
        let Self { path, again, .. } = self;
        let path = path.display();
        // Where the text is has to be told by now: Ctrl-C at the question ends the program.
        let question = format!(
            "The text is kept in {path}, and `{again}` opens it again.\n\
             Open the editor again now? [Y/n] "
        );
        prompt::yes_or_no(&question, true)
    }

    /// The failure with the place of the text; a text that nobody has changed is not kept.
    pub(crate) fn kept(&self, failure: Failure) -> Failure {
        if self.is_as_before() {
            self.discard();
            return failure;
        }
        if !self.path.exists() {
            let _ = fs::remove_file(before_path(&self.path));
            return failure.hint("the editor took the file away, and the text with it");
        }
        let kept = self.place();
        let hint = match &failure.hint {
            Some(hint) => format!("{hint}; {kept}"),
            None => kept,
        };
        failure.hint(hint)
    }

    fn is_as_before(&self) -> bool {
        self.text().is_ok_and(|text| text == self.before)
    }

    /// Where the text is, and how to go on with it.
    pub(crate) fn place(&self) -> String {
        let Self { path, again, .. } = self;
        let path = path.display();
        format!("the text is kept in {path}, and `{again}` opens it again")
    }
}

/// The command that opens an earlier text, with the flags that chose whose it is.
fn again(kind: &DraftKind, settings: &Settings) -> Result<String, Failure> {
    let mut command = format!("{} --yes", kind.command);
    if settings.sandbox {
        return Ok(command + " --sandbox");
    }
    for name in [SettingName::Account, SettingName::BaseUrl] {
        let given = settings.given(name)?;
        if let Some(Setting {
            value,
            source: Source::Flag(flag),
        }) = given
        {
            command += &format!(" {flag} {value}");
        }
    }
    Ok(command)
}

fn read(path: &Path) -> io::Result<String> {
    private_file::read(path).map(|(text, _)| text)
}
