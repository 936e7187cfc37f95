//! A profile as a file: the fields and links that `export` writes, and `diff` and `apply` read.

use std::collections::BTreeSet;
use std::ops::Range;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use profile_sdk::plan::{DesiredProfile, Source};
use profile_sdk::{
    Profile, ProfileField, ProfileUpdate,
    internal::{quoted, with_visibility},
};
use serde_json::Value;
use serde_json::value::RawValue;
use toml_edit::de::from_document;
use toml_edit::{Document, DocumentMut, Item, Table};

use crate::input::ProfileChanges;
use crate::outcome::{Failure, NextCommand, Result};
use crate::terminal::redact_key;

/// A problem at a line and a column, counted from 1.
type Problem = ((usize, usize), String);

/// Parses a file. For a text of an editor, also returns the profile that it showed. The failure has a
/// line of the form `NAME:LINE:COLUMN: problem` for each problem.
pub(crate) fn parse(name: &str, text: &str) -> Result<(DesiredProfile, Option<Profile>)> {
    let mut shown = None;
    let is_array = || serde_json::from_str::<Vec<&RawValue>>(text).is_ok();
    let parsed = match text.trim_start().starts_with('{') {
        true => from_json(text).map_err(|problem| failure(name, vec![problem])),
        false if is_array() => {
            let export = NextCommand("profile export --json");
            let message = format!("an array; expected an object, as {export} prints it");
            Err(failure(name, vec![((1, 1), message)]))
        }
        false => {
            let mut entered = EnteredProfile::read(text, None);
            shown = entered.base.take();
            entered.validated(name)
        }
    };
    let desired = parsed.map_err(|failure| {
        failure.hint("nothing was sent; fix the file and run the command again")
    })?;
    if shown.is_none() && desired.profile.is_empty() && desired.links.is_none() {
        let export = NextCommand("profile export");
        let message = "has neither fields nor links; expected the output of";
        return Err(Failure::usage(format!("{name} {message} {export}")));
    }
    Ok((desired, shown))
}

/// Describes the fields that an update would overwrite, but that have changed since they were shown.
pub(crate) fn conflicts(shown: &Profile, now: &Profile, update: &ProfileUpdate) -> Vec<String> {
    let conflicts = ProfileField::ALL.iter().filter_map(|&field| {
        let (new, value) = (update.get(field)?, now.get(field));
        (value != shown.get(field) && value != Some(new)).then(|| {
            let (theirs, mine) = (quoted(value.unwrap_or_default()), quoted(new));
            format!("{field} has changed on the service meanwhile; it is now {theirs}, and yours is {mine}")
        })
    });
    conflicts.collect()
}

/// Returns the table with the fields that an editor shows, so that `apply` sends only the changed ones. In
/// base64, so that replacing a word in the whole file does not change it.
pub(crate) fn base_table(profile: &Profile) -> String {
    let fields: Value = fields(profile).collect();
    let shown = line("shown", &BASE64_STANDARD.encode(fields.to_string()));
    format!("\n# Keep this table: it has the values before your changes.\n[base]\n{shown}")
}

/// Returns the fields in the table, unless it was changed.
fn shown_in(base: &Item) -> Option<Profile> {
    let entries: Vec<_> = base.as_table_like()?.iter().collect();
    let [("shown", encoded)] = entries[..] else {
        return None;
    };
    let json = BASE64_STANDARD.decode(encoded.as_str()?).ok()?;
    serde_json::from_slice(&json).ok()
}

