//! Names and numbers in aligned columns.

use super::text::{BOLD, max_width, one_line, pad_left, pad_right, with_separators};
use crate::terminal::Screen;

/// A number, or text in its place.
#[derive(Debug, Clone)]
pub(crate) enum Figure {
    Count(u64),
    Text(String),
}

/// Draws the names in one column and the numbers, right-aligned, in the next.
pub(super) fn draw(figures: &[(String, Figure)], screen: &Screen) -> String {
    let names: Vec<_> = figures.iter().map(|(name, _)| one_line(name)).collect();
    let name_width = max_width(names.iter().map(String::as_str));
    let counts: Vec<_> = figures.iter().map(|(_, figure)| figure.count()).collect();
    let count_width = max_width(counts.iter().flatten().map(String::as_str));
    let mut drawn = String::new();
    for ((name, count), (_, figure)) in names.iter().zip(&counts).zip(figures) {
        let value = match (count, figure) {
            (None, Figure::Text(text)) => one_line(text),
            (count, _) => pad_left(count.as_deref().unwrap_or_default(), count_width),
        };
        let name = screen.styled(BOLD, &pad_right(name, name_width));
        drawn += &format!("{name}  {value}\n");
    }
    drawn
}

impl Figure {
    fn count(&self) -> Option<String> {
        match self {
            Self::Count(count) => Some(with_separators(*count)),
            Self::Text(_) => None,
        }
    }

    /// Returns the figure without thousands separators.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Count(count) => count.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Screen, draw};

    #[test]
    fn aligns_numbers_to_the_right() {
        let figures = [
            ("views".to_owned(), Figure::Count(43_615)),
            ("likes".to_owned(), Figure::Count(7)),
            ("social".to_owned(), Figure::Text("\"plenty\"".to_owned())),
        ];
        assert_eq!(
            draw(&figures, &Screen::plain()),
            "views   43,615\nlikes        7\nsocial  \"plenty\"\n"
        );
    }
}
