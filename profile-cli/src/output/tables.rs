//! Renders results for people: fields and tables that fit the terminal.

use anstyle::Style;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use unicode_width::UnicodeWidthStr as _;

use super::delimited::present;
use crate::drawing::text::{max_width, pad_right, wrap_at_spaces};
use crate::outcome::report::View;
use crate::terminal::printable::printable;
use crate::terminal::screen::Screen;

/// Renders a view for a terminal.
pub(super) fn text(view: &View, screen: &Screen) -> String {
    match view {
        View::Fields(fields) => aligned(fields, screen),
        View::Item(cells) => aligned(&present(cells), screen),
        View::Table { rows, empty, .. } if rows.is_empty() => format!("{empty}\n"),
        View::Table { columns, rows, .. } => {
            let mut table = Table::new();
            table
                .load_style(presets::UTF8_BORDERS_ONLY)
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(u16::try_from(screen.width).unwrap_or(u16::MAX))
                .set_header(columns);
            let cell = |cell: &String| printable(cell).replace('\t', " ");
            let rows: Vec<Vec<_>> = rows
                .iter()
                .map(|row| row.iter().map(cell).collect())
                .collect();
            table.add_rows(&rows);
            keep_words_whole(&mut table, columns, &rows);
            format!("{table}\n")
        }
        View::Sentence(sentence) => format!("{}\n", printable(sentence)),
        View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => {
            let text = printable(&String::from_utf8_lossy(body));
            format!("{}\n", text.trim_end_matches('\n'))
        }
        View::Split { people, .. } => text(people, screen),
        View::Drawing(drawing) => drawing.draw(screen),
    }
}

/// Makes each column wide enough for its words. URLs are never broken, so that they can be copied,
/// even if the table becomes wider than the terminal. Other long words are broken.
fn keep_words_whole(table: &mut Table, headings: &[&str], rows: &[Vec<String>]) {
    const LONG: usize = 16;
    for (index, column) in table.column_iter_mut().enumerate() {
        let cells = rows.iter().filter_map(|row| row.get(index));
        let words = cells.flat_map(|cell| cell.split_whitespace());
        let needed = words.map(|word| match word.contains("://") {
            true => word.width(),
            false => word.width().min(LONG),
        });
        let heading = headings.get(index).map(|heading| heading.width());
        let max_width = needed.chain(heading).max().unwrap_or_default();
        // The width includes a space on either side.
        let width = u16::try_from(max_width + 2).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
    }
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
    use crate::terminal::screen::Screen;

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
