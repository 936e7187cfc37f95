//! The fields of a profile as TOML, in the format of `profile apply`.

use profile_sdk::plan::DesiredProfile;
use profile_sdk::{FieldKind, Profile, ProfileField};

use crate::profile_file::{quoted, shown_line, source_table};

const HEADING: &str = "\
# Your profile. Edit the fields, save and close; only changed fields are sent, also if you send this
# file with `profile apply`. Keep the last line: it has the values before your changes.
# An empty string \"\" clears a text; a removed field keeps its value.
# In a string, \\\\ is a backslash, \\\" a quote and \\n a line break.
# The contrast between text and background should be at least 4.5:1.

[profile]
";

/// Returns the profile of this service as a document. Missing fields are comments.
pub(super) fn write(profile: &Profile, service: String) -> String {
    let mut text = HEADING.to_owned();
    for &field in ProfileField::ALL {
        text += &format!("\n# {}\n", note(field));
        text += &match profile.get(field) {
            Some(value) => line(field, value),
            None => format!("# {field} = \"\"\n"),
        };
    }
    if let Some(mut source) = DesiredProfile::from(profile).source {
        source.service = Some(service);
        text += &source_table(&source);
    }
    text + &shown_line(profile)
}

/// Returns the line of a field. The closing quotes of a long text are on a line of their own, so that
/// lines can be added above them.
fn line(field: ProfileField, value: &str) -> String {
    let is_multiline = field.kind().max_lines().is_some() && !value.is_empty();
    let end = if is_multiline { "\n" } else { "" };
    format!("{field} = {}\n", quoted(&format!("{value}{end}")))
}

/// Returns the comment above a field.
fn note(field: ProfileField) -> String {
    match field.kind() {
        FieldKind::Color => "#rrggbb, #rgb or a CSS name".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use profile_sdk::{DisplayName, Profile, ProfileField};
    use serde_json::json;

    use crate::profile_file::EnteredProfile;

    fn write(profile: &Profile) -> String {
        super::write(profile, "https://profiles.example".to_owned())
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
            # file with `profile apply`. Keep the last line: it has the values before your changes.
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

            # as it was: eyJhY2NlbnRfY29sb3IiOiIjZmY4ODAwIiwiYmlvIjoib25lIFwidHdvXCJcbnRocmVlXFwiLCJkaXNwbGF5X25hbWUiOiJBZGEiLCJsb2NhdGlvbiI6IiJ9
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
