//! How to print, once the arguments, the settings and the terminal have had their say.

use super::screen::Screen;
use super::{Format, delimited, ndjson, tables};
use crate::arguments::GlobalArguments;
use crate::failure::Failure;
use crate::report::Report;

/// The way that results are printed.
pub(super) enum Chosen {
    Table,
    Json,
    Ndjson,
    Csv,
    Tsv,
    #[cfg(feature = "jq")]
    Jq(Box<super::jq::Program>),
}

impl Chosen {
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
            None if arguments.json => Self::Json,
            None if stdout.is_terminal => Self::Table,
            None => Self::Tsv,
            Some(Format::Table) => Self::Table,
            Some(Format::Json) => Self::Json,
            Some(Format::Ndjson) => Self::Ndjson,
            Some(Format::Csv) => Self::Csv,
            Some(Format::Tsv) => Self::Tsv,
        })
    }

    pub(super) fn is_json(&self) -> bool {
        !matches!(self, Self::Table | Self::Csv | Self::Tsv)
    }

    /// The whole text of a result.
    pub(super) fn text(&self, report: &Report, screen: &Screen) -> Result<String, Failure> {
        Ok(match self {
            Self::Table => tables::text(&report.shown, screen),
            Self::Tsv => delimited::tsv(&report.shown, screen),
            Self::Csv => delimited::csv(&report.shown, screen)?,
            Self::Json => format!("{}\n", report.json),
            Self::Ndjson => ndjson::lines(&report.json),
            #[cfg(feature = "jq")]
            Self::Jq(program) => program.run(&report.json, screen)?,
        })
    }
}
