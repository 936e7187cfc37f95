//! Colours as people type them: `#rrggbb`, `#rgb` or a name that CSS has.

use std::fmt;
use std::str::FromStr;

use profile_sdk::Color;

use crate::terminal::printable::quoted;

/// A typed colour and what is sent for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedColor {
    pub(crate) color: Color,
    typed: String,
}

/// A text that names no colour.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidColor {
    typed: String,
}

impl TypedColor {
    /// What a person should know if something else is sent than was typed.
    pub(crate) fn note(&self, field: &str) -> Option<String> {
        let Self { color, typed } = self;
        (color.as_str() != typed).then(|| format!("{field}: {typed} is sent as {color}"))
    }
}

impl FromStr for TypedColor {
    type Err = InvalidColor;

    fn from_str(typed: &str) -> Result<Self, InvalidColor> {
        let color = Color::new(typed)
            .ok()
            .or_else(|| Color::new(doubled(typed)?).ok())
            .or_else(|| named(typed));
        let typed = typed.to_owned();
        match color {
            Some(color) => Ok(Self { color, typed }),
            None => Err(InvalidColor { typed }),
        }
    }
}

/// `#rgb` with each digit twice.
fn doubled(typed: &str) -> Option<String> {
    let digits = typed.strip_prefix('#').filter(|digits| digits.len() == 3)?;
    let digits = digits.chars().flat_map(|digit| [digit, digit]);
    Some(['#'].into_iter().chain(digits).collect())
}

/// Returns the color that CSS has under this name, in letters of either case.
fn named(typed: &str) -> Option<Color> {
    // Of what `color` parses, functions such as `rgb()` are left out, and so is `transparent`.
    if !typed.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    // Either spelling is a CSS name; `color` has only the first.
    let name = typed.to_ascii_lowercase().replace("grey", "gray");
    let [red, green, blue, alpha] = color::parse_color(&name)
        .ok()?
        .to_alpha_color::<color::Srgb>()
        .to_rgba8()
        .to_u8_array();
    (alpha == u8::MAX).then(|| Color::from_rgb([red, green, blue]))
}

impl fmt::Display for InvalidColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let typed = quoted(self.typed.chars().take(40).collect::<String>());
        write!(
            f,
            "{typed} is not a color; expected #rrggbb, #rgb or a CSS name, \
             for example #ff8800, #f80 or orange"
        )
    }
}

impl std::error::Error for InvalidColor {}

#[cfg(test)]
mod tests {
    use super::TypedColor;

    #[track_caller]
    fn check(typed: &str, sent: &str, note: Option<&str>) {
        let color: TypedColor = typed.parse().unwrap();
        assert_eq!(color.color.as_str(), sent);
        assert_eq!(color.note("accent_color").as_deref(), note);
    }

    #[test]
    fn what_the_service_takes_is_sent_as_typed() {
        check("#AbCdEf", "#AbCdEf", None);
    }

    #[test]
    fn other_forms_are_told_of() {
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
    fn other_texts_are_refused() {
        for typed in [
            "",
            "#",
            "#ff",
            "#ffff",
            "ff8800",
            "#ggg",
            "#éé",
            "no such colour",
            "rgb(1,2,3)",
            "transparent",
            " red",
        ] {
            assert!(typed.parse::<TypedColor>().is_err(), "{typed:?}");
        }
    }
}
