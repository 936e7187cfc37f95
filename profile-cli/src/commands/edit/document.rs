//! The fields of a profile as TOML, in the format of `profile apply`.

use profile_sdk::{FieldKind, Profile, ProfileField};
use toml_edit::DocumentMut;

use crate::input::profile_changes::ProfileChanges;
use crate::outcome::failure::Failure;

use crate::profile_file::quoted;

const HEADING: &str = "\
# Your profile. Edit the fields, save and close; only changed fields are sent.
# An empty string \"\" clears a field; a removed field keeps its value.
# In a string, \\\\ is a backslash, \\\" a quote and \\n a line break.
# The contrast between text and background should be at least 4.5:1.

[profile]
";

/// The fields that differ from a profile, not yet validated.
#[derive(Debug, PartialEq)]
pub(super) struct ChangedFields(Vec<(ProfileField, String)>);

/// Returns the profile as a document. Missing fields are comments.
pub(super) fn write(profile: &Profile) -> String {
    let mut text = HEADING.to_owned();
    for &field in ProfileField::ALL {
        text += &format!("\n# {}\n", note(field));
        text += &match profile.get(field) {
            Some(value) => line(field, value),
            None => format!("# {field} = \"\"\n"),
        };
    }
    text
}

fn line(field: ProfileField, value: &str) -> String {
    let is_multiline = field.kind().max_lines().is_some();
    format!("{field} = {}\n", quoted(value, is_multiline))
}

/// Returns the comment above a field.
fn note(field: ProfileField) -> String {
    let kind = field.kind();
    match kind {
        FieldKind::Color => "#rrggbb, #rgb or a CSS name".to_owned(),
        _ if kind.max_lines().is_some() => format!("{kind}; ends right before the closing quotes"),
        _ => kind.to_string(),
    }
}

impl ChangedFields {
    /// Parses a document, and returns the fields that differ from the profile.
    pub(super) fn read(text: &str, profile: &Profile) -> Result<Self, Failure> {
        // Some editors change line breaks; `write` escapes those of the profile.
        let document = text.replace("\r\n", "\n").parse::<DocumentMut>();
        let document = document.map_err(|error| {
            let reason = error.to_string();
            Failure::usage(format!("the text is not valid TOML: {}", reason.trim_end()))
        })?;
        let mut changed = Vec::new();
        for (name, item) in document.iter() {
            let Some(fields) = item.as_table_like().filter(|_| name == "profile") else {
                let message = format!("{name:?} is not below [profile], as all fields should be");
                return Err(Failure::usage(message));
            };
            for (name, item) in fields.iter() {
                let field: ProfileField = name.parse()?;
                let Some(text) = item.as_str() else {
                    let found = item.type_name();
                    let message =
                        format!("{field} has the type {found}; expected a string in quotes");
                    return Err(Failure::usage(message));
                };
                if profile.get(field) != Some(text) {
                    changed.push((field, text.to_owned()));
                }
            }
        }
        Ok(Self(changed))
    }

    /// Returns a document with only these fields.
    pub(super) fn to_document(&self) -> String {
        let lines = self.0.iter().map(|(field, text)| line(*field, text));
        format!("[profile]\n{}", lines.collect::<String>())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (ProfileField, &str)> {
        self.0.iter().map(|(field, text)| (*field, text.as_str()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Validates the fields. The failure contains all problems.
    pub(super) fn validate(&self) -> Result<ProfileChanges, Failure> {
        let mut changes = ProfileChanges::default();
        let mut problems = Vec::new();
        for (field, text) in self.iter() {
            if let Err(problem) = changes.add(field, text) {
                problems.push(problem.to_string());
            }
        }
        match problems.is_empty() {
            true => Ok(changes),
            false => Err(Failure::usage(problems.join("\n"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use profile_sdk::{Profile, ProfileField};
    use serde_json::json;

    use super::{ChangedFields, write};

    fn profile(text: &str) -> Profile {
        let fields = ProfileField::ALL.iter();
        let fields = fields.map(|field| (field.name().to_owned(), json!(text)));
        serde_json::from_value(fields.collect()).unwrap()
    }

    #[track_caller]
    fn check_error(text: &str, expected: &Expect) {
        let text = format!("[profile]\n{text}");
        let changes = ChangedFields::read(&text, &profile(""));
        let failure = changes.and_then(|changes| changes.validate()).err();
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
            let profile = profile(&text);
            let document = write(&profile);
            let unchanged = ChangedFields::read(&document, &profile).expect("a document");
            assert!(unchanged.is_empty(), "{text:?}\n{document}");
            let others = self::profile("other");
            let changed = ChangedFields::read(&document, &others).expect("a document");
            assert_eq!(changed.0.len(), ProfileField::ALL.len());
            let kept = changed.to_document();
            assert_eq!(
                ChangedFields::read(&kept, &others).expect("a document"),
                changed
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
            # The contrast between text and background should be at least 4.5:1.

            [profile]

            # up to 32 characters
            display_name = "Ada"

            # up to 300 characters and up to 10 lines; ends right before the closing quotes
            bio = """
            one "two\"
            three\\"""

            # up to 40 characters
            location = ""

            # #rrggbb, #rgb or a CSS name
            accent_color = "#ff8800"

            # #rrggbb, #rgb or a CSS name
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
                r#"field "nickname" is unknown; expected one of display_name, bio, location, accent_color, text_color, background_color"#
            ]],
        );
        check_error(
            "bio = 1",
            &expect!["bio has the type integer; expected a string in quotes"],
        );
        check_error(
            "[links]",
            &expect![[r#""links" is not below [profile], as all fields should be"#]],
        );
        let name = "x".repeat(33);
        check_error(
            &format!("display_name = '{name}'\ntext_color = 'rot'"),
            &expect![[r#"
                display_name has 33 characters; at most 32 are allowed
                text_color: "rot" is not a color; expected #rrggbb, #rgb or a CSS name, for example #ff8800, #f80 or orange"#]],
        );
    }
}
