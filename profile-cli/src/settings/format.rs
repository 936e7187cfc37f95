//! The formats that a result can be printed in.

use clap::ValueEnum;

/// What `--output` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: names and values, frames, drawings
    Table,
    /// One JSON document: the data as the service sent it
    Json,
    /// One JSON document a line, an array's elements each on their own
    Ndjson,
    /// Comma-separated values with a heading
    Csv,
    /// Tab-separated values without a heading
    Tsv,
}

impl Format {
    /// Reads a format's name.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::from_str(text, false)
            .map_err(|_| format!("is {text:?}; expected table, json, ndjson, csv or tsv"))
    }

    pub(crate) fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Ndjson)
    }
}
