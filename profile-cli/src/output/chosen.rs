//! How to print, once the arguments, the settings and the terminal have had their say.

use serde_json::Value;

use super::{delimited, ndjson, tables};
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, Shown};
use crate::settings::Format;
use crate::settings::GlobalArguments;
use crate::terminal::printable::json_text;
use crate::terminal::screen::Screen;

/// The way that results are printed.
pub(super) enum Chosen {
    Table,
    Json,
    Ndjson,
    Csv,
    Tsv {
        /// Whether somebody asked for it, or nobody for anything else.
        was_asked_for: bool,
    },
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
            None => Self::Tsv {
                was_asked_for: false,
            },
            Some(Format::Table) => Self::Table,
            Some(Format::Json) => Self::Json,
            Some(Format::Ndjson) => Self::Ndjson,
            Some(Format::Csv) => Self::Csv,
            Some(Format::Tsv) => Self::Tsv {
                was_asked_for: true,
            },
        })
    }

    pub(super) fn is_json(&self) -> bool {
        !matches!(self, Self::Table | Self::Csv | Self::Tsv { .. })
    }

    /// The whole text of a result.
    pub(super) fn text(&self, report: &Report, screen: &Screen) -> Result<String, Failure> {
        Ok(match self {
            Self::Table => tables::text(&report.shown, screen),
            Self::Tsv { was_asked_for } => {
                let columns = was_asked_for.then(|| in_columns(report)).flatten();
                delimited::tsv(columns.as_ref().unwrap_or(&report.shown), screen)
            }
            Self::Csv => {
                let columns = in_columns(report);
                delimited::csv(columns.as_ref().unwrap_or(&report.shown), screen)?
            }
            Self::Json => format!("{}\n", json_text(&report.json)),
            Self::Ndjson => ndjson::lines(&json_text(&report.json)),
            #[cfg(feature = "jq")]
            Self::Jq(program) => program.run(&report.json, screen)?,
        })
    }
}

/// A result that is a sentence, for whoever asked for columns: the fields of its JSON.
fn in_columns(report: &Report) -> Option<Shown> {
    if !matches!(report.shown, Shown::Sentence(_)) {
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
    Some(Shown::Fields(fields.collect()))
}
