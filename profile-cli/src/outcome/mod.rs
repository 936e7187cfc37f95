//! The outcome of a command: a report or a failure. A command with several items tries all of them, and
//! reports all outcomes.

pub(crate) mod failure;
pub(crate) mod next_command;
mod report;

use std::collections::BTreeMap;

use profile_sdk::{Profile, Response};
use serde_json::value::RawValue;

pub(crate) use failure::{
    Failure, FailureKind, KeptText, PAGE, ResponseBody, Result, WriteOutcome, sandbox_hint,
    scope_hint,
};
pub(crate) use next_command::{NextCommand, word};
pub(crate) use report::{Report, View, cell, push_field};

/// Returns the items without duplicates.
pub(crate) fn without_duplicates<T: PartialEq>(items: &[T]) -> Vec<&T> {
    let numbered = items.iter().enumerate();
    let kept = numbered.filter(|(index, item)| !items[..*index].contains(item));
    kept.map(|(_, item)| item).collect()
}

/// Returns the failure of an item. If it is one of several, it is the subject.
pub(crate) fn item_failure(what: Option<&str>, id: impl ToString, failure: Failure) -> Failure {
    // The message of an item that was not found names it.
    let what = what.filter(|_| failure.kind != FailureKind::NotFound);
    Failure {
        id: Some(id.to_string()),
        subject: what.map(str::to_owned),
        ..failure
    }
}

/// Returns the report, or the failure of the worst kind with the other failures and the report.
pub(crate) fn of_batch(done: Option<Report>, mut failures: Vec<Failure>) -> Result<Report> {
    failures.sort_by_key(|failure| (failure.kind, failure.is_unknown()));
    match (failures.pop(), done) {
        (None, Some(report)) => Ok(report),
        (None, None) => Err(Failure::usage("no identifier was given")),
        (Some(worst), done) => Err(Failure {
            others: failures,
            done: done.map(Box::new),
            ..worst
        }),
    }
}

/// Reports a list of the profile. Fails if the response does not contain it.
pub(crate) fn report_listing(
    response: &Response<Profile>,
    name: &str,
    shown: Option<View>,
) -> Result<Report> {
    let Some(shown) = shown else {
        let message = format!("the profile in the response does not contain your {name}");
        let show = NextCommand("profile show --json");
        let hint = format!("{show} prints the complete profile");
        return Err(Failure::other(message).hint(hint));
    };
    let data = response.raw_data().unwrap_or_default();
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(data).unwrap_or_default();
    let listed = fields.get(name).map_or("[]", |listed| listed.get());
    Ok(Report::new(listed, shown))
}
