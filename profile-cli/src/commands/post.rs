//! The commands `profile post`: the posts of the profile's owner.

use std::io::{self, IsTerminal as _};

use clap::{Args, Subcommand, ValueHint};
use profile_sdk::{Call, Operation, Post, PostId, Profile, Response};
use serde_json::{Value, json};

use super::deletion::{Deletion, Item};
use crate::drawing::Change;
use crate::editor::{EditedText, Editor, Finished};
use crate::input::{Input, TextArgument};
use crate::outcome::{Failure, FailureKind, NextCommand, Report, Result, View, failure};
use crate::session::{DryRun, Session, preview};
use crate::{completion, editor, input};

/// List, create and delete your posts
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile post create 'Hello, world'
  profile post list --json")]
pub(crate) enum PostCommand {
    /// List your posts
    #[command(visible_alias = "ls", after_help = LIST_HELP)]
    List,
    /// Create a post
    #[command(visible_alias = "add")]
    Create(CreateArguments),
    /// Delete posts; asks first unless --yes is given
    #[command(visible_alias = "rm")]
    Delete(DeleteArguments),
}

pub(crate) fn run(command: PostCommand, session: &Session<'_>) -> Result<Report> {
    match command {
        PostCommand::List => list(session),
        PostCommand::Create(arguments) => create(arguments, session),
        PostCommand::Delete(arguments) => delete(arguments, session),
    }
}

const LIST_HELP: &str = "\
In a pipe, each line is an ID and a text, separated by a tab; line breaks in the text are escaped as \
\\n.

Examples:
  profile post list
  profile post list --json";

fn list(session: &Session<'_>) -> Result<Report> {
    let response = session.read(session.client()?.me())?;
    let has_posts = response.data().posts.is_some();
    Report::listing(&response, "posts", has_posts.then_some(COLUMNS))
}

const COLUMNS: View = View::Columns {
    names: &["id", "body", "created_at"],
    empty: "You have no posts.",
};

const RESOURCE: &str = "list of posts";

const CHECK_COMMAND: &str = "profile post list";

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope social:write. If the response is lost, the request is not retried; `profile post \
list` shows whether the post was created.

--file PATH reads the text from a file, as do @./PATH, @../PATH and @/PATH, and - from stdin; one line \
break at the end is removed, and \\r\\n is sent as \\n. Any other text that starts with @ is the post itself. Two \
things are errors: @NAME if a file NAME exists, and an empty text.

Without a text on a terminal, or with --editor, an empty text opens in your editor. `profile help \
edit` describes which one that is, and what happens to a text that could not be sent.

Examples:
  profile post create 'Hello, world'
  profile post create '@grace thanks!'
  profile post create --file post.txt
  profile post create")]
pub(crate) struct CreateArguments {
    /// Text of the post
    #[arg(value_name = "BODY|@./PATH|-")]
    body: Option<TextArgument>,

    /// Read the text from this file; - reads stdin
    #[arg(long, value_name = "PATH|-", value_hint = ValueHint::FilePath, conflicts_with = "body")]
    file: Option<Input>,

    /// Write the text in your editor; the default on a terminal
    #[arg(long, conflicts_with_all = ["body", "file"])]
    editor: bool,

    #[command(flatten)]
    dry_run: DryRun,
}

fn create(arguments: CreateArguments, session: &Session<'_>) -> Result<Report> {
    let dry_run = arguments.dry_run.dry_run;
    let (entered, argument) = match arguments.file.clone() {
        Some(input) => (Some(TextArgument::Input(input)), "--file"),
        None => (arguments.body, "BODY"),
    };
    match entered {
        Some(entered) => {
            let body = entered.read(argument, session.output)?;
            // The service accepts it, but it is probably an unset variable or a failed program.
            if body.is_empty() {
                return Err(Failure::usage("the text of the post is empty"));
            }
            let call = session.client()?.create_post(&body);
            if dry_run {
                return preview(&call, &body);
            }
            let response = session.write(call, RESOURCE, CHECK_COMMAND)?;
            if let Some(file) = &arguments.file {
                editor::delete_sent(file, session, || Ok(response.data().is_some()));
            }
            Ok(report(&response))
        }
        None if !arguments.editor && (session.settings.no_input || !io::stdin().is_terminal()) => {
            let failure = Failure::usage("the text of the post is missing");
            Err(failure.hint("pass it as an argument, - to read it from stdin, or --editor"))
        }
        None => from_editor(dry_run, session),
    }
}

