//! `profile post create`: creates a post.

use clap::Args;
use profile_sdk::Post;

use crate::dry_run::{self, Change, DryRun};
use crate::failure::Failure;
use crate::report::{Report, Shown, push_field};
use crate::session::Session;
use crate::stop::Stop;

/// Create a post
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope social:write. If no answer comes, the post is not sent again: `profile post list`
tells whether it is there.

Example:
  profile post create 'Hello, world'")]
pub(crate) struct PostCreateArguments {
    /// The text
    body: String,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: PostCreateArguments, session: &Session<'_>) -> Result<Report, Stop> {
    let call = session.client()?.create_post(&arguments.body);
    if arguments.dry_run.dry_run {
        let request = call.request().map_err(Failure::of_unsent)?;
        let change = Change::new("post", None, Some(arguments.body));
        return Err(dry_run::stop(&[request], &[change]));
    }
    let response = session.write(call, "list of posts", "profile post list")?;
    let sentence = "The service accepted the post without showing it; `profile post list` does.";
    Ok(Report::written(&response, fields, "created", sentence))
}

/// A post as names and values.
fn fields(post: &Post) -> Shown {
    let mut fields = Vec::new();
    push_field(&mut fields, "id", post.id.as_ref());
    push_field(&mut fields, "body", post.body.as_ref());
    Shown::Fields(fields)
}
