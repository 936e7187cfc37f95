//! Prints results to stdout or into files, and failures, warnings and notes to stderr.

mod failures;
#[cfg(feature = "jq")]
mod jq;
mod people;
mod renderer;

use std::io::{self, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
#[cfg(feature = "webhook")]
use std::sync::atomic::AtomicBool;

use anstyle::{AnsiColor, Style};

use crate::drawing::Drawing;
use crate::drawing::text::BOLD;
use crate::outcome::{Failure, FailureKind, Report, Result, View, WriteOutcome};
use crate::settings::{Format, GlobalArguments, Needs, SettingName, Settings, palette};
use crate::system::{Rules, environment, interruption, written_file};
use crate::terminal::{Blocking, Screen, json_text, printable};

use renderer::Renderer;

/// Prints to stdout and stderr.
pub(crate) struct Output {
    renderer: Renderer,
    /// `true` if an option selects the format, rather than the environment or config.toml.
    format_is_option: bool,
    /// `true` if a failure of the expression of `--jq` is printed as JSON.
    jq_failure_is_json: bool,
    stdout: Screen,
    stderr: Screen,
    /// `true` with `--quiet`.
    pub(crate) quiet: bool,
    /// `true` if failures have an outcome even if nothing was changed.
    writes: bool,
    /// `true` if the header row of a CSV stream has been printed.
    #[cfg(feature = "webhook")]
    has_heading: AtomicBool,
}

impl Output {
    pub(crate) fn new(
        arguments: &GlobalArguments,
        settings: &Settings,
        needs: Needs,
    ) -> Result<Self> {
        let width = environment::text("COLUMNS").ok().flatten();
        let width = width.and_then(|columns| columns.parse().ok());
        let screen = |is_terminal| {
            let palette = palette(settings.color, is_terminal);
            Screen::new(is_terminal, palette, width)
        };
        let stdout = screen(io::stdout().is_terminal());
        Ok(Self {
            renderer: Renderer::new(arguments, settings.format, &stdout)?,
            format_is_option: arguments.setting(SettingName::Output).is_some(),
            jq_failure_is_json: arguments.wants_jq_errors_as_json(),
            stdout,
            stderr: screen(io::stderr().is_terminal()),
            quiet: settings.quiet,
            writes: needs == Needs::Writes,
            #[cfg(feature = "webhook")]
            has_heading: AtomicBool::new(false),
        })
    }

    /// Creates an output for failures that occur before the settings are known.
    pub(crate) fn for_failures(arguments: &GlobalArguments, needs: Needs) -> Self {
        let json = arguments.wants_jq_errors_as_json();
        let jq = arguments.jq.as_ref();
        let without_jq = jq.map_or(arguments.output, |_| Some(Format::Table));
        // Others may be what is wrong.
        let display = GlobalArguments {
            output: without_jq.filter(|_| !json),
            json,
            color: arguments.color,
            ..GlobalArguments::default()
        };
        let settings = Settings::load(&display, Needs::Nothing);
        let output = settings.and_then(|settings| Self::new(&display, &settings, needs));
        output.expect("no setting is needed")
    }

    /// Returns `true` if the output is JSON.
    pub(crate) fn is_json(&self) -> bool {
        use Renderer::{Csv, Table, Tsv};
        !matches!(self.renderer, Table | Csv | Tsv { .. })
    }

    /// Returns `true` if the output is cards, tables and bars.
    pub(crate) fn is_for_people(&self) -> bool {
        matches!(self.renderer, Renderer::Table)
    }

    /// Returns `true` if cards, tables and bars are printed on a terminal.
    pub(crate) fn is_watched(&self) -> bool {
        self.is_for_people() && self.stdout.is_terminal
    }

    /// Returns `true` if an option selects JSON, and `None` if no option selects a format.
    pub(crate) fn option_is_json(&self) -> Option<bool> {
        self.format_is_option.then(|| self.is_json())
    }

    /// Prints a result.
    pub(crate) fn report(&self, report: &Report) -> ExitCode {
        self.warn_all(&report.warnings);
        let bytes = match &report.view {
            View::Body(bytes) if !self.is_json() && !self.stdout.is_terminal => bytes.clone(),
            View::Text(text) if report.is_raw && !self.format_is_option => {
                format!("{text}\n").into_bytes()
            }
            _ => match self.renderer.text(report, &self.stdout) {
                Ok(text) => text.into_bytes(),
                Err(failure) => {
                    let failure = match report.is_key {
                        true => Failure::usage("--jq: the filter failed, perhaps on the key"),
                        false => self.of_report(report, failure),
                    };
                    return self.print_failure(&failure, self.jq_failure_is_json);
                }
            },
        };
        match write_to_stdout(&bytes) {
            Ok(_) => ExitCode::from(report.exit_code),
            Err(failure) => self.failure(&self.of_report(report, failure)),
        }
    }

    /// Returns the failure of a result that cannot be printed. Prints that of a change unfiltered if possible, since
    /// it may contain an ID that cannot be retrieved again.
    fn of_report(&self, report: &Report, failure: Failure) -> Failure {
        if !report.is_change {
            return failure;
        }
        let result = json_text(&report.json, self.stdout.is_terminal);
        let how = match write_to_stdout(format!("{result}\n").as_bytes()) {
            Ok(_) => "and the result was printed unfiltered".to_owned(),
            Err(_) => format!("with this result: {result}"),
        };
        Failure {
            kind: FailureKind::Other,
            outcome: WriteOutcome::Done,
            message: format!("{}; the change was made, {how}", failure.message),
            ..failure
        }
    }

    /// Prints the help of the argument parser, to stderr if arguments are missing.
    pub(crate) fn help(&self, help: &str, is_error: bool) -> ExitCode {
        if is_error {
            write_to_stderr(help);
            return ExitCode::from(FailureKind::Usage.exit_code());
        }
        match write_to_stdout(help.as_bytes()) {
            Ok(_) => ExitCode::SUCCESS,
            Err(failure) => self.failure(&failure),
        }
    }

    /// Prints a failure, after its partial result.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        if let Some(done) = &failure.done {
            self.report(done);
        }
        self.print_failure(failure, self.is_json())
    }

    fn print_failure(&self, failure: &Failure, as_json: bool) -> ExitCode {
        let text = match as_json {
            true => failures::as_json(
                failure,
                interruption::exit_code(),
                self.writes,
                &self.stderr,
            ),
            false => failures::as_text(failure, &self.stderr, self.quiet),
        };
        write_to_stderr(&text);
        ExitCode::from(failure.kind.exit_code())
    }

    /// Prints a warning to stderr, unless `--quiet` is given.
    pub(crate) fn warn(&self, warning: &str) {
        self.message(AnsiColor::Yellow.on_default().bold(), "warning:", warning);
    }

    /// Prints several warnings, or an optional one.
    pub(crate) fn warn_all(&self, warnings: impl IntoIterator<Item = impl AsRef<str>>) {
        for warning in warnings {
            self.warn(warning.as_ref());
        }
    }

    /// Prints a note to stderr, unless `--quiet` is given.
    pub(crate) fn note(&self, note: &str) {
        self.message(BOLD, "note:", note);
    }

    /// Prints several notes, or an optional one.
    pub(crate) fn note_all(&self, notes: impl IntoIterator<Item = impl AsRef<str>>) {
        for note in notes {
            self.note(note.as_ref());
        }
    }

    fn message(&self, style: Style, label: &str, message: &str) {
        if !self.quiet {
            write_to_stderr(&failures::line(style, label, message, &self.stderr));
        }
    }

    /// Prints a drawing to stderr if it is a terminal, unless `--quiet` is given.
    pub(crate) fn preview(&self, drawing: &Drawing) {
        if self.stderr.is_terminal && !self.quiet {
            write_to_stderr(&drawing.draw(&self.stderr));
        }
    }

    /// Prints one of many results, unfiltered if the filter of `--jq` fails, which does not end the
    /// command. Returns `Break` if stdout is closed.
    #[cfg(feature = "webhook")]
    pub(crate) fn stream(&self, report: &Report) -> Result<ControlFlow<()>> {
        let line = self.renderer.line(report, &self.stdout, &self.has_heading);
        let line = line.unwrap_or_else(|failure| {
            self.warn(&format!("{}; printed unfiltered", failure.message));
            format!("{}\n", json_text(&report.json, self.stdout.is_terminal))
        });
        write_to_stdout(line.as_bytes())
    }

    /// Prints a payload below its line, for people; in other formats, the line is everything.
    #[cfg(feature = "webhook")]
    pub(crate) fn stream_payload(&self, body: &[u8]) -> Result<ControlFlow<()>> {
        match self.is_for_people() {
            true => write_to_stdout(people::payload(body, &self.stdout).as_bytes()),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    /// Prints a status message to stderr, even if `--quiet` is given.
    pub(crate) fn status(&self, note: &str) {
        write_to_stderr(&format!("{}\n", printable(note)));
    }
}

/// Writes a result, or one of many. Returns `Break` if the reader, such as `head`, has exited.
fn write_to_stdout(bytes: &[u8]) -> Result<ControlFlow<()>> {
    let mut stdout = Blocking(io::stdout().lock());
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(ControlFlow::Continue(())),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        Err(error) => {
            let message = format!("the result could not be written: {error}");
            Err(Failure::other(message))
        }
    }
}

/// Writes to stderr, ignoring errors: there is no other place to report them.
fn write_to_stderr(text: &str) {
    let _ = Blocking(io::stderr().lock()).write_all(text.as_bytes());
}

/// Writes a file that the user names, replacing an existing one.
pub(crate) fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    written_file::write(path, contents, Rules::Named)
        .map_err(|error| Failure::of_file("written", path, &error))
}
