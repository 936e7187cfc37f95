//! Texts from the editor, kept until the service has accepted them.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
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

    /// The texts that are there and differ from what their editor first got, the newest last.
    fn earlier(directory: &Path, kind: &DraftKind, again: &str) -> Vec<Self> {
        let paths = fs::read_dir(directory).into_iter().flatten().flatten();
        let paths = paths.map(|entry| entry.path()).filter(|path| {
            let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            let number = stem.strip_prefix(kind.name);
            let is_ours = number.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            is_ours && path.extension() == Some(OsStr::new(kind.extension))
        });
        let drafts = paths.map(|path| Self {
            before: read(&before_path(&path)).unwrap_or_default(),
            path,
            again: again.to_owned(),
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
        let answer = prompt::ask(&format!(
            "An earlier text was not sent: {path}{beside}\n\
             Resume it? Yes, no (it stays there) or delete it [Y/n/d] "
        ))?;
        Ok(match answer.to_ascii_lowercase().as_str() {
            "d" | "delete" => Choice::Delete,
            answer if is_yes(answer) => Choice::Resume,
            _ => Choice::Leave,
        })
    }

    fn begin(directory: &Path, kind: &DraftKind, again: &str, new: &str) -> Result<Self, Failure> {
        let paths = (1..).map(|number| path(directory, kind, number));
        let free = paths.into_iter().find(|path| !path.exists());
        let path = free.expect("the numbers do not end");
        let written = private_file::write(&before_path(&path), new.as_bytes())
            .and_then(|()| private_file::write(&path, new.as_bytes()));
        written.map_err(|error| Failure::of_file("written", &path, &error))?;
        Ok(Self {
            path,
            before: new.to_owned(),
            again: again.to_owned(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
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
        prompt::ask(&question).map(|answer| is_yes(&answer))
    }

    /// The failure with the place of the text; a text that nobody has changed is not kept.
    pub(crate) fn kept(&self, failure: Failure) -> Failure {
        if self.is_as_before() {
            self.discard();
            return failure;
        }
        if !self.path.exists() {
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

fn is_yes(answer: &str) -> bool {
    matches!(answer.to_ascii_lowercase().as_str(), "" | "y" | "yes")
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

/// A directory for each account, so that no text goes to another's profile.
fn directory(settings: &Settings) -> Result<PathBuf, Failure> {
    let owner = match settings.account()? {
        _ if settings.sandbox => "sandbox".to_owned(),
        Some(account) => account.name,
        None => settings.base_url()?.value,
    };
    let safe = |c: char| {
        if c.is_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let owner: String = owner.chars().map(safe).collect();
    let owner = owner.trim_matches(['-', '.']);
    Ok(Environment::state_directory()?.join("drafts").join(owner))
}

fn path(directory: &Path, kind: &DraftKind, number: u32) -> PathBuf {
    let DraftKind {
        name, extension, ..
    } = kind;
    directory.join(match number {
        1 => format!("{name}.{extension}"),
        _ => format!("{name}-{number}.{extension}"),
    })
}

fn before_path(path: &Path) -> PathBuf {
    path.with_extension("before")
}

fn read(path: &Path) -> io::Result<String> {
    private_file::read(path).map(|(text, _)| text)
}
