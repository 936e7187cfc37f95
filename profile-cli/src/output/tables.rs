//! Renders results for people: fields and tables that fit the terminal.

use anstyle::Style;
use serde_json::value::RawValue;

use super::json;
use crate::drawing::text::{cut, max_width, one_line, pad_right, wrap, wrap_at_spaces};
use crate::outcome::report::View;
use crate::terminal::Screen;
use crate::terminal::printable::{json_text, printable};

/// Renders a view for a terminal.
pub(super) fn text(view: &View, screen: &Screen) -> String {
    match view {
        View::Fields(fields) => aligned(fields, screen),
        View::Table { rows, empty, .. } if rows.is_empty() => format!("{empty}\n"),
        View::Table { columns, rows, .. } => table(columns, rows, screen),
        View::Sentence(sentence) => format!("{}\n", printable(sentence)),
        View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => match serde_json::from_slice::<&RawValue>(body) {
            Ok(json) => json::text(&json_text(json.get(), screen.is_terminal), screen),
            Err(_) => {
                let text = printable(&String::from_utf8_lossy(body));
                format!("{}\n", text.trim_end_matches('\n'))
            }
        },
        View::Columns { .. } => String::new(),
        View::Drawing(drawing) => drawing.draw(screen),
    }
}

/// Renders each row on a line, without empty columns. If the rows are too long, the longest column is
/// cut, but never the IDs; the texts of posts are wrapped instead.
fn table(headings: &[&str], rows: &[Vec<String>], screen: &Screen) -> String {
    const GAP: &str = "  ";
    const MIN_WIDTH: usize = 8;
    let is_wrapped = |heading: &str| heading == "body";
    let cell = |heading: &str, cell: &String| match is_wrapped(heading) {
        true => printable(cell).replace('\t', " "),
        false => one_line(cell),
    };
    let columns = headings.iter().enumerate().map(|(index, heading)| {
        let cells = rows.iter().map(|row| {
            row.get(index)
                .map_or_else(String::new, |text| cell(heading, text))
        });
        (*heading, cells.collect::<Vec<_>>())
    });
    let columns: Vec<_> = columns
        .filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()))
        .collect();
    let width = |(heading, cells): &(&str, Vec<String>)| {
        max_width(cells.iter().flat_map(|cell| cell.lines()).chain([*heading]))
    };
    let mut widths: Vec<_> = columns.iter().map(width).collect();
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(screen.width);
    while excess > 0
        && let Some((_, width)) = (columns.iter().zip(&mut widths))
            .filter(|((heading, _), width)| *heading != "id" && **width > MIN_WIDTH)
            .max_by_key(|((heading, _), width)| (is_wrapped(heading) && **width > 20, **width))
    {
        *width -= 1;
        excess -= 1;
    }
    let headings = columns.iter().zip(&widths);
    let headings = headings.map(|((heading, _), width)| pad_right(heading, *width));
    let headings = headings.collect::<Vec<_>>().join(GAP);
    let mut drawn = screen.styled(Style::new().bold(), headings.trim_end()) + "\n";
    for row in 0..rows.len() {
        let cells = columns
            .iter()
            .zip(&widths)
            .map(|((heading, cells), width)| match is_wrapped(heading) {
                true => wrap(&cells[row], *width),
                false => vec![cut(&cells[row], *width)],
            });
        let cells: Vec<_> = cells.collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or_default() {
            let parts = cells.iter().zip(&widths).map(|(lines, width)| {
                pad_right(lines.get(line).map_or("", String::as_str), *width)
            });
            let text = parts.collect::<Vec<_>>().join(GAP);
            drawn += &format!("{}\n", text.trim_end());
        }
    }
    drawn
}

/// Renders names in one column and values, wrapped between words, in the next.
fn aligned(fields: &[(String, String)], screen: &Screen) -> String {
    let names: Vec<_> = fields.iter().map(|(name, _)| printable(name)).collect();
    let width = max_width(names.iter().map(String::as_str));
    let indent = " ".repeat(width + 2);
    let columns = screen.width.saturating_sub(indent.len());
    let lines = names.iter().zip(fields).map(|(name, (_, value))| {
        let value = wrap_at_spaces(value, columns).join(&format!("\n{indent}"));
        let name = screen.styled(Style::new().bold(), &pad_right(name, width));
        format!("{name}  {value}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::{aligned, text};
    use crate::outcome::report::View;
    use crate::terminal::Screen;

    #[test]
    fn indents_values_of_several_lines() {
        let fields = [
            ("bio".to_owned(), "one\ntwo".to_owned()),
            ("location".to_owned(), "here".to_owned()),
        ];
        assert_eq!(
            aligned(&fields, &Screen::plain()),
            "bio       one\n          two\nlocation  here\n"
        );
    }

    #[test]
    fn wraps_long_values_between_words() {
        let long = "show, set and https://example.com/an/address/that/is/long";
        let screen = Screen {
            width: 20,
            ..Screen::plain()
        };
        assert_eq!(
            aligned(&[("may".to_owned(), long.to_owned())], &screen),
            "may  show, set and\n     https://example.com/an/address/that/is/long\n"
        );
    }

    #[test]
    fn prints_a_message_for_an_empty_table() {
        let table = View::Table {
            columns: vec!["id"],
            rows: Vec::new(),
            empty: "There are no links.",
        };
        assert_eq!(text(&table, &Screen::plain()), "There are no links.\n");
    }
}
