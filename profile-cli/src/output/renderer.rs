//! Renders results in the selected format.

use serde_json::Value;

use super::{delimited, pretty_json, tables};
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::settings::{Format, GlobalArguments};
use crate::terminal::printable::json_text;
use crate::terminal::screen::Screen;

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
                delimited::tsv(columns.as_ref().unwrap_or(&report.view), screen)
            }
            Self::Csv => {
                let columns = in_columns(report);
                delimited::csv(columns.as_ref().unwrap_or(&report.view), screen)
            }
            Self::Json if screen.is_terminal => {
                pretty_json::text(&json_text(&report.json, true), screen)
            }
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
