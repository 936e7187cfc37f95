//! The one place that prints: results to stdout, failures to stderr.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};

use crate::failure::{Failure, FailureKind};
use crate::printable::{printable, tsv_field};
use crate::report::{Report, Shown};

/// How to print.
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a result.
    pub(crate) fn report(&self, report: &Report) -> ExitCode {
        let text = if self.json {
            format!("{}\n", report.json)
        } else if io::stdout().is_terminal() {
            for_people(&report.shown)
        } else {
            for_pipes(&report.shown)
        };
        match io::stdout().lock().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            // Whoever reads has had enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => {
                let message = format!("it is done, but the result could not be written: {error}");
                self.failure(&Failure::new(FailureKind::Other, message))
            }
        }
    }

    /// Prints a failure, after what was done all the same.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        if let Some(done) = &failure.done {
            self.report(done);
        }
        let text = if self.json {
            as_json(failure)
        } else {
            as_text(failure)
        };
        // There is nobody left to tell if stderr is closed too.
        let _ = io::stderr().lock().write_all(text.as_bytes());
        ExitCode::from(failure.kind.exit_code())
    }

    /// Prints what the argument parser says: help and version, or what was typed wrong.
    pub(crate) fn of_usage_error(error: &clap::Error) -> ExitCode {
        // What was typed wrong may stand before --json, so the arguments themselves are asked.
        let json = std::env::args_os().any(|argument| argument == "--json");
        match Failure::of_value(error) {
            Some(failure) => Self::new(json).failure(&failure),
            None if json && error.use_stderr() => {
                let text = error.to_string();
                let text = text.strip_prefix("error: ").unwrap_or(&text);
                let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
                let failure = Failure::usage(message.trim()).hint(help.trim());
                Self::new(true).failure(&failure)
            }
            None => match error.print() {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
                _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
            },
        }
    }
}

fn as_text(failure: &Failure) -> String {
    let mut text = String::new();
    for failure in failure.others.iter().chain([failure]) {
        text += &format!("error: {}\n", printable(&failure.message));
    }
    if let Some(hint) = &failure.hint {
        text += &format!("hint: {}\n", printable(hint));
    }
    text
}

fn as_json(failure: &Failure) -> String {
    let mut error = one_as_json(failure);
    if !failure.others.is_empty() {
        let all = failure.others.iter().chain([failure]);
        error["failures"] = all.map(one_as_json).collect();
    }
    format!("{}\n", json!({ "error": error }))
}

fn one_as_json(failure: &Failure) -> Value {
    let mut error = json!({
        "code": failure.kind.code(),
        "message": failure.message,
        "hint": failure.hint,
        "status": failure.status,
        "exit_code": failure.kind.exit_code(),
        "retryable": failure.retryable,
    });
    if let Some(id) = &failure.id {
        error["id"] = json!(id);
    }
    error
}

fn for_people(shown: &Shown) -> String {
    match shown {
        Shown::Fields(fields) => aligned(fields),
        Shown::Table { rows, empty, .. } if rows.is_empty() => format!("{empty}\n"),
        Shown::Table { columns, rows, .. } => {
            let mut table = Table::new();
            table
                .load_style(presets::UTF8_BORDERS_ONLY)
                .set_content_arrangement(ContentArrangement::Disabled)
                .set_header(columns);
            for row in rows {
                table.add_row(row.iter().map(|cell| printable(cell)));
            }
            format!("{table}\n")
        }
        Shown::Sentence(sentence) => format!("{}\n", printable(sentence)),
    }
}

/// Names in one column and values in the next, the further lines of a value below its first.
fn aligned(fields: &[(String, String)]) -> String {
    let names = fields
        .iter()
        .map(|(name, _)| printable(name).chars().count());
    let width = names.max().unwrap_or_default();
    let indent = " ".repeat(width + 2);
    fields
        .iter()
        .map(|(name, value)| {
            let value = printable(value).replace('\n', &format!("\n{indent}"));
            format!("{:width$}  {value}\n", printable(name))
        })
        .collect()
}

/// Tab-separated values without a heading: no frame, nothing cut or wrapped.
fn for_pipes(shown: &Shown) -> String {
    match shown {
        Shown::Fields(fields) => fields
            .iter()
            .map(|(name, value)| format!("{}\t{}\n", tsv_field(name), tsv_field(value)))
            .collect(),
        Shown::Table { rows, .. } => rows
            .iter()
            .map(|row| {
                let cells: Vec<_> = row.iter().map(|cell| tsv_field(cell)).collect();
                format!("{}\n", cells.join("\t"))
            })
            .collect(),
        Shown::Sentence(sentence) => format!("{}\n", tsv_field(sentence)),
    }
}

#[cfg(test)]
mod tests {
    use super::{aligned, for_people, for_pipes};
    use crate::report::Shown;

    #[test]
    fn values_of_several_lines_stay_in_their_column() {
        let fields = [
            ("bio".to_owned(), "one\ntwo".to_owned()),
            ("location".to_owned(), "here".to_owned()),
        ];
        assert_eq!(
            aligned(&fields),
            "bio       one\n          two\nlocation  here\n"
        );
    }

    #[test]
    fn an_empty_table_says_so_to_people_and_is_empty_in_a_pipe() {
        let table = Shown::Table {
            columns: vec!["id"],
            rows: Vec::new(),
            empty: "There are no links.",
        };
        assert_eq!(for_people(&table), "There are no links.\n");
        assert_eq!(for_pipes(&table), "");
    }
}
