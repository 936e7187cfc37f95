//! `profile edit`: edits the profile in the user's editor.

mod document;
mod problem;

use clap::Args;
use profile_sdk::{Operation, Profile, Response};
use serde_json::json;

use crate::commands::auth::permissions;
use crate::commands::set;
use crate::commands::show;
use crate::drafts::draft::{Draft, DraftKind};
use crate::drafts::editor::Editor;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};
use crate::profile_file::fields::{Changes, field_of};
use crate::session::Session;
use crate::session::dry_run::DryRun;

use document::{Fields, outdated};

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope profile:write. Opens the fields as TOML, with their limits. The editor is taken
from PROFILE_EDITOR, `editor` in config.toml, VISUAL or EDITOR, in this order; it may have arguments,
as in `code --wait`.

Your text is saved as a draft until the service has returned the profile. Errors are written to the
top of the text, and you can open the editor again. A draft that was not sent can be resumed; --yes
resumes it without asking. `profile draft` manages drafts. If nothing changed, nothing is sent. The
profile is printed as by `profile show`.

The profile is read again before the changes are sent. If one of the fields that you edited has
changed on the service, nothing is sent and your text is kept. The service does not compare: a change
between this read and the update, usually within milliseconds, is overwritten.

Examples:
  profile edit
  PROFILE_EDITOR='code --wait' profile edit
  profile edit --dry-run")]
pub(crate) struct EditArguments {
    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: &EditArguments, session: &Session<'_>) -> Result<Report, Failure> {
    if session.settings.curl {
        let me = session.client()?.me();
        session
            .output
            .note("the changes depend on your text; --dry-run shows them");
        return session.as_curl(&[me.request().map_err(Failure::unsent)?]);
    }
    let editor = Editor::find(&session.settings)?;
    let profile = session.read(session.client()?.me())?.into_data();
    if !arguments.dry_run.dry_run {
        permissions::check(&profile, &Operation::UPDATE_PROFILE)?;
    }
    let draft = Draft::open(
        DraftKind::Profile,
        &profile,
        &document::write(&profile),
        session,
    )?;
    let mut edit = Edit {
        profile,
        draft,
        dry_run: arguments.dry_run.dry_run,
        session,
    };
    edit.write_conflicts()?;
    loop {
        if let Err(failure) = edit.draft.open_in(&editor) {
            return Err(edit.draft.with_location(failure));
        }
        let failure = match edit.finish() {
            Err(failure) => failure,
            finished => return finished,
        };
        if !edit.write_problem(&failure)? || !edit.draft.edit_again(session, &failure)? {
            return Err(edit.draft.with_location(failure));
        }
    }
}

/// Reports the changed profile.
fn report<T>(response: &Response<T>, profile: &Profile, session: &Session<'_>) -> Report {
    let report = Report::read(response, show::view(profile));
    report.warning(show::contrast_warning(profile, session))
}

struct Edit<'a> {
    profile: Profile,
    draft: Draft,
    dry_run: bool,
    session: &'a Session<'a>,
}

impl Edit<'_> {
    /// Prepends a comment to a resumed draft if its fields have changed on the service meanwhile.
    fn write_conflicts(&self) -> Result<(), Failure> {
        let text = self.draft.text()?;
        let Ok(typed) = Fields::read(&text) else {
            return Ok(());
        };
        let before = Fields::read(&self.draft.original).unwrap_or_default();
        let changes = typed.changes(&before, &self.profile);
        let conflicts = changes.conflicts(&before, &self.profile);
        match conflicts.is_empty() {
            true => Ok(()),
            false => self
                .draft
                .replace(&problem::prepend(&text, &conflicts.join("\n"))),
        }
    }

    /// Validates and sends the changes.
    fn finish(&mut self) -> Result<Report, Failure> {
        let text = self.draft.text()?;
        let typed = Fields::read(&text)?;
        let before = Fields::read(&self.draft.original).unwrap_or_default();
        let changes = typed.clone().changes(&before, &self.profile);
        if changes.is_empty() {
            self.draft.discard();
            let sentence = View::Sentence("Nothing changed.".to_owned());
            return Ok(Report::new(json!({"result": "unchanged"}), sentence));
        }
        for outdated in changes.conflicts(&before, &self.profile) {
            self.session.output.warn(&outdated);
        }
        let names = changes.names();
        let Changes { update, notes } = changes.validate()?;
        for note in notes {
            self.session.output.note(&note);
        }
        if self.dry_run {
            self.session.output.note(&self.draft.location());
            return set::preview(&update, &self.profile, self.session);
        }
        self.check_unchanged(&names, &typed)?;
        let response = set::send(&update, self.session)?;
        let report = match response.data() {
            Some(profile) => report(&response, profile, self.session),
            None => self.read_back(&names)?,
        };
        self.draft.discard();
        Ok(report.of_change())
    }

    /// Reads the profile again. Fails if a field that would be overwritten has changed since the
    /// user saw it.
    fn check_unchanged(&mut self, names: &[&str], typed: &Fields) -> Result<(), Failure> {
        let now = self.session.read(self.session.client()?.me())?.into_data();
        let seen = std::mem::replace(&mut self.profile, now);
        let now = &self.profile;
        let conflicts = names.iter().filter(|name| {
            let value = field_of(now, name);
            value != field_of(&seen, name) && value != typed.get(name)
        });
        let conflicts: Vec<_> = conflicts.map(|name| outdated(name, now)).collect();
        match conflicts.is_empty() {
            true => Ok(()),
            false => Err(Failure::new(FailureKind::Conflict, conflicts.join("\n"))),
        }
    }

    /// Reads the profile after a success response without a profile, which may not have come from the
    /// service, and checks that the fields have changed.
    fn read_back(&self, names: &[&str]) -> Result<Report, Failure> {
        let failed = |what: String| {
            let message = format!("the service accepted the change, but {what}");
            Failure::new(FailureKind::Other, message)
        };
        let response = self.session.read(self.session.client()?.me());
        let response = response
            .map_err(|failure| failed(format!("reading it failed: {}", failure.message)))?;
        let now = response.data();
        let is_as_before = |name: &&str| field_of(now, name) == field_of(&self.profile, name);
        let unchanged: Vec<_> = names
            .iter()
            .copied()
            .filter(|name| is_as_before(name))
            .collect();
        if unchanged.is_empty() {
            return Ok(report(&response, now, self.session));
        }
        let what = format!(
            "the profile does not contain the new {}",
            unchanged.join(", ")
        );
        Err(failed(what))
    }

    /// Prepends the message to the text if it is about the text. Returns `true` if it is.
    fn write_problem(&self, failure: &Failure) -> Result<bool, Failure> {
        use FailureKind::{Conflict, Rejected, Usage};
        if !matches!(failure.kind, Usage | Rejected | Conflict) {
            return Ok(false);
        }
        let Ok(text) = self.draft.text() else {
            return Ok(false);
        };
        self.draft
            .replace(&problem::prepend(&text, &failure.message))?;
        Ok(true)
    }
}
