//! The output formats.

use clap::ValueEnum;

/// An output format, for `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Cards, tables and bars
    Table,
    /// One JSON document: `data` as the service sent it
    Json,
    /// One JSON object per line
    Ndjson,
    /// Comma-separated values with a header
    Csv,
    /// Tab-separated values without a header
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
