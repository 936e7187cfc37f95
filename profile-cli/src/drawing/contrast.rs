//! The contrast of the profile's text on its background.

use std::fmt;

use profile_sdk::{Color, ProfileField};

/// Returns the colors of the text and of the background in fields with these values, if both are known.
pub(crate) fn text_and_background<'a>(
    value: impl Fn(ProfileField) -> Option<&'a str>,
) -> Option<[Color; 2]> {
    let color = |field| Color::new(value(field)?).ok();
    Some([
        color(ProfileField::TextColor)?,
        color(ProfileField::BackgroundColor)?,
    ])
}

/// Minimum contrast for text of normal size in the Web Content Accessibility Guidelines (WCAG 2.2,
/// criterion 1.4.3).
pub(super) const MIN_READABLE: f64 = 4.5;

/// The contrast ratio of two colors, from 1 to 21.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contrast(f64);

impl Contrast {
    /// Returns the contrast of two colors, in either order.
    pub(crate) fn of(colors: [Color; 2]) -> Self {
        let [one, other] = colors.map(|color| luminance(color.rgb()));
        Self((one.max(other) + 0.05) / (one.min(other) + 0.05))
    }

    pub(super) fn is_readable(self) -> bool {
        self.0 >= MIN_READABLE
    }

    /// Returns a warning if the text is hard to read.
    pub(crate) fn warning(self) -> Option<String> {
        (!self.is_readable()).then(|| {
            format!(
                "the contrast of text_color on background_color is {self}; \
                 text below {MIN_READABLE}:1 is hard to read"
            )
        })
    }
}

impl fmt::Display for Contrast {
    /// Rounds down to a tenth, so that a contrast just below the minimum does not look sufficient.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:1", (self.0 * 10.0 + 1e-9).floor() / 10.0)
    }
}

/// Returns the relative luminance, from 0 for black to 1 for white.
fn luminance(rgb: [u8; 3]) -> f64 {
    let [red, green, blue] = rgb.map(|part| {
        let part = f64::from(part) / 255.0;
        match part <= 0.04045 {
            true => part / 12.92,
            false => ((part + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::Contrast;

    #[track_caller]
    fn check_contrast(text: &str, background: &str, expected: &str, is_readable: bool) {
        let contrast = Contrast::of([text, background].map(|color| color.parse().unwrap()));
        assert_eq!(contrast.to_string(), expected);
        assert_eq!(contrast.is_readable(), is_readable);
        assert_eq!(contrast.warning().is_none(), is_readable);
    }

    #[test]
    fn computes_the_ratio_of_the_guidelines() {
        check_contrast("#000000", "#ffffff", "21:1", true);
        check_contrast("#ffffff", "#000000", "21:1", true);
        check_contrast("#123456", "#123456", "1:1", false);
        check_contrast("#ff0000", "#ffffff", "3.9:1", false);
    }

    #[test]
    fn rounds_down_just_below_the_minimum() {
        check_contrast("#767676", "#ffffff", "4.5:1", true);
        check_contrast("#777777", "#ffffff", "4.4:1", false);
    }
}
