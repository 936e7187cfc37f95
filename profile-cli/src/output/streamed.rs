//! Results of a command that goes on, each on a line as soon as it is known.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use super::chosen::Chosen;
use super::{Output, delimited, ndjson, write_to_stderr};
use crate::failure::Failure;
use crate::printable::{json_text, printable, tsv_field};
use crate::report::{Report, Shown};

impl Output {
    /// Prints one of many results. Returns `Break` when nobody reads any more.
    pub(crate) fn stream(&self, report: &Report) -> Result<ControlFlow<()>, Failure> {
        let text = self.line(report)?;
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        match written {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Err(error) => Err(Failure::of_output(&error)),
        }
    }

    /// Prints what a person or a script has to know while the command goes on.
    pub(crate) fn tell(&self, note: &str) {
        write_to_stderr(&format!("{}\n", printable(note)));
    }

    /// The values of a result's fields on one line: for people those that are there, in columns also
    /// the empty ones. CSV names the columns once.
    fn line(&self, report: &Report) -> Result<String, Failure> {
        let shown = match (&report.shown, &self.chosen) {
            (Shown::Split { people, .. }, Chosen::Table) => people,
            (Shown::Split { pipes, .. }, _) => pipes,
            (shown, _) => shown,
        };
        let Shown::Fields(fields) = shown else {
            return self.chosen.text(report, &self.stdout);
        };
        let values = fields.iter().map(|(_, value)| value);
        let joined = |values: Vec<String>, separator| format!("{}\n", values.join(separator));
        Ok(match self.chosen {
            Chosen::Json => ndjson::lines(&json_text(&report.json)),
            Chosen::Table => {
                let told = values.filter(|value| !value.is_empty());
                joined(told.map(|value| printable(value)).collect(), "  ")
            }
            Chosen::Tsv { .. } => joined(values.map(|value| tsv_field(value)).collect(), "\t"),
            Chosen::Csv => delimited::records(|writer| {
                if !self.has_heading.replace(true) {
                    writer.write_record(fields.iter().map(|(name, _)| name))?;
                }
                writer.write_record(values.map(|value| printable(value)))
            })?,
            _ => self.chosen.text(report, &self.stdout)?,
        })
    }
}
