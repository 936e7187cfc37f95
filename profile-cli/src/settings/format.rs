//! The output formats.

use clap::ValueEnum;

/// An output format, for `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables and drawings for people
    Table,
    /// One JSON document: the data of the response
    Json,
    /// One JSON document per line; one line per array element
    Ndjson,
    /// Comma-separated values with a header row
    Csv,
    /// Tab-separated values without a header row
    Tsv,
}

impl Format {
    /// Parses the name of a format.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::from_str(text, false)
            .map_err(|_| format!("is {text:?}; expected table, json, ndjson, csv or tsv"))
    }

    pub(crate) fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Ndjson)
    }
}
