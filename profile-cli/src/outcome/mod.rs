//! The outcome of a command: a report or a failure.

pub(crate) mod batch;
pub(crate) mod failed_call;
pub(crate) mod failure;
pub(crate) mod listing;
pub(crate) mod report;

use crate::outcome::report::Report;

/// The outcome of a successful command.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// A result or preview to print.
    Report(Report),
    /// An exit code; the command has printed everything.
    #[cfg(feature = "webhook")]
    Printed(u8),
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Self::Report(report)
    }
}
