//! What deleting links and deleting posts have in common: several at once, each outcome told.

use std::fmt::Display;

use profile_sdk::Call;
use serde_json::{Value, json};

use crate::confirmation::confirm;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::printable::quoted;
use crate::report::{Report, Shown};

/// Asks once, tries each identifier, and fails with the worst failure if there is any.
pub(crate) async fn delete_each<Id: Display + PartialEq>(
    noun: &str,
    ids: &[Id],
    connection: &Connection,
    delete: impl Fn(&Id) -> Call<()>,
) -> Result<Report, Failure> {
    let ids = without_repetitions(ids);
    confirm(&question(noun, &ids), connection.yes)?;
    let look_with = format!("profile {noun} list");
    let mut deleted = Vec::new();
    let mut failures = Vec::new();
    for &id in &ids {
        match delete(id).await {
            Ok(()) => deleted.push(id),
            Err(error) => {
                let what = format!("{noun} {}", quoted(id));
                failures.push(Failure {
                    id: Some(id.to_string()),
                    ..Failure::of_write(&what, &look_with, error)
                });
            }
        }
    }
    let done = (!deleted.is_empty()).then(|| report(noun, &deleted, ids.len() > 1));
    match (worst(failures), done) {
        (None, Some(report)) => Ok(report),
        (None, None) => Err(Failure::usage(format!("no {noun} to delete"))),
        (Some(failure), done) => Err(Failure {
            done: done.map(Box::new),
            ..failure
        }),
    }
}

fn question(noun: &str, ids: &[impl Display]) -> String {
    match ids {
        [id] => format!("Delete the {noun} {}?", quoted(id)),
        _ => format!("Delete these {} {noun}s: {}?", ids.len(), joined(ids)),
    }
}

/// One object for one identifier; an array where several were asked for.
fn report(noun: &str, deleted: &[impl Display], several: bool) -> Report {
    let result = |id: &dyn Display| json!({"result": "deleted", "id": id.to_string()});
    let mut results = deleted.iter().map(|id| result(id));
    let json = if several {
        results.collect::<Value>()
    } else {
        results.next().unwrap_or_default()
    };
    Report {
        json: json.to_string(),
        shown: Shown::Sentence(format!("Deleted {noun} {}.", joined(deleted))),
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

fn without_repetitions<Id: PartialEq>(ids: &[Id]) -> Vec<&Id> {
    let mut kept: Vec<&Id> = Vec::new();
    for id in ids {
        if !kept.contains(&id) {
            kept.push(id);
        }
    }
    kept
}

fn joined(ids: &[impl Display]) -> String {
    let ids: Vec<_> = ids.iter().map(quoted).collect();
    ids.join(", ")
}
