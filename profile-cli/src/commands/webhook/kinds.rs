//! `profile webhook kinds`: the kinds of events.

use clap::Args;
use serde_json::{Value, json};
use webhook_verify::EventKind;

use crate::outcome::report::{Report, View};

#[derive(Debug, Args)]
#[command(after_help = "\
In a pipe, each line is a kind and its meaning, separated by a tab. The service may send other kinds
too; `profile webhook listen` accepts them.

Examples:
  profile webhook kinds
  profile webhook kinds --json")]
pub(crate) struct KindsArguments {}

pub(crate) fn run() -> Report {
    let rows = EventKind::KNOWN.iter();
    let rows: Vec<_> = rows
        .map(|kind| vec![kind.to_string(), meaning(*kind).to_owned()])
        .collect();
    let json: Value = rows
        .iter()
        .map(|row| json!({"kind": row[0], "meaning": row[1]}))
        .collect();
    let columns = vec!["kind", "meaning"];
    Report::new(
        json,
        View::Table {
            columns,
            rows,
            empty: "",
        },
    )
}

/// Returns the meaning of the name; the specification does not define the kinds further.
fn meaning(kind: EventKind) -> &'static str {
    match kind {
        EventKind::FollowCreated => "a follow was created",
        EventKind::CommentCreated => "a comment was created",
        EventKind::ProfileLiked => "the profile was liked",
        EventKind::PostLiked => "a post was liked",
        EventKind::PostReplied => "a post was replied to",
        EventKind::PostMentioned => "there was a mention in a post",
        EventKind::MessageReceived => "a message was received",
        _ => "",
    }
}
