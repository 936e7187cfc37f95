//! The end of a command: a report of what it found or did, or a failure.

pub(crate) mod failed_call;
pub(crate) mod failure;
pub(crate) mod report;

use crate::outcome::report::Report;

/// What is left to do when a command has ended without a failure.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Print this result, or the preview that was asked for in its place.
    Report(Report),
    /// Nothing more to print; end with this exit code.
    #[cfg(any(feature = "sandbox", feature = "webhook"))]
    Printed(u8),
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Self::Report(report)
    }
}
