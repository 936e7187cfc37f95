//! `profile post create`: creates a post.

use std::path::PathBuf;

use clap::Args;
use profile_sdk::{Call, Operation, Post, Response};
use serde_json::{Value, json};

use super::fields::fields;
use crate::commands::auth::permissions;
use crate::drafts::draft::{Draft, DraftKind};
use crate::drafts::editor::Editor;
use crate::input::Input;
use crate::input::typed_text::{self, TypedText};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};
use crate::session::Session;
use crate::session::dry_run::{self, Change, DryRun};

const RESOURCE: &str = "list of posts";
const CHECK_COMMAND: &str = "profile post list";

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope social:write. If the response is lost, the request is not retried; `profile post
list` shows whether the post was created.

--file FILE reads the text from a file, as do @./FILE, @../FILE and @/FILE, and - from stdin; one line
break at the end is removed. Any other text that starts with @ is the post itself.

--editor opens an empty text in the editor of `profile edit`, and saves it as a draft until the
service has returned the post. A draft that was not sent can be resumed; `profile draft` manages
drafts.

Examples:
  profile post create 'Hello, world'
  profile post create '@grace thanks!'
  profile post create --file post.txt
  profile post create --editor")]
pub(crate) struct CreateArguments {
    /// Text of the post
    #[arg(value_name = "BODY|@./FILE|-")]
    body: Option<TypedText<String>>,

    /// Read the text from this file
    #[arg(long, value_name = "FILE", conflicts_with = "body")]
    file: Option<PathBuf>,

    /// Write the text in your editor
    #[arg(long, conflicts_with_all = ["body", "file"])]
    editor: bool,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: CreateArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let dry_run = arguments.dry_run.dry_run;
    let (typed, argument) = match arguments.file {
        Some(path) => (Some(TypedText::Input(Input::File(path))), "--file"),
        None => (arguments.body, "BODY"),
    };
    match typed {
        Some(typed) => {
            let body = typed.read(argument, session.output)?;
            let call = session.client()?.create_post(&body);
            if dry_run {
                return preview(&call, body);
            }
            session.write_or_curl(call, RESOURCE, CHECK_COMMAND, |response| {
                Ok(report(&response))
            })
        }
        None if !arguments.editor => {
            let failure = Failure::usage("the text of the post is missing");
            Err(failure.hint("pass it as an argument, or add --editor to write it in your editor"))
        }
        None if session.settings.curl => {
            let message = "--curl cannot be combined with --editor";
            let hint = "pass the text as an argument: `profile post create TEXT --curl`";
            Err(Failure::usage(message).hint(hint))
        }
        None => from_editor(dry_run, session),
    }
}

fn from_editor(dry_run: bool, session: &Session<'_>) -> Result<Report, Failure> {
    let editor = Editor::find(&session.settings)?;
    // The name of the draft contains the handle.
    let profile = session.read(session.client()?.me())?.into_data();
    if !dry_run {
        permissions::check(&profile, &Operation::CREATE_POST)?;
    }
    let draft = Draft::open(DraftKind::Post, &profile, "", session)?;
    loop {
        if let Err(failure) = draft.open_in(&editor) {
            return Err(draft.with_location(failure));
        }
        let mut body = draft
            .text()
            .map_err(|failure| draft.with_location(failure))?;
        body.truncate(typed_text::length_without_last_break(body.as_bytes()));
        if body.is_empty() {
            draft.discard();
            let sentence = View::Sentence("The text is empty; nothing was sent.".to_owned());
            return Ok(Report::new(json!({"result": "unchanged"}), sentence));
        }
        let call = session.client()?.create_post(&body);
        let finished = match dry_run {
            true => preview(&call, body).inspect(|_| session.output.note(&draft.location())),
            false => session
                .write(call, RESOURCE, CHECK_COMMAND)
                .map(|response| sent(&response, &draft)),
        };
        let failure = match finished {
            Err(failure) => failure,
            finished => return finished,
        };
        let may_be_mended = matches!(failure.kind, FailureKind::Usage | FailureKind::Rejected);
        if !may_be_mended || !draft.edit_again(session, &failure)? {
            return Err(draft.with_location(failure));
        }
    }
}

/// Reports an accepted post. Keeps the draft if the response does not contain the post.
fn sent(response: &Response<Option<Post>>, draft: &Draft) -> Report {
    let report = report(response);
    if response.data().is_some() {
        draft.discard();
        return report;
    }
    let kept = format!(
        "the text is saved in {}; delete it with `profile draft delete {}` once the post appears",
        draft.path().display(),
        draft.name()
    );
    report.warning(Some(kept))
}

fn preview(call: &Call<Option<Post>>, body: String) -> Result<Report, Failure> {
    let request = call.request().map_err(Failure::unsent)?;
    let change = Change::new("post", Value::Null, body);
    Ok(dry_run::preview(&[request], &[change]))
}

fn report(response: &Response<Option<Post>>) -> Report {
    let sentence = "The service accepted the post; `profile post list` shows it.";
    Report::written(response, fields, "created", sentence)
}
