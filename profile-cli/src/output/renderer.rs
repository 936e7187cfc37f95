//! Renders results in the selected format.

#[cfg(feature = "jq")]
use profile_sdk::internal::readable_json;
use serde_json::Value;

use super::{json, tables};
use crate::drawing::text::one_line;
use crate::outcome::{Report, Result, View};
use crate::settings::{Format, GlobalArguments};
use crate::terminal::{Screen, csv_field, printable, redact_key, tsv_field};

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
    ) -> Result<Self> {
        #[cfg(feature = "jq")]
        if let Some(expression) = &arguments.jq {
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

    /// Renders a result.
    pub(super) fn text(&self, report: &Report, screen: &Screen) -> Result<String> {
        let json = &report.json;
        let derived = self.derived(report);
        let view = derived.as_ref().unwrap_or(&report.view);
        Ok(match self {
            Self::Table => tables::text(report.people.as_ref().unwrap_or(view), screen),
            Self::Tsv { .. } => tsv(view, screen),
            Self::Csv => csv(view, screen),
            Self::Json => json::document(json, screen),
            #[cfg(feature = "jq")]
            // Only `api` prints a response as it is.
            Self::Jq(program) => program.run(&readable_json(json.as_bytes()), screen)?,
        })
    }

    /// Returns the fields or the table that the view selects from the JSON, or all fields of the JSON, or of
    /// its items, if the view is a message and an option selects a format with columns.
    fn derived(&self, report: &Report) -> Option<View> {
        let json = || serde_json::from_str(&report.json).unwrap_or_default();
        if let View::Columns { names, empty } = report.view {
            return Some(self.columns(&json(), names, empty));
        }
        let has_columns = matches!(self, Self::Csv | Self::Tsv { is_explicit: true });
        if !has_columns || !matches!(report.view, View::Sentence(_)) {
            return None;
        }
        let json = json();
        let objects = match &json {
            Value::Array(objects) => objects.as_slice(),
            object => std::slice::from_ref(object),
        };
        let objects = objects.iter().filter_map(Value::as_object);
        let fields = objects.max_by_key(|fields| fields.len())?.iter();
        Some(match json.is_array() {
            true => {
                let names: Vec<_> = fields.map(|(name, _)| name.as_str()).collect();
                self.columns(&json, &names, "")
            }
            false => {
                let fields = fields.map(|(name, value)| (name.clone(), text(value)));
                View::Fields(fields.collect())
            }
        })
    }

    /// Returns a resource as fields, or in CSV as a row; and a list of resources as a table.
    fn columns(&self, json: &Value, names: &[&str], empty: &'static str) -> View {
        let mut columns: Vec<_> = names.iter().map(ToString::to_string).collect();
        if matches!(self, Self::Tsv { .. }) {
            // Scripts read the columns by their positions, and the specification does not define it.
            columns.retain(|name| name != "created_at");
        }
        let row = |object: &Value| -> Vec<_> {
            let cell = |name: &String| match &object[&*redact_key(name)] {
                // As in the column `selected` of `auth list`.
                Value::Bool(true) => name.clone(),
                Value::Bool(false) => String::new(),
                value => text(value),
            };
            columns.iter().map(cell).collect()
        };
        let rows = match json {
            Value::Array(objects) => objects.iter().map(row).collect(),
            object if matches!(self, Self::Csv) => vec![row(object)],
            object => {
                let fields = columns.iter().cloned().zip(row(object));
                return View::Fields(fields.filter(|(_, cell)| !cell.is_empty()).collect());
            }
        };
        View::Table {
            columns,
            rows,
            empty,
        }
    }
}

/// Returns the text of a cell.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Renders tab-separated values without a header row.
fn tsv(view: &View, screen: &Screen) -> String {
    let line = |row: &Vec<String>| {
        let cells = row.iter().map(|cell| tsv_field(cell, screen.is_terminal));
        let cells: Vec<_> = cells.collect();
        cells.join("\t") + "\n"
    };
    match table(view, screen) {
        Ok((_, rows)) => rows.iter().map(line).collect(),
        Err(text) => text,
    }
}

/// Renders comma-separated values (RFC 4180) with a header row.
fn csv(view: &View, screen: &Screen) -> String {
    let (heading, rows) = match table(view, screen) {
        Ok(table) => table,
        Err(text) => return text,
    };
    records(|writer| {
        writer.write_record(&heading)?;
        rows.iter().try_for_each(|row| {
            writer.write_record(row.iter().map(|cell| csv_field(cell, screen.is_terminal)))
        })
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

/// The header and the rows of a view with columns, or the text of another.
type TableOrText<'a> = Result<(Vec<&'a str>, Vec<Vec<String>>), String>;

fn table<'a>(view: &'a View, screen: &Screen) -> TableOrText<'a> {
    Err(match view {
        View::Fields(fields) => {
            let rows = fields.iter().cloned();
            let rows = rows.map(|(name, value)| vec![name, value]);
            return Ok((vec!["field", "value"], rows.collect()));
        }
        View::Table { columns, rows, .. } => {
            return Ok((columns.iter().map(String::as_str).collect(), rows.clone()));
        }
        View::Sentence(sentence) => format!("{}\n", one_line(sentence)),
        View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => printable(&String::from_utf8_lossy(body)),
        View::Drawing(drawing) => drawing.draw(screen),
        View::Columns { .. } => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Screen, csv, tsv};
    use crate::outcome::View;

    #[test]
    fn only_csv_has_a_header_row() {
        let table = View::Table {
            columns: vec!["id".to_owned(), "title".to_owned()],
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
            columns: vec!["id".to_owned()],
            rows: Vec::new(),
            empty: "There are no links.",
        };
        assert_eq!(tsv(&table, &Screen::plain()), "");
    }
}
