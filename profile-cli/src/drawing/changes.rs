//! Changes of the profile, for previews and differences, as a line diff like that of Git.

use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use profile_sdk::internal::quoted;
use serde_json::{Map, Value, json};
use similar::ChangeTag;
use similar::algorithms::{Capture, Compact, Replace, myers};

use super::text::{BOLD, one_line};
use crate::terminal::{Screen, printable};

/// The maximum time for finding the common lines; then, more lines than necessary are shown as changed.
const MAX_TIME: Duration = Duration::from_secs(1);

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

    /// Returns `false` if the value stays the same.
    pub(crate) fn is_change(&self) -> bool {
        self.from != self.to
    }

    /// Returns what is changed, with its first text after or before the change.
    pub(crate) fn name(&self) -> String {
        let text = texts(&self.to).chain(texts(&self.from)).next();
        let text = quoted(&printable(text.unwrap_or_default()));
        format!("{} {text}", heading(self))
    }

    pub(crate) fn as_json(&self) -> Value {
        let mut json = json!({"what": self.what, "from": self.from, "to": self.to});
        if let Some(id) = &self.id {
            json["id"] = json!(id);
        }
        json
    }
}

/// Draws changes, and the text below them.
pub(super) fn draw(changes: &[Change], below: &str, screen: &Screen) -> String {
    let changes = changes.iter().map(|change| draw_one(change, screen));
    format!("{}{}\n", changes.collect::<String>(), printable(below))
}

fn draw_one(change: &Change, screen: &Screen) -> String {
    let heading = screen.styled(BOLD, &heading(change));
    if !change.is_change() {
        return format!("{heading}: unchanged\n");
    }
    let (from, to) = (lines(&change.from), lines(&change.to));
    let deadline = Some(Instant::now() + MAX_TIME);
    let mut parts = Compact::new(Replace::new(Capture::new()), &from, &to);
    let Ok(()) = myers::diff_deadline(&mut parts, &from, 0..from.len(), &to, 0..to.len(), deadline);
    let parts = parts.into_inner().into_inner();
    let lines = parts
        .ops()
        .iter()
        .flat_map(|part| part.iter_changes(&from, &to));
    let lines = lines.map(|change| {
        // The tag is displayed as `-`, `+` or a space.
        let (tag, line) = (change.tag(), change.value());
        let (style, shown) = match tag {
            ChangeTag::Delete => (AnsiColor::Red.on_default(), changed(line)),
            ChangeTag::Insert => (AnsiColor::Green.on_default(), changed(line)),
            ChangeTag::Equal => (Style::new(), one_line(line)),
        };
        screen.styled(style, &format!("  {tag} {shown}")) + "\n"
    });
    format!("{heading}\n{}", lines.collect::<String>())
}

fn heading(change: &Change) -> String {
    let id = change.id.iter().map(|id| format!(" {id}"));
    one_line(&format!("{}{}", change.what, id.collect::<String>()))
}

/// Returns the text, or those of the fields.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let fields = value.as_object().into_iter().flat_map(Map::values);
    fields.chain([value]).filter_map(Value::as_str)
}

fn lines(value: &Value) -> Vec<&str> {
    texts(value).flat_map(|text| text.split('\n')).collect()
}

/// Returns a changed line that is safe to print. If it has hidden characters or ends with spaces, which may
/// be the only difference, it is quoted.
fn changed(line: &str) -> String {
    let shown = one_line(line);
    match shown.trim_end() == line {
        true => shown,
        false => one_line(&quoted(line)),
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
