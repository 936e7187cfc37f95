//! The values of a profile's fields and links.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::text::quoted_start;
use crate::values::{Field, InvalidValue, text_value};

/// The kind of a profile field's values. `Display` prints the limits.
///
/// Treat an unknown kind as [`Text`](Self::Text).
///
/// ```
/// use profile_sdk::ProfileField;
///
/// assert_eq!(ProfileField::Location.kind().to_string(), "up to 40 characters");
/// assert_eq!(ProfileField::Location.kind().max_characters(), Some(40));
/// assert_eq!(ProfileField::TextColor.kind().to_string(), "#rrggbb");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldKind {
    /// A short text.
    Text {
        /// The maximum number of characters.
        max_characters: usize,
    },
    /// A text that usually has several lines.
    MultilineText {
        /// The maximum number of characters.
        max_characters: usize,
        /// The maximum number of lines.
        max_lines: usize,
    },
    /// A color of the form `#rrggbb`.
    Color,
}

impl FieldKind {
    /// Returns the maximum number of characters, or `None` for a color.
    #[must_use]
    pub fn max_characters(self) -> Option<usize> {
        match self {
            Self::Text { max_characters } | Self::MultilineText { max_characters, .. } => {
                Some(max_characters)
            }
            Self::Color => None,
        }
    }

    /// Returns the maximum number of lines of a text that has such a limit.
    #[must_use]
    pub fn max_lines(self) -> Option<usize> {
        match self {
            Self::MultilineText { max_lines, .. } => Some(max_lines),
            Self::Text { .. } | Self::Color => None,
        }
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::Text { max_characters } => format!("up to {max_characters} characters"),
            Self::MultilineText {
                max_characters,
                max_lines,
            } => format!("up to {max_characters} characters and up to {max_lines} lines"),
            Self::Color => "#rrggbb".to_owned(),
        })
    }
}

/// Declares a text type with a maximum length, and a maximum number of lines if it may have several.
macro_rules! short_text {
    ($(#[$docs:meta])* $name:ident, $field:literal, $max:literal $(, $max_lines:literal)?) => {
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The maximum number of characters.
            pub const MAX_CHARACTERS: usize = $max;

            $(
                /// The maximum number of lines.
                pub const MAX_LINES: usize = $max_lines;
            )?

            pub(crate) const KIND: FieldKind = short_text!(@ $max $($max_lines)?);

            /// Creates a value. The text is not changed.
            ///
            /// # Errors
            ///
            /// Returns an error if the text is longer than allowed.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
                let text = text.into();
                check(&text, $field, Self::KIND)?;
                Ok(Self(text))
            }
        }

        text_value!($name);
    };
    (@ $max_characters:literal) => {
        FieldKind::Text { max_characters: $max_characters }
    };
    (@ $max_characters:literal $max_lines:literal) => {
        FieldKind::MultilineText { max_characters: $max_characters, max_lines: $max_lines }
    };
}

short_text! {
    /// A display name: up to 32 characters. It can be empty.
    ///
    /// A character is a Unicode scalar value. (Specification: Resources, Profile; Limits.)
    ///
    /// ```
    /// use profile_sdk::DisplayName;
    ///
    /// let name = DisplayName::new("Ada Lovelace")?;
    /// assert_eq!(name.as_str(), "Ada Lovelace");
    /// assert!(DisplayName::new("x".repeat(DisplayName::MAX_CHARACTERS + 1)).is_err());
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    DisplayName, "display_name", 32
}

short_text! {
    /// A location: free text of up to 40 characters. It can be empty.
    ///
    /// A character is a Unicode scalar value. (Specification: Resources, Profile; Limits.)
    ///
    /// ```
    /// use profile_sdk::Location;
    ///
    /// assert_eq!(Location::new("London")?.to_string(), "London");
    /// assert_eq!(
    ///     Location::new("x".repeat(41)).unwrap_err().to_string(),
    ///     "location has 41 characters; at most 40 are allowed",
    /// );
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    Location, "location", 40
}

