//! `profile edit`: edits the profile in the user's editor.

mod document;

use clap::Args;
use profile_sdk::{Operation, Profile, ProfileField, ProfileUpdate};
use serde_json::json;

use crate::commands::auth::permissions;
use crate::commands::set;
use crate::editor::{self, EditedText, Editor, Finished};
use crate::outcome::{Failure, FailureKind, NextCommand, PAGE, Report, Result, View, WriteOutcome};
use crate::profile_file::{self, EnteredProfile};
use crate::session::Session;
use crate::session::preview::DryRun;

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope profile:write. Opens the fields as TOML, with their limits. The editor is taken
from PROFILE_EDITOR, `editor` in config.toml, VISUAL or EDITOR, in this order; it may have arguments,
as in `code --wait`.

If the text is invalid or rejected, you can edit it again or stop; a rejected text can also be sent as it is.
Changes that could not be sent, or that --dry-run did not send, are kept in a private file. Its path is printed
with a command that compares it with the profile, and one that sends and deletes it. If nothing changed,
nothing is sent. The changed fields are printed; with --json, the profile.

The profile is read again before the changes are sent. If one of the fields that you edited has changed on
the service, both values are shown, and you can send yours, edit it again or stop. A change between this read
and the update, usually within milliseconds, is overwritten.

Examples:
  profile edit
  PROFILE_EDITOR='code --wait' profile edit
  profile edit --dry-run")]
pub(crate) struct EditArguments {
    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: &EditArguments, session: &Session<'_>) -> Result<Report> {
    let editor = Editor::find(&session.settings)?;
    let profile = session.read(session.client()?.me())?.into_data();
    if !arguments.dry_run.dry_run {
        permissions::check(&profile, &Operation::UPDATE_PROFILE)?;
    }
    profile_file::check_without_key(profile_file::fields(&profile))?;
    for warning in profile_file::replaced_characters(profile_file::fields(&profile)) {
        session.output.warn(&warning);
    }
    let initial = document::write(&profile, session.service()?);
    let mut edit = Edit {
        latest: profile.clone(),
        shown: profile,
        dry_run: arguments.dry_run.dry_run,
        session,
    };
    editor::edit(&mut edit, &initial, &editor, session)
}

struct Edit<'a> {
    /// The profile that the editor showed.
    shown: Profile,
    /// The profile that was read last.
    latest: Profile,
    dry_run: bool,
    session: &'a Session<'a>,
}

impl EditedText for Edit<'_> {
    const PREFIX: &'static str = "profile-";
    const SUFFIX: &'static str = ".toml";

    fn finish(&mut self, text: &str) -> Result<Finished> {
        let changed = EnteredProfile::read(text, Some(&self.shown));
        let notes = changed.changes.notes.clone();
        let update = changed.validated("the text")?.profile;
        if update.is_empty() {
            let sentence = View::Sentence("Nothing changed.".to_owned());
            let report = Report::new(json!({"result": "unchanged"}), sentence);
            return Ok(Finished::Done(report));
        }
        for note in notes {
            self.session.output.note(&note);
        }
        if self.dry_run {
            let preview = set::preview(&update, &self.latest, self.session)?;
            return Ok(Finished::Kept(preview, None));
        }
        self.check_unchanged(&update)?;
        let call = self.session.client()?.update_profile(&update);
        let response = self
            .session
            .write_any(call, set::RESOURCE, set::CHECK_COMMAND)?;
        if response.data().is_none() {
            let accepted = match response.is_page() {
                true => format!("{PAGE}, and"),
                false => "the service accepted the change, but".to_owned(),
            };
            self.read_back(&update, &accepted)?;
        }
        let report = set::report(&update, &response);
        Ok(Finished::Done(report))
    }

    fn commands(path: &str, _: &str) -> String {
        let [diff, apply] = ["diff", "apply"].map(|name| format!("profile {name} {path}"));
        let (diff, apply) = (NextCommand(&diff), NextCommand(&apply));
        format!("check it with {diff} and send it with {apply}")
    }
}

impl Edit<'_> {
    /// Reads the profile again. Fails if a field that would be overwritten has changed since the last
    /// read.
    fn check_unchanged(&mut self, update: &ProfileUpdate) -> Result<()> {
        let now = self.session.read(self.session.client()?.me())?.into_data();
        let before = std::mem::replace(&mut self.latest, now);
        let conflicts = profile_file::conflicts(&before, &self.latest, update);
        match conflicts.is_empty() {
            true => Ok(()),
            false => Err(Failure::new(FailureKind::Conflict, conflicts.join("\n"))),
        }
    }

    /// Reads the profile after a success response without a profile, which may not have come from the
    /// service, and checks that the fields have changed.
    fn read_back(&self, update: &ProfileUpdate, accepted: &str) -> Result<()> {
        let failed = |what: String| {
            let outcome = WriteOutcome::unknown(set::CHECK_COMMAND);
            Failure::other(format!("{accepted} {what}")).outcome(outcome)
        };
        let read = self.session.read(self.session.client()?.me());
        let response = read.map_err(|it| failed(format!("reading it failed: {}", it.message)))?;
        let now = response.data();
        let missing = ProfileField::ALL.iter().filter(|&&field| {
            let value = now.get(field);
            let is_unchanged = value == self.latest.get(field);
            is_unchanged && update.get(field).is_some_and(|new| value != Some(new))
        });
        let missing: Vec<_> = missing.map(|field| field.name()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let missing = missing.join(", ");
        let what = format!("the profile does not contain the new {missing}");
        Err(failed(what))
    }
}
