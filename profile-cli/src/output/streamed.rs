//! Results of a command that goes on, each on a line as soon as it is known.

use std::io::{self, Write as _};

use super::chosen::Chosen;
use super::screen::Screen;
use super::{Output, delimited, ndjson, write_to_stderr};
use crate::failure::Failure;
use crate::printable::{printable, tsv_field};
use crate::report::{Report, Shown};
use crate::stop::Stop;

impl Output {
    /// Prints one of many results. Stops when nobody reads any more.
    pub(crate) fn stream(&self, report: &Report) -> Result<(), Stop> {
        let text = line(&self.chosen, report, &self.stdout)?;
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        written.map_err(|error| match error.kind() {
            // Whoever reads has had enough.
            io::ErrorKind::BrokenPipe => Stop::Told(0),
            _ => Failure::of_output(&error).into(),
        })
    }

    /// Prints what a person or a script has to know while the command goes on.
    pub(crate) fn tell(&self, note: &str) {
        write_to_stderr(&format!("{}\n", printable(note)));
    }
}

/// The values of a result's fields on one line, without a heading: for people those that are there,
/// in columns also the empty ones.
fn line(chosen: &Chosen, report: &Report, screen: &Screen) -> Result<String, Failure> {
    let shown = match (&report.shown, chosen) {
        (Shown::Split { people, .. }, Chosen::Table) => people,
        (Shown::Split { pipes, .. }, _) => pipes,
        (shown, _) => shown,
    };
    let Shown::Fields(fields) = shown else {
        return chosen.text(report, screen);
    };
    let mut values = fields.iter().map(|(_, value)| value);
    let joined = |values: Vec<String>, separator| format!("{}\n", values.join(separator));
    Ok(match chosen {
        Chosen::Json => ndjson::lines(&report.json),
        Chosen::Table => {
            let told = values.filter(|value| !value.is_empty());
            joined(told.map(|value| printable(value)).collect(), "  ")
        }
        Chosen::Tsv => joined(values.map(|value| tsv_field(value)).collect(), "\t"),
        Chosen::Csv => {
            let record = values.by_ref().map(|value| printable(value));
            delimited::records(|writer| writer.write_record(record))?
        }
        _ => chosen.text(report, screen)?,
    })
}
