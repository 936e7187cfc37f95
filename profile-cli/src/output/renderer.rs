//! Renders results in the selected format.

use serde_json::Value;

use super::{json, tables};
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::settings::{Format, GlobalArguments};
use crate::terminal::Screen;
use crate::terminal::printable::{json_text, printable, tsv_field};

/// A renderer for one output format.
pub(super) enum Renderer {
    Table,
    Json,
    Csv,
    Tsv {
        /// `true` if the format was requested, rather than the default.
        is_explicit: bool,
    },
    #[cfg(feature = "jq")]
    Jq(Box<super::jq::Program>),
}

impl Renderer {
    #[cfg_attr(
        not(feature = "jq"),
        expect(unused_variables, reason = "only --jq is not a format")
    )]
    pub(super) fn new(
        arguments: &GlobalArguments,
        format: Option<Format>,
        stdout: &Screen,
    ) -> Result<Self, Failure> {
        #[cfg(feature = "jq")]
        if let Some(expression) = arguments.jq() {
            return super::jq::Program::new(expression).map(|program| Self::Jq(Box::new(program)));
        }
        Ok(match format {
            None if stdout.is_terminal => Self::Table,
            None => Self::Tsv { is_explicit: false },
            Some(Format::Table) => Self::Table,
            Some(Format::Json) => Self::Json,
            Some(Format::Csv) => Self::Csv,
            Some(Format::Tsv) => Self::Tsv { is_explicit: true },
        })
    }

    pub(super) fn is_json(&self) -> bool {
        !matches!(self, Self::Table | Self::Csv | Self::Tsv { .. })
    }

    /// Renders a result.
    pub(super) fn text(&self, report: &Report, screen: &Screen) -> Result<String, Failure> {
        Ok(match self {
            Self::Table => tables::text(&report.view, screen),
            Self::Tsv { is_explicit } => {
                let columns = is_explicit.then(|| in_columns(report)).flatten();
                tsv(columns.as_ref().unwrap_or(&report.view), screen)
            }
            Self::Csv => {
                let columns = in_columns(report);
                csv(columns.as_ref().unwrap_or(&report.view), screen)
            }
            Self::Json if screen.is_terminal => json::text(&json_text(&report.json, true), screen),
            Self::Json => format!("{}\n", json_text(&report.json, false)),
            #[cfg(feature = "jq")]
            Self::Jq(program) => program.run(&report.json, screen)?,
        })
    }
}

/// Returns the fields of the JSON as columns, if the view is only a message.
fn in_columns(report: &Report) -> Option<View> {
    if !matches!(report.view, View::Sentence(_)) {
        return None;
    }
    let text = |value: Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    };
    let objects = match serde_json::from_str(&report.json) {
        Ok(Value::Array(objects)) => objects,
        Ok(object) => vec![object],
        Err(_) => Vec::new(),
    };
    let objects = objects.into_iter().filter_map(|object| match object {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    let fields = objects.flatten().map(|(name, value)| (name, text(value)));
    Some(View::Fields(fields.collect()))
}

/// Renders tab-separated values without a header row.
fn tsv(view: &View, screen: &Screen) -> String {
    match view {
        View::Item(cells) => return tsv(&View::Fields(tables::present(cells)), screen),
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
fn csv(view: &View, screen: &Screen) -> String {
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
