//! Texts from the editor, saved until the service has returned them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use profile_sdk::Profile;

use crate::drafts::editor::Editor;
use crate::input::prompt;
use crate::outcome::failure::Failure;
use crate::session::Session;
use crate::system::{environment, private_file};

/// The kind of text that a draft holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DraftKind {
    Profile,
    Post,
}

/// A text in a file; there is one per kind, service and handle.
#[derive(Debug)]
pub(crate) struct Draft {
    kind: DraftKind,
    path: PathBuf,
    /// The text before editing, which is saved in a second file.
    pub(crate) original: String,
}

impl DraftKind {
    const ALL: [Self; 2] = [Self::Profile, Self::Post];

    fn name(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Post => "post",
        }
    }

    /// Returns the file extension, by which editors recognize the format.
    fn extension(self) -> &'static str {
        match self {
            Self::Profile => "toml",
            Self::Post => "txt",
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::Profile => "profile edit",
            Self::Post => "profile post create --editor",
        }
    }
}

impl Draft {
    /// Resumes the unsent draft if there is one and the user confirms; otherwise starts with a new
    /// text.
    pub(crate) fn open(
        kind: DraftKind,
        profile: &Profile,
        new: &str,
        session: &Session<'_>,
    ) -> Result<Self, Failure> {
        let directory = directory()?;
        // The directory may exist with other permissions.
        restrict_to_owner(&directory);
        let name = file_name(kind, profile, session)?;
        let mut draft = Self::load(kind, directory.join(name));
        if draft.is_unsent() && draft.confirm_resume(session)? {
            return Ok(draft);
        }
        new.clone_into(&mut draft.original);
        private_file::write(&original_path(&draft.path), new.as_bytes())
            .map_err(|error| Failure::of_file("written", &draft.path, &error))?;
        draft.replace(new)?;
        Ok(draft)
    }

    /// Returns all unsent drafts, sorted by name.
    pub(crate) fn all() -> Result<Vec<Self>, Failure> {
        let directory = directory()?;
        let entries = match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| Failure::of_file("read", &directory, &error))?,
        };
        let drafts = entries.flatten().filter_map(|entry| {
            let path = entry.path();
            let extension = path.extension()?.to_str()?;
            let mut kinds = DraftKind::ALL.into_iter();
            let kind = kinds.find(|kind| kind.extension() == extension)?;
            Some(Self::load(kind, path)).filter(Self::is_unsent)
        });
        let mut drafts: Vec<_> = drafts.collect();
        drafts.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(drafts)
    }

    fn load(kind: DraftKind, path: PathBuf) -> Self {
        let original = read(&original_path(&path)).unwrap_or_default();
        Self {
            kind,
            path,
            original,
        }
    }

    /// Returns the name for `profile draft`.
    pub(crate) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `true` if the file exists and was edited.
    fn is_unsent(&self) -> bool {
        self.path.exists() && !self.is_unchanged()
    }

    /// Asks whether to resume the draft. Fails without a terminal, since neither sending nor
    /// discarding the text is safe without consent.
    fn confirm_resume(&self, session: &Session<'_>) -> Result<bool, Failure> {
        if session.settings.yes {
            return Ok(true);
        }
        let path = self.path.display();
        if session.settings.no_input || !prompt::is_interactive() {
            let hint = format!(
                "add --yes to resume it, or delete it with `profile draft delete {}`",
                self.name()
            );
            let message = format!("an earlier text was not sent; it is in {path}");
            return Err(Failure::usage(message).hint(hint));
        }
        let question = format!(
            "An earlier text was not sent: {path}\n\
             Resume it? If not, it is replaced. [Y/n] "
        );
        prompt::yes_or_no(&question, true)
    }

    /// Opens the text in the editor and waits for it to exit.
    pub(crate) fn open_in(&self, editor: &Editor) -> Result<(), Failure> {
        let ended = editor.open(&self.path);
        // The editor may have replaced the file.
        restrict_to_owner(&self.path);
        ended
    }

    /// Returns the current text.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        read(&self.path).map_err(|error| Failure::of_file("read", &self.path, &error))
    }

    /// Replaces the text.
    pub(crate) fn replace(&self, text: &str) -> Result<(), Failure> {
        let written = private_file::write(&self.path, text.as_bytes());
        written.map_err(|error| Failure::of_file("written", &self.path, &error))
    }

    /// Removes the text.
    pub(crate) fn delete(&self) -> Result<(), Failure> {
        fs::remove_file(&self.path)
            .map_err(|error| Failure::of_file("removed", &self.path, &error))?;
        // The second file is not read without the first.
        let _ = fs::remove_file(original_path(&self.path));
        Ok(())
    }

    /// Removes the text after it was sent, or if it was not edited.
    pub(crate) fn discard(&self) {
        // If this fails, the draft is offered again, which is harmless.
        let _ = self.delete();
    }

    /// Asks whether to open the editor again. Returns `false` without a terminal.
    pub(crate) fn edit_again(
        &self,
        session: &Session<'_>,
        failure: &Failure,
    ) -> Result<bool, Failure> {
        if session.settings.no_input || !prompt::is_interactive() {
            return Ok(false);
        }
        session.output.warn(&failure.message);
        // Printed before the question, since Ctrl-C exits the program.
        session.output.note(&self.location());
        prompt::yes_or_no("Open the editor again? [Y/n] ", true)
    }

    /// Adds the location of the text to a failure. Discards the text if it was not edited.
    pub(crate) fn with_location(&self, failure: Failure) -> Failure {
        if self.is_unchanged() {
            self.discard();
            return failure;
        }
        if !self.path.exists() {
            return failure.hint("the editor deleted the file, so the text is lost");
        }
        let location = self.location();
        let hint = match &failure.hint {
            Some(hint) => format!("{hint}; {location}"),
            None => location,
        };
        failure.hint(hint)
    }

    fn is_unchanged(&self) -> bool {
        self.text().is_ok_and(|text| text == self.original)
    }

    /// Returns a message with the path of the text and the command that resumes it.
    pub(crate) fn location(&self) -> String {
        let path = self.path.display();
        let command = self.kind.command();
        format!("the text is saved in {path}; run `{command}` to resume it")
    }
}

fn directory() -> Result<PathBuf, Failure> {
    Ok(environment::state_directory()?.join("drafts"))
}

/// Returns a name that contains the service and the handle, so that a text is not sent to another
/// profile.
fn file_name(kind: DraftKind, profile: &Profile, session: &Session<'_>) -> Result<String, Failure> {
    let service = session.service()?;
    let service = service.split_once("://").map_or(&*service, |(_, at)| at);
    let handle = profile.handle.as_ref().map(ToString::to_string);
    let owner = match handle.or_else(|| profile.email.clone()) {
        Some(owner) => format!("{owner}@{service}"),
        None => service.to_owned(),
    };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '@');
    let owner = owner.trim_end_matches('/');
    let owner: String = owner
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .collect();
    Ok(format!("{}-{owner}.{}", kind.name(), kind.extension()))
}

/// Returns the path of the second file, which contains the text before editing.
fn original_path(path: &Path) -> PathBuf {
    path.with_extension("before")
}

fn read(path: &Path) -> io::Result<String> {
    private_file::read(path).map(|(text, _)| text)
}

/// Ignores errors: some file systems do not support permissions.
fn restrict_to_owner(path: &Path) {
    let _ = private_file::restrict_to_owner(path);
}
