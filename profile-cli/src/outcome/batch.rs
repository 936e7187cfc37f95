//! Commands with several items: all are tried, and all outcomes are reported.

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;

/// Returns the items without duplicates.
pub(crate) fn without_duplicates<T: PartialEq>(items: &[T]) -> Vec<&T> {
    let mut kept: Vec<&T> = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// Returns the failure of one of several items; its message names the item.
pub(crate) fn item_failure(what: &str, id: impl ToString, failure: Failure) -> Failure {
    let is_named = failure.message.contains(what);
    Failure {
        id: Some(id.to_string()),
        message: match is_named {
            true => failure.message,
            false => format!("{what}: {}", failure.message),
        },
        ..failure
    }
}

/// Returns the report, or the worst failure with the other failures and the report.
pub(crate) fn outcome(done: Option<Report>, failures: Vec<Failure>) -> Result<Report, Failure> {
    match (worst(failures), done) {
        (None, Some(report)) => Ok(report),
        (None, None) => Err(Failure::usage("no identifier was given")),
        (Some(failure), done) => Err(Failure {
            done: done.map(Box::new),
            ..failure
        }),
    }
}

/// Returns the failure of the worst kind, which contains the others.
fn worst(mut failures: Vec<Failure>) -> Option<Failure> {
    failures.sort_by_key(|failure| failure.kind);
    let worst = failures.pop()?;
    Some(Failure {
        others: failures,
        ..worst
    })
}
