//! Input from arguments, files and stdin: texts, and changes of profile fields.

pub(crate) mod prompt;

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, io};

use profile_sdk::{Color, FieldKind, ProfileField, ProfileUpdate, internal::quoted};

use crate::drawing::text::shortened;
use crate::outcome::{Failure, Result};
use crate::output::Output;
use crate::system::text_file::{SAVE_AS_UTF_8, Text, read_at_most};
use crate::terminal::{Blocking, argument, escaped};

/// Maximum size of an input.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The source of an input: a path, or `-` for stdin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// Reads the input.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        let read = match self {
            Self::Stdin => read_at_most(MAX_BYTES, Blocking(io::stdin().lock())),
            Self::File(path) => File::open(path).and_then(|file| read_at_most(MAX_BYTES, file)),
        };
        read.map_err(|error| {
            let reason = match error.kind() {
                ErrorKind::FileTooLarge => format!("is larger than {} MiB", MAX_BYTES >> 20),
                _ => format!("cannot be read: {error}"),
            };
            let hint = file_of(&self.to_string()).map(|path| format!("omit the @: {path}"));
            Failure::usage(format!("{self} {reason}")).optional_hint(hint)
        })
    }

    /// Reads the input as text.
    pub(crate) fn read_text(&self) -> Result<Text> {
        let advice = match self {
            Self::Stdin => "send UTF-8",
            Self::File(_) => SAVE_AS_UTF_8,
        };
        let text = Text::new(self.read()?);
        text.map_err(|reason| Failure::usage(format!("{self} {reason}; {advice}")))
    }
}

impl From<OsString> for Input {
    fn from(text: OsString) -> Self {
        match text == "-" {
            true => Self::Stdin,
            false => Self::File(text.into()),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("stdin"),
            Self::File(path) => f.write_str(&escaped(path)),
        }
    }
}

/// Text given directly, or its source.
#[derive(Debug, Clone)]
pub(crate) enum TextArgument {
    Text(String),
    Input(Input),
}

impl TextArgument {
    /// Returns the text, reading it from its source if necessary.
    pub(crate) fn read(self, argument: &str, output: &Output) -> Result<String> {
        let input = match self {
            Self::Text(text) => return Ok(text),
            Self::Input(input) => input,
        };
        let invalid = |reason: &str| Failure::usage(format!("{argument}: {reason}"));
        if input == Input::Stdin && io::stdin().is_terminal() {
            let end = match cfg!(windows) {
                true => "Ctrl-Z and Enter",
                false => "Ctrl-D",
            };
            output.note(&format!("type the text, then press {end} on an empty line"));
        }
        let text = input.read_text();
        let Text { text, had_mark, .. } = text.map_err(|failure| invalid(&failure.message))?;
        if text.is_empty() && !had_mark {
            return Err(invalid(&format!("{input} is empty; expected a text")));
        }
        Ok(entered_text(&text, &input, output))
    }
}

/// Returns a text of a file or of stdin: without a line break at its end, which editors and shells add, and with the
/// line breaks of Unix.
pub(crate) fn entered_text(text: &str, source: impl fmt::Display, output: &Output) -> String {
    let text = &text[..length_without_last_break(text.as_bytes())];
    if text.contains("\r\n") {
        output.note(&format!("{source}: the line breaks \\r\\n are sent as \\n"));
    }
    text.replace("\r\n", "\n")
}

impl FromStr for TextArgument {
    type Err = String;

