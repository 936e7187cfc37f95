//! Changes as a line diff, as Git shows them.

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::text::{BOLD, one_line};
use crate::terminal::printable::printable;
use crate::terminal::screen::Screen;

/// The maximum number of lines of a text that are compared one by one. Valid texts are shorter, and the
/// table of the comparison grows with the product of both numbers of lines.
const MAX_COMPARED: usize = 200;

/// A change: a text or the fields of a resource, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    what: &'static str,
    id: Option<String>,
    from: Value,
    to: Value,
}

impl Change {
    pub(crate) fn new(what: &'static str, from: impl Into<Value>, to: impl Into<Value>) -> Self {
        Self {
            what,
            id: None,
            from: from.into(),
            to: to.into(),
        }
    }

    /// Sets the ID of the resource.
    pub(crate) fn id(self, id: impl ToString) -> Self {
        let id = Some(id.to_string());
        Self { id, ..self }
    }

    pub(crate) fn as_json(&self) -> Value {
        let mut json = json!({"what": self.what, "from": self.from, "to": self.to});
        if let Some(id) = &self.id {
            json["id"] = json!(id);
        }
        json
    }

    fn draw(&self, screen: &Screen) -> String {
        let heading = match &self.id {
            Some(id) => one_line(&format!("{} {id}", self.what)),
            None => self.what.to_owned(),
        };
        let heading = screen.styled(BOLD, &heading);
        if self.from == self.to {
            return format!("{heading}: unchanged\n");
        }
        let (from, to) = (lines(&self.from), lines(&self.to));
        let lines = diff(&from, &to).into_iter().map(|(sign, line)| {
            let line = format!("  {sign} {}", one_line(line));
            match sign {
                '-' => screen.styled(AnsiColor::Red.on_default(), &line) + "\n",
                '+' => screen.styled(AnsiColor::Green.on_default(), &line) + "\n",
                _ => screen.styled(Style::new(), &line) + "\n",
            }
        });
        format!("{heading}\n{}", lines.collect::<String>())
    }
}

/// Draws changes, and the text below them.
pub(super) fn draw(changes: &[Change], below: &str, screen: &Screen) -> String {
    let changes = changes.iter().map(|change| change.draw(screen));
    format!("{}{}\n", changes.collect::<String>(), printable(below))
}

/// Returns the lines of the text, or of those of the fields.
fn lines(value: &Value) -> Vec<&str> {
    let texts: Vec<&str> = match value {
        Value::Object(fields) => fields.values().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    };
    texts
        .into_iter()
        .flat_map(|text| text.split('\n'))
        .collect()
}

/// Returns the lines of both texts with a sign: `-` for removed, `+` for added, and a space for
/// common lines, of which it finds as many as possible unless a text is very long.
fn diff<'a>(from: &[&'a str], to: &[&'a str]) -> Vec<(char, &'a str)> {
    if from.len().max(to.len()) > MAX_COMPARED {
        let removed = from.iter().map(|line| ('-', *line));
        return removed.chain(to.iter().map(|line| ('+', *line))).collect();
    }
    // The maximum number of common lines of the ends of the texts from these indexes on.
    let mut common = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (old, line) in from.iter().enumerate().rev() {
        for (new, other) in to.iter().enumerate().rev() {
            common[old][new] = match line == other {
                true => common[old + 1][new + 1] + 1,
                false => common[old + 1][new].max(common[old][new + 1]),
            };
        }
    }
    let (mut old, mut new) = (0, 0);
    let mut lines = Vec::new();
    while old < from.len() || new < to.len() {
        if old < from.len() && new < to.len() && from[old] == to[new] {
            lines.push((' ', from[old]));
            (old, new) = (old + 1, new + 1);
        } else if new == to.len()
            || (old < from.len() && common[old + 1][new] >= common[old][new + 1])
        {
            lines.push(('-', from[old]));
            old += 1;
        } else {
            lines.push(('+', to[new]));
            new += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Change, MAX_COMPARED, draw};
    use crate::terminal::screen::{Palette, Screen};

    #[test]
    fn shows_the_lines_that_differ() {
        let change = Change::new("bio", "one\ntwo\nthree", "one\n2\nthree\nfour");
        let expected = "bio\n    one\n  - two\n  + 2\n    three\n  + four\n1 change\n";
        assert_eq!(draw(&[change], "1 change", &Screen::plain()), expected);
    }

    #[test]
    fn does_not_compare_the_lines_of_very_long_texts() {
        let long = "a\n".repeat(MAX_COMPARED);
        let change = Change::new("bio", &*long, "a");
        let drawn = draw(&[change], "", &Screen::plain());
        assert_eq!(drawn.matches("  - a\n").count(), MAX_COMPARED);
        assert_eq!(drawn.matches("  + a\n").count(), 1);
    }

    #[test]
    fn a_text_cannot_imitate_other_lines() {
        let change = Change::new("bio", "a\u{2028}  + b", Value::Null).id("1\n  + c");
        let drawn = draw(&[change], "", &Screen::plain());
        assert_eq!(drawn, "bio 1   + c\n  - a   + b\n\n");
    }

    #[test]
    fn marks_removed_and_added_lines_with_colors() {
        let screen = Screen {
            palette: Some(Palette::Basic),
            ..Screen::plain()
        };
        let changes = [
            Change::new("bio", "a\u{1b}[5m", Value::Null),
            Change::new("bio", Value::Null, "b"),
        ];
        let drawn = draw(&changes, "", &screen);
        assert!(drawn.contains("\u{1b}[31m  - a\u{1b}[0m\n"), "{drawn:?}");
        assert!(drawn.contains("\u{1b}[32m  + b\u{1b}[0m\n"), "{drawn:?}");
    }
}
