//! The editable fields of a profile as TOML.

use std::collections::BTreeMap;

use profile_sdk::{Bio, DisplayName, Location, Profile};
use toml_edit::{DocumentMut, Item};

use super::problem;
use crate::outcome::failure::Failure;
use crate::profile_file::fields::{Changes, FIELDS, field_of};
use crate::profile_file::toml_text::quoted;
use crate::terminal::printable;

const HEADING: &str = "\
# Your profile. Edit the fields, save and close; only changed fields are sent.
# An empty string \"\" clears a field; a removed field keeps its value.
# In a string, \\\\ is a backslash, \\\" a quote and \\n a line break.
";

/// The values of the fields by name, not yet validated.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fields(BTreeMap<&'static str, String>);

/// Returns the profile as a document. Missing fields are comments.
pub(super) fn write(profile: &Profile) -> String {
    let mut text = HEADING.to_owned();
    for name in FIELDS {
        text += &format!("\n# {}\n", note(name));
        text += &match field_of(profile, name) {
            Some(value) => format!("{name} = {}\n", quoted(value, name == "bio")),
            None => format!("# {name} = \"\"\n"),
        };
    }
    text
}

/// Returns the comment above a field.
fn note(name: &str) -> String {
    let up_to = |characters| format!("up to {characters} characters");
    match name {
        "display_name" => up_to(DisplayName::MAX_CHARACTERS),
        "bio" => format!(
            "{} and {} lines; ends right before the closing quotes",
            up_to(Bio::MAX_CHARACTERS),
            Bio::MAX_LINES
        ),
        "location" => up_to(Location::MAX_CHARACTERS),
        "accent_color" => "#rrggbb, #rgb or a CSS name".to_owned(),
        "text_color" => "the contrast with background_color should be at least 4.5:1".to_owned(),
        _ => "#rrggbb, #rgb or a CSS name".to_owned(),
    }
}

impl Fields {
    /// Parses a document.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        // Some editors change line breaks; `write` escapes those of the profile.
        let text = &text.replace("\r\n", "\n");
        let document = text.parse::<DocumentMut>().map_err(|error| {
            // The message will be prepended to the text, so its line numbers have to include it.
            let above = problem::as_comment(&reason(&error)).lines().count();
            let moved = format!("{}{}", "#\n".repeat(above), problem::remove(text));
            let moved = moved.parse::<DocumentMut>().err().unwrap_or(error);
            Failure::usage(reason(&moved))
        })?;
        let mut fields = BTreeMap::new();
        for (name, item) in document.iter() {
            let (name, text) = field(name, item).map_err(Failure::usage)?;
            fields.insert(name, text);
        }
        Ok(Self(fields))
    }

    /// Returns the fields that differ both from the original text and from the current profile.
    pub(super) fn changes(self, before: &Self, profile: &Profile) -> Self {
        let changed = |(name, text): &(&'static str, String)| {
            before.0.get(name) != Some(text) && field_of(profile, name) != Some(text)
        };
        Self(self.0.into_iter().filter(changed).collect())
    }

    /// Returns a message for each change that would overwrite a newer value on the service.
    pub(super) fn conflicts(&self, before: &Self, profile: &Profile) -> Vec<String> {
        let conflicts = self.0.keys().filter_map(|name| {
            let then = before.0.get(name)?;
            let now = field_of(profile, name)?;
            (then != now).then(|| outdated(name, profile))
        });
        conflicts.collect()
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.0.keys().copied().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Validates the fields. The failure contains all problems.
    pub(super) fn validate(self) -> Result<Changes, Failure> {
        let mut changes = Changes::default();
        let mut problems = Vec::new();
        for (name, text) in self.0 {
            if let Err(problem) = changes.add(name, &text) {
                problems.push(problem);
            }
        }
        match problems.is_empty() {
            true => Ok(changes),
            false => Err(Failure::usage(problems.join("\n"))),
        }
    }
}

/// Returns the message about a field that has changed on the service.
pub(super) fn outdated(name: &str, profile: &Profile) -> String {
    let now = printable::quoted(field_of(profile, name).unwrap_or_default());
    format!("{name} has changed on the service meanwhile; it is now {now}")
}