fn from_json(text: &str) -> Result<DesiredProfile, Problem> {
    let desired: DesiredProfile =
        serde_json::from_str(text).map_err(|error: serde_json::Error| {
            let message = error.to_string();
            let (message, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
            ((error.line(), error.column()), message.to_owned())
        })?;
    repeated_id(&desired, text).map_or(Ok(desired), Err)
}

fn failure(name: &str, mut problems: Vec<Problem>) -> Failure {
    problems.sort();
    let lines = problems.iter();
    let lines = lines.map(|((line, column), problem)| format!("{name}:{line}:{column}: {problem}"));
    Failure::usage(lines.collect::<Vec<_>>().join("\n"))
}

/// A profile in TOML, as entered by the user.
#[derive(Default)]
pub(crate) struct EnteredProfile {
    /// The fields as entered.
    pub(crate) fields: Vec<(ProfileField, String)>,
    /// The profile that an editor showed.
    base: Option<Profile>,
    pub(crate) changes: ProfileChanges,
    /// The problems other than invalid values of fields.
    pub(crate) problems: Vec<Problem>,
    invalid_values: Vec<Problem>,
    desired: DesiredProfile,
}

impl EnteredProfile {
    /// Parses a document. If an editor showed this profile, or the one in `[base]`, skips the fields that are as
    /// shown, and rejects everything but fields.
    pub(crate) fn read(text: &str, shown: Option<&Profile>) -> Self {
        // Editors and Git on Windows add carriage returns; `toml_string` escapes the profile's own.
        let text = text.replace("\r\n", "\n");
        let problem = |span: Option<Range<usize>>, message: &str| {
            let message = message.lines().collect::<Vec<_>>().join("; ");
            (position(&text, span.map_or(0, |span| span.start)), message)
        };
        let mut entered = Self::default();
        let document = Document::parse(&*text).map(Document::into_table);
        let mut others = document.unwrap_or_else(|error| {
            entered.problems = vec![problem(error.span(), error.message())];
            Table::new()
        });
        let base = others.remove("base");
        let base = base.and_then(|base| {
            let shown = shown_in(&base);
            if shown.is_none() {
                let message = "[base] was changed, so it is unknown which fields were edited; move fields to [profile], \
                               or delete [base] and the fields that should keep their values";
                entered.problems.push(problem(base.span(), message));
            }
            shown
        });
        let shown = shown.or(base.as_ref());
        let is_table = others.get("profile").is_some_and(Item::is_table_like);
        let profile = is_table.then(|| others.remove("profile")).flatten();
        let profile = profile.as_ref().and_then(Item::as_table_like);
        let fields = profile.map_or_else(Vec::new, |profile| profile.iter().collect());
        entered.read_fields(&fields, shown, problem);
        if shown.is_some() {
            let unknown = others.iter().filter(|(name, _)| *name != "source");
            entered.problems.extend(unknown.map(|(name, item)| {
                let name = quoted(name);
                let message =
                    format!("{name} is not below [profile], and only fields can be edited here");
                problem(item.span(), &message)
            }));
            others.retain(|name, _| name == "source");
        }
        let advice = match others.get("links").is_some_and(Item::is_table) {
            true => "; write [[links]] above each link",
            false => "",
        };
        match from_document(DocumentMut::from(others)) {
            Ok(others) => entered.desired = others,
            Err(error) => {
                let message = format!("{}{advice}", error.message());
                entered.problems.push(problem(error.span(), &message));
            }
        }
        let repeated = repeated_id(&entered.desired, &text);
        entered.problems.extend(repeated);
        entered.desired.profile = std::mem::take(&mut entered.changes.update);
        entered.base = base;
        entered
    }

    /// Reads the fields. If an editor showed a profile, skips those that are as shown.
    fn read_fields(
        &mut self,
        fields: &[(&str, &Item)],
        shown: Option<&Profile>,
        problem: impl Fn(Option<Range<usize>>, &str) -> Problem,
    ) {
        for &(name, item) in fields {
            let problem = |message: &str| problem(item.span(), message);
            let field = name.parse::<ProfileField>();
            // The editor shows the closing quotes of a long text on a line of their own.
            let is_long = |field: &ProfileField| field.kind().max_lines() > Some(1);
            let has_break = shown.is_some() && field.as_ref().is_ok_and(is_long);
            let end = if has_break { "\n" } else { "" };
            let text = item.as_str();
            let text = text.map(|text| text.strip_suffix(end).unwrap_or(text));
            match (field, text) {
                (Err(error), _) => self.problems.push(problem(&error.to_string())),
                (Ok(_), None) => self.problems.push(problem(&format!(
                    "{name} has the type {}; expected a string in quotes",
                    item.type_name()
                ))),
                (Ok(field), text) if shown.and_then(|shown| shown.get(field)) == text => {}
                (Ok(field), Some(text)) => {
                    let error = self.changes.add(field, text).err();
                    let invalid = error.map(|error| problem(&error.to_string()));
                    self.invalid_values.extend(invalid);
                    self.fields.push((field, text.to_owned()));
                }
            }
        }
    }

    /// Returns the profile. The failure contains all problems.
    pub(crate) fn validated(self, name: &str) -> Result<DesiredProfile> {
        let problems = [self.problems, self.invalid_values].concat();
        match problems.is_empty() {
            true => Ok(self.desired),
            false => Err(failure(name, problems)),
        }
    }
}

/// Returns the problem of an ID that several links have, at the last place of its text.
fn repeated_id(desired: &DesiredProfile, text: &str) -> Option<Problem> {
    let links = desired.links.as_deref().unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut ids = links
        .iter()
        .filter_map(|link| Some(link.id.as_ref()?.as_str()));
    let id = ids.find(|id| !seen.insert(*id))?;
    let id = quoted(id);
    let place = position(text, text.rfind(&*id).unwrap_or_default());
    Some((place, format!("several links have the id {id}")))
}

/// Returns the line and the column of an offset, counted from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Returns a warning for each text, given with its name, of which a part could not be read.
pub(crate) fn replaced_characters<'a>(
    texts: impl Iterator<Item = (String, &'a str)>,
) -> impl Iterator<Item = String> {
    let replaced = texts.filter(|(_, text)| text.contains('\u{fffd}'));
    replaced.map(|(name, _)| {
        format!(
            "{name} contains U+FFFD in place of what could not be read, such as half of an emoji"
        )
    })
}

/// Fails if the handle, an editable field or one of the other texts, given with their names, contains the key. In a
/// file, it could not be redacted: `[redacted]` would be sent back.
pub(crate) fn check_without_key<'a>(
    profile: &'a Profile,
    others: impl Iterator<Item = (String, &'a str)>,
) -> Result<()> {
    let handle = profile.handle.iter();
    let handle = handle.map(|handle| ("handle".to_owned(), handle.as_str()));
    let mut texts = handle.chain(fields(profile)).chain(others);
    let Some((name, _)) = texts.find(|(_, text)| redact_key(text) != *text) else {
        return Ok(());
    };
    let message =
        format!("{name} contains the API key or the webhook secret, which is not written to files");
    let [set, edit] = ["profile set", "profile link edit ID"].map(NextCommand);
    let hint = format!("replace the text with {set} or {edit}, and then the key");
    Err(Failure::other(message).hint(hint))
}

/// Returns the texts of the editable fields.
pub(crate) fn fields(profile: &Profile) -> impl Iterator<Item = (String, &str)> {
    let fields = ProfileField::ALL.iter();
    fields.filter_map(|field| Some((field.to_string(), profile.get(*field)?)))
}

/// Returns a profile as TOML.
pub(crate) fn to_toml(profile: &DesiredProfile) -> String {
    let mut toml = String::from("# A profile; `profile apply FILE` applies it.\n");
    if profile.links.as_ref().is_some_and(Vec::is_empty) {
        toml += "links = []\n";
    }
    if let Some(source) = &profile.source {
        toml += &source_table(source);
    }
    toml += "\n[profile]\n";
    for field in ProfileField::ALL {
        if let Some(text) = profile.profile.get(*field) {
            toml += &line(field.name(), text);
        }
    }
    for link in profile.links.iter().flatten() {
        toml += "\n[[links]]\n";
        if let Some(id) = &link.id {
            toml += &line("id", id.as_str());
        }
        toml += &line("title", &link.title);
        toml += &line("url", link.url.as_str());
    }
    toml
}

/// Returns the table of the account that a profile is of.
pub(crate) fn source_table(source: &Source) -> String {
    let service = source.service.as_ref();
    let service = service.map(|service| line("service", service));
    let handle = line("handle", source.handle.as_str());
    format!("\n[source]\n{}{handle}", service.unwrap_or_default())
}

/// Returns the line of a text.
pub(crate) fn line(name: &str, text: &str) -> String {
    format!("{name} = {}\n", toml_string(text))
}

/// Returns the text as a TOML string; one with line breaks is a multi-line string.
///
/// White space before a line break, which many editors remove, and invisible characters are
/// escaped.
fn toml_string(text: &str) -> String {
    let long = text.contains('\n');
    let (open, close) = match long {
        true => ("\"\"\"\n", "\"\"\""),
        false => ("\"", "\""),
    };
    let mut string = open.to_owned();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_line = matches!(rest.peek(), None | Some('\n' | '\r'));
        match c {
            '\r' | '\\' => string.extend(c.escape_default()),
            '"' if !long || ends_line || rest.peek() == Some(&'"') => string.push_str("\\\""),
            '\t' if ends_line => string.push_str("\\t"),
            '\n' | '\t' => string.push(c),
            c if c.is_control() || needs_escape(c) || (c.is_whitespace() && ends_line) => {
                string += &escape(c);
            }
            c => string.push(c),
        }
    }
    string + close
}