short_text! {
    /// A bio: up to 300 characters and up to 10 lines. It can be empty.
    ///
    /// A character is a Unicode scalar value. `\r\n`, `\n` and a lone `\r` end a line. The text after the
    /// last line break is a line too, even if it is empty. (Specification: Resources, Profile; Limits.)
    ///
    /// ```
    /// use profile_sdk::Bio;
    ///
    /// let bio = Bio::new("I write programs.\nFor engines that do not exist yet.")?;
    /// assert_eq!(bio.as_str().lines().count(), 2);
    /// assert_eq!(
    ///     Bio::new("\n".repeat(11)).unwrap_err().to_string(),
    ///     "bio has 12 lines; at most 10 are allowed",
    /// );
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    Bio, "bio", 300, 10
}

fn check(text: &str, field: &'static str, kind: FieldKind) -> Result<(), InvalidValue> {
    let limits = [
        ("characters", text.chars().count(), kind.max_characters()),
        ("lines", count_lines(text), kind.max_lines()),
    ];
    for (what, found, max) in limits {
        if let Some(max) = max.filter(|max| found > *max) {
            let reason = format!("has {found} {what}; at most {max} are allowed");
            return Err(InvalidValue::new(field, reason));
        }
    }
    Ok(())
}

fn count_lines(text: &str) -> usize {
    let breaks = text.matches(['\r', '\n']).count() - text.matches("\r\n").count();
    breaks + 1
}

/// A color of the form `#rrggbb`, with hexadecimal digits in either case.
///
/// It is sent as written: `#FF8800` stays upper case. Equality compares the text; compare
/// [`rgb`](Self::rgb) to ignore the case. (Specification: Resources, Profile; Limits.)
///
/// ```
/// use profile_sdk::Color;
///
/// let orange: Color = "#ff8800".parse()?;
/// assert_eq!(orange.rgb(), [255, 136, 0]);
/// assert_eq!(Color::from_rgb([255, 136, 0]), orange);
/// assert_eq!(
///     Color::new("orange").unwrap_err().to_string(),
///     "color \"orange\" is not of the form #rrggbb, for example #ff8800",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Color(String);

impl Color {
    pub(crate) const KIND: FieldKind = FieldKind::Color;

    /// Creates a color from a text of the form `#rrggbb`. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form. Color names and the short form `#rgb` are not
    /// accepted.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        let digits = text.strip_prefix('#').unwrap_or_default().as_bytes();
        if digits.len() == 6 && digits.iter().all(u8::is_ascii_hexdigit) {
            return Ok(Self(text));
        }
        let found = quoted_start(&text);
        let reason = format!("{found} is not of the form #rrggbb, for example #ff8800");
        Err(InvalidValue::new("color", reason))
    }

    /// Creates a color from its red, green and blue parts, with lower-case digits.
    #[must_use]
    pub fn from_rgb([red, green, blue]: [u8; 3]) -> Self {
        Self(format!("#{red:02x}{green:02x}{blue:02x}"))
    }

    /// Returns the red, green and blue parts, each from 0 to 255.
    #[must_use]
    pub fn rgb(&self) -> [u8; 3] {
        [1, 3, 5].map(|start| {
            u8::from_str_radix(&self.0[start..start + 2], 16)
                .expect("a color holds six hexadecimal digits after the #")
        })
    }
}

text_value!(Color);

/// An absolute URL with any scheme.
///
/// The URL is validated but sent exactly as written: the parsed form, with additional slashes and a
/// lower-case host, is not used. (Specification: Resources, Link.)
///
/// ```
/// use profile_sdk::LinkUrl;
///
/// assert_eq!(LinkUrl::new("https://Example.org")?.as_str(), "https://Example.org");
/// assert_eq!(
///     LinkUrl::new("example.org").unwrap_err().to_string(),
///     "url \"example.org\" is not an absolute URL (it has no scheme); \
///      expected one such as https://example.org",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LinkUrl(String);

impl LinkUrl {
    /// Creates a URL. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not an absolute URL according to the WHATWG URL standard.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        let Err(error) = Url::parse(&text) else {
            return Ok(Self(text));
        };
        let found = quoted_start(&text);
        let cause = match error {
            url::ParseError::RelativeUrlWithoutBase => "it has no scheme".to_owned(),
            error => error.to_string(),
        };
        let reason = format!(
            "{found} is not an absolute URL ({cause}); expected one such as https://example.org"
        );
        Err(InvalidValue::new("url", reason))
    }
}

impl From<Url> for LinkUrl {
    fn from(url: Url) -> Self {
        Self(url.into())
    }
}

text_value!(LinkUrl);

impl Field for LinkUrl {}
