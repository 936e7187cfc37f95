//! `profile edit`: edits the profile in the user's editor.

use std::iter;

use clap::Args;
use profile_sdk::plan::DesiredProfile;
use profile_sdk::{Operation, Profile, ProfileField, ProfileUpdate};
use serde_json::json;

use crate::commands::{auth, set};
use crate::editor::{self, EditedText, Editor, Finished};
use crate::outcome::{Failure, FailureKind, NextCommand, PAGE, Report, Result, View, WriteOutcome};
use crate::profile_file::{self, EnteredProfile};
use crate::session::{DryRun, Session};

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope profile:write. Opens the fields as TOML, with their limits. The editor is taken \
from PROFILE_EDITOR, `editor` in config.toml, VISUAL or EDITOR, in this order; it may have arguments, \
as in `code --wait`.

If the text is invalid or rejected, you can edit it again or stop; a rejected text can also be sent as it is. \
Changes that could not be sent, or that --dry-run did not send, are kept in a private file. Its path is printed \
with a command that compares it with the profile, and one that sends and deletes it. If nothing changed, \
nothing is sent. The changed fields are printed, on a terminal beside their old values; with --json, the profile.

The profile is read again before the changes are sent. If one of the fields that you edited has changed on \
the service, both values are shown, and you can send yours, edit it again or stop. A change between this read \
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
        auth::permissions::check(&profile, &Operation::UPDATE_PROFILE)?;
    }
    profile_file::check_without_key(&profile, iter::empty())?;
    let warnings = profile_file::replaced_characters(profile_file::fields(&profile));
    session.output.warn_all(warnings);
    let initial = document(&profile, session.service()?);
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

    fn finish(&mut self, text: &str, after: Option<FailureKind>) -> Result<Finished> {
        let changed = EnteredProfile::read(text, Some(&self.shown));
        let notes = changed.changes.notes.clone();
        let update = changed.validated("the text")?.profile;
        if update.is_empty() {
            let sentence = View::Sentence("Nothing changed.".to_owned());
            let report = Report::new(json!({"result": "unchanged"}), sentence);
            return Ok(Finished::Done(report));
        }
        let session = self.session;
        session.output.note_all(notes);
        if self.dry_run {
            let preview = set::preview(&update, &self.latest, session)?;
            return Ok(Finished::Kept(preview, None));
        }
        self.check_unchanged(&update, after == Some(FailureKind::Conflict))?;
        let call = session.client()?.update_profile(&update);
        let response = session.write_any(call, set::RESOURCE, set::CHECK_COMMAND)?;
        if response.data().is_none() {
            let accepted = match response.is_page() {
                true => format!("{PAGE}, and"),
                false => "the service accepted the change, but".to_owned(),
            };
            self.read_back(&update, &accepted)?;
        }
        let before = Some(&self.latest).filter(|_| session.output.is_watched());
        let report = set::report(&update, &response, before);
        Ok(Finished::Done(report))
    }

    fn commands(path: &str, _: &str) -> String {
        let command = |name| NextCommand(format!("profile {name} {path}"));
        let [diff, apply] = ["diff", "apply"].map(command);
        format!("check it with {diff} and send it with {apply}")
    }
}

