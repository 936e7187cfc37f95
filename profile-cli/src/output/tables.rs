//! Renders results for people: fields and tables that fit the terminal.

use anstyle::Style;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use unicode_width::UnicodeWidthStr as _;

use crate::drawing::text::{max_width, pad_right, wrap_at_spaces};
use crate::outcome::report::View;
use crate::terminal::Screen;
use crate::terminal::printable::printable;

/// Width below which tables with wrapped cells are hard to read.
const MIN_TABLE_WIDTH: usize = 60;

/// Renders a view for a terminal.
pub(super) fn text(view: &View, screen: &Screen) -> String {
    match view {
        View::Fields(fields) => aligned(fields, screen),
        View::Table { rows, empty, .. } if rows.is_empty() => format!("{empty}\n"),
        View::Table { columns, rows, .. } => table(columns, rows, screen),
        View::Sentence(sentence) => format!("{}\n", printable(sentence)),
        View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => {
            let text = printable(&String::from_utf8_lossy(body));
            format!("{}\n", text.trim_end_matches('\n'))
        }
        View::Columns { .. } => String::new(),
        View::Drawing(drawing) => drawing.draw(screen),
    }
}

/// Renders rows as a table without empty columns, or as blocks of lines if a table would be hard to
/// read: if its words do not fit, or if the screen is narrow and its cells would be wrapped.
fn table(headings: &[&str], rows: &[Vec<String>], screen: &Screen) -> String {
    let cell = |cell: &String| printable(cell).replace('\t', " ");
    let columns = headings.iter().enumerate().map(|(index, heading)| {
        let cells = rows
            .iter()
            .map(|row| row.get(index).map_or_else(String::new, cell));
        (*heading, cells.collect::<Vec<_>>())
    });
    let columns: Vec<_> = columns
        .filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()))
        .collect();
    // Each cell has a space on either side and a border or separator.
    let sum = |width: fn(&(&str, Vec<String>)) -> usize| {
        columns
            .iter()
            .map(|column| width(column) + 3)
            .sum::<usize>()
            + 1
    };
    let is_narrow = screen.width < MIN_TABLE_WIDTH && sum(full_width) > screen.width;
    if is_narrow || sum(min_width) > screen.width {
        let block = |row: &Vec<String>| {
            let names = headings.iter().map(|name| (*name).to_owned());
            let cells = names.zip(row.iter().cloned());
            let cells: Vec<_> = cells.filter(|(_, cell)| !cell.is_empty()).collect();
            aligned(&cells, screen)
        };
        return rows.iter().map(block).collect::<Vec<_>>().join("\n");
    }
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(screen.width).unwrap_or(u16::MAX))
        .set_header(columns.iter().map(|(heading, _)| heading));
    for row in 0..rows.len() {
        table.add_row(columns.iter().map(|(_, cells)| &cells[row]));
    }
    for (column, cells) in table.column_iter_mut().zip(&columns) {
        // The width includes a space on either side.
        let width = u16::try_from(min_width(cells) + 2).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
    }
    format!("{table}\n")
}

/// Returns the width of a column in which no line is wrapped.
fn full_width((heading, cells): &(&str, Vec<String>)) -> usize {
    let lines = cells.iter().flat_map(|cell| cell.lines());
    max_width(lines.chain([*heading]))
}

/// Returns the width of a column in which no word is broken. URLs count in full, so that they can be
/// copied; other long words may be broken.
fn min_width((heading, cells): &(&str, Vec<String>)) -> usize {
    const LONG: usize = 16;
    let words = cells.iter().flat_map(|cell| cell.split_whitespace());
    let needed = words.map(|word| match word.contains("://") {
        true => word.width(),
        false => word.width().min(LONG),
    });
    needed.max().unwrap_or_default().max(heading.width())
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
