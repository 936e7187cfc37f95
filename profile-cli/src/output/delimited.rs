//! Renders results as TSV or CSV.

use crate::outcome::report::View;
use crate::terminal::printable::{printable, tsv_field};
use crate::terminal::screen::Screen;

/// Renders tab-separated values without a header row.
pub(super) fn tsv(view: &View, screen: &Screen) -> String {
    match view {
        View::Item(cells) => return tsv(&View::Fields(present(cells)), screen),
        View::Split { pipes, .. } => return tsv(pipes, screen),
        _ => {}
    }
    let Some((_, rows)) = heading_and_rows(view) else {
        return plain(view, screen);
    };
    rows.iter()
        .map(|row| {
            let cells: Vec<_> = row.iter().map(|cell| tsv_field(cell)).collect();
            format!("{}\n", cells.join("\t"))
        })
        .collect()
}

/// Renders comma-separated values (RFC 4180) with a header row.
pub(super) fn csv(view: &View, screen: &Screen) -> String {
    let Some((heading, rows)) = heading_and_rows(view) else {
        return plain(view, screen);
    };
    records(|writer| {
        writer.write_record(&heading)?;
        rows.iter()
            .try_for_each(|row| writer.write_record(row.iter().map(|cell| printable(cell))))
    })
}

/// Returns the CSV that `write` produces.
pub(super) fn records(write: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>) -> String {
    // Unless it is flexible, the writer rejects records of different lengths.
    let mut writer = csv::WriterBuilder::new()
        .flexible(true)
        .from_writer(Vec::new());
    write(&mut writer).expect("a Vec accepts any record");
    let bytes = writer.into_inner().expect("a Vec accepts any record");
    String::from_utf8(bytes).expect("the records are text")
}

/// Returns the header and rows of a view with columns.
fn heading_and_rows(view: &View) -> Option<(Vec<&str>, Vec<Vec<&str>>)> {
    match view {
        View::Fields(fields) => {
            let rows = fields
                .iter()
                .map(|(name, value)| vec![name.as_str(), value.as_str()]);
            Some((vec!["field", "value"], rows.collect()))
        }
        View::Table { columns, rows, .. } => {
            let rows = rows
                .iter()
                .map(|row| row.iter().map(String::as_str).collect());
            Some((columns.clone(), rows.collect()))
        }
        View::Item(cells) => {
            let (columns, row) = cells
                .iter()
                .map(|(name, cell)| (*name, cell.as_str()))
                .unzip();
            Some((columns, vec![row]))
        }
        View::Split { pipes, .. } => heading_and_rows(pipes),
        View::Sentence(_) | View::Text(_) | View::Body(_) => None,
        View::Drawing(_) => None,
    }
}

/// Returns the fields of a resource that it has.
pub(super) fn present(cells: &[(&str, String)]) -> Vec<(String, String)> {
    let cells = cells.iter().filter(|(_, cell)| !cell.is_empty());
    cells
        .map(|(name, cell)| ((*name).to_owned(), cell.clone()))
        .collect()
}

fn plain(view: &View, screen: &Screen) -> String {
    match view {
        View::Sentence(sentence) => format!("{}\n", tsv_field(sentence)),
        View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => printable(&String::from_utf8_lossy(body)),
        View::Split { pipes, .. } => plain(pipes, screen),
        View::Drawing(drawing) => drawing.draw(screen),
        View::Fields(_) | View::Item(_) | View::Table { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Screen, csv, tsv};
    use crate::outcome::report::View;

    #[test]
    fn only_csv_has_a_header_row() {
        let table = View::Table {
            columns: vec!["id", "title"],
            rows: vec![vec!["1".to_owned(), "a, \"b\"\nc".to_owned()]],
            empty: "",
        };
        let screen = Screen::plain();
        assert_eq!(tsv(&table, &screen), "1\ta, \"b\"\\nc\n");
        let csv = csv(&table, &screen);
        assert_eq!(csv, "id,title\n1,\"a, \"\"b\"\"\nc\"\n");
    }

    #[test]
    fn prints_nothing_for_an_empty_table() {
        let table = View::Table {
            columns: vec!["id"],
            rows: Vec::new(),
            empty: "There are no links.",
        };
        assert_eq!(tsv(&table, &Screen::plain()), "");
    }
}
