//! Names and numbers, for people.

use super::text::{BOLD, filled, one_line, right, thousands, widest};
use crate::terminal::screen::Screen;

/// A number, or what stands in its place.
#[derive(Debug, Clone)]
pub(crate) enum Figure {
    Count(u64),
    Text(String),
}

/// Draws the names in one column and the numbers flush right in the next.
pub(super) fn draw(figures: &[(String, Figure)], screen: &Screen) -> String {
    let names: Vec<_> = figures.iter().map(|(name, _)| one_line(name)).collect();
    let name_width = widest(names.iter().map(String::as_str));
    let counts: Vec<_> = figures.iter().map(|(_, figure)| figure.count()).collect();
    let count_width = widest(counts.iter().flatten().map(String::as_str));
    let mut drawn = String::new();
    for ((name, count), (_, figure)) in names.iter().zip(&counts).zip(figures) {
        let value = match (count, figure) {
            (None, Figure::Text(text)) => one_line(text),
            (count, _) => right(count.as_deref().unwrap_or_default(), count_width),
        };
        let name = screen.styled(BOLD, &filled(name, name_width));
        drawn += &format!("{name}  {value}\n");
    }
    drawn
}

impl Figure {
    fn count(&self) -> Option<String> {
        match self {
            Self::Count(count) => Some(thousands(*count)),
            Self::Text(_) => None,
        }
    }

    /// The figure as programs read it.
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
    fn numbers_stand_below_each_other() {
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