    /// Parses a text or its source. Fails if a text was probably meant as the path of a file.
    fn from_str(entered: &str) -> Result<Self, String> {
        const STARTS: [&str; 6] = ["./", "../", "/", r".\", r"..\", r"\"];
        let starts = &STARTS[..if cfg!(windows) { 6 } else { 3 }];
        let has_drive =
            |path: &str| matches!(path.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z', b':', ..]);
        let is_path = |path: &&str| {
            starts.iter().any(|start| path.starts_with(start)) || cfg!(windows) && has_drive(path)
        };
        match entered.strip_prefix('@').filter(is_path) {
            Some(path) => Ok(Self::Input(Input::File(path.into()))),
            None if entered == "-" => Ok(Self::Input(Input::Stdin)),
            None => match file_of(entered) {
                Some(path) => Err(format!(
                    "@{path} is the name of a file; read it with @./PATH or @/PATH, or send this text through \
                     stdin with -"
                )),
                None => Ok(Self::Text(entered.to_owned())),
            },
        }
    }
}

/// Returns the path in a text that consists of @ and the path of a file. Any other text with @ is
/// probably a mention, such as `@grace thanks!`.
pub(crate) fn file_of(text: &str) -> Option<&str> {
    let has_tilde = |path: &str| path.starts_with("~/") || cfg!(windows) && path.starts_with(r"~\");
    let is_file = |path: &&str| has_tilde(path) || Path::new(path).is_file();
    text.strip_prefix('@').filter(is_file)
}

/// Returns the length of the text without a line break at its end.
pub(crate) fn length_without_last_break(text: &[u8]) -> usize {
    let line = text.strip_suffix(b"\n");
    line.map_or(text.len(), |line| {
        line.strip_suffix(b"\r").unwrap_or(line).len()
    })
}

/// Changes of profile fields, validated as entered.
#[derive(Debug, Default)]
pub(crate) struct ProfileChanges {
    pub(crate) update: ProfileUpdate,
    /// Notes about converted colors.
    pub(crate) notes: Vec<String>,
}

impl ProfileChanges {
    /// Validates and adds a field.
    pub(crate) fn add(&mut self, field: ProfileField, entered: &str) -> Result<(), String> {
        let is_color = field.kind() == FieldKind::Color;
        let color = is_color.then(|| parse_color(entered)).transpose();
        let color = color.map_err(|error| format!("{field}: {error}"))?;
        let text = color.as_ref().map_or(entered, Color::as_str);
        if text != entered {
            let note = format!("{field}: {entered} is sent as {text}");
            self.notes.push(note);
        }
        let set = self.update.set(field, text);
        set.map_err(|invalid| invalid.to_string())
    }
}

/// Parses a color, which may be written as `#rgb` or as a name.
fn parse_color(entered: &str) -> Result<Color, String> {
    let color = Color::new(entered).ok();
    let color = color.or_else(|| Color::new(doubled(entered)?).ok());
    color.or_else(|| named(entered)).ok_or_else(|| {
        // It may be the key.
        let shown = argument(entered.as_bytes());
        let shown = quoted(shortened(&shown));
        let examples = "for example #ff8800, #f80 or orange";
        format!("{shown} is not a color; expected #rrggbb, #rgb or a CSS name, {examples}")
    })
}

/// Expands `#rgb` to `#rrggbb`.
fn doubled(entered: &str) -> Option<String> {
    let digits = entered.strip_prefix('#');
    let digits = digits.filter(|digits| digits.len() == 3)?.chars();
    let digits = digits.flat_map(|digit| [digit, digit]);
    Some(['#'].into_iter().chain(digits).collect())
}

/// Returns the CSS color of this name, ignoring case.
fn named(entered: &str) -> Option<Color> {
    // `color` also parses functions such as `rgb()`, which are not supported.
    if !entered.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    // CSS has both spellings; `color` only has "gray".
    let name = entered.to_ascii_lowercase().replace("grey", "gray");
    let [red, green, blue, alpha] = color::parse_color(&name)
        .ok()?
        .to_alpha_color::<color::Srgb>()
        .to_rgba8()
        .to_u8_array();
    (alpha == u8::MAX).then(|| Color::from_rgb([red, green, blue]))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use profile_sdk::ProfileField;

    use super::{Input, ProfileChanges, TextArgument, length_without_last_break, parse_color};

    #[test]
    fn only_a_hyphen_is_stdin() {
        assert_eq!(Input::from(OsString::from("-")), Input::Stdin);
        for path in ["a b", "@a", "--", "./-"] {
            assert_eq!(Input::from(OsString::from(path)), Input::File(path.into()));
        }
    }

    #[test]
    fn paths_after_an_at_sign_are_those_of_the_system() {
        for (text, on_unix) in [
            ("@./x", true),
            ("@../x", true),
            ("@/x", true),
            (r"@.\x", false),
            (r"@..\x", false),
            (r"@\x", false),
            (r"@\\server\share\x", false),
            (r"@C:\x", false),
            ("@C:/x", false),
            ("@C:x", false),
        ] {
            let is_path = matches!(text.parse(), Ok(TextArgument::Input(_)));
            assert_eq!(is_path, on_unix || cfg!(windows), "{text}");
        }
        for text in ["@.", "@..", "@é:b", "@", "@grace: hi", r"a@.\x"] {
            assert!(matches!(text.parse(), Ok(TextArgument::Text(_))), "{text}");
        }
    }

    #[test]
    fn removes_at_most_one_line_break() {
        for (text, expected) in [
            ("a", "a"),
            ("a\n", "a"),
            ("a\r\n", "a"),
            ("a\n\n", "a\n"),
            ("a\r", "a\r"),
            ("\n", ""),
            ("", ""),
        ] {
            let length = length_without_last_break(text.as_bytes());
            assert_eq!(&text[..length], expected);
        }
    }

    #[track_caller]
    fn check(entered: &str, sent: &str, note: Option<&str>) {
        let mut changes = ProfileChanges::default();
        changes.add(ProfileField::AccentColor, entered).unwrap();
        assert_eq!(changes.update.get(ProfileField::AccentColor), Some(sent));
        assert_eq!(changes.notes, Vec::from_iter(note));
    }

    #[test]
    fn sends_full_notation_as_typed() {
        check("#AbCdEf", "#AbCdEf", None);
    }

    #[test]
    fn converts_names_and_short_notation_with_a_note() {
        let note = "accent_color: RebeccaPurple is sent as #663399";
        check("RebeccaPurple", "#663399", Some(note));
        check(
            "lightSlateGrey",
            "#778899",
            Some("accent_color: lightSlateGrey is sent as #778899"),
        );
        check(
            "#F80",
            "#FF8800",
            Some("accent_color: #F80 is sent as #FF8800"),
        );
    }

    #[test]
    fn rejects_other_text() {
        for entered in [
            "",
            "#",
            "#ff",
            "#ffff",
            "ff8800",
            "#ggg",
            "#éé",
            "no such color",
            "rgb(1,2,3)",
            "transparent",
            " red",
        ] {
            assert!(parse_color(entered).is_err(), "{entered:?}");
        }
    }
}
