//! The outcome of a command: a report or a failure.

pub(crate) mod batch;
pub(crate) mod failed_call;
pub(crate) mod failure;
pub(crate) mod listing;
pub(crate) mod report;