impl Edit<'_> {
    /// Reads the profile again. Fails if a field that would be overwritten is not as the user has seen it: in the
    /// editor, or in the last conflict.
    fn check_unchanged(&mut self, update: &ProfileUpdate, after_conflict: bool) -> Result<()> {
        let now = self.session.read(self.session.client()?.me())?.into_data();
        let last = std::mem::replace(&mut self.latest, now);
        let seen = if after_conflict { &last } else { &self.shown };
        let conflicts = profile_file::conflicts(seen, &self.latest, update);
        match conflicts.is_empty() {
            true => Ok(()),
            false => Err(Failure::new(FailureKind::Conflict, conflicts.join("\n"))),
        }
    }

    /// Reads the profile after a success response without a profile, which may not have come from the
    /// service, and checks that the fields have changed.
    fn read_back(&self, update: &ProfileUpdate, accepted: &str) -> Result<()> {
        let failed = |what: String| {
            let outcome = WriteOutcome::Unknown(set::CHECK_COMMAND.to_owned());
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

/// The comments above the fields.
const HEADING: &str = "\
# Your profile. Edit the fields, save and close; only changed fields are sent, also if you send this
# file with `profile apply`.
# An empty string \"\" clears a text; a removed field keeps its value.
# In a string, \\\\ is a backslash, \\\" a quote and \\n a line break.
# The contrast between text and background should be at least 4.5:1.

[profile]
";

/// Returns the fields of a profile of this service as TOML, in the format of `profile apply`. Missing fields are
/// comments.
fn document(profile: &Profile, service: String) -> String {
    let mut text = HEADING.to_owned();
    for &field in ProfileField::ALL {
        text += &format!("\n# {}\n", set::limits(field));
        text += &match profile.get(field) {
            Some(value) => line(field, value),
            None => format!("# {field} = \"\"\n"),
        };
    }
    if let Some(mut source) = DesiredProfile::from(profile).source {
        source.service = Some(service);
        text += &profile_file::source_table(&source);
    }
    text + &profile_file::base_table(profile)
}

/// Returns the line of a field. The closing quotes of a long text are on a line of their own, so that
/// lines can be added above them.
fn line(field: ProfileField, value: &str) -> String {
    let is_multiline = field.kind().max_lines() > Some(1) && !value.is_empty();
    let end = if is_multiline { "\n" } else { "" };
    profile_file::line(field.name(), &format!("{value}{end}"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use profile_sdk::{DisplayName, Profile, ProfileField};
    use serde_json::json;

    use crate::profile_file::EnteredProfile;

    fn write(profile: &Profile) -> String {
        super::document(profile, "https://profiles.example".to_owned())
    }

    fn profile(text: &str) -> Profile {
        let fields = ProfileField::ALL.iter();
        let fields = fields.map(|field| (field.name().to_owned(), json!(text)));
        serde_json::from_value(fields.collect()).unwrap()
    }

    #[track_caller]
    fn read(document: &str, shown: &Profile) -> Vec<(ProfileField, String)> {
        let entered = EnteredProfile::read(document, Some(shown));
        assert_eq!(entered.problems, [], "{document}");
        entered.fields
    }

    #[track_caller]
    fn check_error(text: &str, expected: &Expect) {
        let text = format!("[profile]\n{text}");
        let entered = EnteredProfile::read(&text, Some(&profile("")));
        let failure = entered.validated("the text").err();
        expected.assert_eq(&failure.expect("a failure").message);
    }

    #[test]
    fn all_texts_survive_a_round_trip() {
        let characters: Vec<_> = (0..=0x3000).filter_map(char::from_u32).collect();
        let mut texts: Vec<_> = characters.iter().map(char::to_string).collect();
        let line = |c: &char| format!("a{c}\nb{c}{c}{c}c");
        let lines = characters.chunks(32);
        texts.extend(lines.map(|chunk| chunk.iter().map(line).collect()));
        texts.extend(
            [
                "",
                "\n",
                "\n\n",
                "one\r\ntwo\rthree\n",
                "\"\"\"\"\" '' '''",
                "a\"",
                "\\n \\u0041 \\",
                "trailing \n space ",
                "tab\t\nend\t",
                "👩‍🚀 日本 é\u{301}",
                "# no comment",
                "a = 1",
                "\u{feff}\u{e000}\u{10ffff}",
            ]
            .map(str::to_owned),
        );
        for text in texts {
            let profile = profile(&text);
            let document = write(&profile);
            let unchanged = read(&document, &profile);
            assert_eq!(unchanged, [], "{text:?}\n{document}");
            let others = self::profile("other");
            let changed = read(&document, &others);
            assert_eq!(changed.len(), ProfileField::ALL.len());
        }
    }

    #[test]
    fn a_document_contains_the_limits() {
        let shown = json!({"display_name": "Ada", "bio": "one \"two\"\nthree\\", "location": "",
            "accent_color": "#ff8800"});
        expect![[r##"
            # Your profile. Edit the fields, save and close; only changed fields are sent, also if you send this
            # file with `profile apply`.
            # An empty string "" clears a text; a removed field keeps its value.
            # In a string, \\ is a backslash, \" a quote and \n a line break.
            # The contrast between text and background should be at least 4.5:1.

            [profile]

            # up to 32 characters
            display_name = "Ada"

            # up to 300 characters and up to 10 lines
            bio = """
            one "two\"
            three\\
            """

            # up to 40 characters
            location = ""

            # #rrggbb, #rgb or a CSS name
            accent_color = "#ff8800"

            # #rrggbb, #rgb or a CSS name
            # text_color = ""

            # #rrggbb, #rgb or a CSS name
            # background_color = ""

            # Keep this table: it has the values before your changes.
            [base]
            shown = "eyJhY2NlbnRfY29sb3IiOiIjZmY4ODAwIiwiYmlvIjoib25lIFwidHdvXCJcbnRocmVlXFwiLCJkaXNwbGF5X25hbWUiOiJBZGEiLCJsb2NhdGlvbiI6IiJ9"
        "##]]
        .assert_eq(&write(&serde_json::from_value(shown).unwrap()));
    }

    #[test]
    fn reports_all_problems_at_once() {
        check_error(
            "nickname = 'a'",
            &expect![[
                r#"the text:2:12: field "nickname" is unknown; expected one of display_name, bio, location, accent_color, text_color, background_color"#
            ]],
        );
        check_error(
            "bio = 1",
            &expect!["the text:2:7: bio has the type integer; expected a string in quotes"],
        );
        check_error(
            "[links]",
            &expect![[
                r#"the text:2:1: "links" is not below [profile], and only fields can be edited here"#
            ]],
        );
        let name = "x".repeat(DisplayName::MAX_CHARACTERS + 1);
        check_error(
            &format!(
                "display_name = '{name}'\nbio = 1\nnickname = ''\ntext_color = 'rot'\n[links]"
            ),
            &expect![[r#"
                the text:2:16: display_name has 33 characters; at most 32 are allowed
                the text:3:7: bio has the type integer; expected a string in quotes
                the text:4:12: field "nickname" is unknown; expected one of display_name, bio, location, accent_color, text_color, background_color
                the text:5:14: text_color: "rot" is not a color; expected #rrggbb, #rgb or a CSS name, for example #ff8800, #f80 or orange
                the text:6:1: "links" is not below [profile], and only fields can be edited here"#]],
        );
    }
}
