//! Renders results for people: fields and tables that fit the terminal.

use anstyle::Style;
use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use serde_json::value::RawValue;

use super::json;
use crate::drawing::text::{max_width, one_line, pad_right, wrap_at_spaces};
use crate::outcome::View;
use crate::terminal::{Screen, printable};

/// Renders a view for a terminal.
pub(super) fn text(view: &View, screen: &Screen) -> String {
    match view {
        View::Fields(fields) => aligned(fields, screen),
        View::Table { rows, empty, .. } if rows.is_empty() => format!("{empty}\n"),
        View::Table { columns, rows, .. } => table(columns, rows, screen),
        View::Sentence(text) | View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => match serde_json::from_slice::<&RawValue>(body) {
            Ok(json) => json::text(json.get(), screen),
            Err(_) => {
                let text = printable(&String::from_utf8_lossy(body));
                format!("{}\n", text.trim_end_matches('\n'))
            }
        },
        View::Columns { .. } => String::new(),
        View::Drawing(drawing) => drawing.draw(screen),
    }
}

/// Renders each row on a line, without empty columns. If the rows are too long, the longest columns
/// are cut, but never the IDs; the texts of posts, and reasons, are wrapped instead.
fn table(headings: &[String], rows: &[Vec<String>], screen: &Screen) -> String {
    const GAP: u16 = 2;
    let wraps = |heading: &str| matches!(heading, "body" | "reason");
    let is_wrapped = headings.iter().any(|heading| wraps(heading));
    let mut header = Row::from(headings);
    header.max_height(1);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_truncation_indicator("…")
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(screen.width).map_or(u16::MAX, |width| width.saturating_add(GAP)))
        .set_header(header);
    for row in rows {
        let cells = headings.iter().zip(row);
        let cells = cells.map(|(heading, text)| match heading.as_str() {
            "body" => printable(text).replace('\t', " "),
            _ => one_line(text),
        });
        let mut row = Row::from(cells);
        if !is_wrapped {
            row.max_height(1);
        }
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        let is_empty = |row: &Vec<String>| row.get(index).is_none_or(String::is_empty);
        column
            .set_padding((0, GAP))
            .set_constraint(match headings[index].as_str() {
                _ if rows.iter().all(is_empty) => ColumnConstraint::Hidden,
                "id" => ColumnConstraint::ContentWidth,
                heading if wraps(heading) => {
                    ColumnConstraint::LowerBoundary(Width::Fixed(20 + GAP))
                }
                _ => ColumnConstraint::LowerBoundary(Width::Fixed(8 + GAP)),
            });
        if !wraps(&headings[index]) {
            column.set_delimiter('\n');
        }
    }
    let text = table.trim_fmt();
    let (heading, rows) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{}\n{rows}\n", screen.styled(Style::new().bold(), heading))
}

/// Renders names in one column and values, wrapped between words, in the next.
fn aligned(fields: &[(String, String)], screen: &Screen) -> String {
    let names: Vec<_> = fields.iter().map(|(name, _)| printable(name)).collect();
    let width = max_width(&names);
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
    use crate::outcome::View;
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
            columns: vec!["id".to_owned()],
            rows: Vec::new(),
            empty: "There are no links.",
        };
        assert_eq!(text(&table, &Screen::plain()), "There are no links.\n");
    }
}
