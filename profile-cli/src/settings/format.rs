//! The output formats.

use clap::ValueEnum;

/// An output format, for `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Cards, tables and bars
    Table,
    /// One JSON document: `data` as the service sent it
    Json,
    /// Comma-separated values with a header
    Csv,
    /// Tab-separated values without a header
    Tsv,
}

impl Format {
    pub(crate) fn is_json(self) -> bool {
        self == Self::Json
    }
}