fn from_editor(dry_run: bool, session: &Session<'_>) -> Result<Report> {
    let editor = Editor::find(&session.settings)?;
    session.client()?;
    // A missing key is reported before the text is written.
    if !dry_run && !session.settings.sandbox && session.settings.key()?.is_none() {
        return Err(failure::without_key(Failure::default()));
    }
    editor::edit(&mut NewPost { dry_run, session }, "", &editor, session)
}

struct NewPost<'a> {
    dry_run: bool,
    session: &'a Session<'a>,
}

impl EditedText for NewPost<'_> {
    const PREFIX: &'static str = "post-";
    const SUFFIX: &'static str = ".txt";

    fn finish(&mut self, text: &str, _: Option<FailureKind>) -> Result<Finished> {
        let body = &*input::entered_text(text, "the text", self.session.output);
        if body.trim().is_empty() {
            let sentence = View::Sentence("The text is empty; nothing was sent.".to_owned());
            let report = Report::new(json!({"result": "unchanged"}), sentence);
            return Ok(Finished::Done(report));
        }
        let call = self.session.client()?.create_post(body);
        if self.dry_run {
            return Ok(Finished::Kept(preview(&call, body)?, None));
        }
        let response = self.session.write(call, RESOURCE, CHECK_COMMAND)?;
        Ok(match response.data() {
            Some(_) => Finished::Done(report(&response)),
            None => Finished::Kept(
                report(&response),
                Some("delete it once the service shows it"),
            ),
        })
    }

    fn commands(path: &str, with_key: &str) -> String {
        let create = NextCommand(format!("profile post create --file {path}"));
        format!("send it with {create}{with_key}")
    }
}

fn preview<T>(call: &Call<T>, body: &str) -> Result<Report> {
    let change = Change::new("post", Value::Null, body);
    Ok(preview::dry_run(&[call.request()?], &[change]))
}

fn report(response: &Response<Option<Post>>) -> Report {
    let sentence = "The service accepted the post.";
    Report::written(response, COLUMNS, "created", sentence)
}

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope social:write. All IDs are tried, and the highest exit code counts. \
The text of a deleted post is printed, so that you can create it again. After the confirmation, the \
profile is read again; if one of the posts has changed meanwhile, nothing is deleted.

Examples:
  profile post delete post_1
  profile post delete post_1 post_2 --yes")]
pub(crate) struct DeleteArguments {
    /// IDs of the posts; `profile post list` shows them
    #[arg(required = true, value_name = "ID", add = completion::posts())]
    ids: Vec<String>,

    #[command(flatten)]
    dry_run: DryRun,
}

fn delete(arguments: DeleteArguments, session: &Session<'_>) -> Result<Report> {
    let deletion = Deletion {
        noun: "post",
        operation: Operation::DELETE_POST,
        dry_run: arguments.dry_run.dry_run,
        listed,
        call: |client, id| Ok(client.delete_post(&PostId::new(id)?)),
    };
    deletion.run(&arguments.ids, session)
}

fn listed(profile: &Profile) -> Option<Vec<Item>> {
    let posts = profile.posts.as_ref()?.iter();
    let item = |post: &Post| Some(Item::new(post.id.as_ref()?, [("body", &post.body)]));
    Some(posts.filter_map(item).collect())
}