/// Escapes the other invisible characters of a document, for a terminal. They occur only in strings.
pub(crate) fn for_terminal(document: &str) -> String {
    let visible = |(c, is_visible)| match is_visible {
        true => String::from(c),
        false => escape(c),
    };
    with_visibility(document).map(visible).collect()
}

fn escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0xffff => format!("\\u{code:04X}"),
        code => format!("\\U{code:08X}"),
    }
}

/// Returns `true` for characters that reorder or hide text, and for whitespace that looks like a
/// space.
fn needs_escape(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || (c.is_whitespace() && c != ' ')
}

#[cfg(test)]
mod tests {
    use profile_sdk::plan::DesiredProfile;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};
    use serde_json::json;

    use super::{parse, to_toml};

    #[test]
    fn converts_colors_and_keeps_the_rest() {
        let text =
            "[profile]\ntext_color = 'Black' # not #fff\naccent_color = \"#f80\"\nbio = 'red'";
        let profile = parse("a file", text).expect("a file").0.profile;
        let text = |color: Option<profile_sdk::Color>| color.map(|color| color.to_string());
        assert_eq!(text(profile.text_color).as_deref(), Some("#000000"));
        assert_eq!(text(profile.accent_color).as_deref(), Some("#ff8800"));
        assert_eq!(profile.bio.expect("a bio").as_str(), "red");
    }

    proptest! {
        #[test]
        fn a_written_file_is_read_as_it_was(
            bio in "[\\PC\\n\\t\"\\\\]{0,20}",
            titles in vec(any::<String>(), 0..3),
            has_links in any::<bool>(),
        ) {
            let link = |(id, title): (usize, &String)| {
                json!({"id": id.to_string(), "title": title, "url": "https://x/\u{e9} ?"})
            };
            let links: Vec<_> = titles.iter().enumerate().map(link).collect();
            let profile: DesiredProfile = serde_json::from_value(json!({
                "source": {"service": "https://s", "handle": "demo"},
                "profile": {"bio": bio.split('\n').take(10).collect::<Vec<_>>().join("\n")},
                "links": has_links.then_some(links),
            }))
            .expect("a profile");
            prop_assert_eq!(parse("a file", &to_toml(&profile)).expect("TOML").0, profile.clone());
            let json = json!(profile).to_string();
            prop_assert_eq!(parse("a file", &json).expect("JSON").0, profile);
        }
    }
}
