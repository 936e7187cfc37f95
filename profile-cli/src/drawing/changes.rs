//! Changes as a line diff, as Git shows them.

use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use similar::{Algorithm, ChangeTag, capture_diff_slices_deadline};

use super::change::Change;
use super::text::{BOLD, one_line};
use crate::terminal::Screen;
use crate::terminal::printable::printable;

/// The maximum time for finding the common lines; then, more lines than necessary are shown as changed.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Draws changes, and the text below them.
pub(super) fn draw(changes: &[Change], below: &str, screen: &Screen) -> String {
    let changes = changes.iter().map(|change| draw_one(change, screen));
    format!("{}{}\n", changes.collect::<String>(), printable(below))
}

fn draw_one(change: &Change, screen: &Screen) -> String {
    let heading = match &change.id {
        Some(id) => one_line(&format!("{} {id}", change.what)),
        None => change.what.to_owned(),
    };
    let heading = screen.styled(BOLD, &heading);
    if change.from == change.to {
        return format!("{heading}: unchanged\n");
    }
    let (from, to) = (lines(&change.from), lines(&change.to));
    let lines = diff(&from, &to).into_iter().map(|(tag, line)| {
        let style = match tag {
            ChangeTag::Delete => AnsiColor::Red.on_default(),
            ChangeTag::Insert => AnsiColor::Green.on_default(),
            ChangeTag::Equal => Style::new(),
        };
        screen.styled(style, &format!("  {tag} {}", shown(tag, line))) + "\n"
    });
    format!("{heading}\n{}", lines.collect::<String>())
}

/// Returns the lines of the text, or of those of the fields.
fn lines(value: &Value) -> Vec<&str> {
    let texts: Vec<&str> = match value {
        Value::Object(fields) => fields.values().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    };
    let lines = texts.into_iter().flat_map(|text| text.split('\n'));
    lines.collect()
}

/// Returns the lines of both texts with a tag, which is displayed as `-`, `+` or a space.
fn diff<'a>(from: &[&'a str], to: &[&'a str]) -> Vec<(ChangeTag, &'a str)> {
    let deadline = Instant::now() + MAX_TIME;
    let parts = capture_diff_slices_deadline(Algorithm::Myers, from, to, Some(deadline));
    let lines = parts.iter().flat_map(|part| part.iter_changes(from, to));
    lines.map(|line| (line.tag(), line.value())).collect()
}

/// Returns a line that is safe to print. Hidden characters of a changed line, which may be the only
/// difference, are escaped.
fn shown(tag: ChangeTag, line: &str) -> String {
    let shown = one_line(line);
    match tag != ChangeTag::Equal && shown != line {
        true => one_line(&format!("{line:?}")),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Change, draw};
    use crate::terminal::{Palette, Screen};

    #[test]
    fn shows_the_lines_that_differ() {
        let change = Change::new("bio", "one\ntwo\nthree", "one\n2\nthree\nfour");
        let expected = "bio\n    one\n  - two\n  + 2\n    three\n  + four\n1 change\n";
        assert_eq!(draw(&[change], "1 change", &Screen::plain()), expected);
    }

    #[test]
    fn escapes_hidden_characters_of_changed_lines() {
        let change = Change::new("bio", "a\u{200b}\u{202e}\nb\u{200b}", "a\nb\u{200b}");
        let drawn = draw(&[change], "", &Screen::plain());
        assert_eq!(drawn, "bio\n  - \"a\\u{200b}\\u{202e}\"\n  + a\n    b\n\n");
    }

    #[test]
    fn a_text_cannot_imitate_other_lines() {
        let change = Change::new("bio", "a\u{2028}  + b", Value::Null).id("1\n  + c");
        let drawn = draw(&[change], "", &Screen::plain());
        assert_eq!(drawn, "bio 1   + c\n  - \"a\\u{2028}  + b\"\n\n");
    }

    #[test]
    fn marks_removed_and_added_lines_with_colors() {
        let screen = Screen {
            palette: Some(Palette::Basic),
            ..Screen::plain()
        };
        let changes = [
            Change::new("bio", "a", Value::Null),
            Change::new("bio", Value::Null, "b"),
        ];
        let drawn = draw(&changes, "", &screen);
        assert!(drawn.contains("\u{1b}[31m  - a\u{1b}[0m\n"), "{drawn:?}");
        assert!(drawn.contains("\u{1b}[32m  + b\u{1b}[0m\n"), "{drawn:?}");
    }
}
