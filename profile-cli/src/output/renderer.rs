//! Renders results in the selected format.

#[cfg(feature = "webhook")]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "jq")]
use profile_sdk::internal::readable_json;
use serde_json::Value;

use super::people;
use crate::drawing::text::one_line;
use crate::outcome::{Report, Result, View};
use crate::settings::{Format, GlobalArguments};
#[cfg(feature = "webhook")]
use crate::terminal::json_text;
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
            Self::Table => people::view(report.people.as_ref().unwrap_or(view), screen),
            Self::Tsv { .. } => match table(view, screen) {
                Ok((_, rows)) => tsv(&rows, screen),
                Err(text) => text,
            },
            Self::Csv => match table(view, screen) {
                Ok((heading, rows)) => csv(Some(heading), &rows, screen),
                Err(text) => text,
            },
            Self::Json => people::document(json, screen),
            #[cfg(feature = "jq")]
            // Only `api` prints a response as it is.
            Self::Jq(program) => program.run(&readable_json(json.as_bytes()), screen)?,
        })
    }

    /// Renders the fields of one of many results on a line, for people without empty values. The first line of CSV
    /// is preceded by a header row.
    #[cfg(feature = "webhook")]
    pub(super) fn line(
        &self,
        report: &Report,
        screen: &Screen,
        has_heading: &AtomicBool,
    ) -> Result<String> {
        let people = report.people.as_ref();
        let people = people.filter(|_| matches!(self, Self::Table));
        let View::Fields(fields) = people.unwrap_or(&report.view) else {
            return self.text(report, screen);
        };
        let (heading, values): (Vec<_>, Vec<_>) = fields.iter().cloned().unzip();
        Ok(match self {
            // The program built the JSON, on one line.
            Self::Json => format!("{}\n", json_text(&report.json, screen.is_terminal)),
            Self::Table => {
                let values = values.iter().filter(|value| !value.is_empty());
                let values: Vec<_> = values.map(|value| printable(value)).collect();
                format!("{}\n", values.join("  "))
            }
            Self::Tsv { .. } => tsv(&[values], screen),
            Self::Csv => {
                let is_first = !has_heading.swap(true, Ordering::Relaxed);
                csv(is_first.then_some(heading), &[values], screen)
            }
            #[cfg(feature = "jq")]
            Self::Jq(_) => self.text(report, screen)?,
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
fn tsv(rows: &[Vec<String>], screen: &Screen) -> String {
    let line = |row: &Vec<String>| cells(row, tsv_field, screen).join("\t") + "\n";
    rows.iter().map(line).collect()
}

/// Renders comma-separated values (RFC 4180), perhaps with a header row.
fn csv(heading: Option<Vec<String>>, rows: &[Vec<String>], screen: &Screen) -> String {
    // Unless it is flexible, the writer rejects records of different lengths.
    let mut writer = csv::WriterBuilder::new()
        .flexible(true)
        .from_writer(Vec::new());
    let records = rows.iter().map(|row| cells(row, csv_field, screen));
    for record in heading.into_iter().chain(records) {
        let written = writer.write_record(record);
        written.expect("a Vec accepts any record");
    }
    let bytes = writer.into_inner().expect("a Vec accepts any record");
    String::from_utf8(bytes).expect("the records are text")
}

fn cells(row: &[String], field: fn(&str, bool) -> String, screen: &Screen) -> Vec<String> {
    let cells = row.iter().map(|cell| field(cell, screen.is_terminal));
    cells.collect()
}

/// Returns the header and the rows of a view with columns, or the text of another.
fn table(view: &View, screen: &Screen) -> Result<(Vec<String>, Vec<Vec<String>>), String> {
    Err(match view {
        View::Fields(fields) => {
            let rows = fields.iter().cloned();
            let rows = rows.map(|(name, value)| vec![name, value]);
            let heading = ["field", "value"].map(str::to_owned);
            return Ok((heading.into(), rows.collect()));
        }
        View::Table { columns, rows, .. } => return Ok((columns.clone(), rows.clone())),
        View::Sentence(sentence) => format!("{}\n", one_line(sentence)),
        View::Text(text) => format!("{}\n", printable(text)),
        View::Body(body) => printable(&String::from_utf8_lossy(body)),
        View::Drawing(drawing) => drawing.draw(screen),
        View::Columns { .. } => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Renderer, Screen};
    use crate::outcome::{Report, View};

    #[track_caller]
    fn check(rows: &[Vec<String>], [tsv, csv]: [&str; 2]) {
        let table = View::Table {
            columns: vec!["id".to_owned(), "title".to_owned()],
            rows: rows.to_vec(),
            empty: "There are no links.",
        };
        let report = Report::new(json!(null), table);
        let is_explicit = true;
        for (renderer, expected) in [(Renderer::Tsv { is_explicit }, tsv), (Renderer::Csv, csv)] {
            let text = renderer.text(&report, &Screen::plain());
            assert_eq!(text.expect("a text"), expected);
        }
    }

    #[test]
    fn only_csv_has_a_header_row() {
        let tsv = "1\ta, \"b\"\\nc\n";
        let csv = "id,title\n1,\"a, \"\"b\"\"\nc\"\n";
        check(
            &[["1", "a, \"b\"\nc"].map(str::to_owned).into()],
            [tsv, csv],
        );
    }

    #[test]
    fn prints_nothing_for_an_empty_table() {
        check(&[], ["", "id,title\n"]);
    }
}
