//! Prints results to stdout, and failures, warnings and notes to stderr.

mod delimited;
mod failures;
#[cfg(feature = "jq")]
mod jq;
mod ndjson;
mod renderer;
mod tables;

#[cfg(feature = "webhook")]
use std::cell::Cell;
use std::io::{self, IsTerminal as _, Write as _};
#[cfg(feature = "webhook")]
use std::ops::ControlFlow;
use std::process::ExitCode;

use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};
use crate::settings::GlobalArguments;
use crate::settings::Settings;
use crate::terminal::printable::json_text;
#[cfg(feature = "webhook")]
use crate::terminal::printable::{printable, tsv_field};
use crate::terminal::screen::Screen;

use renderer::Renderer;

/// How to print.
pub(crate) struct Output {
    renderer: Renderer,
    stdout: Screen,
    stderr: Screen,
    quiet: bool,
    /// Whether the columns of a stream have been named.
    #[cfg(feature = "webhook")]
    has_heading: Cell<bool>,
}

impl Output {
    pub(crate) fn new(arguments: &GlobalArguments, settings: &Settings) -> Result<Self, Failure> {
        let environment = &settings.environment;
        let width = environment.text("COLUMNS").ok().flatten();
        let width = width.and_then(|columns| columns.parse().ok());
        let screen = |is_terminal| {
            let color = settings.color.decide(is_terminal, environment);
            Screen::new(is_terminal, color, width)
        };
        let stdout = screen(io::stdout().is_terminal());
        Ok(Self {
            renderer: Renderer::new(arguments, settings.format, &stdout)?,
            stdout,
            stderr: screen(io::stderr().is_terminal()),
            quiet: settings.quiet,
            #[cfg(feature = "webhook")]
            has_heading: Cell::new(false),
        })
    }

    /// What can print nothing but failures, for when it is not known yet what else is asked for.
    pub(crate) fn for_failures(json: bool) -> Self {
        Self {
            renderer: match json {
                true => Renderer::Json,
                false => Renderer::Tsv { is_explicit: false },
            },
            stdout: Screen::plain(),
            stderr: Screen::plain(),
            quiet: false,
            #[cfg(feature = "webhook")]
            has_heading: Cell::new(false),
        }
    }

    /// Whether programs rather than people read the result.
    pub(crate) fn is_json(&self) -> bool {
        self.renderer.is_json()
    }

    /// Prints a result.
    pub(crate) fn report(&self, report: &Report) -> ExitCode {
        for warning in &report.warnings {
            self.warn(warning);
        }
        let bytes = match &report.view {
            View::Body(bytes) if !self.is_json() && !self.stdout.is_terminal => bytes.clone(),
            _ => match self.renderer.text(report, &self.stdout) {
                Ok(text) => text.into_bytes(),
                Err(failure) if report.is_change => {
                    return self.unprintable_change(&report.json, failure);
                }
                Err(failure) => return self.failure(&failure),
            },
        };
        match write_to_stdout(&bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) if report.is_change => self.failure(&Failure {
                message: format!(
                    "{}; the change was made, with this result: {}",
                    failure.message, report.json
                ),
                ..failure
            }),
            Err(failure) => self.failure(&failure),
        }
    }

    /// Tells that a change was made although its result cannot be printed as it was asked for: it
    /// may hold an identifier that is told once.
    fn unprintable_change(&self, result: &str, failure: Failure) -> ExitCode {
        let result = json_text(result);
        let how = match write_to_stdout(format!("{result}\n").as_bytes()) {
            Ok(()) => "and the result was printed unfiltered".to_owned(),
            Err(_) => format!("with this result: {result}"),
        };
        self.failure(&Failure {
            kind: FailureKind::Other,
            message: format!("{}; the change was made, {how}", failure.message),
            ..failure
        })
    }

    /// Prints a failure, after what is printed all the same.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        if let Some(done) = &failure.done {
            self.report(done);
        }
        let text = match self.is_json() {
            true => failures::as_json(failure),
            false => failures::as_text(failure, &self.stderr, self.quiet),
        };
        write_to_stderr(&text);
        ExitCode::from(failure.kind.exit_code())
    }

    /// Prints what a person should know beside the result.
    pub(crate) fn warn(&self, warning: &str) {
        if !self.quiet {
            write_to_stderr(&failures::warning(warning, &self.stderr));
        }
    }

    /// Tells a person on stderr what was done beside the result.
    pub(crate) fn note(&self, note: &str) {
        if !self.quiet {
            write_to_stderr(&failures::note(note, &self.stderr));
        }
    }

    /// Prints one of many results. Returns `Break` when nobody reads any more.
    #[cfg(feature = "webhook")]
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
    #[cfg(feature = "webhook")]
    pub(crate) fn status(&self, note: &str) {
        write_to_stderr(&format!("{}\n", printable(note)));
    }

    /// The values of a result's fields on one line: for people those that are there, in columns also
    /// the empty ones. CSV names the columns once.
    #[cfg(feature = "webhook")]
    fn line(&self, report: &Report) -> Result<String, Failure> {
        let view = match (&report.view, &self.renderer) {
            (View::Split { people, .. }, Renderer::Table) => people,
            (View::Split { pipes, .. }, _) => pipes,
            (view, _) => view,
        };
        let View::Fields(fields) = view else {
            return self.renderer.text(report, &self.stdout);
        };
        let values = fields.iter().map(|(_, value)| value);
        let joined = |values: Vec<String>, separator| format!("{}\n", values.join(separator));
        Ok(match self.renderer {
            Renderer::Json => ndjson::lines(&json_text(&report.json)),
            Renderer::Table => {
                let told = values.filter(|value| !value.is_empty());
                joined(told.map(|value| printable(value)).collect(), "  ")
            }
            Renderer::Tsv { .. } => joined(values.map(|value| tsv_field(value)).collect(), "\t"),
            Renderer::Csv => delimited::records(|writer| {
                if !self.has_heading.replace(true) {
                    writer.write_record(fields.iter().map(|(name, _)| name))?;
                }
                writer.write_record(values.map(|value| printable(value)))
            })?,
            _ => self.renderer.text(report, &self.stdout)?,
        })
    }

    /// Whether warnings, hints and progress are left out.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }
}

fn write_to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        // Whoever reads has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::of_output(&error)),
    }
}

/// There is nobody left to tell if stderr is closed too.
fn write_to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
