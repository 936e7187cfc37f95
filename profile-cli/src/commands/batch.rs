//! What commands that take several things have in common: each is tried, each outcome told.

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;

/// The things without those that were named before.
pub(crate) fn without_duplicates<T: PartialEq>(things: &[T]) -> Vec<&T> {
    let mut kept: Vec<&T> = Vec::new();
    for thing in things {
        if !kept.contains(&thing) {
            kept.push(thing);
        }
    }
    kept
}

/// The failure of one of several things, which it names.
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

/// What was done, or the worst failure with all others and with what was done all the same.
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

/// The failure of the worst kind, which tells of the others too.
fn worst(mut failures: Vec<Failure>) -> Option<Failure> {
    failures.sort_by_key(|failure| failure.kind);
    let worst = failures.pop()?;
    Some(Failure {
        others: failures,
        ..worst
    })
}