fn reason(error: &toml_edit::TomlError) -> String {
    format!(
        "the text is not valid TOML: {}",
        error.to_string().trim_end()
    )
}

fn field(name: &str, item: &Item) -> Result<(&'static str, String), String> {
    let Some(known) = FIELDS.into_iter().find(|known| *known == name) else {
        let names = FIELDS.join(", ");
        return Err(format!("unknown field {name:?}; expected one of {names}"));
    };
    match item.as_str() {
        Some(text) => Ok((known, text.to_owned())),
        None => Err(format!(
            "{name} has the type {}; expected a string in quotes",
            item.type_name()
        )),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use profile_sdk::Profile;
    use serde_json::json;

    use super::{FIELDS, Fields, write};

    fn profile(text: &str) -> Profile {
        let fields = FIELDS.map(|name| (name.to_owned(), json!(text)));
        serde_json::from_value(fields.into_iter().collect()).unwrap()
    }

    #[track_caller]
    fn check_error(text: &str, expected: &Expect) {
        let failure = Fields::read(text).and_then(Fields::validate).err();
        expected.assert_eq(&failure.expect("a failure").message);
    }

    #[test]
    fn all_texts_survive_a_round_trip() {
        let mut texts: Vec<_> = (0..=0x3000)
            .filter_map(char::from_u32)
            .map(String::from)
            .collect();
        texts.extend(texts.clone().iter().map(|c| format!("a{c}\nb{c}{c}{c}c")));
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
            let document = write(&profile(&text));
            let fields = Fields::read(&document).expect("a document");
            assert_eq!(fields.0.len(), FIELDS.len());
            assert!(
                fields.0.values().all(|value| *value == text),
                "{text:?}\n{document}"
            );
        }
    }

    #[test]
    fn a_document_contains_the_limits() {
        let shown = json!({"display_name": "Ada", "bio": "one \"two\"\nthree\\", "location": "",
            "accent_color": "#ff8800"});
        expect![[r##"
            # Your profile. Edit the fields, save and close; only changed fields are sent.
            # An empty string "" clears a field; a removed field keeps its value.
            # In a string, \\ is a backslash, \" a quote and \n a line break.

            # up to 32 characters
            display_name = "Ada"

            # up to 300 characters and 10 lines; ends right before the closing quotes
            bio = """
            one "two\"
            three\\"""

            # up to 40 characters
            location = ""

            # #rrggbb, #rgb or a CSS name
            accent_color = "#ff8800"

            # the contrast with background_color should be at least 4.5:1
            # text_color = ""

            # #rrggbb, #rgb or a CSS name
            # background_color = ""
        "##]]
        .assert_eq(&write(&serde_json::from_value(shown).unwrap()));
    }

    #[test]
    fn reports_all_problems_at_once() {
        check_error(
            "nickname = 'a'",
            &expect![[
                r#"unknown field "nickname"; expected one of display_name, bio, location, accent_color, text_color, background_color"#
            ]],
        );
        check_error(
            "bio = 1",
            &expect!["bio has the type integer; expected a string in quotes"],
        );
        check_error(
            "[bio]",
            &expect!["bio has the type table; expected a string in quotes"],
        );
        let name = "x".repeat(33);
        check_error(
            &format!("display_name = '{name}'\ntext_color = 'rot'"),
            &expect![[r#"
                display_name has 33 characters; at most 32 are allowed
                text_color: "rot" is not a color; expected #rrggbb, #rgb or a CSS name, for example #ff8800, #f80 or orange"#]],
        );
    }

    #[test]
    fn line_numbers_include_the_prepended_message() {
        check_error(
            "# a\nbio = \"b",
            &expect![[r#"
                the text is not valid TOML: TOML parse error at line 8, column 9
                  |
                8 | bio = "b
                  |         ^
                invalid basic string, expected `"`"#]],
        );
    }

    #[test]
    fn changes_are_differences_from_text_and_profile() {
        let now = profile("a");
        let before = Fields::read("bio = 'a'\nlocation = 'b'").unwrap();
        let typed = "bio = 'b'\nlocation = 'b'\ndisplay_name = 'a'";
        let changes = Fields::read(typed).unwrap().changes(&before, &now);
        assert_eq!(changes, Fields::read("bio = 'b'").unwrap());
    }
}
